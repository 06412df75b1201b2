package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	ical "github.com/arran4/golang-ical"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/service/api"
)

func TestVolumeFillsWhatIsFree(t *testing.T) {
	s := start(t, "")
	s.call("ann", "POST", "/v1/bookings", want("day", "link", 8, 8, 10)).is(http.StatusCreated, nil)
	start, end := tomorrow(8), tomorrow(12)
	w := api.Book{Wish: api.Wish{Title: "copy", Ready: &start, Deadline: &end, Volume: &api.Volume{Schedule: "link", Amount: 2*7200 + 10*1800}}}
	var o api.Offer
	s.call("bob", "POST", "/v1/searches", w.Wish).is(http.StatusOK, &o)
	require.True(t, o.End.Equal(tomorrow(10).Add(30*time.Minute)), o.End)
	var b, again api.Booking
	s.call("bob", "POST", "/v1/bookings", w, "Idempotency-Key", "copy").is(http.StatusCreated, &b)
	require.Len(t, b.Places, 2)
	require.Equal(t, []int64{2, 10}, []int64{b.Places[0].Units, b.Places[1].Units})
	s.call("bob", "POST", "/v1/bookings", w, "Idempotency-Key", "copy").is(http.StatusCreated, &again)
	require.Equal(t, b.ID, again.ID)
	w.Volume.Amount = 1 << 39
	p := s.call("bob", "POST", "/v1/bookings", w).refused(http.StatusConflict)
	require.NotNil(t, p.Refusal)
	w.Parts = want("", "link", 1, 8, 9).Parts
	s.call("bob", "POST", "/v1/bookings", w).refused(http.StatusUnprocessableEntity)
}

func TestPiecesGoAroundOthers(t *testing.T) {
	s := start(t, "")
	s.call("ann", "POST", "/v1/bookings", want("noon", "lab", 2, 9, 10)).is(http.StatusCreated, nil)
	start, end := tomorrow(8), tomorrow(14)
	w := api.Book{Wish: api.Wish{Ready: &start, Deadline: &end, Parts: []api.Part{{Schedule: "lab", Duration: "PT90M"}}, Pieces: &api.Pieces{Least: "PT30M"}}}
	var b api.Booking
	s.call("bob", "POST", "/v1/bookings", w).is(http.StatusCreated, &b)
	require.Len(t, b.Places, 2)
	sum := time.Duration(0)
	for _, p := range b.Places {
		sum += p.End.Sub(p.Start)
	}
	require.Equal(t, 90*time.Minute, sum)
	require.True(t, b.Places[0].End.Equal(tomorrow(9).Add(-15*time.Minute)), "the lab is cleaned by nine: %v", b.Places)
	require.True(t, b.Places[1].Start.Equal(tomorrow(10).Add(15*time.Minute)), "%v", b.Places)
}

