package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bookahead/bookahead/replicated"
)

// client is a service on a folder of its own, at a time that the test moves.
type client struct {
	*testing.T
	folder string
	at     time.Time
	*service
	server *httptest.Server
}

// begin starts on a Monday in March at 8:00. Clocks go forward on the 29th.
func begin(t *testing.T) *client {
	c := &client{T: t, folder: t.TempDir(), at: time.Date(2026, time.March, 2, 8, 0, 0, 0, berlin)}
	c.start()
	return c
}

// start opens the folder with another server. It opens a copy if the folder is open: the folder as a kill leaves it.
func (c *client) start() {
	if c.server != nil {
		killed := c.folder
		c.folder = c.TempDir()
		err := os.CopyFS(c.folder, os.DirFS(killed))
		if err != nil {
			c.Fatal(err)
		}
		c.server.Close()
		err = c.Close()
		if err != nil {
			c.Fatal(err)
		}
	}
	s, err := open(c.folder, func() time.Time { return c.at })
	if err != nil {
		c.Fatal(err)
	}
	c.service = s
	c.server = httptest.NewServer(s.handler())
	c.Cleanup(c.server.Close)
	c.Cleanup(func() { s.Close() })
}

func (c *client) get(path string) (string, string) {
	c.Helper()
	r, err := http.Get(c.server.URL + path)
	if err != nil {
		c.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		c.Fatal(path, r.Status, err)
	}
	return string(text), r.Header.Get("Content-Type")
}

func (c *client) send(method, path, body string) (int, answer) {
	c.Helper()
	q, err := http.NewRequest(method, c.server.URL+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		c.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		c.Fatal(err)
	}
	var a answer
	err = json.Unmarshal(text, &a)
	if err != nil {
		a.Error = string(text) // of the multiplexer
	}
	return r.StatusCode, a
}

// ok sends a request that must succeed.
func (c *client) ok(method, path, body string) answer {
	c.Helper()
	status, a := c.send(method, path, body)
	if status != http.StatusOK {
		c.Fatal(method, path, body, status, a.Error, a.Why)
	}
	return a
}

func (c *client) is(want, got any) {
	c.Helper()
	if want != got {
		c.Fatalf("want %v, got %v", want, got)
	}
}

func (c *client) has(text, part string) {
	c.Helper()
	if !strings.Contains(text, part) {
		c.Fatalf("%q is not in %s", part, text)
	}
}

// state is all that the desk knows. The desk agrees with itself.
func (c *client) state() string {
	c.Helper()
	d := c.desk()
	err := d.Verify()
	if err != nil {
		c.Fatal(err)
	}
	var b bytes.Buffer
	_, err = d.WriteTo(&b)
	if err != nil {
		c.Fatal(err)
	}
	return b.String()
}

// when formats the start of a booking in Berlin.
func when(b booking) string { return b.Start.In(berlin).Format(layout) }

