package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/service/api"
)

// answers is a service that answers from a list, and notes what was asked.
type answers struct {
	mu    sync.Mutex
	list  []func(w http.ResponseWriter, r *http.Request)
	asked []*http.Request
}

func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	n := len(a.asked)
	a.asked = append(a.asked, r)
	f := a.list[min(n, len(a.list)-1)]
	a.mu.Unlock()
	f(w, r)
}

// requests are those asked so far. The lock tells the race detector that handlers, which end after their answers, have
// noted them before.
func (a *answers) requests() []*http.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.asked)
}

func serve(t *testing.T, list ...func(w http.ResponseWriter, r *http.Request)) (*answers, *Client) {
	a := &answers{list: list}
	s := httptest.NewServer(a)
	t.Cleanup(s.Close)
	c := New("secret", s.URL+"/")
	c.Patience = 5 * time.Second
	return a, c
}

func with(status int, v any) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(v)
	}
}

// hangUp ends the connection without an answer.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func away(w http.ResponseWriter, r *http.Request) {
	with(503, api.Problem{Status: 503, Detail: "no leader"})(w, r)
}

func TestWhatIsSentAgain(t *testing.T) {
	ok := with(200, api.Booking{ID: 7, State: "booked"})
	book := func(c *Client) error { _, err := c.Book(t.Context(), "", api.Book{}); return err }
	read := func(c *Client) error { _, err := c.Booking(t.Context(), 7); return err }
	shut := func(c *Client) error { _, err := c.Close(t.Context(), api.Close{}); return err }
	for _, one := range []struct {
		name   string
		do     func(*Client) error
		first  func(http.ResponseWriter, *http.Request)
		sent   int
		status int
	}{
		{"a query without an answer", read, hangUp, 2, 0},
		{"a query without a leader", read, away, 2, 0},
		{"a booking without an answer", book, hangUp, 2, 0},
		{"a booking without a leader", book, away, 2, 0},
		{"a closure without an answer", shut, hangUp, 1, -1},
		{"a closure without a leader", shut, away, 1, 503},
		{"a closure that was too many", shut, with(429, api.Problem{Status: 429}), 2, 0},
		{"a wish without a place", book, with(409, api.Problem{Status: 409, Refusal: &api.Refusal{Reasons: []string{"x"}}}), 1, 409},
		{"a wrong wish", book, with(422, api.Problem{Status: 422}), 1, 422},
		{"a mistake of the service", read, with(500, api.Problem{Status: 500}), 1, 500},
		{"a page of a proxy", read, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<h1>no</h1>", 404) }, 1, 404},
	} {
		a, c := serve(t, one.first, ok)
		err := one.do(c)
		require.Len(t, a.requests(), one.sent, one.name)
		var p *api.Problem
		switch {
		case one.status == 0:
			require.NoError(t, err, one.name)
		case one.status < 0:
			require.Error(t, err, one.name)
			require.False(t, errors.As(err, &p), one.name)
		default:
			require.ErrorAs(t, err, &p, one.name)
			require.Equal(t, one.status, p.Status, one.name)
			require.Equal(t, one.status == 409, p.Refusal != nil)
		}
		for _, r := range a.requests() {
			require.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
			require.Equal(t, a.requests()[0].Header.Get("Idempotency-Key"), r.Header.Get("Idempotency-Key"), "each time the same key")
			require.NotContains(t, r.URL.Path, "//")
		}
	}
}

func TestKeysDiffer(t *testing.T) {
	a, c := serve(t, with(201, api.Booking{}))
	for _, key := range []string{"", "", "mine"} {
		_, err := c.Book(t.Context(), key, api.Book{})
		require.NoError(t, err)
	}
	k := func(i int) string { return a.requests()[i].Header.Get("Idempotency-Key") }
	require.NotEmpty(t, k(0))
	require.NotEqual(t, k(0), k(1))
	require.Equal(t, "mine", k(2))
}

// TestACancelThatWasCarriedOut is sent again after an answer that was lost, and finds nothing to cancel.
func TestACancelThatWasCarriedOut(t *testing.T) {
	_, c := serve(t, hangUp, with(404, api.Problem{Status: 404}), with(200, api.Booking{ID: 7, State: "cancelled"}))
	b, err := c.Cancel(t.Context(), 7, "")
	require.NoError(t, err)
	require.Equal(t, "cancelled", b.State)
	_, c = serve(t, with(404, api.Problem{Status: 404}), with(200, api.Booking{ID: 7, State: "cancelled"}))
	_, err = c.Cancel(t.Context(), 7, "")
	require.Error(t, err, "somebody else has cancelled it")
	_, c = serve(t, hangUp, with(404, api.Problem{Status: 404}), with(200, api.Booking{ID: 7, State: "running"}))
	_, err = c.Cancel(t.Context(), 7, "")
	require.Error(t, err)
}

func TestSeveralAddresses(t *testing.T) {
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	a, one := serve(t, with(200, []api.Schedule{}))
	c := New("x", dead.URL, one.addresses[0])
	_, err := c.Close(t.Context(), api.Close{})
	require.Error(t, err, "the answer is no outage")
	require.Len(t, a.requests(), 1, "nobody has got the first one, so that it may be sent again")
	_, err = c.Schedules(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, c.at.Load(), "the address that has answered is asked first")
	c = New("x", dead.URL)
	c.Patience = 200 * time.Millisecond
	_, err = c.Schedules(t.Context())
	require.Error(t, err)
	_, err = New("x").Schedules(t.Context())
	require.ErrorContains(t, err, "no address")
}

func TestRetryAfter(t *testing.T) {
	a, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "1")
		with(429, api.Problem{Status: 429})(w, r)
	}, with(200, []api.Schedule{}))
	begun := time.Now()
	_, err := c.Schedules(t.Context())
	require.NoError(t, err)
	require.Len(t, a.requests(), 2)
	require.GreaterOrEqual(t, time.Since(begun), time.Second)

	_, c = serve(t, away)
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	_, err = c.Schedules(ctx)
	require.Error(t, err)
}

