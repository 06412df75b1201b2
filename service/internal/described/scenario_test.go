package described

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/client"
	"github.com/bookahead/bookahead/service/internal/config"
	"github.com/bookahead/bookahead/service/internal/office"
	"github.com/bookahead/bookahead/service/internal/server"
	"github.com/bookahead/bookahead/service/internal/who"
)

const file = `
zone: Europe/Berlin
epoch: 2026-01-01
titles: mine
limits: {rate: 100000, burst: 100000}
groups: {physics: [ann, bob]}
schedules:
  - {name: link, kind: pool, units: 10, unit: Gbit/s}
  - {name: lab, kind: servers, count: 2, after: 15m, open: ["Mo-Su 00:00-24:00"]}
  - {name: gpus, kind: nodes, resources: [gpus, cpus], levels: [rack], nodes: [{count: 4, has: [8, 64], in: {rack: a}}]}
  - {name: any lab, kind: broker, of: [lab], policy: first}
quotas:
  - {name: at once, each: true, on: [gpus], resource: gpus, units: 24}
tokens:
`

// service is a service whose answers are checked.
type service struct {
	*testing.T
	url         string
	description []byte
	document    *openapi3.T
	router      routers.Router // nil until the description is read
	mu          sync.Mutex
	called      map[string]bool // operations: method and path
}

func start(t *testing.T) *service {
	text := file
	for name, role := range map[string]string{"ann": "booker", "bob": "booker", "root": "operator", "tom": "reader"} {
		text += fmt.Sprintf("  - {owner: %s, role: %s, sha256: %s}\n", name, role, who.SumOf(name))
	}
	c, err := config.Read([]byte(text), filepath.Join(t.TempDir(), "bookahead.yaml"))
	require.NoError(t, err)
	gate, err := who.NewGate(c, make([]byte, 32))
	require.NoError(t, err)
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	o, err := office.Open(c, office.Options{Log: log})
	require.NoError(t, err)
	h := server.New(o, gate, server.Options{Log: log})
	http := httptest.NewServer(h)
	t.Cleanup(func() {
		h.End()
		http.Close()
		require.NoError(t, o.Close())
	})
	s := &service{T: t, url: http.URL, called: map[string]bool{}}
	s.description, err = h.Description()
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		list, err := s.by("root").Schedules(t.Context())
		return err == nil && len(list) == 4
	}, 20*time.Second, 10*time.Millisecond)
	s.document, err = openapi3.NewLoader().LoadFromData(s.description)
	require.NoError(t, err)
	s.document.Servers = nil // it is the one of the test
	s.router, err = gorillamux.NewRouter(s.document)
	require.NoError(t, err)
	return s
}

// by returns a client whose requests and answers are checked.
func (s *service) by(name string) *client.Client {
	c := client.New(name, s.url)
	c.HTTP = &http.Client{Transport: s}
	return c
}

// RoundTrip sends a request, and validates it and the answer against the description.
func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	var sent []byte
	if r.Body != nil {
		sent, _ = io.ReadAll(r.Body)
	}
	again := func() *http.Request {
		q := r.Clone(context.Background())
		q.Body, q.ContentLength = io.NopCloser(bytes.NewReader(sent)), int64(len(sent))
		if len(sent) == 0 {
			q.Body = http.NoBody
		}
		return q
	}
	answer, err := http.DefaultTransport.RoundTrip(again().WithContext(r.Context()))
	if err != nil || s.router == nil {
		return answer, err
	}
	var data []byte
	stream := strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream")
	if !stream {
		data, err = io.ReadAll(answer.Body)
		if err != nil {
			return answer, err
		}
		answer.Body.Close()
		answer.Body = io.NopCloser(bytes.NewReader(data))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.unlike(again(), answer, data, !stream)
	if err != nil {
		s.Errorf("%s %s: %d: %v\n%s\n%s", r.Method, r.URL, answer.StatusCode, err, sent, data)
	}
	return answer, nil
}

