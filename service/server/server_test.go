package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/config"
	"github.com/bookahead/bookahead/service/office"
	"github.com/bookahead/bookahead/service/who"
)

// file is the file of the tests: who has which token follows from its name.
const file = `
zone: Europe/Berlin
epoch: 2026-01-01
tick: 1m
titles: mine
limits: {rate: 100000, burst: 100000}
groups: {physics: [ann, bob]}
schedules:
  - {name: link, kind: pool, units: 10, unit: Gbit/s}
  - {name: lab, kind: servers, count: 2, after: 15m}
  - name: gpus
    kind: nodes
    resources: [gpus, cpus]
    levels: [rack]
    nodes:
      - {count: 2, has: [8, 64], in: {rack: a}}
      - {count: 2, has: [8, 64], in: {rack: b}}
quotas:
  - {name: at once, each: true, on: [gpus], resource: gpus, units: 24}
`

// people are those who have tokens.
var people = map[string]string{"ann": "booker", "bob": "booker", "eve": "booker", "tom": "reader", "root": "operator"}

// desk is a service under test.
type service struct {
	*testing.T
	office *office.Office
	server *httptest.Server
	http   *Server
	log    *lockedBuffer
}

// start starts a service in a folder of its own.
func start(t *testing.T, more string) *service { return startIn(t, t.TempDir(), more) }

