package page_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// book books hours of tomorrow through the form, and returns the page of the booking.
func (s *service) book(by, schedule, title string, units string, from, hours int) answer {
	s.Helper()
	return s.get(by, "/schedules/"+schedule).form("Book").send("title", title, "units", units, "start", local(from), "hours", fmt.Sprint(hours))
}

func TestBookChangeCancel(t *testing.T) {
	s := start(t)
	a := s.book("ann", "link", "copies", "4", 8, 2).is(http.StatusOK)
	require.Equal(t, "/bookings/1", a.path)
	require.Contains(t, a.text, "08:00")
	require.Contains(t, text(a.root), "4 × link")

	stale := a.form("Change")
	require.Equal(t, local(8), stale.Get("start"))
	a = a.form("Change").send("units", "6", "start", local(9), "hours", "1", "minutes", "30").is(http.StatusOK)
	require.Contains(t, text(a.root), "6 × link")
	require.Contains(t, a.text, "10:30")
	require.Contains(t, text(a.root), "copies", "the title stays")

	// What somebody else has changed in between is shown, and not overwritten.
	refused := stale.send("units", "1").is(http.StatusPreconditionFailed)
	require.Contains(t, refused.alert(), "Somebody was faster")
	require.Contains(t, text(refused.root), "6 × link")
	require.Equal(t, "6", refused.form("Change").Get("units"), "the form shows the booking as it is now")
	refused = stale.answer.form("Yes, cancel it").send().is(http.StatusPreconditionFailed)

	// Others look, and change nothing.
	for _, by := range []string{"eve", "tom"} {
		a := s.get(by, "/bookings/1").is(http.StatusOK)
		require.NotContains(t, a.text, "copies", "titles are the owner's")
		require.NotContains(t, a.text, `name="act"`)
		require.NotContains(t, a.text, `name="etag"`)
		s.post(by, "/bookings/1", "act", "cancel").is(http.StatusForbidden)
		s.post(by, "/bookings/1", "units", "1", "start", local(9), "hours", "1").is(http.StatusForbidden)
	}
	a = refused.form("Yes, cancel it").send().is(http.StatusOK)
	require.Contains(t, text(a.root), "cancelled")
	require.NotContains(t, a.text, "etag")
	s.get("ann", "/bookings/99").is(http.StatusNotFound)
	s.get("ann", "/bookings/x").is(http.StatusNotFound)
}

func TestRefusedThenAlternativeOrWait(t *testing.T) {
	s := start(t)
	s.book("ann", "link", "all", "8", 8, 4).is(http.StatusOK)
	a := s.book("bob", "link", "much", "5", 8, 4).is(http.StatusConflict)
	require.Contains(t, a.alert(), "there is no place")
	require.Regexp(t, `5 units of "link" are taken by #1`, text(a.root))
	require.Equal(t, "5", a.form("Book").Get("units"), "the form keeps what was typed")
	require.Equal(t, "much", a.form("Book").Get("title"))

	offers := 0
	for _, n := range all(a.root, "button") {
		if !strings.HasPrefix(text(n), "Book this") {
			continue
		}
		offers++
		one := a.form(text(n)).send().is(http.StatusOK)
		require.Regexp(t, `^/bookings/\d+$`, one.path)
		require.Contains(t, text(one.root), "booked")
		require.Contains(t, text(one.root), "much")
		one.form("Yes, cancel it").send().is(http.StatusOK)
	}
	require.Positive(t, offers)

	require.Equal(t, local(8), a.form("Wait for it").Get("wait")[:16], "as long as it can still begin")
	w := a.form("Wait for it").send().is(http.StatusOK)
	require.Contains(t, text(w.root), "waiting")
	require.Contains(t, text(s.get("bob", "/mine").root), "waiting")
	s.get("ann", "/bookings/1").form("Yes, cancel it").send().is(http.StatusOK)
	require.Contains(t, text(s.get("bob", w.path).root), "booked")
	require.NotContains(t, text(s.get("bob", w.path).root), "waiting")
}