// TestSeriesAcrossTheChangeOfClocks books nine o'clock on the wall, each day of a week in which clocks change.
func TestSeriesAcrossTheChangeOfClocks(t *testing.T) {
	s := start(t, "")
	spring := time.Now().In(berlin).AddDate(0, 0, 10)
	for spring = time.Date(spring.Year(), spring.Month(), spring.Day(), 9, 0, 0, 0, berlin); spring.AddDate(0, 0, 3).Sub(spring) == 72*time.Hour; {
		spring = spring.AddDate(0, 0, 1) // until clocks change in three days
	}
	w := api.Series{Wish: api.Wish{Title: "course", Parts: []api.Part{{Schedule: "lab", Duration: "PT2H"}}}, From: spring, Window: "PT2H", Rule: "FREQ=DAILY;COUNT=7"}
	var b api.SeriesBooked
	s.call("ann", "POST", "/v1/series", w, "Idempotency-Key", "s").is(http.StatusCreated, &b)
	require.Len(t, b.Bookings, 7)
	offsets := map[int]bool{}
	for i, one := range b.Bookings {
		at := one.Start.In(berlin)
		require.Equal(t, 9, at.Hour(), "day %d", i)
		_, offset := at.Zone()
		offsets[offset] = true
	}
	require.Len(t, offsets, 2)
	w.Partly = false
	p := s.call("bob", "POST", "/v1/series", api.Series{Wish: api.Wish{Parts: []api.Part{{Schedule: "lab", Units: 2, Duration: "PT2H"}}}, From: spring.AddDate(0, 0, -1), Window: "PT2H", Rule: "FREQ=DAILY;COUNT=3"}).refused(http.StatusConflict)
	require.Contains(t, p.Detail, spring.Format("Mon 2 Jan 2006, 15:04"))
	var events []api.Event
	s.call("bob", "DELETE", fmt.Sprintf("/v1/series/%d", b.ID), nil).refused(http.StatusForbidden)
	s.call("ann", "DELETE", fmt.Sprintf("/v1/series/%d", b.ID), nil).is(http.StatusOK, &events)
	require.Len(t, events, 8)
	s.call("ann", "POST", "/v1/series", api.Series{Wish: w.Wish, From: spring, Window: "PT2H", Rule: "FREQ=DAILY"}).refused(http.StatusUnprocessableEntity)
}

func TestOutageNamesWhomToNotify(t *testing.T) {
	s := start(t, "")
	for _, who := range []string{"ann", "bob"} {
		s.call(who, "POST", "/v1/bookings", want("work", "lab", 1, 8, 12)).is(http.StatusCreated, nil)
	}
	from, until := tomorrow(7), tomorrow(13)
	c := api.Close{Schedule: "lab", Start: &from, End: &until, Servers: []int{0}, Title: "painters", Preempt: "anybody"}
	s.call("bob", "POST", "/v1/outages", c).refused(http.StatusForbidden)
	var list []api.Booking
	s.call("root", "POST", "/v1/outages/preview", c).is(http.StatusOK, &list)
	require.Len(t, list, 1)
	var v api.Closed
	s.call("root", "POST", "/v1/outages", c).is(http.StatusCreated, &v)
	require.Len(t, v.Notify, 1)
	require.Contains(t, []string{"moved", "displaced"}, v.Notify[0].What)
	var outages []api.Outage
	s.call("tom", "GET", "/v1/outages?schedule=lab", nil).is(http.StatusOK, &outages)
	require.Len(t, outages, 1)
	require.Equal(t, v.Outage, outages[0])
	s.call("root", "DELETE", fmt.Sprintf("/v1/outages/%d", v.ID), nil).is(http.StatusOK, nil)
	s.call("tom", "GET", "/v1/outages", nil).is(http.StatusOK, &outages)
	require.Empty(t, outages)

	var always api.Closed
	c = api.Close{Schedule: "lab", Servers: []int{0, 1}}
	s.call("root", "POST", "/v1/outages/preview", c).is(http.StatusOK, &list)
	require.Len(t, list, 1, "from now on, and until further notice")
	s.call("root", "POST", "/v1/outages", c).is(http.StatusCreated, &always)
	require.Nil(t, always.End)
	require.False(t, always.Start.After(time.Now()))
}

// TestTheFirstMistake makes several: the problem names the first of them.
func TestTheFirstMistake(t *testing.T) {
	s := start(t, "")
	for duration, says := range map[api.Duration]string{"2 hours": "no duration of ISO 8601", "PT0S": "no length of time"} {
		p := s.call("ann", "POST", "/v1/searches", api.Wish{Parts: []api.Part{{Schedule: "lab", Duration: duration, After: &api.Gap{Least: "soon", Most: "late"}}}}).refused(http.StatusUnprocessableEntity)
		require.Equal(t, "body.parts[0].duration", p.Errors[0].Field, "%v", p)
		require.Contains(t, p.Errors[0].What, says)
	}
}