func startIn(t *testing.T, folder, more string) *service {
	text := file + more + "tokens:\n"
	for name, role := range people {
		text += "  - {owner: " + name + ", role: " + role + ", sha256: " + who.SumOf(name+"'s token") + "}\n"
	}
	c, err := config.Read([]byte(text), filepath.Join(folder, "bookahead.yaml"))
	require.NoError(t, err)
	g, err := who.NewGate(c, bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	kept := &lockedBuffer{}
	log := slog.New(slog.NewTextHandler(kept, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if os.Getenv("BOOKAHEAD_LOG") != "" {
		log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	o, err := office.Open(c, office.Options{Log: log})
	require.NoError(t, err)
	s := &service{T: t, office: o, http: New(o, g, Options{Log: log}), log: kept}
	s.server = httptest.NewServer(s.http)
	t.Cleanup(func() {
		s.http.End()
		s.server.Close()
		require.NoError(t, o.Close())
	})
	require.Eventually(t, func() bool {
		l, err := o.Glance(context.Background(), who.Caller{Role: who.Reader})
		return err == nil && len(l.Schedules()) == len(c.Schedules) && len(l.Desk().Quotas()) == len(c.Quotas)
	}, 20*time.Second, 10*time.Millisecond)
	return s
}

// answer is an answer of the service.
type answer struct {
	*service
	code   int
	header http.Header
	body   []byte
}

// call calls the service as somebody. Headers are names and values in turn.
func (s *service) call(by, method, path string, body any, headers ...string) answer {
	s.Helper()
	var data []byte
	switch x := body.(type) {
	case nil:
	case string:
		data = []byte(x)
	default:
		var err error
		data, err = json.Marshal(body)
		require.NoError(s, err)
	}
	r, err := http.NewRequest(method, s.server.URL+path, bytes.NewReader(data))
	require.NoError(s, err)
	if by != "" {
		r.Header.Set("Authorization", "Bearer "+by+"'s token")
	}
	if data != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(s, err)
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	require.NoError(s, err)
	return answer{s, res.StatusCode, res.Header, out}
}

// is checks the status of an answer, and reads its body.
func (a answer) is(code int, into any) answer {
	a.Helper()
	require.Equal(a, code, a.code, "%s", a.body)
	if into != nil {
		reflect.ValueOf(into).Elem().SetZero() // what an answer leaves out is not what another had
		require.NoError(a, json.Unmarshal(a.body, into), "%s", a.body)
	}
	return a
}

// refused checks that an answer is a problem with a status, and returns it.
func (a answer) refused(code int) api.Problem {
	a.Helper()
	require.Equal(a, code, a.code, "%s", a.body)
	require.True(a, strings.HasPrefix(a.header.Get("Content-Type"), "application/problem+json"), a.header.Get("Content-Type"))
	var p api.Problem
	require.NoError(a, json.Unmarshal(a.body, &p))
	require.Equal(a, code, p.Status)
	return p
}

// tomorrow is a time of tomorrow, on the hour.
func tomorrow(hour int) time.Time {
	at := time.Now().In(berlin).AddDate(0, 0, 1)
	return time.Date(at.Year(), at.Month(), at.Day(), hour, 0, 0, 0, berlin)
}

var berlin = func() *time.Location {
	l, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return l
}()

// want is a wish for one part tomorrow, between two hours.
func want(title, schedule string, units int64, from, until int) api.Book {
	start, end := tomorrow(from), tomorrow(until)
	return api.Book{Wish: api.Wish{Title: title, Ready: &start, Deadline: &end, Parts: []api.Part{{Schedule: schedule, Units: units, Duration: api.DurationOf(end.Sub(start))}}}}
}

func TestBookChangeCancel(t *testing.T) {
	s := start(t, "")
	var b api.Booking
	a := s.call("ann", "POST", "/v1/bookings", want("copies", "link", 4, 8, 10), "Idempotency-Key", "one").is(http.StatusCreated, &b)
	require.Equal(t, "/v1/bookings/1", a.header.Get("Location"))
	require.Equal(t, "booked", b.State)
	require.Equal(t, "ann", b.Owner)
	require.True(t, b.Start.Equal(tomorrow(8)))
	require.True(t, b.Mine)

	var again api.Booking
	s.call("ann", "POST", "/v1/bookings", want("copies", "link", 4, 8, 10), "Idempotency-Key", "one").is(http.StatusCreated, &again)
	require.Equal(t, b, again)
	s.call("ann", "POST", "/v1/bookings", want("copies", "link", 5, 8, 10), "Idempotency-Key", "one").refused(http.StatusUnprocessableEntity)
	s.call("bob", "POST", "/v1/bookings", want("others", "link", 4, 8, 10), "Idempotency-Key", "one").is(http.StatusCreated, &again)
	require.NotEqual(t, b.ID, again.ID)

	var seen api.Booking
	a = s.call("eve", "GET", "/v1/bookings/1", nil).is(http.StatusOK, &seen)
	require.Empty(t, seen.Title, "titles are the owner's")
	require.False(t, seen.Mine)
	require.Equal(t, http.StatusNotModified, s.call("eve", "GET", "/v1/bookings/1", nil, "If-None-Match", a.header.Get("ETag")).code)

	s.call("eve", "DELETE", "/v1/bookings/1", nil).refused(http.StatusForbidden)
	s.call("tom", "POST", "/v1/bookings", want("", "link", 1, 8, 10)).refused(http.StatusForbidden)
	s.call("ann", "PUT", "/v1/bookings/1", want("copies", "link", 6, 8, 10).Wish, "If-Match", `"`+b.ETag+`"`).is(http.StatusOK, &again)
	require.EqualValues(t, 6, again.Places[0].Units)
	s.call("ann", "PUT", "/v1/bookings/1", want("copies", "link", 2, 8, 10).Wish, "If-Match", `"`+b.ETag+`"`).refused(http.StatusPreconditionFailed)
	s.call("ann", "DELETE", "/v1/bookings/1", nil, "If-Match", `"`+again.ETag+`"`).is(http.StatusOK, &again)
	require.Equal(t, "cancelled", again.State)
	s.call("ann", "GET", "/v1/bookings/99", nil).refused(http.StatusNotFound)
}

func TestRefusedWithReasonsAndAlternatives(t *testing.T) {
	s := start(t, "")
	s.call("ann", "POST", "/v1/bookings", want("all", "link", 8, 8, 12)).is(http.StatusCreated, nil)
	p := s.call("bob", "POST", "/v1/bookings", want("much", "link", 5, 8, 12)).refused(http.StatusConflict)
	require.NotNil(t, p.Refusal)
	require.Len(t, p.Refusal.Reasons, 1)
	require.Contains(t, p.Refusal.Reasons[0], "5 units of \"link\" are taken by #1")
	require.NotEmpty(t, p.Refusal.Alternatives)
	for _, o := range p.Refusal.Alternatives {
		var b api.Booking
		s.call("bob", "POST", "/v1/bookings", api.Book{Wish: o.Wish}).is(http.StatusCreated, &b)
		require.True(t, b.Start.Equal(o.Start), "%s: %v", o.Text, o)
		s.call("bob", "DELETE", "/v1/bookings/"+jsonOf(b.ID), nil).is(http.StatusOK, nil)
	}
	wait := tomorrow(20)
	w := want("much", "link", 5, 8, 12)
	w.Wait = &wait
	var b api.Booking
	s.call("bob", "POST", "/v1/bookings", w).is(http.StatusAccepted, &b)
	require.Equal(t, "waiting", b.State)
	s.call("ann", "DELETE", "/v1/bookings/1", nil).is(http.StatusOK, nil)
	s.call("bob", "GET", "/v1/bookings/"+jsonOf(b.ID), nil).is(http.StatusOK, &b)
	require.Equal(t, "booked", b.State)
}

func jsonOf(x any) string {
	data, err := json.Marshal(x)
	if err != nil {
		panic(err)
	}
	return string(data)
}