// TestAlternativeAfterTheClocks: the free place that a page offers is booked, also if clocks show its start twice. Times between ticks
// are rounded up.
func TestAlternativeAfterTheClocks(t *testing.T) {
	s := start(t)
	a := s.get("ann", "/schedules/lab").form("Book").send("units", "2", "start", "2027-10-30T23:58", "hours", "3", "minutes", "28").is(http.StatusOK)
	require.Contains(t, text(a.root), "Sun 31 Oct 2027, 00:00 – 02:30 CET")
	a = s.get("bob", "/schedules/lab").form("Book").send("start", "2027-10-31T02:15", "hours", "", "minutes", "15").is(http.StatusConflict)
	require.Contains(t, text(a.root), "02:45 CET")
	a = a.form("Book this").send().is(http.StatusOK)
	require.Contains(t, text(a.root), "Sun 31 Oct 2027, 02:45 CET – 03:00")
}

// TestSentTwice: a form that is sent twice books once, and after an edit it books something else.
func TestSentTwice(t *testing.T) {
	s := start(t)
	f := s.get("ann", "/schedules/link").form("Book")
	first := f.send("start", local(8), "hours", "1").is(http.StatusOK)
	require.Equal(t, first.path, f.send().is(http.StatusOK).path)
	require.NotEqual(t, first.path, f.send("units", "2").is(http.StatusOK).path)
}

func TestHold(t *testing.T) {
	s := start(t)
	a := s.get("ann", "/schedules/lab").form("Book").send("start", local(8), "hours", "1", "hold", "30").is(http.StatusOK)
	require.Contains(t, text(a.root), "held")
	a = a.form("Commit").send().is(http.StatusOK)
	require.NotContains(t, text(a.root), "held")
}

func TestKindsDecideTheFields(t *testing.T) {
	s := start(t)
	for schedule, want := range map[string]string{
		"link":     "title owner units exact start hours minutes by repeat until hold key",
		"lab":      "title owner units exact start hours minutes by servers repeat until hold key",
		"gpus":     "title owner units each.gpus each.cpus exact start hours minutes by nodes perNode within packed repeat until hold key",
		"anywhere": "title owner units exact start hours minutes by repeat until hold key",
	} {
		f := s.get("ann", "/schedules/"+schedule).is(http.StatusOK).form("Book")
		require.ElementsMatch(t, strings.Fields(want), keys(f), schedule)
	}
	a := s.get("ann", "/schedules/gpus").form("Book").send("units", "3", "each.gpus", "2", "each.cpus", "8", "perNode", "1", "start", local(8), "hours", "2", "owner", "physics").is(http.StatusOK)
	require.Contains(t, text(a.root), "3 × gpus, node 0-2")
	require.Contains(t, text(a.root), "physics")
	require.Equal(t, []string{"2", "8"}, []string{a.form("Change").Get("each.gpus"), a.form("Change").Get("each.cpus")})
	a = s.get("bob", a.path).form("Change").send("hours", "1").is(http.StatusOK) // bob is of the group
	require.Contains(t, text(a.root), "3 × gpus, node 0-2", "the amounts of a task stay")
	require.Equal(t, "8", a.form("Change").Get("each.cpus"))
	a = s.get("ann", "/schedules/lab").form("Book").send("servers", "1", "start", local(8), "hours", "1").is(http.StatusOK)
	require.Contains(t, text(a.root), "lab 1")
	require.Contains(t, text(a.root), "15 min after")
	a = s.get("ann", "/schedules/anywhere").form("Book").send("start", local(8), "hours", "1").is(http.StatusOK)
	require.Contains(t, text(a.root), "lab 0")
}

func keys(f form) (list []string) {
	for name := range f.Values {
		list = append(list, name)
	}
	return list
}

// TestWrongFields: what is wrong is said, the field is marked, and nothing is lost.
func TestWrongFields(t *testing.T) {
	s := start(t)
	for _, c := range []struct{ field, value, want string }{
		{"start", "soon", "no day and time"},
		{"start", "2027-03-28T02:30", "clocks skip 02:30 on Sunday 28 March 2027"},
		{"hours", "-1", "no whole number"},
		{"hours", "", "how long is it?"},
		{"hours", "99999999", "too many"},
		{"units", "x", "no whole number"},
		{"servers", "1-", "no list such as"},
		{"servers", "0-99999999", "no list such as"},
		{"servers", "7", "7"},
		{"owner", "eve", "may not book for"},
	} {
		a := s.get("ann", "/schedules/lab").form("Book").send("title", "<kept>", "start", local(8), c.field, c.value)
		require.GreaterOrEqual(t, a.code, 400)
		require.Less(t, a.code, 500)
		require.Contains(t, a.alert(), c.want, c.field)
		f := a.form("Book")
		require.Equal(t, "<kept>", f.Get("title"))
		if c.field != "owner" { // a choice
			require.Equal(t, c.value, f.Get(c.field))
		}
		if a.code == http.StatusUnprocessableEntity && c.want != "7" {
			require.Regexp(t, regexp.MustCompile(`name="`+c.field+`"[^>]* aria-invalid="true"`), a.text)
		}
	}
	l := s.get("ann", "/mine")
	require.Contains(t, text(l.root), "Nothing is coming")
}

