package server

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/service/api"
)

// TestMalformedRequests draws requests from the description, most of them with something wrong: none has an answer of 5xx, each
// refusal is a problem, nothing panics, and nothing takes long. BOOKAHEAD_OPS says how many.
func TestMalformedRequests(t *testing.T) {
	n := 2_000
	if text := os.Getenv("BOOKAHEAD_OPS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	s := start(t, "")
	d := &drawer{service: s, rand: rand.New(rand.NewPCG(44, 4711))}
	for _, item := range s.http.api.OpenAPI().Paths {
		for _, o := range []*huma.Operation{item.Get, item.Post, item.Put, item.Delete} {
			if o != nil && o.OperationID != "watch" {
				d.operations = append(d.operations, o)
			}
		}
	}
	slices.SortFunc(d.operations, func(a, b *huma.Operation) int { return strings.Compare(a.OperationID, b.OperationID) })
	codes, slowest := map[int]int{}, time.Duration(0)
	for range n {
		r := d.request()
		began := time.Now()
		res, err := http.DefaultClient.Do(r.Request)
		require.NoError(t, err, "%s %s %s", r.Method, r.URL, r.text)
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		require.NoError(t, err)
		slowest = max(slowest, time.Since(began))
		codes[res.StatusCode]++
		about := fmt.Sprintf("%s %s\n%v\n%.600s\n%d %s", r.Method, r.URL, r.Header, r.text, res.StatusCode, body)
		require.Less(t, res.StatusCode, 500, about)
		require.Less(t, time.Since(began), time.Minute, about)
		if res.StatusCode < 400 {
			continue
		}
		require.Equal(t, "application/problem+json", res.Header.Get("Content-Type"), about)
		var p api.Problem
		require.NoError(t, json.Unmarshal(body, &p), about)
		require.Equal(t, res.StatusCode, p.Status, about)
		require.NotEmpty(t, p.Title, about)
	}
	t.Logf("%d requests, by status %v, the slowest in %v", n, codes, slowest)
	require.NotContains(t, s.log.String(), "panicked")
	for _, code := range []int{200, 201, 401, 403, 404, 422} {
		require.NotZero(t, codes[code], "%v", codes)
	}
}

// drawer draws requests.
type drawer struct {
	*service
	rand       *rand.Rand
	tame       int // how much rarer wrong things are in this request
	operations []*huma.Operation
}

// drawn is a request with the text of its body.
type drawn struct {
	*http.Request
	text string
}

func (d *drawer) one(of ...any) any { return of[d.rand.IntN(len(of))] }

// wrong reports whether the next thing shall be wrong: once in so many times, in a tame request less often.
func (d *drawer) wrong(times int) bool { return d.rand.IntN(times*d.tame) == 0 }

func (d *drawer) request() drawn {
	d.tame = d.one(1, 4, 20, 100).(int)
	o := d.operations[d.rand.IntN(len(d.operations))]
	path, query, header := o.Path, url.Values{}, http.Header{}
	for _, p := range o.Parameters {
		text := fmt.Sprint(d.value(p.Name, p.Schema, 0))
		switch {
		case p.In == "path":
			path = strings.Replace(path, "{"+p.Name+"}", url.PathEscape(strings.Trim(text, "/.")), 1)
		case d.wrong(3) && !p.Required:
		case p.In == "query":
			query.Add(p.Name, text)
		default:
			header.Set(p.Name, strings.Map(printable, text[:min(len(text), 1000)]))
		}
	}
	text := ""
	if o.RequestBody != nil {
		data, err := json.Marshal(d.value("", o.RequestBody.Content["application/json"].Schema, 0))
		require.NoError(d, err)
		text = string(data)
		if d.wrong(8) {
			text = d.spoilt(text)
		}
	}
	method := o.Method
	if d.wrong(40) {
		method = d.one("PATCH", "TRACE", "OPTIONS", "FOO", "GET", "POST", "DELETE").(string)
	}
	u := d.server.URL + path
	if len(query) > 0 {
		u += "?" + query.Encode()
	}
	r, err := http.NewRequest(method, u, strings.NewReader(text))
	require.NoError(d, err, u)
	r.Header = header
	r.Header.Set("Content-Type", "application/json")
	if d.wrong(20) {
		r.Header.Set("Content-Type", d.one("text/plain", "application/xml", "multipart/form-data; boundary=x", "", "application/cbor", "application/json; charset=\xff", ";").(string))
	}
	if d.wrong(20) {
		r.Header.Set("Accept", d.one("text/html", "application/cbor", "*/*;q=x", "", "image/*").(string))
	}
	if !d.wrong(20) {
		r.Header.Set("Authorization", "Bearer "+d.one("ann", "bob", "eve", "tom", "root", "root", "nobody").(string)+"'s token")
	}
	return drawn{r, text}
}

// spoilt returns a text that is no JSON any more, or JSON of another shape.
func (d *drawer) spoilt(text string) string {
	at := d.rand.IntN(len(text) + 1)
	return d.one(text[:at], text+text, text[:at]+"\x00"+text[at:], text[:at]+"\xff\xfe"+text[at:], "["+text+"]", "null", "", `""`, "{}", "[]", "1e999999",
		strings.Repeat("[", 20_000), strings.Repeat(`{"parts":`, 5_000), `{"parts":`+strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000)+"}",
		text[:at]+`,"title":`+strings.Repeat("9", 10_000)+text[at:], `{"parts":1,"parts":[],"parts":{}}`, "\ufeff"+text, text[:at]+"1e400"+text[at:]).(string)
}