func TestBookingsPageByPage(t *testing.T) {
	a, c := serve(t,
		with(200, api.Page[api.Booking]{Items: []api.Booking{{ID: 1}, {ID: 2}}, Next: "two"}),
		with(200, api.Page[api.Booking]{Items: []api.Booking{{ID: 3}}}),
		with(403, api.Problem{Status: 403}))
	var ids []uint64
	query := url.Values{"owner": {"ann"}}
	for b, err := range c.Bookings(t.Context(), query) {
		require.NoError(t, err)
		ids = append(ids, b.ID)
	}
	require.Equal(t, []uint64{1, 2, 3}, ids)
	require.Equal(t, "two", a.requests()[1].URL.Query().Get("cursor"))
	require.Equal(t, "ann", a.requests()[1].URL.Query().Get("owner"))
	require.Len(t, query, 1, "the caller's query stays as it is")
	for _, err := range c.Bookings(t.Context(), nil) {
		require.Error(t, err)
	}
}

// TestWatch reads events from streams that end, repeat and fail. Each event comes once, in order.
func TestWatch(t *testing.T) {
	var round atomic.Int64
	stream := func(w http.ResponseWriter, r *http.Request) {
		after := 0
		fmt.Sscan(r.URL.Query().Get("after"), &after)
		n := round.Add(1)
		switch {
		case n%4 == 2:
			http.Error(w, "no", http.StatusBadGateway)
			return
		case n == 1:
			after = 4 // begins with the present
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "id: %d\ndata: {\"number\":%d,\"what\":\"alive\"}\n\n: a comment\n\n", after, after)
		for i := max(1, after-1); i <= after+3; i++ { // some again
			if i == 11 {
				fmt.Fprintf(w, "id: 20\nevent: gone\ndata: {\"number\":20,\"detail\":\"gone\"}\n\n")
				break
			}
			fmt.Fprintf(w, "id: %d\nevent: message\ndata: {\"number\":%d,\ndata: \"what\":\"booked\"}\n\n", i, i)
		}
		if n%3 == 0 {
			panic(http.ErrAbortHandler)
		}
	}
	_, c := serve(t, stream)
	var got []uint64
	end := errors.New("that is enough")
	err := c.Watch(t.Context(), 0, func(e api.Event) error {
		got = append(got, e.Number)
		require.Equal(t, e.Number == 20, e.What == "gone")
		if e.Number == 23 {
			return end
		}
		return nil
	})
	require.Equal(t, end, err)
	require.Equal(t, []uint64{5, 6, 7, 8, 9, 10, 20, 21, 22, 23}, got)

	_, c = serve(t, with(403, api.Problem{Status: 403, Detail: "you may not"}))
	require.ErrorContains(t, c.Watch(t.Context(), 0, nil), "you may not")
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	_, c = serve(t, hangUp)
	require.ErrorIs(t, c.Watch(ctx, 0, nil), context.DeadlineExceeded)
}