// unlike says how a request that was granted, or the data of an answer, are not as described.
func (s *service) unlike(r *http.Request, answer *http.Response, data []byte, whole bool) error {
	route, params, err := s.router.FindRoute(r)
	if err != nil {
		return err
	}
	s.called[r.Method+" "+route.Path] = true
	if !whole {
		return nil
	}
	asked := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, Options: &openapi3filter.Options{
		MultiError: true, IncludeResponseStatus: true, SkipSettingDefaults: true, AuthenticationFunc: hasToken,
	}}
	given := &openapi3filter.ResponseValidationInput{RequestValidationInput: asked, Status: answer.StatusCode, Header: answer.Header, Options: asked.Options}
	given.SetBodyBytes(data)
	if answer.StatusCode < 300 {
		err = openapi3filter.ValidateRequest(s.Context(), asked)
	}
	return errors.Join(err, openapi3filter.ValidateResponse(s.Context(), given))
}

// hasToken checks that a request which needs a token has one.
func hasToken(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	if !strings.HasPrefix(in.RequestValidationInput.Request.Header.Get("Authorization"), "Bearer ") {
		return fmt.Errorf("no token for %s", in.SecuritySchemeName)
	}
	return nil
}

// TestOtherAnswersAreNotAsDescribed spoils an answer, and the check sees each spoiling.
func TestOtherAnswersAreNotAsDescribed(t *testing.T) {
	s := start(t)
	_, err := s.by("ann").Book(t.Context(), "", api.Book{Wish: want("link", 1, 2, 4)})
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/v1/bookings/1", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer ann")
	answer, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, s.unlike(r, answer, data, true), "%s", data)
	for name, spoil := range map[string][2]string{
		"a type": {`"id":1`, `"id":"1"`}, "a null": {`"id":1`, `"id":null`}, "a missing field": {`"id":1,`, ``}, "another field": {`"id":1`, `"id":1,"extra":1`},
		"a value": {`"booked"`, `"maybe"`}, "within a list": {`"units":1`, `"units":"one"`}, "no JSON": {`{`, ``},
	} {
		worse := strings.Replace(string(data), spoil[0], spoil[1], 1)
		require.NotEqual(t, string(data), worse, name)
		require.Error(t, s.unlike(r, answer, []byte(worse), true), name)
	}
	r.Header.Del("Authorization")
	require.ErrorContains(t, s.unlike(r, answer, data, true), "no token")
	r.Header.Set("Authorization", "Bearer ann")
	answer.StatusCode = http.StatusTeapot
	require.Error(t, s.unlike(r, answer, data, true))
}

func hours(n int) *time.Time {
	at := time.Now().Truncate(time.Hour).Add(time.Duration(n) * time.Hour)
	return &at
}

func want(schedule string, units int64, from, until int) api.Wish {
	return api.Wish{Title: "wish", Labels: []string{"team=blue"}, Ready: hours(from), Deadline: hours(until),
		Parts: []api.Part{{Schedule: schedule, Units: units, Duration: api.DurationOf(time.Duration(until-from) * time.Hour)}}}
}

