package scheduletest

import (
	"slices"
	"sync"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// laws are the eight laws of bookahead.Schedule, in their order.
var laws = []struct {
	name string
	law  func(*rapid.T, Target)
}{
	{"1_NeverOverbooked", neverOverbooked},
	{"2_SearchIsEarliest", searchIsEarliest},
	{"3_ReserveBooksTheOffer", reserveBooksTheOffer},
	{"4_FixedFitsIfFree", fixedFitsIfFree},
	{"5_ReleaseUndoesReserve", releaseUndoesReserve},
	{"6_ErrorChangesNothing", errorChangesNothing},
	{"7_AdvanceKeepsTheFuture", advanceKeepsTheFuture},
	{"8_QueriesChangeNothing", queriesChangeNothing},
}

// neverOverbooked adds up what was accepted, per tick and per server.
func neverOverbooked(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	units := map[bookahead.Time]int64{}
	type place struct {
		tick   bookahead.Time
		server int
	}
	holder := map[place]bookahead.ID{}
	for _, res := range h.live {
		if target.Servers && int64(len(res.Servers)) != res.Units {
			t.Fatalf("#%d %v names %d servers", res.ID, res.Offer, len(res.Servers))
		}
		for tick := res.Start; tick < res.End; tick++ {
			if units[tick] += res.Units; units[tick] > h.Capacity {
				t.Fatalf("at %d are %d units of %d booked, %v last", tick, units[tick], h.Capacity, res)
			}
			for _, k := range res.Servers {
				if other := holder[place{tick, k}]; other != 0 {
					t.Fatalf("at %d is server %d booked by #%d and #%d", tick, k, other, res.ID)
				}
				holder[place{tick, k}] = res.ID
			}
		}
	}
}

// searchIsEarliest tries a fixed request at every start before the one found.
func searchIsEarliest(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	r := drawRequest(t, target, h.Capacity, h.now)
	found, err := h.Search(r)
	step := max(bookahead.Time(target.Step), 1)
	latest := h.now + 4*span
	if err == nil {
		latest = found.Start
	}
	for k, start := 0, max(r.Ready, h.now); start <= latest; k, start = k+1, start+step {
		end := start + bookahead.Time(r.Duration)
		if r.Deadline != 0 && end > r.Deadline || target.Attempts > 0 && k == target.Attempts {
			break // no more starts to try
		}
		fixed := r
		fixed.Ready, fixed.Deadline = start, end
		_, fixedErr := h.Search(fixed)
		if err == nil && start == found.Start {
			if fixedErr != nil {
				t.Fatalf("%+v found %v, which as a fixed request gives %v", r, found, fixedErr)
			}
			return
		}
		if fixedErr != bookahead.ErrUnavailable {
			t.Fatalf("%+v gives %v, %v, but %d is a start: %v", r, found, err, start, fixedErr)
		}
	}
	if err == nil {
		t.Fatalf("%+v found %v, which is no start that could be expressed", r, found)
	}
}

// reserveBooksTheOffer compares Search with the Reserve that follows.
func reserveBooksTheOffer(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	r := drawRequest(t, target, h.Capacity, h.now)
	o, want := h.Search(r)
	res, err := h.Reserve(r)
	sameError(t, err, want)
	if err == nil && !sameOffer(o, res.Offer) {
		t.Fatalf("Search(%+v) offered %v, Reserve booked %v", r, o, res.Offer)
	}
	if err == nil && res.ID != bookahead.ID(h.made)+1 {
		t.Fatalf("reservation %d has ID %d", h.made+1, res.ID)
	}
}

// fixedFitsIfFree compares RangeQuery with a fixed request for every number of
// units.
func fixedFitsIfFree(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	w := drawWindow(t, h.now)
	w.Start = max(w.Start, h.now)
	w.End = min(w.End, h.end())
	if w.Empty() {
		t.Skip("nothing of the window can be booked")
	}
	a, err := h.RangeQuery(w)
	sameError(t, err, nil)
	if target.Servers && int64(len(a.Servers)) != a.Free {
		t.Fatalf("in %v are %d free, but named are %v", w, a.Free, a.Servers)
	}
	for n := int64(1); n <= h.Capacity; n++ {
		r := bookahead.Request{Ready: w.Start, Deadline: w.End, Duration: w.Len(), Units: n}
		if _, err := h.Search(r); (err == nil) != (n <= a.Free) {
			t.Fatalf("in %v are %d free, but a request for %d gives %v", w, a.Free, n, err)
		}
	}
	if target.Servers && a.Free > 0 { // and those named are the ones
		r := bookahead.Request{Ready: w.Start, Deadline: w.End, Duration: w.Len(), Units: a.Free, Servers: a.Servers}
		if _, err := h.Search(r); err != nil {
			t.Fatalf("in %v servers %v are free, but naming them gives %v", w, a.Servers, err)
		}
	}
}

// releaseUndoesReserve compares all answers before a Reserve with those after
// its Release.
func releaseUndoesReserve(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	questions := drawQuestions(t, target, h)
	before := ask(h, questions)
	var made []bookahead.ID
	for range rapid.IntRange(1, 4).Draw(t, "reservations") {
		if res, err := h.Reserve(drawRequest(t, target, h.Capacity, h.now)); err == nil {
			made = append(made, res.ID)
		}
	}
	for _, id := range rapid.Permutation(made).Draw(t, "order") {
		sameError(t, h.Release(id), nil)
		sameError(t, h.Release(id), bookahead.ErrNotFound)
	}
	compareAnswers(t, questions, before, ask(h, questions))
}

// errorChangesNothing compares all answers before and after calls that fail.
func errorChangesNothing(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	questions := drawQuestions(t, target, h)
	before := ask(h, questions)
	for _, bad := range badCalls(target, h) {
		if bad.call(h) == nil {
			t.Fatalf("%s is accepted", bad.name)
		}
	}
	for range 3 { // and what does not fit
		r := drawRequest(t, target, h.Capacity, h.now)
		if _, err := h.Search(r); err == bookahead.ErrUnavailable {
			_, err := h.Reserve(r)
			sameError(t, err, bookahead.ErrUnavailable)
		}
	}
	compareAnswers(t, questions, before, ask(h, questions))
	r := bookahead.Request{Ready: h.now, Duration: 1, Units: 1}
	if res, err := h.Reserve(r); err == nil && res.ID != bookahead.ID(h.made)+1 {
		t.Fatalf("the next ID is %d, after %d reservations", res.ID, h.made)
	}
	for _, res := range h.live { // what was booked still is
		sameError(t, h.Release(res.ID), nil)
	}
}

// advanceKeepsTheFuture compares the answers about a time to come before and
// after the clock gets there.
func advanceKeepsTheFuture(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	end := h.end() // questions must not profit from a horizon that slides
	now := h.now + drawTime(t, 0, 20, "advance")
	later := h
	later.now = now
	questions := slices.DeleteFunc(drawQuestions(t, target, later), func(q question) bool {
		return q.window.Start < now || q.window.End > end || q.request.Deadline == 0 || q.request.Deadline > end || q.request.Ready < now
	})
	before := ask(h, questions)
	h.advance(t, now)
	compareAnswers(t, questions, before, ask(h, questions))
	for _, res := range h.live {
		sameError(t, h.Release(res.ID), nil)
	}
	a, err := h.RangeQuery(bookahead.Interval{Start: now, End: now + 1})
	sameError(t, err, nil)
	if a.Free != h.Capacity && max(target.Slot, 1) == 1 { // a slot remembers what ended in it
		t.Fatalf("all is released, but %d of %d are free", a.Free, h.Capacity)
	}
}

// queriesChangeNothing asks from several goroutines at once, and once more.
func queriesChangeNothing(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	questions := drawQuestions(t, target, h)
	before := ask(h, questions)
	var together [3][]answer
	var wg sync.WaitGroup
	for k := range together {
		wg.Add(1)
		go func() {
			defer wg.Done()
			together[k] = ask(h, questions)
		}()
	}
	wg.Wait()
	for _, answers := range together {
		compareAnswers(t, questions, before, answers)
	}
	compareAnswers(t, questions, before, ask(h, questions))
}

// question is a request to search for and a window to query.
type question struct {
	request bookahead.Request
	window  bookahead.Interval
}

type answer struct {
	offer bookahead.Offer
	err   error
	free  bookahead.Availability
}

func drawQuestions(t *rapid.T, target Target, h history) []question {
	questions := make([]question, rapid.IntRange(1, 20).Draw(t, "questions"))
	for i := range questions {
		questions[i] = question{drawRequest(t, target, h.Capacity, h.now), drawWindow(t, h.now)}
	}
	return questions
}

func ask(s bookahead.Schedule, questions []question) []answer {
	answers := make([]answer, len(questions))
	for i, q := range questions {
		answers[i].offer, answers[i].err = s.Search(q.request)
		answers[i].free, _ = s.RangeQuery(q.window)
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
		if b.free.Free != a.free.Free || !slices.Equal(b.free.Servers, a.free.Servers) {
			t.Fatalf("RangeQuery(%v) was %+v and is %+v", q.window, b.free, a.free)
		}
	}
}