// TestSeries: weekly until a day; the refused dates are shown, across the change of clocks the wall clock stays.
func TestSeries(t *testing.T) {
	s := start(t)
	s.get("ann", "/schedules/lab").form("Book").send("units", "2", "start", "2027-03-25T09:00", "hours", "2").is(http.StatusOK)
	f := s.get("bob", "/schedules/lab").form("Book")
	a := f.send("title", "lesson", "start", "2027-03-18T10:00", "hours", "1", "repeat", "weekly", "until", "2027-04-08").is(http.StatusConflict)
	require.Contains(t, a.alert(), "there is no place on Thu 25 Mar 2027")
	require.NotContains(t, a.text, "Book this", "an alternative would book one day alone")
	a = a.form("Book").send("partly", "on").is(http.StatusOK)
	shown := text(a.root)
	require.Contains(t, shown, "3 booked, 1 refused")
	require.Contains(t, shown, "There is no place on these days: Thu 25 Mar 2027, 10:00 – 11:00")
	for _, day := range []string{"Thu 18 Mar 2027", "Thu 1 Apr 2027", "Thu 8 Apr 2027"} {
		require.Contains(t, shown, day+", 10:00 – 11:00", "the wall clock stays")
	}
	s.get("bob", "/schedules/lab").form("Book").send("start", "2027-03-18T10:00", "repeat", "weekly", "until", "").is(http.StatusUnprocessableEntity)
	s.get("bob", "/schedules/lab").form("Book").send("start", "", "repeat", "weekly", "until", "2027-04-08").is(http.StatusUnprocessableEntity)
}

func TestOperate(t *testing.T) {
	s := start(t)
	s.book("ann", "lab", "cells", "1", 8, 4).is(http.StatusOK)
	s.book("bob", "lab", "crystals", "1", 8, 4).is(http.StatusOK)
	s.book("eve", "lab", "stays", "1", 14, 3).is(http.StatusOK)
	s.get("ann", "/operate").is(http.StatusForbidden)
	s.post("ann", "/operate", "schedule", "lab", "servers", "0").is(http.StatusForbidden)

	f := s.get("root", "/operate").is(http.StatusOK).form("Who is in the way?")
	a := f.send("schedule", "lab", "servers", "0-1", "start", local(9), "end", local(10), "title", "paint", "preempt", "anybody", "act", "preview").is(http.StatusOK)
	require.Contains(t, text(a.root), "In the way")
	require.Contains(t, text(a.root), "cells")
	require.Contains(t, text(a.root), "crystals")
	require.NotContains(t, text(s.get("root", "/operate").root), "paint", "a preview closes nothing")
	require.Equal(t, "paint", a.form("Close").Get("title"))

	a = a.form("Close").send("act", "close").is(http.StatusOK)
	require.Contains(t, text(a.root), "is made. Tell the owners of the bookings that had to give way.")
	require.Contains(t, text(a.root), "Tell these owners")
	require.Contains(t, text(s.get("eve", "/schedules/lab?view=day&at="+tomorrow()).root), "paint")
	a = s.get("root", "/operate?at="+tomorrow()).is(http.StatusOK)
	require.Contains(t, text(a.root), "Audit")
	require.Contains(t, text(a.root), "root by token")
	require.Contains(t, text(a.root), "ann by token")
	require.Contains(t, text(a.root), "lab, units times hours Ownerunits eve3.00")
	a = a.form("End it").send().is(http.StatusOK)
	require.Contains(t, text(a.root), "Nothing is closed")
	s.get("root", "/operate").form("Close").send("schedule", "lab", "servers", "9").is(http.StatusUnprocessableEntity)
}
