package scheduletest

import (
	"iter"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// plain hides the abilities of a schedule, so that the functions of package bookahead have to do
// without them. They search again and again. If Search and RangeQuery contradict each other, they
// may do so tick by tick to the end of the axis. So after too many Searches plain finds nothing
// any more.
type plain struct {
	bookahead.Schedule
	left int // how many Searches are left
}

func hide(s bookahead.Schedule) *plain { return &plain{s, 600} }

// Search implements bookahead.Schedule.
func (p *plain) Search(r bookahead.Request) (bookahead.Offer, error) {
	p.left--
	if p.left < 0 {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return p.Schedule.Search(r)
}

// bounded returns the schedule if it lists openings itself, and otherwise hides its abilities,
// which limits its Searches.
func bounded(s bookahead.Schedule) bookahead.Schedule {
	if has[bookahead.Opener](s) {
		return s
	}
	return hide(s)
}

// has reports whether a schedule has an ability, behind a lock or not.
func has[A any](s bookahead.Schedule) bool { return bookahead.View(s, func(A) {}) }

// openings compares the starts at which a request fits: those that the structure lists
// itself, or those that repeated Search finds.
func (m *machine) openings(t *rapid.T) {
	s, o, r := m.place(t)
	m.openingsOf(t, s, o, r)
}

// place draws a request, and a schedule, which may be without its abilities.
func (m *machine) place(t *rapid.T) (bookahead.Schedule, *oracle.Oracle, bookahead.Request) {
	w := m.pick(t)
	r := m.request(t, w)
	if rapid.IntRange(0, 3).Draw(t, "plain") == 3 {
		return hide(w.s), w.o, r
	}
	return w.s, w.o, r
}

func (m *machine) openingsOf(t rapid.TB, s bookahead.Schedule, o *oracle.Oracle, r bookahead.Request) {
	want := slices.Collect(o.Openings(r))
	got := first(bookahead.Openings(bounded(s), r), len(want)+1)
	m.did(t, "Openings(%+v) = %v", r, got)
	if m.meetsAll(s, has[bookahead.Opener](s)) {
		if !slices.Equal(got, want) {
			t.Fatalf("the openings are %v, not %v", got, want)
		}
		return
	}
	last := bookahead.MaxTime
	for i, starts := range got {
		within := func(w bookahead.Interval) bool { return w.Start <= starts.Start && starts.End <= w.End }
		if starts.Empty() || i > 0 && starts.Start <= last || !slices.ContainsFunc(want, within) {
			t.Fatalf("opening %d is %v, after one that ends at %d; the openings are %v", i, starts, last, want)
		}
		last = starts.End
	}
}

// meetsAll reports whether a schedule must find every start. A schedule that steps over starts
// must do so by a method of its own.
func (m *machine) meetsAll(s bookahead.Schedule, own bool) bool {
	return own || m.target.Step <= 1 && m.target.Attempts == 0
}

// first returns the first n values of a sequence.
func first[E any](seq iter.Seq[E], n int) (list []E) {
	for v := range seq {
		list = append(list, v)
		if len(list) == n {
			break
		}
	}
	return list
}

// offers compares the first few offers of the structure with the oracle's.
func (m *machine) offers(t *rapid.T) {
	w := m.pick(t)
	m.offersOf(t, w, m.request(t, w), rapid.IntRange(1, 60).Draw(t, "at most"))
}

func (m *machine) offersOf(t rapid.TB, w world, r bookahead.Request, atMost int) {
	got := first(bookahead.Offers(bounded(w.s), r), atMost)
	m.did(t, "Offers(%+v) = %v", r, got)
	for i, o := range got {
		problem := w.o.Allows(r, o)
		if problem != nil || i > 0 && o.Start <= got[i-1].Start {
			t.Fatalf("offer %d is %v, after %v: %v", i, o, got[:i], problem)
		}
	}
	if !m.meetsAll(w.s, has[bookahead.Opener](w.s)) {
		return
	}
	want := first(bookahead.Offers(w.o, r), atMost)
	sameStart := func(a, b bookahead.Offer) bool { return a.Start == b.Start }
	if !slices.EqualFunc(got, want, sameStart) {
		t.Fatalf("the offers are %v, not %v", got, want)
	}
}

// latest searches for the last place.
func (m *machine) latest(t *rapid.T) {
	s, o, r := m.place(t)
	m.latestOf(t, s, o, r)
}

func (m *machine) latestOf(t rapid.TB, s bookahead.Schedule, o *oracle.Oracle, r bookahead.Request) {
	got, err := searchLatest(s, r)
	m.did(t, "SearchLatest(%+v) = %v, %v", r, got, err)
	_, want := o.Place(r)
	all := m.meetsAll(s, has[bookahead.Opener](s) || has[bookahead.LatestSearcher](s))
	last := bookahead.Time(0)
	for starts := range o.Openings(r) {
		last = starts.End - 1
		if all { // a Search that steps over starts may find none of them
			want = nil
		}
	}
	sameError(t, err, want)
	if err != nil {
		return
	}
	fixed := r
	fixed.Ready, fixed.Deadline = got.Start, got.End
	problem := o.Allows(fixed, got)
	if problem != nil {
		t.Fatalf("%v", problem)
	}
	if got.Start < r.Ready || r.Deadline != 0 && got.End > r.Deadline {
		t.Fatalf("found %v outside of the times of %+v", got, r)
	}
	if all && got.Start != last {
		t.Fatalf("found %v, but the last start is %d", got, last)
	}
}

// searchLatest is bookahead.SearchLatest with a limited number of Searches.
func searchLatest(s bookahead.Schedule, r bookahead.Request) (bookahead.Offer, error) {
	if has[bookahead.LatestSearcher](s) {
		return bookahead.SearchLatest(s, r)
	}
	return bookahead.SearchLatest(bounded(s), r)
}

// explain compares the reasons why a request does not fit with the reasons that the oracle finds,
// tick by tick.
func (m *machine) explain(t *rapid.T) {
	w := m.pick(t)
	r := m.request(t, w)
	s := w.s
	meetsAll := m.meetsAll(s, false)
	if rapid.Bool().Draw(t, "plain") && meetsAll {
		s = hide(s)
	}
	got, ok := m.explained(t, s, w, r)
	if !ok || !meetsAll && !has[bookahead.Profiler](s) {
		return // Search passes over changes
	}
	now := r.Ready
	if f, ok := bookahead.FrameOf(s); ok {
		now = f.Now
	}
	reasons := w.o.Reasons(r, now)
	if got.Window != reasons.Window || got.Blocked != reasons.Blocked || got.Free != reasons.Free || got.Changes != reasons.Changes {
		t.Fatalf("explained by %+v, not %+v", got, reasons)
	}
}

// explained calls Explain, and compares the earliest place. It returns false if r is invalid.
func (m *machine) explained(t rapid.TB, s bookahead.Schedule, w world, r bookahead.Request) (bookahead.Explanation, bool) {
	got, err := bookahead.Explain(s, r)
	m.did(t, "Explain(%+v) = %v, %v", r, got, err)
	_, want := w.o.Place(r)
	if want == bookahead.ErrUnavailable {
		want = nil
	}
	sameError(t, err, want)
	anytime := r
	anytime.Deadline = 0
	start, none := w.o.Place(anytime)
	place := got.Earliest.Units > 0
	if err == nil && (place != (none == nil) || place && got.Earliest.Start != start) {
		t.Fatalf("the earliest place is %v, not %d, %v", got.Earliest, start, none)
	}
	return got, err == nil
}
