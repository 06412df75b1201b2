package page_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/office"
	"github.com/bookahead/bookahead/service/internal/who"
)

func dayOf(schedule string) string { return "/schedules/" + schedule + "?view=day&at=" + tomorrow() }

// seen returns a booking as the service has it.
func (s *service) seen(id uint64) api.Booking {
	s.Helper()
	l, err := s.office.Look(context.Background(), who.Caller{Owner: "root", Role: who.Operator})
	require.NoError(s, err)
	b, err := l.Booking(id)
	require.NoError(s, err)
	return b
}

// isAt checks the hours of a booking of tomorrow.
func (s *service) isAt(id uint64, span string) {
	s.Helper()
	b := s.seen(id)
	require.Equal(s, span, b.Start.In(berlin).Format("15:04")+"-"+b.End.In(berlin).Format("15:04"))
}

// TestDragging: a booking by dragging over free time, moved by its bar and shortened by its edge; a change that another has made
// meanwhile is not overwritten; a place that is taken is refused.
func TestDragging(t *testing.T) {
	s := start(t)
	ann := s.open("ann", dayOf("lab"), 1280, 900)
	ann.drag(1, 10, 12, func() { ann.shot("dragging") })
	ann.until(`document.querySelector('[name=start]').value === ` + quoted(local(10)))
	require.Equal(t, []string{"2", "0", "1", "title"}, eval[[]string](ann, `[...['hours', 'minutes', 'servers'].map(n => document.querySelector('[name=' + n + ']').value), document.activeElement.name]`))
	ann.sees("Free")
	ann.shot("form")
	ann.keys("cells", kb.Enter)
	ann.reaches("/bookings/1")
	ann.shot("booking")
	ann.isAccessible()
	s.isAt(1, "10:00-12:00")
	require.Equal(t, []int{1}, s.seen(1).Places[0].Servers)

	ann.visit(dayOf("lab"))
	ann.drag(1, 11, 13, nil) // the bar, two hours later
	ann.sees("Booking 1 is now")
	s.isAt(1, "12:00-14:00")
	ann.until(`!document.querySelector('.ghost') && document.querySelectorAll('.picture a').length === 1`)
	x := 14 - 2/eval[float64](ann, `(d => (d.right - d.left) / 24)(document.querySelector('.picture svg').dataset)`)
	ann.until(`(svg => Math.abs((+svg.querySelector('a rect').getAttribute('x') - svg.dataset.left) / (svg.dataset.right - svg.dataset.left) * 24 - 12) < .1)(document.querySelector('.picture svg'))`)
	ann.drag(1, x, x-1, nil) // its end, an hour earlier
	ann.sees("13:00.")
	s.isAt(1, "12:00-13:00")

	ann.visit(dayOf("lab"))
	s.get("ann", "/bookings/1").form("Change").send("title", "another")
	ann.sees("another")
	ann.drag(1, 12.5, 16.5, func() {
		s.get("ann", "/bookings/1").form("Change").send("title", "changed meanwhile").is(http.StatusOK)
	})
	ann.sees("It stays as it was")
	ann.shot("changed-meanwhile")
	s.isAt(1, "12:00-13:00")

	s.get("bob", "/schedules/lab").form("Book").send("units", "2", "start", local(18), "hours", "2").is(http.StatusOK)
	ann.visit(dayOf("lab"))
	ann.drag(1, 18.5, 20.5, nil) // bob's: it does not move
	require.Equal(t, "18:00", s.seen(2).Start.In(berlin).Format("15:04"))
	ann.drag(1, 12.5, 18.5, nil)
	ann.sees("It stays as it was.")
	ann.sees("Why not 1 of the servers [1] of \"lab\" is taken by #2")
	s.isAt(1, "12:00-13:00")
	ann.shot("refused-drag")
	ann.isAccessible()
	ann.press("Take this")
	ann.reaches("/bookings/1")
	require.NotEqual(t, 12, s.seen(1).Start.In(berlin).Hour())
}