// TestAnswersAreAsDescribed calls each operation, with success and without, and validates what goes over the wire.
func TestAnswersAreAsDescribed(t *testing.T) {
	s := start(t)
	ctx := t.Context()
	require.NoError(t, s.document.Validate(ctx))
	ann, bob, root, tom := s.by("ann"), s.by("bob"), s.by("root"), s.by("tom")
	fine := func(_ any, err error) {
		t.Helper()
		require.NoError(t, err)
	}
	refused := func(status int) func(any, error) {
		return func(_ any, err error) {
			t.Helper()
			var p *api.Problem
			require.ErrorAs(t, err, &p)
			require.Equal(t, status, p.Status, "%v", err)
		}
	}
	wrap := func(v any, err error) (any, error) { return v, err }

	fine(wrap(ann.Schedules(ctx)))
	fine(wrap(ann.Schedule(ctx, "gpus")))
	refused(404)(wrap(ann.Schedule(ctx, "nothing")))
	fine(wrap(ann.Free(ctx, "link", *hours(0), *hours(48))))
	fine(wrap(ann.Use(ctx, "link", *hours(0), *hours(48))))
	refused(422)(wrap(ann.Free(ctx, "any lab", *hours(0), *hours(48))))
	fine(wrap(ann.Search(ctx, want("link", 4, 2, 4))))
	refused(409)(wrap(ann.Search(ctx, want("link", 40, 2, 4))))
	fine(wrap(ann.Search(ctx, api.Wish{Volume: &api.Volume{Schedule: "link", Amount: 36000}, Deadline: hours(40)})))
	b, err := ann.Book(ctx, "key", api.Book{Wish: want("link", 10, 2, 4)})
	require.NoError(t, err)
	fine(wrap(ann.Book(ctx, "key", api.Book{Wish: want("link", 10, 2, 4)})))
	refused(422)(wrap(ann.Book(ctx, "key", api.Book{Wish: want("link", 9, 2, 4)})))
	refused(409)(wrap(bob.Book(ctx, "", api.Book{Wish: want("link", 1, 2, 4)})))
	refused(403)(wrap(tom.Book(ctx, "", api.Book{Wish: want("link", 1, 2, 4)})))
	refused(401)(wrap(s.by("nobody").Schedules(ctx)))
	fine(wrap(ann.Alternatives(ctx, want("link", 1, 2, 4))))
	fine(wrap(ann.Why(ctx, want("link", 1, 2, 4))))
	waiting := api.Book{Wish: want("link", 5, 3, 4), Wait: hours(3)}
	fine(wrap(bob.Book(ctx, "", waiting)))
	held, err := ann.Book(ctx, "", api.Book{Wish: want("gpus", 2, 5, 7), Hold: hours(1)})
	require.NoError(t, err)
	fine(wrap(ann.Commit(ctx, held.ID, held.ETag)))
	fine(wrap(ann.Booking(ctx, b.ID)))
	fine(wrap(bob.Booking(ctx, b.ID)))
	refused(404)(wrap(ann.Booking(ctx, 999)))
	refused(412)(wrap(ann.Change(ctx, b.ID, `"1-0000000000000000"`, want("link", 3, 2, 4), "")))
	fine(wrap(ann.Change(ctx, b.ID, b.ETag, want("link", 3, 2, 4), "")))
	now := want("lab", 1, 0, 3)
	now.Ready, now.Parts[0].Duration = nil, "PT1H"
	running, err := ann.Book(ctx, "", api.Book{Wish: now})
	require.NoError(t, err)
	fine(wrap(ann.End(ctx, running.ID, "")))
	for b, err := range ann.Bookings(ctx, url.Values{"from": {hours(-9).Format(time.RFC3339)}, "schedule": {"link"}, "state": {"booked", "waiting"}}) {
		require.NoError(t, err)
		require.NotZero(t, b.ID)
	}
	for _, err := range ann.Bookings(ctx, url.Values{"schedule": {"nothing"}}) {
		refused(404)(nil, err)
	}
	series, err := ann.BookSeries(ctx, "", api.Series{Wish: api.Wish{Parts: []api.Part{{Schedule: "lab", Units: 1, Duration: "PT1H"}}}, From: *hours(24), Window: "PT2H", Rule: "FREQ=DAILY;COUNT=3"})
	require.NoError(t, err)
	fine(wrap(ann.CancelSeries(ctx, series.ID)))
	refused(404)(wrap(ann.CancelSeries(ctx, 77)))
	shut := api.Close{Schedule: "link", Start: hours(2), End: hours(9), Units: 8, Preempt: "anybody", Title: "repairs"}
	fine(wrap(root.InTheWay(ctx, shut)))
	closed, err := root.Close(ctx, shut)
	require.NoError(t, err)
	refused(403)(wrap(ann.Close(ctx, shut)))
	fine(wrap(ann.Outages(ctx, "link")))
	fine(wrap(root.Reopen(ctx, closed.ID)))
	fine(wrap(ann.Cancel(ctx, held.ID, "")))
	fine(nil, root.ConfirmClock(ctx))
	refused(403)(nil, ann.ConfirmClock(ctx))
	fine(wrap(ann.Quotas(ctx, *hours(0), *hours(48))))
	events, err := root.Audit(ctx, 0)
	require.NoError(t, err)
	require.NotEmpty(t, events)
	refused(403)(wrap(ann.Audit(ctx, 0)))
	fine(nil, root.Backup(ctx, io.Discard))
	refused(403)(nil, ann.Backup(ctx, io.Discard))
	seen := 0
	enough := fmt.Errorf("enough")
	require.Equal(t, enough, ann.Watch(ctx, 1, func(e api.Event) error {
		seen++
		if seen == 5 {
			return enough
		}
		return nil
	}))
	s.raw("GET", "/v1/me", "ann", "")
	s.raw("GET", "/v1/feeds", "ann", "")
	s.raw("POST", "/v1/bookings", "ann", `{"parts": 7, "title": "`+strings.Repeat("x", 2000)+`"}`)
	s.raw("POST", "/v1/bookings", "ann", `{`)
	s.raw("GET", "/v1/quotas?from=yesterday", "ann", "")
	s.others()
}