// value draws a value of a schema, which may be wrong, but never as deep as a reader of JSON refuses.
func (d *drawer) value(name string, s *huma.Schema, depth int) any {
	if s.Ref != "" {
		s = d.http.api.OpenAPI().Components.Schemas.SchemaFromRef(s.Ref)
	}
	if d.wrong(60) {
		return d.one(nil, true, -1, 0, 1e308, "", "x", []any{}, map[string]any{}, []any{nil}, json.Number("99999999999999999999"), json.Number("0.1"), strings.Repeat("x", 5_000))
	}
	if len(s.Enum) > 0 && !d.wrong(10) {
		return s.Enum[d.rand.IntN(len(s.Enum))]
	}
	switch s.Type {
	case "object":
		return d.object(s, depth)
	case "array":
		list := []any{}
		n := d.one(1, 1, 1, 2).(int)
		if d.wrong(4) {
			n = d.one(0, 3, 20).(int)
		}
		for range n {
			if depth < 6 {
				list = append(list, d.value(name, s.Items, depth+1))
			}
		}
		return list
	case "boolean":
		return d.one(true, false)
	case "integer", "number":
		if !d.wrong(5) {
			return d.one(0, 1, 1, 2, 3)
		}
		return d.one(0, 1, 1, 2, 3, 4, 8, -1, 1000, int64(1)<<31, int64(1)<<53, int64(1)<<62, int64(-1)<<63, json.Number("18446744073709551615"), json.Number("1e3"), json.Number("1.0"), 0.5)
	}
	return d.text(name, s)
}

func (d *drawer) object(s *huma.Schema, depth int) any {
	v := map[string]any{}
	if more, ok := s.AdditionalProperties.(*huma.Schema); ok {
		for range d.rand.IntN(3) {
			v[d.one("gpus", "cpus", "disks", "", "\x00").(string)] = d.value("", more, depth+1)
		}
	}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		needed := slices.Contains(s.Required, name)
		if needed && !d.wrong(40) || !needed && d.rand.IntN(10) == 0 {
			v[name] = d.value(name, s.Properties[name], depth+1)
		}
	}
	if _, ok := s.Properties["parts"]; ok && d.rand.IntN(4) > 0 { // most wishes ask for parts alone
		v["parts"] = d.value("parts", s.Properties["parts"], depth+1)
		if d.rand.IntN(6) > 0 {
			delete(v, "volume")
			delete(v, "pieces")
		}
	}
	if d.wrong(30) {
		v[d.one("x", "$schema", "__proto__", "ID", "Owner", "\u202e").(string)] = 1
	}
	return v
}

// sound are texts that are right for some names.
var sound = map[string][]any{
	"schedule": {"link", "lab", "gpus"}, "duration": {"PT1H", "PT30M", "P1D", "PT1M"}, "window": {"PT2H", "P1D"}, "most": {"PT3H"}, "least": {"PT1M"},
	"gap": {"PT1H"}, "restart": {"PT1M"}, "offset": {"PT1H"}, "owner": {"ann", "bob", "eve", "physics"}, "rule": {"FREQ=WEEKLY;COUNT=3", "FREQ=DAILY;BYDAY=MO,TU;COUNT=4"},
	"zone": {"Europe/Berlin", "America/New_York"}, "within": {"rack"}, "packed": {"rack"},
}

func (d *drawer) text(name string, s *huma.Schema) any {
	switch {
	case d.wrong(8):
	case s.Format == "date-time":
		return tomorrow(d.rand.IntN(72)).Format(time.RFC3339)
	case sound[name] != nil:
		return d.one(sound[name]...)
	}
	return d.one("link", "link", "lab", "gpus", "rack", "ann", "physics", "PT1H", "PT30M", "PT2H", "P1D", "FREQ=WEEKLY;COUNT=3", "FREQ=DAILY;BYDAY=MO,TU;COUNT=2",
		"FREQ=SECONDLY;COUNT=99999999", "FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=2;COUNT=9999", "FREQ=DAILY;INTERVAL=999999999;UNTIL=99991231T235959Z", "FREQ=MINUTELY;COUNT=5", "Europe/Berlin",
		"0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2026-13-45T99:99:99Z", "2262-04-11T23:47:16Z", "1677-09-21T00:12:43Z", "1970-01-01T00:00:00-24:00",
		"PT0S", "P", "PT", "-PT1H", "P999999D", "PT9999999999S", "PT0.000000001S", "P1Y", "pt1h", "", " ", "..", "%00", "a/b", "\x00", "\u202e", "\xff", "<script>",
		"../../etc/passwd", "Local", strings.Repeat("é", 300), "*", `"1-0123456789abcdef"`, "MS4x", "eA", strings.Repeat("A", 128))
}