// TestSecondOfTheDoubledHourByDragging: the hour that clocks show twice is there twice, and each can be booked.
func TestSecondOfTheDoubledHourByDragging(t *testing.T) {
	s := start(t)
	ann := s.open("ann", "/schedules/lab?view=day&at=2027-10-31", 1280, 900)
	ann.drag(0, 3, 4, nil) // 2:00 is the third hour of the day, and the fourth
	ann.until(`document.querySelector('[name=start]').value === '2027-10-31T02:00'`)
	ann.sees("Free Sun 31 Oct 2027, 02:00 CET – 03:00")
	ann.press("Book")
	ann.reaches("/bookings/1")
	require.Equal(t, "2027-10-31T01:00:00Z", s.seen(1).Start.UTC().Format(time.RFC3339))
}

// TestLiveAfterA502: a proxy that answers instead of the service ends a stream for good, so the page begins another.
func TestLiveAfterA502(t *testing.T) {
	s := start(t)
	quick := chromedp.ActionFunc(func(ctx context.Context) error { // the page waits for seconds
		_, err := page.AddScriptToEvaluateOnNewDocument(`{ const real = setTimeout; window.setTimeout = (f, ms) => real(f, ms / 20) }`).Do(ctx)
		return err
	})
	bob := s.open("bob", "/", 1280, 900, quick)
	s.away.Store(1)
	bob.visit(dayOf("link"))
	require.Eventually(t, func() bool { return s.away.Load() < 1 }, 20*time.Second, 10*time.Millisecond)
	s.book("eve", "link", "x", "2", 14, 3).is(http.StatusOK)
	bob.until(`document.querySelectorAll('.picture a').length === 1`)
}

// TestRefusedLiveAndDisplaced: a refusal and an alternative, a wait that ends, a colleague's change, and an outage, all seen live.
func TestRefusedLiveAndDisplaced(t *testing.T) {
	s := start(t)
	s.book("ann", "link", "backup", "8", 8, 4).is(http.StatusOK)
	bob := s.open("bob", dayOf("link"), 1280, 900)
	bob.until(`document.querySelectorAll('.picture a').length === 1`)
	bob.set("title", "copy", "units", "5", "start", local(9), "hours", "2")
	bob.sees("The earliest place")
	bob.press("Book")
	bob.sees("What is free instead")
	bob.shot("refused")
	bob.isAccessible()
	bob.press("Book this")
	bob.reaches("/bookings/2")
	require.Equal(t, "copy", s.seen(2).Title)

	bob.visit("/schedules/link")
	bob.set("title", "later", "units", "5", "start", local(8), "hours", "1")
	bob.press("Book")
	bob.press("Wait for it")
	bob.sees("waiting")
	bob.shot("waiting")
	s.get("bob", "/bookings/2").form("Yes, cancel it").send().is(http.StatusOK)
	s.get("ann", "/bookings/1").form("Yes, cancel it").send().is(http.StatusOK)
	bob.until(`document.querySelector('.lead .state').innerText === 'booked'`) // without a reload
	bob.sees("Booking 3 of bob was booked")

	bob.visit(dayOf("link"))
	bob.until(`document.querySelectorAll('.picture a').length === 1`)
	s.book("eve", "link", "secret", "2", 14, 3).is(http.StatusOK)
	bob.until(`document.querySelectorAll('.picture a').length === 2`)
	bob.sees("Booking 4 of eve was booked")
	require.NotContains(t, eval[string](bob, `document.body.innerText`), "secret")
	bob.shot("colleague")

	bob.visit("/mine")
	s.book("eve", "lab", "", "1", 14, 3).is(http.StatusOK) // is nothing new on this page
	s.get("root", "/operate").form("Close").send("schedule", "link", "units", "10", "start", local(0), "end", "2027-12-31T00:00", "title", "new fibre", "preempt", "anybody", "act", "close").is(http.StatusOK)
	bob.sees("Booking 3 of bob was displaced")
	bob.sees("Not settled: held, waiting or displaced")
	require.NotContains(t, eval[string](bob, `document.body.innerText`), "of eve")
	bob.until(`document.querySelector('#refused').innerText.includes('displaced')`)
	bob.shot("displaced")
	bob.isAccessible()
}

