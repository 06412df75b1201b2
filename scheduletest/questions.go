package scheduletest

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// question is a number of queries.
type question struct {
	request bookahead.Request
	window  bookahead.Interval
	id      bookahead.ID // the reservation for SearchFor
	anew    bookahead.Request
	force   force // tried on a clone
}

// answer is the answer to a question, or to a call of a script.
type answer struct {
	offer    bookahead.Offer
	err      error
	latest   bookahead.Offer
	free     bookahead.Availability
	openings []bookahead.Interval // the first few
	offers   []bookahead.Offer    // the first few
	units    int64                // of the blocks of a Profiler, each times its length
	listed   []bookahead.Reservation
	place    bookahead.Offer // of SearchFor
	placeErr error
	closures []bookahead.Closure
	over     []bookahead.Overbooking
	on       []bookahead.Reservation // in the window, on the first servers
	frame    bookahead.Frame
	// forced is the outcome of a Displace on a clone, as text.
	forced string
}

func drawQuestions(t *rapid.T, target Target, h history) []question {
	questions := make([]question, rapid.IntRange(1, 20).Draw(t, "questions"))
	for i := range questions {
		questions[i] = question{request: drawRequest(t, target, h.Capacity, h.now), window: drawWindow(t, h.now)}
		questions[i].id, questions[i].anew = drawRebook(t, target, h.live, h.Capacity, h.now)
		if i == 0 && has[bookahead.Displacer](h.Schedule) {
			r := questions[i].request
			questions[i].force = force{Request: &r, Order: rapid.IntRange(0, 2).Draw(t, "order")}
		}
	}
	return questions
}

func ask(s bookahead.Schedule, questions []question) []answer {
	answers := make([]answer, len(questions))
	for i, q := range questions {
		a := &answers[i]
		a.offer, a.err = s.Search(q.request)
		a.latest, _ = searchLatest(s, q.request)
		a.free, _ = s.RangeQuery(q.window)
		a.openings = first(bookahead.Openings(bounded(s), q.request), 3)
		a.offers = first(bookahead.Offers(bounded(s), q.request), 3)
		if blocks, ok := bookahead.Blocks(s, q.window); ok {
			for b := range blocks {
				a.units += b.Units * int64(b.Len())
			}
		}
		if k, ok := s.(bookahead.Keeper); ok {
			a.listed = slices.Collect(k.Reservations(q.window))
			a.place, a.placeErr = k.SearchFor(q.id, q.anew)
			a.frame = k.Frame()
			var servers []int
			if a.frame.Servers > 0 {
				servers = []int{0, 2}
			}
			a.on = slices.Collect(bookahead.ReservationsOn(k, q.window, servers))
		}
		a.closures, a.over = closuresOf(s), overbookedIn(s, q.window)
		if q.force.Request != nil {
			if c, ok := bookahead.Clone(s); ok {
				d, err := bookahead.Displace(c, q.force.full())
				d.Booked.ID = 0
				a.forced = fmt.Sprintf("%+v, %s", d, kind(err))
			}
		}
	}
	return answers
}

