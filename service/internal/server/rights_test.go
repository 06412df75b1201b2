package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/service/api"
)

// rights says for whose bookings each role may call an operation: his own, his group's, others'. A dot is a refusal.
//
//	nobody  reader  booker  operator
var rights = map[string][4]string{
	"list-schedules":    look,
	"get-schedule":      look,
	"list-free":         look,
	"list-use":          look,
	"search":            look,
	"list-alternatives": look,
	"why-not":           look,
	"list-bookings":     look,
	"get-booking":       look,
	"list-outages":      look,
	"in-the-way":        look,
	"list-quotas":       look,
	"get-me":            look,
	"get-feed":          look,
	"watch":             look,
	"book":              change,
	"change-booking":    change,
	"commit-booking":    change,
	"end-booking":       change,
	"cancel-booking":    change,
	"book-series":       change,
	"cancel-series":     change,
	"close":             operate,
	"reopen":            operate,
	"list-audit":        operate,
	"confirm-clock":     operate,
	"backup":            operate,
}

var (
	look    = [4]string{"...", "ogx", "ogx", "ogx"}
	change  = [4]string{"...", "...", "og.", "ogx"}
	operate = [4]string{"...", "...", "...", "ogx"}
)

// TestRights calls each operation in each role for bookings of each kind of owner.
func TestRights(t *testing.T) {
	s := start(t, "")
	operations := s.operations()
	for id := range operations {
		require.Contains(t, rights, id, "an operation without a line in the table")
	}
	require.Len(t, operations, len(rights))
	hour := 0
	for id, line := range rights {
		for role, by := range []string{"", "tom", "ann", "root"} {
			for whose, owner := range []string{by, "physics", "eve"} {
				if owner == "" {
					owner = "ann"
				}
				hour++
				r := s.request(id, owner, hour)
				before := s.everything()
				a := s.answer(by, &r)
				name := fmt.Sprintf("%s by %q for %s: %d %s", id, by, owner, a.code, a.body)
				switch may := line[role][whose] != '.'; {
				case by == "":
					a.refused(http.StatusUnauthorized)
				case may:
					require.Less(t, a.code, 300, name)
				default:
					a.refused(http.StatusForbidden)
				}
				if id == "end-booking" {
					s.call("root", "POST", r.path, nil) // the units are for the next
					continue
				}
				if line == look || line[role][whose] == '.' {
					require.Equal(t, before, s.everything(), name)
				}
			}
		}
	}
}

// everything returns all bookings and outages, as an operator sees them.
func (s *service) everything() string {
	s.Helper()
	all := ""
	for _, path := range []string{"/v1/bookings?limit=1000", "/v1/outages"} {
		all += string(s.call("root", "GET", path, nil).is(http.StatusOK, nil).body)
	}
	return all
}

// ask is a request.
type ask struct {
	method, path string
	body         any
}

// answer calls for a request. Of a stream it reads the head.
func (s *service) answer(by string, r *ask) answer {
	s.Helper()
	if r.path != "/v1/events" || by == "" {
		return s.call(by, r.method, r.path, r.body)
	}
	a, stop := s.head(by, r.path)
	stop()
	return a
}

// operations returns method and path of each operation of the description.
func (s *service) operations() map[string][2]string {
	list := map[string][2]string{}
	for path, item := range s.http.api.OpenAPI().Paths {
		for _, o := range []*huma.Operation{item.Get, item.Post, item.Put, item.Delete} {
			if o != nil {
				list[o.OperationID] = [2]string{o.Method, path}
			}
		}
	}
	return list
}

// request makes a request that has nothing wrong, about a booking of an owner.
func (s *service) request(id, owner string, hour int) ask {
	s.Helper()
	at := s.operations()[id]
	r := ask{method: at[0], path: at[1]}
	times := "?from=" + tomorrow(0).UTC().Format(time.RFC3339) + "&until=" + tomorrow(24).UTC().Format(time.RFC3339)
	w := want("", "link", 1, hour, hour+1)
	w.Owner = owner
	mine := func(b api.Book) string {
		var v api.Booking
		s.call("root", "POST", "/v1/bookings", b).is(http.StatusCreated, &v)
		return fmt.Sprint(v.ID)
	}
	switch id {
	case "get-schedule":
		r.path = "/v1/schedules/lab"
	case "list-free", "list-use":
		r.path = strings.Replace(r.path, "{schedule}", "lab", 1) + times
	case "list-quotas":
		r.path += times
	case "list-bookings":
		r.path += "?owner=" + owner
	case "search", "list-alternatives", "why-not":
		r.body = w.Wish
	case "book":
		r.body = w
	case "book-series":
		r.body = s.weekly(owner, hour)
	case "get-booking", "cancel-booking":
		r.path = "/v1/bookings/" + mine(w)
	case "change-booking":
		r.path, r.body = "/v1/bookings/"+mine(w), w.Wish
	case "commit-booking":
		until := time.Now().Add(time.Hour)
		w.Hold = &until
		r.path = "/v1/bookings/" + mine(w) + "/commit"
	case "end-booking":
		w.Ready, w.Deadline = nil, nil
		r.path = "/v1/bookings/" + mine(w) + "/end"
	case "cancel-series":
		var v api.SeriesBooked
		s.call("root", "POST", "/v1/series", s.weekly(owner, hour)).is(http.StatusCreated, &v)
		r.path = fmt.Sprintf("/v1/series/%d", v.ID)
	case "in-the-way", "close":
		start, end := tomorrow(hour), tomorrow(hour+1)
		r.body = api.Close{Schedule: "link", Units: 1, Start: &start, End: &end}
	case "reopen":
		start, end := tomorrow(hour), tomorrow(hour+1)
		var v api.Closed
		s.call("root", "POST", "/v1/outages", api.Close{Schedule: "link", Units: 1, Start: &start, End: &end}).is(http.StatusCreated, &v)
		r.path = fmt.Sprintf("/v1/outages/%d", v.ID)
	}
	return r
}