func (s *service) raw(method, path, by, body string) []byte {
	r, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(s, err)
	r.Header.Set("Authorization", "Bearer "+by)
	r.Header.Set("Content-Type", "application/json")
	answer, err := s.RoundTrip(r)
	require.NoError(s, err)
	data, err := io.ReadAll(answer.Body)
	require.NoError(s, err)
	return data
}

// others checks that no operation was passed over.
func (s *service) others() {
	n := 0
	var missing []string
	for path, item := range s.document.Paths.Map() {
		for method := range item.Operations() {
			if !s.called[method+" "+path] {
				missing = append(missing, method+" "+path)
			}
			n++
		}
	}
	slices.Sort(missing)
	require.Empty(s, missing, "these operations were not called")
	s.Logf("%d operations", n)
}

// TestFeedsAreICalendar reads a feed with another parser.
func TestFeedsAreICalendar(t *testing.T) {
	s := start(t)
	ann := s.by("ann")
	times := map[string]api.Booking{}
	for i := range 5 {
		w := want("lab", 1, 2+2*i, 3+2*i)
		w.Title = fmt.Sprintf("number %d; with, \"signs\"\nand äöü %s", i, strings.Repeat("long ", 30))
		b, err := ann.Book(t.Context(), "", api.Book{Wish: w})
		require.NoError(t, err)
		times[w.Title] = b
	}
	_, err := ann.Cancel(t.Context(), 3, "")
	require.NoError(t, err)
	for query, by := range map[string]string{"": "ann", "?schedule=lab": "tom"} {
		data := s.raw("GET", "/v1/feeds"+query, by, "")
		address := regexp.MustCompile(`/calendar/[^"]*`).Find(data)
		path := strings.ReplaceAll(string(address), `\u0026`, "&")
		answer, err := http.Get(s.url + path)
		require.NoError(t, err)
		require.Equal(t, 200, answer.StatusCode)
		calendar, err := ics.ParseCalendar(answer.Body)
		require.NoError(t, err)
		answer.Body.Close()
		want := map[string]int{"ann": 5, "tom": 4}[by] // on a schedule, one that was given up is gone
		require.Len(t, calendar.Events(), want)
		uids := map[string]bool{}
		for _, e := range calendar.Events() {
			uids[e.Id()] = true
			start, err := e.GetStartAt()
			require.NoError(t, err)
			title := e.GetProperty(ics.ComponentPropertySummary).Value
			if by == "tom" {
				require.Equal(t, "taken", title)
				continue
			}
			title = ics.FromText(title)
			b, known := times[strings.ReplaceAll(title, "\ufffd", "\n")]
			require.True(t, known || strings.Contains(title, "number"), "%q", title)
			cancelled := e.GetProperty(ics.ComponentPropertyStatus)
			if known && b.ID != 3 {
				require.True(t, start.Equal(*b.Start), "%v %v", start, b.Start)
			}
			if known && b.ID == 3 {
				require.Equal(t, "CANCELLED", cancelled.Value)
			}
		}
		require.Len(t, uids, want)
	}
}
