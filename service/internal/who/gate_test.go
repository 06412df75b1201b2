package who

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/service/internal/config"
)

// door is a gate with a page behind it that says who asks.
type door struct {
	*testing.T
	gate   *Gate
	server *httptest.Server
	clock  time.Time // the time of the gate; the present if zero
	log    lockedBuffer
}

// lockedBuffer keeps a log.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

const schedules = "schedules: [{name: a, kind: pool, units: 1}]\ngroups: {lab: [ann, bob]}\n"

var secret = bytes.Repeat([]byte{7}, 32)

// open opens a gate by the lines of a file.
func open(t *testing.T, text string) *door {
	d := &door{T: t}
	d.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { d.serve(w, r) }))
	c, err := config.Read([]byte(schedules+"url: http://"+d.server.Listener.Addr().String()+"\n"+text), filepath.Join(t.TempDir(), "file.yaml"))
	require.NoError(t, err)
	d.gate = d.other(c, secret)
	d.server.Start()
	t.Cleanup(d.server.Close)
	return d
}

// other returns another gate, such as that of another member.
func (d *door) other(c *config.Config, secret []byte) *Gate {
	g, err := NewGate(c, secret)
	require.NoError(d, err)
	g.now = func() time.Time {
		if d.clock.IsZero() {
			return time.Now()
		}
		return d.clock
	}
	return g
}

func (d *door) serve(w http.ResponseWriter, r *http.Request) {
	mux := http.NewServeMux()
	d.gate.Mount(mux, slog.New(slog.NewTextHandler(&d.log, &slog.HandlerOptions{Level: slog.LevelDebug})), "/static/page.css")
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		c, err := d.gate.Caller(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		fmt.Fprintf(w, "%s %s %q %s", c.Owner, c.Role, c.Groups, c.By)
	})
	mux.ServeHTTP(w, r)
}

// browser is a client that keeps cookies.
func (d *door) browser() *http.Client {
	jar, err := cookiejar.New(nil)
	require.NoError(d, err)
	return &http.Client{Jar: jar}
}

func (d *door) get(c *http.Client, path string, headers ...string) (int, string) {
	d.Helper()
	r, err := http.NewRequest("GET", d.server.URL+path, nil)
	require.NoError(d, err)
	return d.do(c, r, headers...)
}

func (d *door) post(c *http.Client, path string, form url.Values, headers ...string) (int, string) {
	d.Helper()
	r, err := http.NewRequest("POST", d.server.URL+path, strings.NewReader(form.Encode()))
	require.NoError(d, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return d.do(c, r, headers...)
}

func (d *door) do(c *http.Client, r *http.Request, headers ...string) (int, string) {
	d.Helper()
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.Do(r)
	require.NoError(d, err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	require.NoError(d, err)
	return res.StatusCode, string(data)
}

// tokens are the lines of a file with tokens of ann and bob, and one that is over.
func tokens() string {
	return "tokens:\n" +
		"  - {owner: ann, role: operator, groups: [staff], sha256: " + strings.ToUpper(SumOf("ann's")) + "}\n" +
		"  - {owner: bob, role: reader, expires: 2026-03-28, sha256: " + SumOf("bob's") + "}\n"
}

func TestTokens(t *testing.T) {
	d := open(t, tokens()+"zone: Europe/Berlin\n")
	d.clock = time.Date(2026, 3, 28, 22, 59, 59, 0, time.UTC) // a second before midnight in Berlin
	for header, want := range map[string]string{
		"Bearer ann's": `ann operator ["lab" "staff"] ann by token ` + SumOf("ann's")[:8], "bearer   ann's  ": "ann operator", "Bearer bob's": "bob reader",
		"Basic YW5uOmFubg==": " nobody", "Bearer": " nobody", "ann's": " nobody",
	} {
		code, body := d.get(http.DefaultClient, "/", "Authorization", header)
		require.Equal(t, http.StatusOK, code, header)
		require.True(t, strings.HasPrefix(body, want), "%s: %s", header, body)
	}
	for _, token := range []string{"ann", "ann's ann's", "ann's,", "x.y.z", strings.Repeat("x", 1<<18), "Ann's", SumOf("ann's"), "é", `"ann's"`, "null"} {
		code, body := d.get(http.DefaultClient, "/", "Authorization", "Bearer "+token)
		require.Equal(t, http.StatusUnauthorized, code, "%.20s", token)
		require.Equal(t, ErrUnknown.Error()+"\n", body)
	}
	for _, token := range []string{"ann's\x00", "\x00", "ann's\nann's", "\xff\xfe", strings.Repeat("a", 1<<20)} { // no client sends them
		r := httptest.NewRequest("GET", "/", nil)
		r.Header["Authorization"] = []string{"Bearer " + token}
		_, err := d.gate.Caller(r)
		require.ErrorIs(t, err, ErrUnknown, "%.20q", token)
	}
	d.clock = d.clock.Add(time.Second)
	code, _ := d.get(http.DefaultClient, "/", "Authorization", "Bearer bob's")
	require.Equal(t, http.StatusUnauthorized, code, "the day of the zone is over")
}

func TestFeedKeys(t *testing.T) {
	d := open(t, tokens())
	d.clock = time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	key := d.gate.FeedKey("/calendar/owner/ann.ics", "ann")
	require.Len(t, key, 22)
	require.True(t, d.gate.IsFeedKey("/calendar/owner/ann.ics", "ann", key))
	require.True(t, d.gate.IsFeedKey("/calendar/owner/%61nn.ics", "ann", key))
	require.Equal(t, d.gate.FeedKey("/calendar/owner/%2F%C3%A9.ics", "ann"), d.gate.FeedKey("/calendar/owner/%2f%c3%a9.ics", "ann"))
	for _, other := range [][3]string{
		{"/calendar/owner/bob.ics", "ann", key}, {"/calendar/owner/ann.ics", "bob", key}, {"/calendar/owner/ann.ic", "sann", key},
		{"/calendar/owner/ann.ics", "ann", ""}, {"/calendar/owner/ann.ics", "ann", key[:21]}, {"/calendar/owner/ann.ics", "ann", key + "A"},
		{"/calendar/owner/ann.ics", "ann", strings.ToLower(key)},
	} {
		require.False(t, d.gate.IsFeedKey(other[0], other[1], other[2]), other)
	}
	require.False(t, d.other(d.gate.config, bytes.Repeat([]byte{8}, 32)).IsFeedKey("/calendar/owner/ann.ics", "ann", key), "another secret")

	for owner, isHere := range map[string]bool{"ann": true, "bob": true, "gone": false} {
		path := "/calendar/owner/" + owner + ".ics"
		require.Equal(t, isHere, d.gate.IsFeedKey(path, owner, d.gate.FeedKey(path, owner)), owner)
	}
	d.clock = d.clock.AddDate(0, 0, 1)
	require.False(t, d.gate.IsFeedKey("/calendar/owner/bob.ics", "bob", d.gate.FeedKey("/calendar/owner/bob.ics", "bob")), "the token of bob is over")
}

func TestSignIsForOnePurpose(t *testing.T) {
	g := open(t, "").gate
	seen := map[string]bool{}
	for _, texts := range [][]string{{"ab", "c"}, {"a", "bc"}, {"abc"}, {"abc", ""}, {"", "abc"}, {"feed", "a", "b"}, {"session", "a", "b"}} {
		sum := g.sign(texts...)
		require.False(t, seen[sum], texts)
		seen[sum] = true
	}
}
