package page_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/who"
)

// given books by the API, as an operator.
func (s *service) given(w api.Wish) api.Booking {
	s.Helper()
	b, err := s.office.Book(context.Background(), who.Caller{Owner: "root", Role: who.Operator}, "", api.Book{Wish: w})
	require.NoError(s, err)
	return b
}

// hour is an hour of tomorrow.
func hour(n int) *time.Time {
	at, err := time.ParseInLocation("2006-01-02T15:04", local(n), berlin)
	if err != nil {
		panic(err)
	}
	return &at
}

// TestSecondOfTheDoubledHour: a time that comes twice is the first, and the page offers the second. A change of something else leaves
// the booking where it is, and so does its wait.
func TestSecondOfTheDoubledHour(t *testing.T) {
	s := start(t)
	a := s.get("ann", "/schedules/lab").form("Book").send("start", "2027-10-31T02:30", "hours", "1").is(http.StatusOK)
	require.Contains(t, text(a.root), "Sun 31 Oct 2027, 02:30 CEST – 02:30 CET")
	a = a.form("Take Sun 31 Oct, 02:30 CET").send().is(http.StatusOK)
	require.Contains(t, text(a.root), "Sun 31 Oct 2027, 02:30 CET – 03:30")
	a = a.form("Change").send("title", "second").is(http.StatusOK)
	require.Contains(t, text(a.root), "Sun 31 Oct 2027, 02:30 CET – 03:30")
	a = a.form("Change").send("hours", "2").is(http.StatusOK)
	require.Contains(t, text(a.root), "Sun 31 Oct 2027, 02:30 CET – 04:30")
	a = a.form("Take Sun 31 Oct, 02:30 CEST").send().is(http.StatusOK)
	require.Contains(t, text(a.root), "Sun 31 Oct 2027, 02:30 CEST – 03:30")
	a = a.form("Change").send("start", "2027-10-31T04:00").is(http.StatusOK)
	require.Contains(t, text(a.root), "Sun 31 Oct 2027, 04:00 – 06:00")
	require.NotContains(t, text(a.root), "twice")

	w := s.get("bob", "/schedules/lab").form("Book").send("units", "2", "start", "2027-10-31T04:00", "hours", "1").is(http.StatusConflict).form("Wait for it")
	require.Equal(t, "2027-10-31T04:00:00+01:00", w.Get("wait"))
}

// TestRefusedChange: a change without a place says why, and offers others. The place of the booking itself counts as free.
func TestRefusedChange(t *testing.T) {
	s := start(t)
	a := s.book("ann", "lab", "cells", "2", 8, 2).is(http.StatusOK)
	s.book("bob", "lab", "crystals", "1", 12, 2).is(http.StatusOK)
	change := a.form("Change")
	a = change.send("start", local(9), "hours", "5", "title", "typed").is(http.StatusConflict)
	require.Contains(t, text(a.root), `2 servers of "lab" are taken by #2`)
	require.NotContains(t, text(a.root), "#1,")
	require.Equal(t, "typed", a.form("Change").Get("title"), "the form keeps what was typed")
	require.Equal(t, local(9), a.form("Change").Get("start"))
	s.isAt(1, "08:00-10:00")
	found := map[string]bool{}
	for _, n := range all(a.root, "button") {
		if !strings.HasPrefix(text(n), "Take this") {
			continue
		}
		now := s.get("ann", "/bookings/1").form("Change")
		f := a.form(text(n))
		f.Set("etag", now.Get("etag"))
		one := f.send().is(http.StatusOK)
		require.Equal(t, "/bookings/1", one.path)
		require.Contains(t, text(one.root), "typed")
		b := s.seen(1)
		found[b.Start.In(berlin).Format("15:04")] = true
		change = one.form("Change")
		change.send("start", local(8), "hours", "2", "minutes", "", "units", "2").is(http.StatusOK)
	}
	require.True(t, found["09:00"], "two hours of its own place, and more behind: %v", found)
	require.Greater(t, len(found), 1)
	a.form("Take this").send().is(http.StatusPreconditionFailed)

	// By the script, for the same answer.
	a = s.post("ann", "/bookings/1", "act", "move", "etag", s.seen(1).ETag, "start", hour(11).Format(time.RFC3339), "end", hour(13).Format(time.RFC3339)).is(http.StatusConflict)
	require.Contains(t, text(a.root), "Why not")
	a.form("Take this")
}