func TestPagesOfTheCalendar(t *testing.T) {
	s := start(t, "")
	for range 24 {
		s.call("ann", "POST", "/v1/bookings", want("one", "gpus", 1, 8, 9)).is(http.StatusCreated, nil)
	}
	var seen []uint64
	cursor := ""
	for range 10 {
		var page api.Page[api.Booking]
		s.call("tom", "GET", "/v1/bookings?limit=7&owner=ann&state=booked&schedule=gpus&from="+url.QueryEscape(tomorrow(0).Format(time.RFC3339))+"&cursor="+cursor, nil).is(http.StatusOK, &page)
		for _, b := range page.Items {
			seen = append(seen, b.ID)
		}
		cursor = page.Next
		if cursor == "" {
			break
		}
	}
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(seen))), 24)
}

// A calendar of several states names each of them, as url.Values and generated clients do.
func TestACalendarOfSeveralStates(t *testing.T) {
	s := start(t, "")
	var gone api.Booking
	s.call("ann", "POST", "/v1/bookings", want("stays", "gpus", 1, 8, 9)).is(http.StatusCreated, nil)
	s.call("ann", "POST", "/v1/bookings", want("goes", "gpus", 1, 8, 9)).is(http.StatusCreated, &gone)
	s.call("ann", "DELETE", fmt.Sprint("/v1/bookings/", gone.ID), nil).is(http.StatusOK, nil)
	for query, want := range map[string]int{"state=booked": 1, "state=cancelled": 1, "state=booked&state=cancelled": 2, "state=cancelled&state=held&state=booked": 2} {
		var page api.Page[api.Booking]
		s.call("ann", "GET", "/v1/bookings?"+query, nil).is(http.StatusOK, &page)
		require.Len(t, page.Items, want, query)
	}
	for _, query := range []string{"state=booked&state=never", "state=booked,cancelled"} {
		s.call("ann", "GET", "/v1/bookings?"+query, nil).is(http.StatusUnprocessableEntity, nil)
	}
}

func TestFeedIsReadByOthers(t *testing.T) {
	s := start(t, "")
	s.call("ann", "POST", "/v1/bookings", want("a, \"b\"; \\c \u202e x", "link", 1, 8, 9)).is(http.StatusCreated, nil)
	s.call("bob", "POST", "/v1/bookings", want("secret", "link", 1, 8, 9)).is(http.StatusCreated, nil)
	for path, want := range map[string]int{"/v1/feeds": 1, "/v1/feeds?schedule=link": 2} {
		var a struct{ URL string }
		s.call("ann", "GET", path, nil).is(http.StatusOK, &a)
		u, err := url.Parse(a.URL)
		require.NoError(t, err)
		got := s.call("", "GET", u.RequestURI(), nil).is(http.StatusOK, nil)
		calendar, err := ical.ParseCalendar(strings.NewReader(string(got.body)))
		require.NoError(t, err)
		require.Len(t, calendar.Events(), want)
		require.NotContains(t, string(got.body), "secret")
		at, err := calendar.Events()[0].GetStartAt()
		require.NoError(t, err)
		require.True(t, at.Equal(tomorrow(8)))
		require.Equal(t, http.StatusNotFound, s.call("", "GET", strings.Replace(u.RequestURI(), "by=ann", "by=bob", 1), nil).code)
	}
}