func compareAnswers(t rapid.TB, questions []question, before, after []answer) {
	t.Helper()
	for i, q := range questions {
		b, a := before[i], after[i]
		if kind(b.err) != kind(a.err) || !sameOffer(b.offer, a.offer) {
			t.Fatalf("Search(%+v) was %v, %v and is %v, %v", q.request, b.offer, b.err, a.offer, a.err)
		}
		if !sameOffer(b.latest, a.latest) {
			t.Fatalf("SearchLatest(%+v) was %v and is %v", q.request, b.latest, a.latest)
		}
		if !sameFree(b.free, a.free) {
			t.Fatalf("RangeQuery(%v) was %+v and is %+v", q.window, b.free, a.free)
		}
		if !slices.Equal(b.openings, a.openings) {
			t.Fatalf("Openings(%+v) were %v and are %v", q.request, b.openings, a.openings)
		}
		if !slices.EqualFunc(b.offers, a.offers, sameOffer) {
			t.Fatalf("Offers(%+v) were %v and are %v", q.request, b.offers, a.offers)
		}
		if b.units != a.units {
			t.Fatalf("Blocks(%v) had %d units times ticks and have %d", q.window, b.units, a.units)
		}
		if !slices.EqualFunc(b.listed, a.listed, sameReservation) {
			t.Fatalf("Reservations(%v) were %v and are %v", q.window, b.listed, a.listed)
		}
		if !slices.EqualFunc(b.closures, a.closures, sameClosure) {
			t.Fatalf("the closures were %s and are %s", inWords(b.closures), inWords(a.closures))
		}
		if !slices.EqualFunc(b.over, a.over, sameOverbooking) {
			t.Fatalf("overbooked in %v were %s and are %s", q.window, inWords(b.over), inWords(a.over))
		}
		if !slices.EqualFunc(b.on, a.on, sameReservation) {
			t.Fatalf("in the way in %v were %v and are %v", q.window, b.on, a.on)
		}
		if b.frame.Capacity != a.frame.Capacity || b.frame.Servers != a.frame.Servers {
			t.Fatalf("the frame was %+v and is %+v", b.frame, a.frame)
		}
		if b.forced != a.forced {
			t.Fatalf("Displace(%+v) gave %s and gives %s", *q.force.Request, b.forced, a.forced)
		}
		if kind(b.placeErr) != kind(a.placeErr) || !sameOffer(b.place, a.place) {
			t.Fatalf("SearchFor(%d, %+v) was %v, %v and is %v, %v", q.id, q.anew, b.place, b.placeErr, a.place, a.placeErr)
		}
	}
}

// script is a list of calls that write.
type script []struct {
	request bookahead.Request
	release bool         // the reservation just made
	rebook  bookahead.ID // the ID of another reservation, if the schedule is a Keeper
	anew    bookahead.Request
	advance bookahead.Time
	change  change // by a Closable
}

func drawScript(t *rapid.T, target Target, h history) script {
	calls := make(script, rapid.IntRange(1, 30).Draw(t, "calls"))
	for i := range calls {
		calls[i].request = drawRequest(t, target, h.Capacity, h.now)
		calls[i].release = rapid.Bool().Draw(t, "release")
		if rapid.Bool().Draw(t, "rebook") {
			calls[i].rebook, calls[i].anew = drawRebook(t, target, h.live, h.Capacity, h.now)
			if len(h.live) == 0 { // a reservation that the script makes
				calls[i].rebook = 1 + calls[i].rebook%bookahead.ID(i+1)
			}
		}
		calls[i].advance = drawTime(t, 0, 2, "advance")
		if has[bookahead.Closable](h.Schedule) && rapid.IntRange(0, 3).Draw(t, "change") == 3 {
			calls[i].change = drawChange(t, target, h.Schedule.(bookahead.Keeper).Frame(), h.Capacity)
		}
	}
	return calls
}

// run makes the calls, and returns the answers.
func (calls script) run(s bookahead.Schedule, now bookahead.Time) []answer {
	answers := make([]answer, len(calls))
	for i, c := range calls {
		res, err := s.Reserve(c.request)
		if err == nil && c.release {
			err = s.Release(res.ID)
		}
		if k, ok := s.(bookahead.Keeper); ok && c.rebook != 0 && err == nil {
			res, err = k.Rebook(c.rebook, c.anew)
		}
		now += c.advance
		e := s.Advance(now)
		if e != nil {
			err = e
		}
		answers[i] = answer{offer: res.Offer, err: err, units: int64(res.ID)}
		c.change.run(s)
		answers[i].closures, answers[i].over = closuresOf(s), overbookedIn(s, always)
	}
	return answers
}

func compareScripts(t rapid.TB, calls script, a, b []answer) {
	t.Helper()
	for i, c := range calls {
		if kind(a[i].err) != kind(b[i].err) || !sameOffer(a[i].offer, b[i].offer) || a[i].units != b[i].units {
			t.Fatalf("call %d, %+v: #%d %v, %v and #%d %v, %v", i, c,
				a[i].units, a[i].offer, a[i].err, b[i].units, b[i].offer, b[i].err)
		}
		if !slices.EqualFunc(a[i].closures, b[i].closures, sameClosure) || !slices.EqualFunc(a[i].over, b[i].over, sameOverbooking) {
			t.Fatalf("call %d, %+v: the closures are %s and %s, and overbooked are %s and %s", i, c,
				inWords(a[i].closures), inWords(b[i].closures), inWords(a[i].over), inWords(b[i].over))
		}
	}
}