// A Monday of a service: all that its users and its operator do.
func TestService(t *testing.T) {
	c := begin(t)

	// GPUs on one node, and scratch space, or nothing. A retry is the same booking.
	train := `{"key": "k1", "owner": "ann", "title": "train", "gpus": 8, "within": "node", "scratch": 60, "minutes": 240, "machine": "east"}`
	ann := c.ok("POST", "/bookings", train).Bookings[0]
	c.is("Mon 2 Mar 08:00", when(ann))
	c.is(1, len(ann.Places[0].Nodes))
	c.is("scratch", ann.Places[1].On)
	c.is(ann.ID, c.ok("POST", "/bookings", train).Bookings[0].ID)
	status, _ := c.send("POST", "/bookings", strings.Replace(train, "240", "120", 1))
	c.is(http.StatusBadRequest, status)
	bob := c.ok("POST", "/bookings", `{"owner": "bob", "gpus": 8, "scratch": 60, "minutes": 60}`).Bookings[0]
	c.is("Mon 2 Mar 12:00", when(bob)) // as the scratch space is free again

	// Another refusal: the bookings in the way and their ends, and alternatives, the best first.
	status, no := c.send("POST", "/bookings", `{"owner": "cho", "gpus": 16, "minutes": 240, "machine": "east", "until": "2026-03-02T13:00:00+01:00"}`)
	c.is(http.StatusConflict, status)
	c.has(no.Error, "no capacity")
	c.has(no.Why[0], `16 tasks of "east" are taken by #1`)
	c.is(3, len(no.Alternatives))
	c.is("Mon 2 Mar 13:00", when(no.Alternatives[0]))
	c.is("west", no.Alternatives[1].Places[0].On)
	c.is("Mon 2 Mar 08:00", when(no.Alternatives[1]))

	// 100 GPU-hours a week: ann has had 32, gets 64 more, and the next 6 only in the week after.
	c.ok("POST", "/bookings", `{"owner": "ann", "gpus": 8, "minutes": 480, "machine": "west"}`)
	status, no = c.send("POST", "/bookings", `{"owner": "ann", "gpus": 2, "minutes": 180, "until": "2026-03-08T20:00:00+01:00"}`)
	c.is(http.StatusConflict, status)
	c.is(3, len(no.Alternatives))
	c.has(strings.Join(no.Why, "; "), `quota "week"`)
	next := c.ok("POST", "/bookings", `{"owner": "ann", "gpus": 2, "minutes": 180}`).Bookings[0]
	c.is("Sun 8 Mar 22:00", when(next)) // of which an hour is of the next week

	// The waiting list.
	waits := c.ok("POST", "/bookings", `{"owner": "dee", "gpus": 16, "minutes": 120, "machine": "east", "until": "2026-03-02T12:00:00+01:00", "wait": "2026-03-02T10:00:00+01:00"}`)
	c.is("waiting", waits.Bookings[0].State)
	c.is("running", ann.State)
	told := c.ok("DELETE", "/bookings/1", "").Notify
	c.has(strings.Join(told, "; "), "ann: #1 cancelled")
	c.has(strings.Join(told, "; "), "dee: #5 booked, Mon 2 Mar 08:00")

	// A change keeps the ID; the place of the booking is free for it.
	longer := c.ok("PUT", "/bookings/2", `{"owner": "bob", "gpus": 8, "minutes": 120, "from": "2026-03-02T12:00:00+01:00", "machine": "east"}`)
	c.is(bob.ID, longer.Bookings[0].ID)
	c.is(2*time.Hour, longer.Bookings[0].End.Sub(longer.Bookings[0].Start))

	// A repair, and whom to notify: bob gets another node, and dee, who runs on both, has to be done by noon.
	repair := c.ok("POST", "/closures", `{"machine": "east", "nodes": [0], "title": "fans", "from": "2026-03-02T09:00:00+01:00", "until": "2026-03-02T18:00:00+01:00"}`)
	c.is("bob: #2 moved, Mon 2 Mar 12:00; dee: #5 displaced, Mon 2 Mar 08:00", strings.Join(repair.Notify, "; "))
	c.ok("DELETE", "/closures/1", "")

	// The list of bookings, and a chart.
	var list []booking
	text, _ := c.get("/bookings?owner=bob")
	err := json.Unmarshal([]byte(text), &list)
	if err != nil {
		t.Fatal(err)
	}
	c.is(1, len(list))
	c.is(longer.Bookings[0].ID, list[0].ID)
	chart, kind := c.get("/chart.svg")
	c.is("image/svg+xml", kind)
	c.has(chart, "east · node 0")

	// Killed, and started again: nothing is lost, and bookings begin and end in the meantime.
	before := c.state()
	c.start()
	c.is(before, c.state())
	c.at = c.at.Add(5 * time.Hour)
	c.ok("PUT", "/bookings/3", `{"owner": "ann", "title": "longer", "gpus": 8, "minutes": 540, "machine": "west"}`)
}