// TestByKeyboard: from the top of a page to a booking, its move and its end, without a mouse.
func TestByKeyboard(t *testing.T) {
	s := start(t)
	ann := s.open("ann", dayOf("lab"), 1280, 900)
	tabTo := func(selector string) {
		t.Helper()
		for range 60 {
			if eval[bool](ann, `document.activeElement.matches(`+quoted(selector)+`)`) {
				return
			}
			ann.keys(kb.Tab)
		}
		require.Fail(t, "no way by Tab to "+selector)
	}
	ann.keys(kb.Tab)
	require.Equal(t, "Skip to the content", eval[string](ann, `document.activeElement.innerText`))
	ann.shot("skip")
	tabTo(".picture")
	ann.keys(kb.ArrowRight)
	for range 8 { // it begins at the first moment of the day, for an hour
		ann.keys(kb.ArrowRight)
	}
	ann.keys(kb.ArrowDown)
	ann.shifted(kb.ArrowRight)
	ann.shifted(kb.ArrowRight)
	ann.sees("02:00")
	ann.shot("keyboard")
	s.book("bob", "lab", "", "1", 20, 1).is(http.StatusOK)
	ann.keys(kb.Enter)
	ann.until(`document.activeElement.name === 'title'`)
	require.Equal(t, []string{local(2), "1", "30", "1"}, eval[[]string](ann, `['start', 'hours', 'minutes', 'servers'].map(n => document.querySelector('[name=' + n + ']').value)`))
	ann.keys("by hand", kb.Enter)
	ann.reaches("/bookings/2")
	s.isAt(2, "02:00-03:30")

	ann.visit(dayOf("lab"))
	ann.until(`!!document.querySelector('.picture a[data-mine]')`)
	tabTo(".picture a")
	for range 4 {
		ann.keys(kb.ArrowRight)
	}
	s.book("bob", "lab", "", "1", 22, 1).is(http.StatusOK)
	ann.shifted(kb.ArrowLeft)
	ann.shifted(kb.ArrowLeft)
	ann.keys(kb.Enter)
	ann.sees("Booking 2 is now")
	s.isAt(2, "03:00-04:00")
	ann.until(`!document.querySelector('.ghost') && document.activeElement.matches('.picture a')`) // the focus stays on the bar
	ann.keys(kb.ArrowRight)
	bob := s.open("bob", dayOf("lab"), 1280, 900)
	s.book("bob", "lab", "", "1", 16, 1).is(http.StatusOK)
	bob.until(`document.querySelectorAll('.picture a').length === 4`) // so ann's page has heard of it, too
	ann.keys(kb.Escape)
	require.False(t, eval[bool](ann, `!!document.querySelector('.ghost')`))
	ann.until(`document.querySelectorAll('.picture a').length === 4`) // what came while a selection was held is shown
	ann.keys(kb.Enter)                                                // opens the booking
	ann.reaches("/bookings/2")
	tabTo("summary")
	tabTo(".acts summary")
	ann.keys(kb.Enter)
	tabTo(".danger")
	ann.keys(kb.Enter)
	ann.sees("cancelled")
}