// TestRefusedChangeOfARunningBooking: it stays where it is, so there is a reason and nothing else.
func TestRefusedChangeOfARunningBooking(t *testing.T) {
	s := start(t)
	a := s.get("ann", "/schedules/link").form("Book").send("start", "", "hours", "2", "units", "6").is(http.StatusOK)
	require.Contains(t, text(a.root), "running")
	s.given(api.Wish{Owner: "bob", Ready: s.seen(1).End, Parts: []api.Part{{Schedule: "link", Units: 5, Duration: "PT1H"}}})
	refused := a.form("Change").send("hours", "3").is(http.StatusConflict)
	require.Contains(t, text(refused.root), `6 units of "link" are taken by #2`)
	require.NotContains(t, refused.text, "Take this")
	a = a.form("Change").send("hours", "1").is(http.StatusOK)
	require.Equal(t, time.Hour, s.seen(1).End.Sub(*s.seen(1).Start))
}

// TestChangeKeepsTheRest: what no field of the form shows stays as it was asked for.
func TestChangeKeepsTheRest(t *testing.T) {
	s := start(t)
	s.given(api.Wish{
		Owner: "ann", Title: "film", Labels: []string{"team=blue"}, Priority: 5, Ready: hour(8), Deadline: hour(18),
		Parts: []api.Part{{Schedule: "link", Units: 4, Duration: "PT3H"}}, Pieces: &api.Pieces{Least: "PT1H", Restart: "PT10M"},
	})
	s.get("ann", "/bookings/1").form("Change").send("title", "another").is(http.StatusOK)
	w := s.seen(1).Wish
	require.Equal(t, "another", w.Title)
	require.Equal(t, []string{"team=blue"}, w.Labels)
	require.EqualValues(t, 5, w.Priority, "an owner keeps the priority that an operator has given")
	require.Equal(t, &api.Pieces{Least: "PT1H", Restart: "PT10M"}, w.Pieces)
	require.True(t, w.Ready.Equal(*hour(8)) && w.Deadline.Equal(*hour(18)))
	s.isAt(1, "08:00-11:00")

	move := func(by string, id uint64, from, to *time.Time) answer {
		return s.post(by, fmt.Sprintf("/bookings/%d", id), "act", "move", "etag", s.seen(id).ETag, "start", from.Format(time.RFC3339), "end", to.Format(time.RFC3339))
	}
	move("ann", 1, hour(10), hour(13)).is(http.StatusOK)
	s.isAt(1, "10:00-13:00")
	require.NotNil(t, s.seen(1).Wish.Pieces)
	require.Contains(t, move("ann", 1, hour(10), hour(14)).is(http.StatusUnprocessableEntity).alert(), "longer or shorter")
	move("eve", 1, hour(8), hour(11)).is(http.StatusForbidden)

	s.given(api.Wish{Owner: "ann", Ready: hour(8), Parts: []api.Part{{Schedule: "lab", Duration: "PT1H"}, {Schedule: "link", Units: 2, Duration: "PT2H"}}})
	move("ann", 2, hour(9), hour(11)).is(http.StatusOK)
	require.Len(t, s.seen(2).Places, 2)
	move("ann", 2, hour(9), hour(12)).is(http.StatusUnprocessableEntity)

	a := s.get("bob", "/schedules/lab").form("Book").send("servers", "0", "start", local(14), "hours", "1").is(http.StatusOK)
	require.Equal(t, "0", a.form("Change").Get("servers"), "the first server is one, too")
}

// TestSearch: without a script, the earliest place is asked for and not booked, and then it is.
func TestSearch(t *testing.T) {
	s := start(t)
	s.book("ann", "lab", "all", "2", 8, 4).is(http.StatusOK)
	f := s.get("bob", "/schedules/lab").form("Look for")
	a := f.send("title", "crystals", "start", local(9), "hours", "2").is(http.StatusOK)
	a.isSound()
	require.Contains(t, text(a.root), "The earliest place")
	require.Contains(t, text(a.root), "12:15 – 14:15") // a quarter to clean
	require.Contains(t, text(s.get("bob", "/mine").root), "Nothing is coming")
	a = a.form("Book this").send().is(http.StatusOK)
	require.Contains(t, text(a.root), "crystals")
	s.isAt(2, "12:15-14:15")
	a = f.send("start", local(15)).is(http.StatusOK)
	require.Contains(t, text(a.root), "Free")
	require.NotContains(t, a.text, "Book this")
	a = f.send("units", "3").is(http.StatusOK)
	require.Contains(t, text(a.root), "There is no place")
	a = f.send("start", "2027-03-28T02:30").is(http.StatusOK)
	require.Contains(t, text(a.root), "clocks skip 02:30")
}

// TestHoldOfAnAlternative: whoever asks for a hold gets no booking instead.
func TestHoldOfAnAlternative(t *testing.T) {
	s := start(t)
	s.book("ann", "lab", "all", "2", 8, 4).is(http.StatusOK)
	a := s.get("bob", "/schedules/lab").form("Book").send("start", local(9), "hours", "1", "hold", "30").is(http.StatusConflict)
	require.Contains(t, text(a.form("Book this").send().is(http.StatusOK).root), "held")
}
