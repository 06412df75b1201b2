package scheduletest

import (
	"fmt"
	"slices"
	"sync"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// laws are the nine laws of bookahead.Schedule, in their order, and the other promises of the
// package: those of a Keeper, that the same calls give the same answers, that clones are
// independent, that a lock hides nothing, and those of a capacity that changes.
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
	{"9_SizeIsNeverInvalid", sizeIsNeverInvalid},
	{"KeeperTellsTheTruth", keeperTellsTheTruth},
	{"RebookBooksTheOffer", rebookBooksTheOffer},
	{"RebookUndone", rebookUndone},
	{"GivingBackSucceeds", givingBackSucceeds},
	{"LockHidesNothing", lockHidesNothing},
	{"BookedFromTheStart", bookedFromTheStart},
	{"SameCallsSameAnswers", sameCallsSameAnswers},
	{"ClonesAreApart", clonesAreApart},
	{"SnapshotsGoOnAlike", snapshotsGoOnAlike},
	{"DamagedSnapshotsFail", damagedSnapshotsFail},
	{"ClosuresCommute", closuresCommute},
	{"EndRestores", endRestores},
	{"NoResurrection", noResurrection},
	{"OverbookedIsExact", overbookedIsExact},
	{"GivingBackWhileClosed", givingBackWhileClosed},
	{"OpenEndedStays", openEndedStays},
	{"TrackingChangesNothing", trackingChangesNothing},
	{"DisplaceClears", displaceClears},
}