// TestLooks: each page in the light and in the dark, on a telephone and on a wide screen: nothing overflows, and axe-core finds nothing
// serious.
func TestLooks(t *testing.T) {
	s := start(t)
	for i, by := range []string{"ann", "bob", "eve", "ann", "bob"} {
		s.book(by, "link", []string{"nightly copy", "telescope data", "film", "a title that is much longer than there is room for in a bar", "x"}[i], fmt.Sprint(2+i%3), 7+2*i, 3)
		s.book(by, "lab", "cells", "1", 6+3*i, 2)
		s.get(by, "/schedules/gpus").form("Book").send("title", "training", "units", fmt.Sprint(3+2*i), "each.cpus", "6", "start", local(6+2*i), "hours", "5")
	}
	s.get("ann", "/schedules/gpus").form("Book").send("title", "on hold", "units", "4", "start", local(20), "hours", "3", "hold", "60").is(http.StatusOK)
	s.get("root", "/operate").form("Close").send("schedule", "gpus", "servers", "3", "start", local(14), "end", local(23), "title", "new fans", "act", "close").is(http.StatusOK)
	pages := map[string]string{
		"schedules": "/", "link-day": dayOf("link"), "gpus-week": "/schedules/gpus?view=week&at=" + tomorrow(), "gpus-day": dayOf("gpus"), "lab-month": "/schedules/lab?view=month",
		"hours": dayOf("a%2Fb%20%3F&%3Cc%3E"), "anywhere": dayOf("anywhere"), "a-booking": "/bookings/1", "mine": "/mine", "operate": "/operate",
	}
	root := s.open("root", "/", 1280, 900)
	for name, path := range pages {
		root.visit(path)
		for _, screen := range []struct {
			name          string
			width, height int64
			dark, check   bool
		}{{"light", 1280, 900, false, true}, {"dark", 1280, 900, true, false}, {"wide", 1920, 1080, false, false}, {"telephone", 360, 740, false, false}, {"telephone-dark", 360, 740, true, true}} {
			root.do(emulation.SetDeviceMetricsOverride(screen.width, screen.height, 1, screen.width < 600), dark(screen.dark))
			root.settle()
			root.shot(name + "-" + screen.name)
			root.fits()
			require.Equal(t, float64(screen.width), eval[float64](root, `innerWidth`), "the browser widened the page")
			ground := map[bool]string{false: "rgb(247, 248, 250)", true: "rgb(18, 23, 28)"}[screen.dark]
			require.Equal(t, ground, eval[string](root, `getComputedStyle(document.body).backgroundColor`))
			if screen.check {
				root.isAccessible()
			}
		}
	}
}

// TestSeriesAcrossClocks: a series over the change of clocks keeps its wall clock, and a reader elsewhere sees his own beside it, whose
// clocks change on another day.
func TestSeriesAcrossClocks(t *testing.T) {
	s := start(t)
	ann := s.open("ann", "/schedules/lab", 1280, 900, emulation.SetTimezoneOverride("America/New_York"))
	ann.do(chromedp.Evaluate(`document.querySelectorAll('details').forEach(d => d.open = true)`, nil))
	ann.set("title", "seminar", "start", "2027-03-10T15:00", "hours", "1", "repeat", "weekly", "until", "2027-03-31")
	ann.sees("Free Wed 10 Mar 2027, 15:00 – 16:00 Wed 10 Mar, 09:00 – 10:00")
	ann.press("Book")
	ann.sees("4 booked")
	ann.sees("The smaller times are those of America/New_York")
	shown := strings.Join(strings.Fields(eval[string](ann, `document.querySelector('[aria-labelledby=series]').innerText`)), " ")
	for day, hours := range map[string]string{"10": "09:00 – 10:00", "17": "10:00 – 11:00", "24": "10:00 – 11:00", "31": "09:00 – 10:00"} {
		require.Contains(t, shown, fmt.Sprintf("Wed %s Mar 2027, 15:00 – 16:00 Wed %s Mar, %s", day, day, hours))
	}
	ann.shot("series")
	ann.isAccessible()
	for start, want := range map[string]string{
		"2027-03-28T02:30": "clocks skip 02:30 on Sunday 28 March 2027",
		"2027-10-31T02:30": "Free Sun 31 Oct 2027, 02:30 CEST – 02:30 CET Sat 30 Oct, 20:30 – 21:30",
	} {
		ann.set("start", start)
		ann.sees(want)
	}
	l, err := s.office.Look(context.Background(), who.Caller{Owner: "ann", Role: who.Booker})
	require.NoError(t, err)
	page, err := l.Bookings(office.Filter{Owner: "ann"})
	require.NoError(t, err)
	require.Len(t, page.Items, 4)
	for _, one := range page.Items {
		require.Equal(t, 15, one.Start.In(berlin).Hour())
	}
	require.Equal(t, 7*24*time.Hour-time.Hour, page.Items[3].Start.Sub(*page.Items[2].Start), "the week in which clocks change has an hour less")
}