// weekly is a series of two bookings.
func (s *service) weekly(owner string, hour int) api.Series {
	w := want("", "link", 1, hour, hour+1).Wish
	v := api.Series{Wish: w, From: tomorrow(hour + 24), Window: "PT2H", Rule: "FREQ=WEEKLY;COUNT=2"}
	v.Ready, v.Deadline, v.Owner = nil, nil, owner
	return v
}

// TestRightsWithinAChange checks what a booker may not do with a booking that is his own.
func TestRightsWithinAChange(t *testing.T) {
	s := start(t, "")
	var b api.Booking
	s.call("ann", "POST", "/v1/bookings", want("mine", "link", 1, 8, 9)).is(http.StatusCreated, &b)
	path := fmt.Sprintf("/v1/bookings/%d", b.ID)
	w := want("mine", "link", 1, 8, 9)
	before := s.everything()

	given := w.Wish
	given.Owner = "eve"
	s.call("ann", "PUT", path, given).refused(http.StatusForbidden)
	high := w
	high.Priority = 1
	s.call("ann", "PUT", path, high.Wish).refused(http.StatusForbidden)
	s.call("ann", "POST", "/v1/bookings", high).refused(http.StatusForbidden)
	force := w
	force.Preempt = "lower"
	s.call("ann", "PUT", path+"?preempt=lower", w.Wish).refused(http.StatusForbidden)
	s.call("ann", "POST", "/v1/bookings", force).refused(http.StatusForbidden)
	series := s.weekly("ann", 5)
	series.Priority = 1
	s.call("ann", "POST", "/v1/series", series).refused(http.StatusForbidden)
	for _, owner := range []string{"ann\n", "a\x00", "\u202enna", " ann", strings.Repeat("x", 257)} {
		given.Owner = owner
		s.call("root", "PUT", path, given).refused(http.StatusUnprocessableEntity)
	}
	require.Equal(t, before, s.everything())

	given.Owner = "physics"
	s.call("ann", "PUT", path, given).is(http.StatusOK, &b)
	require.Equal(t, "physics", b.Owner)
	s.call("bob", "PUT", path, w.Wish).is(http.StatusOK, &b)
	require.Equal(t, "physics", b.Owner, "a change does not take a booking away from its owner")
	s.call("root", "PUT", path+"?preempt=lower", high.Wish).is(http.StatusOK, &b)
}

// TestKeysAreOfOneCaller checks that a key of another is no way to his booking.
func TestKeysAreOfOneCaller(t *testing.T) {
	s := start(t, "")
	w := want("mine", "link", 1, 8, 9)
	var a, b api.Booking
	s.call("ann", "POST", "/v1/bookings", w, "Idempotency-Key", "k").is(http.StatusCreated, &a)
	s.call("eve", "POST", "/v1/bookings", w, "Idempotency-Key", "k").is(http.StatusCreated, &b)
	require.NotEqual(t, a.ID, b.ID)
	require.Equal(t, "eve", b.Owner)
	long := strings.Repeat("k", 256)
	s.call("ann", "POST", "/v1/bookings", w, "Idempotency-Key", long).is(http.StatusCreated, &a)
	s.call("ann", "POST", "/v1/bookings", w, "Idempotency-Key", long[:255]+"x").is(http.StatusCreated, &b)
	require.NotEqual(t, a.ID, b.ID)
}

// head calls for a stream, and returns when its head is there.
func (s *service) head(by, path string) (answer, context.CancelFunc) {
	ctx, stop := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, "GET", s.server.URL+path, nil)
	require.NoError(s, err)
	r.Header.Set("Accept", "text/event-stream")
	if by != "" {
		r.Header.Set("Authorization", "Bearer "+by+"'s token")
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(s, err)
	return answer{s, res.StatusCode, res.Header, nil}, func() { stop(); res.Body.Close() }
}