// neverOverbooked adds up the reservations, per tick and per server.
func neverOverbooked(t *rapid.T, target Target) {
	h := drawQuiet(t, target)
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

// searchIsEarliest tries a fixed request at every start before the start of the offer.
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

// fixedFitsIfFree compares RangeQuery with fixed requests for as many units as are free, and for
// more and fewer.
func fixedFitsIfFree(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	asked := drawWindow(t, h.now)
	w := asked.Intersect(bookahead.Interval{Start: h.now, End: h.end()})
	a, err := h.RangeQuery(asked)
	sameError(t, err, nil)
	if a.Window != w || w.Empty() && a.Free > 0 {
		t.Fatalf("RangeQuery(%v) = %+v, which does not name the window %v", asked, a, w)
	}
	if w.Empty() {
		return // nothing of the window can be booked
	}
	if target.Servers && int64(len(a.Servers)) != a.Free {
		t.Fatalf("in %v %d servers are free, but the answer names %v", w, a.Free, a.Servers)
	}
	for _, n := range []int64{1, a.Free / 2, a.Free - 1, a.Free, min(a.Free, h.Capacity-1) + 1, h.Capacity} {
		if n < 1 {
			continue
		}
		r := bookahead.Request{Ready: w.Start, Deadline: w.End, Duration: w.Len(), Units: n}
		if _, err := h.Search(r); (err == nil) != (n <= a.Free) {
			t.Fatalf("in %v %d units are free, but a request for %d gives %v", w, a.Free, n, err)
		}
	}
	if target.Servers && a.Free > 0 { // the servers named must be free
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
	for range 3 { // and requests that do not fit
		r := drawRequest(t, target, h.Capacity, h.now)
		if _, err := h.Search(r); err == bookahead.ErrUnavailable {
			_, err := h.Reserve(r)
			sameError(t, err, bookahead.ErrUnavailable)
		}
	}
	if k, ok := h.Schedule.(bookahead.Keeper); ok {
		for i, res := range h.live { // to all units where another has some
			other := h.live[(i+1)%len(h.live)]
			if res.Start > h.now && other.ID != res.ID {
				start := max(other.Start, h.now)
				_, err := k.Rebook(res.ID, bookahead.At(start, bookahead.Duration(other.End-start), h.Capacity))
				sameError(t, err, bookahead.ErrUnavailable)
			}
		}
	}
	compareAnswers(t, questions, before, ask(h.Schedule, questions))
	r := bookahead.Request{Ready: h.now, Duration: 1, Units: 1}
	if res, err := h.Reserve(r); err == nil && res.ID != bookahead.ID(h.made)+1 {
		t.Fatalf("the next ID is %d, after %d reservations", res.ID, h.made)
	}
	for _, res := range h.live { // all are still booked
		sameError(t, h.Release(res.ID), nil)
	}
}

// advanceKeepsTheFuture compares the answers about a later time before and after the clock gets
// there.
func advanceKeepsTheFuture(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	end := h.end() // questions must not profit from a horizon that slides
	now := h.now + drawTime(t, 0, 20, "advance")
	later := h
	later.now = now
	future := func(r bookahead.Request) bool { return r.Ready >= now && r.Deadline != 0 && r.Deadline <= end }
	questions := slices.DeleteFunc(drawQuestions(t, target, later), func(q question) bool {
		return q.window.Start < now || q.window.End > end || !future(q.request)
	})
	for i, q := range questions { // Rebook of a running reservation has other rules
		waits := slices.ContainsFunc(h.live, func(res bookahead.Reservation) bool { return res.ID == q.id && res.Start > now })
		if !waits || !future(q.anew) {
			questions[i].id = 0
		}
	}
	before := ask(h.Schedule, questions)
	h.advance(t, now)
	after := ask(h.Schedule, questions)
	for i := range before { // closures may have ended, and the capacity may have changed
		before[i].closures, before[i].frame, before[i].forced = nil, bookahead.Frame{}, ""
		after[i].closures, after[i].frame, after[i].forced = nil, bookahead.Frame{}, ""
	}
	compareAnswers(t, questions, before, after)
	for _, res := range h.live {
		sameError(t, h.Release(res.ID), nil)
	}
	a, err := h.RangeQuery(bookahead.Interval{Start: now, End: now + 1})
	sameError(t, err, nil)
	if a.Free != h.Capacity && !h.changed && max(target.Slot, 1) == 1 { // a slot remembers reservations that ended in it
		t.Fatalf("all is released, but %d of %d are free", a.Free, h.Capacity)
	}
}

// queriesChangeNothing asks from several goroutines at once, and then once more. At the same time
// clones are made, asked, and changed.
func queriesChangeNothing(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	questions := drawQuestions(t, target, h)
	calls := drawScript(t, target, h)
	held := listed(h.Schedule)
	before := ask(h.Schedule, questions)
	now := listed(h.Schedule)
	if now != held { // checked alone: side by side, such writes may end the program
		t.Fatalf("queries have turned the reservations %v into %v", held, now)
	}
	var asked [3][]answer
	var cloned, made [2][]answer
	var wg sync.WaitGroup
	for k := range asked {
		wg.Add(1)
		go func() {
			defer wg.Done()
			asked[k] = ask(h.Schedule, questions)
		}()
	}
	for k := range cloned {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if c, ok := bookahead.Clone(h.Schedule); ok {
				cloned[k] = ask(c, questions)
				made[k] = calls.run(c, h.now)
			}
		}()
	}
	wg.Wait()
	for _, answers := range asked {
		compareAnswers(t, questions, before, answers)
	}
	if cloned[0] != nil {
		compareAnswers(t, questions, before, cloned[0])
		compareAnswers(t, questions, before, cloned[1])
		compareScripts(t, calls, made[0], made[1])
	}
	compareAnswers(t, questions, before, ask(h.Schedule, questions))
}

// listed returns all reservations of a Keeper, as text.
func listed(s bookahead.Schedule) string {
	k, ok := s.(bookahead.Keeper)
	if !ok {
		return ""
	}
	return fmt.Sprint(slices.Collect(k.Reservations(k.Frame().Window())))
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
	copied, ok := bookahead.Clone(h.Schedule)
	if !ok {
		return // no Cloner
	}
	calls := drawScript(t, target, h)
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
