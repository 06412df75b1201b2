package page_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/bookahead/bookahead/service/internal/config"
	"github.com/bookahead/bookahead/service/internal/office"
	"github.com/bookahead/bookahead/service/internal/page"
	"github.com/bookahead/bookahead/service/internal/server"
	"github.com/bookahead/bookahead/service/internal/who"
)

// file is the file of the tests.
const file = `
zone: Europe/Berlin
epoch: 2026-01-01
tick: 5m
titles: mine
limits: {rate: 100000, burst: 100000, streams: 100}
groups: {physics: [ann, bob]}
schedules:
  - {name: link, kind: pool, units: 10, unit: Gbit/s}
  - {name: lab, kind: servers, count: 2, after: 15m}
  - {name: "a/b ?&<c>", kind: servers, count: 1, open: ["Mo-Su 06:00-22:00"]}
  - name: gpus
    kind: nodes
    unit: GPU
    resources: [gpus, cpus]
    levels: [rack]
    nodes:
      - {count: 2, has: [8, 64], in: {rack: a}}
      - {count: 2, has: [8, 64], in: {rack: b}}
  - {name: anywhere, kind: broker, of: [lab, link]}
quotas:
  - {name: at once, each: true, on: [gpus], resource: gpus, units: 24}
`

// people are those who have tokens, and their roles.
var people = map[string]string{"ann": "booker", "bob": "booker", "eve": "booker", "tom": "reader", "root": "operator"}

// service is a service under test, with pages.
type service struct {
	*testing.T
	office *office.Office
	server *httptest.Server
	friend string       // another site that a browser may ask
	away   atomic.Int64 // how many streams of events are answered with 502
}

func start(t *testing.T, more ...string) *service {
	text := file + strings.Join(more, "\n") + "\ntokens:\n"
	for name, role := range people {
		text += "  - {owner: " + name + ", role: " + role + ", sha256: " + who.SumOf(name+"'s token") + "}\n"
	}
	inner := http.Handler(nil)
	s := &service{T: t, server: httptest.NewServer(nil)}
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/events" && s.away.Add(-1) >= 0 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		inner.ServeHTTP(w, r)
	})
	c, err := config.Read([]byte("url: "+s.server.URL+"\n"+text), filepath.Join(t.TempDir(), "bookahead.yaml"))
	require.NoError(t, err)
	g, err := who.NewGate(c, bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	if os.Getenv("BOOKAHEAD_LOG") != "" {
		log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	s.office, err = office.Open(c, office.Options{Log: log})
	require.NoError(t, err)
	pages := page.New(s.office, g, server.CallerOf)
	http := server.New(s.office, g, server.Options{Log: log, Pages: pages, Style: pages.Style()})
	inner = http
	t.Cleanup(func() {
		http.End()
		s.server.Close()
		require.NoError(t, s.office.Close())
	})
	require.Eventually(t, func() bool {
		l, err := s.office.Glance(context.Background(), who.Caller{Role: who.Reader})
		return err == nil && len(l.Schedules()) == len(c.Schedules) && len(l.Desk().Quotas()) == len(c.Quotas)
	}, 20*time.Second, 10*time.Millisecond)
	return s
}

// answer is a page.
type answer struct {
	*service
	by   string
	code int
	path string // after redirects
	head http.Header
	text string
	root *html.Node
}

// get asks for a page as somebody; "" is nobody. Redirects are followed.
func (s *service) get(by, path string) answer { return s.ask(by, "GET", path, nil) }

// post sends a form: names and values in turn.
func (s *service) post(by, path string, fields ...string) answer {
	v := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		v.Add(fields[i], fields[i+1])
	}
	return s.ask(by, "POST", path, v)
}

func (s *service) ask(by, method, path string, v url.Values) answer {
	s.Helper()
	r, err := http.NewRequest(method, s.server.URL+path, strings.NewReader(v.Encode()))
	require.NoError(s, err)
	if v != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if by != "" {
		r.Header.Set("Authorization", "Bearer "+by+"'s token")
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(s, err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	require.NoError(s, err)
	root, err := html.Parse(bytes.NewReader(data))
	require.NoError(s, err)
	return answer{s, by, res.StatusCode, res.Request.URL.RequestURI(), res.Header, string(data), root}
}

// is checks the status.
func (a answer) is(code int) answer {
	a.Helper()
	require.Equal(a, code, a.code, "%s: %s", a.path, a.alert())
	return a
}

// all returns the elements with a name.
func all(n *html.Node, name string) (list []*html.Node) {
	for x := range n.Descendants() {
		if x.Type == html.ElementNode && x.Data == name {
			list = append(list, x)
		}
	}
	return list
}

// attr returns an attribute; "" if there is none.
func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

// text returns the text of an element, with single spaces.
func text(n *html.Node) string {
	var b strings.Builder
	for x := range n.Descendants() {
		if x.Type == html.TextNode {
			b.WriteString(x.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// alert returns the alert of a page.
func (a answer) alert() string {
	for _, n := range all(a.root, "div") {
		if attr(n, "role") == "alert" && text(n) != "" {
			return text(n)
		}
	}
	return ""
}

// form is a form of a page that can be filled in and sent.
type form struct {
	answer
	action string
	url.Values
}

// form returns the form that has a button with this text.
func (a answer) form(button string) form {
	a.Helper()
	for _, n := range all(a.root, "form") {
		for _, b := range all(n, "button") {
			if !strings.HasPrefix(text(b), button) {
				continue
			}
			f := form{a, attr(n, "action"), url.Values{}}
			if f.action == "" {
				f.action = a.path
			}
			for _, i := range all(n, "input") {
				if attr(i, "type") != "checkbox" || has(i, "checked") {
					f.Add(attr(i, "name"), attr(i, "value"))
				}
			}
			for _, s := range all(n, "select") {
				options := all(s, "option")
				chosen := options[0]
				for _, o := range options {
					if has(o, "selected") {
						chosen = o
					}
				}
				value := text(chosen)
				if has(chosen, "value") {
					value = attr(chosen, "value")
				}
				f.Add(attr(s, "name"), value)
			}
			if attr(b, "name") != "" {
				f.Set(attr(b, "name"), attr(b, "value"))
			}
			return f
		}
	}
	require.Fail(a, "there is no form", "with a button %q in %s: %s", button, a.path, a.text)
	return form{}
}

// send sends a form with some fields filled in.
func (f form) send(fields ...string) answer {
	f.Helper()
	for i := 0; i+1 < len(fields); i += 2 {
		f.Set(fields[i], fields[i+1])
	}
	return f.ask(f.by, "POST", f.action, f.Values)
}

var berlin = func() *time.Location {
	l, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return l
}()

// local is a time of tomorrow, on the hour, as a form has it.
func local(hour int) string {
	at := time.Now().In(berlin).AddDate(0, 0, 1)
	return time.Date(at.Year(), at.Month(), at.Day(), hour, 0, 0, 0, berlin).Format("2006-01-02T15:04")
}

func tomorrow() string { return local(0)[:10] }