// TestStreamGoesOn reads events, breaks off, and goes on behind the last number.
func TestStreamGoesOn(t *testing.T) {
	s := start(t, "")
	read := func(after uint64, n int) (list []api.Event) {
		ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
		defer stop()
		r, err := http.NewRequestWithContext(ctx, "GET", s.server.URL+"/v1/events", nil)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer eve's token")
		r.Header.Set("Accept", "text/event-stream")
		r.Header.Set("Last-Event-ID", fmt.Sprint(after))
		res, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer res.Body.Close()
		lines := bufio.NewScanner(res.Body)
		for len(list) < n && lines.Scan() {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if ok {
				var e api.Event
				require.NoError(t, json.Unmarshal([]byte(data), &e))
				if e.What != "alive" {
					list = append(list, e)
				}
			}
		}
		return list
	}
	last := s.office.Journal.Last()
	s.call("ann", "POST", "/v1/bookings", want("one", "link", 1, 8, 9)).is(http.StatusCreated, nil)
	s.call("ann", "POST", "/v1/bookings", want("two", "link", 1, 8, 9)).is(http.StatusCreated, nil)
	first := read(last, 1)
	require.Equal(t, "booked", first[0].What)
	require.EqualValues(t, 1, first[0].Booking)
	require.Empty(t, first[0].By)
	s.call("ann", "DELETE", "/v1/bookings/1", nil).is(http.StatusOK, nil)
	rest := read(first[0].Number, 2)
	require.Equal(t, []uint64{2, 1}, []uint64{rest[0].Booking, rest[1].Booking})
	require.Equal(t, "cancelled", rest[1].What)
	var audit []api.Event
	s.call("root", "GET", fmt.Sprintf("/v1/audit?after=%d", rest[0].Number), nil).is(http.StatusOK, &audit)
	require.Contains(t, audit[0].By, "ann by token")
	s.call("ann", "GET", "/v1/audit", nil).refused(http.StatusForbidden)
}

// TestStreamOfARestoredDesk goes on behind a number that the desk has not given yet: the reader hears that it must begin anew, and of
// what happens from then on.
func TestStreamOfARestoredDesk(t *testing.T) {
	s := start(t, "")
	s.call("ann", "POST", "/v1/bookings", want("one", "link", 1, 8, 9)).is(http.StatusCreated, nil)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, "GET", s.server.URL+"/v1/events?after=1000000", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer eve's token")
	r.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	said := ""
	for lines := bufio.NewScanner(res.Body); lines.Scan() && !strings.Contains(said, `"booked"`); {
		said += lines.Text() + "\n"
		if lines.Text() == "event: gone" {
			s.call("ann", "POST", "/v1/bookings", want("two", "link", 1, 8, 9)).is(http.StatusCreated, nil)
		}
	}
	require.Contains(t, said, "restored from a backup")
	require.Contains(t, said, `"booking":2`)
}

// TestSeenTags changes a booking with tags as clients and proxies write them.
func TestSeenTags(t *testing.T) {
	s := start(t, "")
	var b api.Booking
	s.call("ann", "POST", "/v1/bookings", want("one", "link", 1, 8, 9)).is(http.StatusCreated, &b)
	tag := `"` + b.ETag + `"`
	for header, code := range map[string]int{
		tag: http.StatusNotModified, "W/" + tag: http.StatusNotModified, `"x", W/` + tag: http.StatusNotModified, "*": http.StatusNotModified,
		`"x"`: http.StatusOK, tag[:5]: http.StatusOK, ",": http.StatusOK,
	} {
		require.Equal(t, code, s.call("ann", "GET", "/v1/bookings/1", nil, "If-None-Match", header).code, header)
	}
	for _, header := range []string{`"x"`, `"1-0"`, `"2` + tag[2:], ",", `W/"x", "y"`} {
		s.call("ann", "DELETE", "/v1/bookings/1", nil, "If-Match", header).refused(http.StatusPreconditionFailed)
	}
	for i, form := range []string{"W/%s", `"x", %s`, "%s", "*%.0s"} {
		s.call("ann", "PUT", "/v1/bookings/1", want("one", "link", int64(i+2), 8, 9).Wish, "If-Match", fmt.Sprintf(form, tag)).is(http.StatusOK, &b)
		tag = `"` + b.ETag + `"`
	}
}