// A service is killed after each command; every other time a snapshot was written. A folder that was damaged is not
// opened.
func TestKilled(t *testing.T) {
	c := begin(t)
	for i := range 6 {
		c.ok("POST", "/bookings", `{"owner": "`+string(rune('a'+i))+`", "gpus": 5, "minutes": 100}`)
		if i%2 == 0 {
			err := c.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
		}
		c.at = c.at.Add(10 * time.Minute)
		c.ok("DELETE", fmt.Sprint("/bookings/", i+1), "")
		before := c.state()
		c.start()
		c.is(before, c.state())
	}

	c.server.Close()
	err := c.Close()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(c.folder + "/log/*.wal")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	b[100] ^= 1
	err = os.WriteFile(files[0], b, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	_, err = open(c.folder, time.Now)
	if !errors.Is(err, replicated.ErrDamaged) {
		t.Fatal("a damaged log was read", err)
	}
}

// Bad input has a status, and changes nothing.
func TestBadInput(t *testing.T) {
	c := begin(t)
	c.ok("POST", "/bookings", `{"key": "k", "owner": "ann", "gpus": 1, "minutes": 60}`)
	before := c.state()
	for _, x := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/bookings", ``, 400},
		{"POST", "/bookings", `{`, 400},
		{"POST", "/bookings", `[]`, 400},
		{"POST", "/bookings", `{"owner": "ann", "gpu": 1}`, 400},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 1.5, "minutes": 60}`, 400},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 1}`, 400},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 0, "minutes": 60}`, 400},
		{"POST", "/bookings", `{"owner": "ann", "gpus": -1, "minutes": 60}`, 400},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 1, "minutes": -60}`, 400},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 1, "minutes": -9223372036854775808}`, 400},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 1, "minutes": 9223372036854775807}`, 409},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 9223372036854775807, "minutes": 60}`, 409},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 17, "minutes": 60}`, 409},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 9, "minutes": 60, "within": "node"}`, 409},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 1, "minutes": 60, "within": "rack"}`, 400},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 1, "minutes": 60, "scratch": -1}`, 400},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 1, "minutes": 60, "scratch": 101}`, 409},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 1, "minutes": 60, "machine": "north"}`, 400},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 1, "minutes": 60, "machine": "scratch"}`, 400},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 1, "minutes": 60, "from": "noon"}`, 400},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 1, "minutes": 60, "from": "9999-01-01T00:00:00Z"}`, 409},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 1, "minutes": 60, "until": "2020-01-01T00:00:00Z"}`, 400},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 1, "minutes": 60, "until": "2026-03-02T08:00:00+01:00"}`, 409},
		{"POST", "/bookings", `{"owner": "ann", "gpus": 1, "minutes": 60, "wait": "2026-03-02T08:00:00+01:00"}`, 400},
		{"POST", "/bookings", `{"owner": "` + strings.Repeat("a", 2000) + `", "gpus": 1, "minutes": 60}`, 400},
		{"POST", "/bookings", `{"owner": "` + strings.Repeat("a", 2<<20) + `"}`, 400},
		{"POST", "/bookings", `{"key": "k", "owner": "bob", "gpus": 1, "minutes": 60}`, 400},
		{"PUT", "/bookings/2", `{"owner": "ann", "gpus": 1, "minutes": 60}`, 404},
		{"PUT", "/bookings/one", `{"owner": "ann", "gpus": 1, "minutes": 60}`, 404},
		{"PUT", "/bookings/1", `{"owner": "ann", "gpus": 17, "minutes": 60}`, 409},
		{"PUT", "/bookings", ``, 405},
		{"DELETE", "/bookings/2", ``, 404},
		{"DELETE", "/bookings/-1", ``, 404},
		{"DELETE", "/closures/1", ``, 404},
		{"POST", "/closures", `{"machine": "east", "nodes": [2], "until": "2026-03-03T08:00:00Z"}`, 400},
		{"POST", "/closures", `{"machine": "east", "until": "2026-03-03T08:00:00Z"}`, 400},
		{"POST", "/closures", `{"machine": "east", "nodes": [0]}`, 400},
		{"POST", "/closures", `{"machine": "any", "nodes": [0], "until": "2026-03-03T08:00:00Z"}`, 400},
		{"GET", "/nothing", ``, 404},
	} {
		status, a := c.send(x.method, x.path, x.body)
		if status != x.status || a.Error == "" {
			t.Errorf("%s %s %.120s: %d %s", x.method, x.path, x.body, status, a.Error)
		}
		c.is(before, c.state())
	}
}
