package scheduletest

import (
	"slices"
	"sync"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// laws are the eight laws of bookahead.Schedule, in their order, and what the
// package promises besides: a Resize can be undone by another, the same calls give
// the same answers, and clones lead lives of their own.
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
	{"ResizeUndone", resizeUndone},
	{"SameCallsSameAnswers", sameCallsSameAnswers},
	{"ClonesAreApart", clonesAreApart},
	{"SnapshotsGoOnAlike", snapshotsGoOnAlike},
	{"DamagedSnapshotsFail", damagedSnapshotsFail},
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
			if res.Units > h.Capacity-units[tick] {
				t.Fatalf("at %d are %d units of %d booked, and then %v", tick, units[tick], h.Capacity, res)
			}
			units[tick] += res.Units
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

// fixedFitsIfFree compares RangeQuery with fixed requests for what is free, and
// for more and less.
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
	for _, n := range []int64{1, a.Free / 2, a.Free - 1, a.Free, min(a.Free, h.Capacity-1) + 1, h.Capacity} {
		if n < 1 {
			continue
		}
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
	before := ask(h.Schedule, questions)
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
	compareAnswers(t, questions, before, ask(h.Schedule, questions))
}

// resizeUndone gives a reservation another place and size, and then its own again:
// unless it has got other servers by that, every answer is as it was.
func resizeUndone(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	s, ok := h.Schedule.(bookahead.Resizer)
	if !ok || len(h.live) == 0 {
		return
	}
	questions := drawQuestions(t, target, h)
	before := ask(s, questions)
	old := h.live[rapid.IntRange(0, len(h.live)-1).Draw(t, "which")]
	same := func(res bookahead.Reservation, err error) bool {
		t.Helper()
		if err != nil || res.ID != old.ID || max(res.Start, h.now) != max(old.Start, h.now) || res.End != old.End || res.Units != old.Units {
			t.Fatalf("%v has become %v, %v", old, res, err)
		}
		return slices.Equal(res.Servers, old.Servers)
	}
	if !same(s.Resize(old.ID, old.Interval, old.Units)) {
		t.Fatalf("%v has got other servers by nothing", old)
	}
	compareAnswers(t, questions, before, ask(s, questions))
	_, to, units := drawResize(t, []bookahead.Reservation{old}, h.Capacity, h.now)
	if _, err := s.Resize(old.ID, to, units); err == nil && !same(s.Resize(old.ID, old.Interval, old.Units)) {
		return
	}
	compareAnswers(t, questions, before, ask(s, questions))
}

// errorChangesNothing compares all answers before and after calls that fail.
func errorChangesNothing(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	questions := drawQuestions(t, target, h)
	before := ask(h.Schedule, questions)
	for _, bad := range badCalls(target, h) {
		if bad.call(h.Schedule) == nil {
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
	if s, ok := h.Schedule.(bookahead.Resizer); ok {
		for i, res := range h.live { // to all units where another has some
			to := h.live[(i+1)%len(h.live)].Interval
			if len(h.live) > 1 {
				_, err := s.Resize(res.ID, to, h.Capacity)
				sameError(t, err, bookahead.ErrUnavailable)
			}
		}
	}
	compareAnswers(t, questions, before, ask(h.Schedule, questions))
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
	before := ask(h.Schedule, questions)
	h.advance(t, now)
	compareAnswers(t, questions, before, ask(h.Schedule, questions))
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
	before := ask(h.Schedule, questions)
	var together [3][]answer
	var wg sync.WaitGroup
	for k := range together {
		wg.Add(1)
		go func() {
			defer wg.Done()
			together[k] = ask(h.Schedule, questions)
		}()
	}
	wg.Wait()
	for _, answers := range together {
		compareAnswers(t, questions, before, answers)
	}
	compareAnswers(t, questions, before, ask(h.Schedule, questions))
}

// question is a request to search for and a window to query.
type question struct {
	request bookahead.Request
	window  bookahead.Interval
}

type answer struct {
	offer  bookahead.Offer
	err    error
	free   bookahead.Availability
	offers []bookahead.Offer // the first few
	units  int64             // of the blocks of a Profiler, each times its length
}

// script is a number of calls that write.
type script []struct {
	request bookahead.Request
	release bool         // it again
	resize  bookahead.ID // another, if that can be done
	to      bookahead.Interval
	units   int64
	advance bookahead.Time
}

func drawScript(t *rapid.T, target Target, h history) script {
	calls := make(script, rapid.IntRange(1, 30).Draw(t, "calls"))
	for i := range calls {
		calls[i].request = drawRequest(t, target, h.Capacity, h.now)
		calls[i].release = rapid.Bool().Draw(t, "release")
		if _, ok := h.Schedule.(bookahead.Resizer); ok && rapid.Bool().Draw(t, "resize") {
			calls[i].resize, calls[i].to, calls[i].units = drawResize(t, h.live, h.Capacity, h.now)
		}
		calls[i].advance = drawTime(t, 0, 2, "advance")
	}
	return calls
}

// run makes the calls, and returns what was booked.
func (calls script) run(s bookahead.Schedule, now bookahead.Time) []answer {
	answers := make([]answer, len(calls))
	for i, c := range calls {
		res, err := s.Reserve(c.request)
		if err == nil && c.release {
			err = s.Release(res.ID)
		}
		if r, ok := s.(bookahead.Resizer); ok && c.resize != 0 && err == nil {
			res, err = r.Resize(c.resize, c.to, c.units)
		}
		now += c.advance
		if e := s.Advance(now); e != nil {
			err = e
		}
		answers[i] = answer{offer: res.Offer, err: err, units: int64(res.ID)}
	}
	return answers
}

// sameCallsSameAnswers makes the same calls on two schedules.
func sameCallsSameAnswers(t *rapid.T, target Target) {
	c := drawConfig(t, target)
	first, err := target.New(c)
	sameError(t, err, nil)
	calls := drawScript(t, target, history{Schedule: first, Config: c, now: c.Origin})
	var answers [2][]answer
	for k := range answers {
		s, err := target.New(c)
		sameError(t, err, nil)
		answers[k] = calls.run(s, c.Origin)
	}
	compareScripts(t, calls, answers[0], answers[1])
}

// clonesAreApart makes the same calls on a schedule and its clone, at the same
// time.
func clonesAreApart(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	c, ok := h.Schedule.(bookahead.Cloner)
	if !ok {
		return
	}
	calls := drawScript(t, target, h)
	copied := c.Clone()
	var answers [2][]answer
	var wg sync.WaitGroup
	for k, s := range []bookahead.Schedule{h.Schedule, copied} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			answers[k] = calls.run(s, h.now)
		}()
	}
	wg.Wait()
	compareScripts(t, calls, answers[0], answers[1])
}

func compareScripts(t rapid.TB, calls script, a, b []answer) {
	t.Helper()
	for i, c := range calls {
		if kind(a[i].err) != kind(b[i].err) || !sameOffer(a[i].offer, b[i].offer) || a[i].units != b[i].units {
			t.Fatalf("call %d, %+v: #%d %v, %v and #%d %v, %v", i, c,
				a[i].units, a[i].offer, a[i].err, b[i].units, b[i].offer, b[i].err)
		}
	}
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
		for o := range bookahead.Offers(s, q.request) {
			if answers[i].offers = append(answers[i].offers, o); len(answers[i].offers) == 3 {
				break
			}
		}
		if p, ok := s.(bookahead.Profiler); ok {
			for b := range p.Blocks(q.window) {
				answers[i].units += b.Units * int64(b.Len())
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
		if b.free.Free != a.free.Free || !slices.Equal(b.free.Servers, a.free.Servers) {
			t.Fatalf("RangeQuery(%v) was %+v and is %+v", q.window, b.free, a.free)
		}
		if !slices.EqualFunc(b.offers, a.offers, sameOffer) {
			t.Fatalf("Offers(%+v) were %v and are %v", q.request, b.offers, a.offers)
		}
		if b.units != a.units {
			t.Fatalf("Blocks(%v) had %d units times ticks and have %d", q.window, b.units, a.units)
		}
	}
}