// TestOneOfManyChanges changes a booking by many at once, all of whom have seen it as it is: one succeeds.
func TestOneOfManyChanges(t *testing.T) {
	s := start(t, "")
	var b api.Booking
	s.call("ann", "POST", "/v1/bookings", want("one", "link", 1, 8, 9)).is(http.StatusCreated, &b)
	var all sync.WaitGroup
	codes := make([]int, 10)
	for i := range codes {
		all.Go(func() {
			codes[i] = s.call("ann", "PUT", "/v1/bookings/1", want("one", "link", int64(i+1), 9, 10).Wish, "If-Match", `"`+b.ETag+`"`).code
		})
	}
	all.Wait()
	slices.Sort(codes)
	require.Equal(t, append([]int{http.StatusOK}, slices.Repeat([]int{http.StatusPreconditionFailed}, len(codes)-1)...), codes)
}

// TestOffersOfOneForm searches a wish in two forms: the offer has the form that is free, and books it.
func TestOffersOfOneForm(t *testing.T) {
	s := start(t, "")
	s.call("bob", "POST", "/v1/bookings", want("much", "link", 8, 8, 12)).is(http.StatusCreated, nil)
	w := want("", "link", 9, 8, 12).Wish
	w.Or = [][]api.Part{{{Schedule: "link", Units: 5, Duration: "PT1H"}}, {{Schedule: "link", Units: 2, Duration: "PT2H"}}}
	for units := range 2 { // of two forms that fit, the one that ends first; then the other
		var o api.Offer
		s.call("ann", "POST", "/v1/searches", w).is(http.StatusOK, &o)
		require.Empty(t, o.Wish.Or)
		require.EqualValues(t, 2-units, o.Wish.Parts[0].Units)
		var b api.Booking
		s.call("ann", "POST", "/v1/bookings", api.Book{Wish: o.Wish}).is(http.StatusCreated, &b)
		require.True(t, b.Start.Equal(o.Start) && b.End.Equal(o.End), "%v: %v", o, b)
		s.call("ann", "DELETE", fmt.Sprintf("/v1/bookings/%d", b.ID), nil).is(http.StatusOK, nil)
		w.Parts = []api.Part{{Schedule: "link", Units: 1, Duration: "PT1H"}}
	}
}

// TestKeysThatDifferAtTheirEnd are as long as the API takes them: no key is taken for another.
func TestKeysThatDifferAtTheirEnd(t *testing.T) {
	s := start(t, "")
	numbers := map[uint64]bool{}
	for _, long := range []string{strings.Repeat("k", 255), strings.Repeat("é", 255), strings.Repeat("\U0001f600", 255)} {
		for _, end := range "ab" {
			a := s.call("ann", "POST", "/v1/bookings", want("one", "gpus", 1, 8, 9), "Idempotency-Key", long+string(end))
			if len(long) > 1000 {
				require.Contains(t, a.refused(http.StatusUnprocessableEntity).Detail, "1024")
				continue
			}
			var b api.Booking
			a.is(http.StatusCreated, &b)
			numbers[b.ID] = true
		}
	}
	require.Len(t, numbers, 4)
}

// TestRestartKeepsEverything stops a service and starts it again.
func TestRestartKeepsEverything(t *testing.T) {
	folder := t.TempDir()
	var b, again api.Booking
	t.Run("before", func(t *testing.T) {
		s := startIn(t, folder, "")
		s.call("ann", "POST", "/v1/bookings", want("one", "gpus", 2, 8, 9), "Idempotency-Key", "k").is(http.StatusCreated, &b)
	})
	s := startIn(t, folder, "")
	s.call("ann", "POST", "/v1/bookings", want("one", "gpus", 2, 8, 9), "Idempotency-Key", "k").is(http.StatusCreated, &again)
	require.Equal(t, b.ETag, again.ETag)
	var audit []api.Event
	s.call("root", "GET", "/v1/audit", nil).is(http.StatusOK, &audit)
	require.NotEmpty(t, audit)
	require.EqualValues(t, 1, audit[len(audit)-1].Booking)
}
