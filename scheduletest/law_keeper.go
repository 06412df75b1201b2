package scheduletest

import (
	"cmp"
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// keeperTellsTheTruth compares the limits and the reservations of a Keeper with those that follow
// from its past. Another schedule may have a Frame too.
func keeperTellsTheTruth(t *rapid.T, target Target) {
	h := drawQuiet(t, target)
	want := bookahead.Frame{Now: h.now, Horizon: h.end(), Capacity: h.Capacity}
	if target.Servers {
		want.Servers = int(h.Capacity)
	}
	got, told := bookahead.FrameOf(h.Schedule)
	if told && got != want {
		t.Fatalf("the frame is %+v, not %+v", got, want)
	}
	k, ok := h.Schedule.(bookahead.Keeper)
	if !ok {
		return
	}
	slices.SortFunc(h.live, func(a, b bookahead.Reservation) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID))
	})
	for _, w := range []bookahead.Interval{always, want.Window(), drawWindow(t, h.now)} {
		booked := slices.DeleteFunc(slices.Clone(h.live), func(res bookahead.Reservation) bool { return !res.Overlaps(w) })
		got := slices.Collect(k.Reservations(w))
		if !slices.EqualFunc(got, booked, sameReservation) {
			t.Fatalf("the reservations in %v are %v, not %v", w, got, booked)
		}
	}
	for id := range bookahead.ID(h.made) + 2 {
		i := slices.IndexFunc(h.live, func(res bookahead.Reservation) bool { return res.ID == id })
		if i < 0 {
			absent(t, k, id)
			continue
		}
		if res, err := k.Reservation(id); err != nil || !sameReservation(res, h.live[i]) {
			t.Fatalf("Reservation(%d) = %v, %v, not %v", id, res, err, h.live[i])
		}
	}
}

// rebookBooksTheOffer compares SearchFor with the Rebook that follows. An error must leave
// everything unchanged, and no Rebook may use up an ID.
func rebookBooksTheOffer(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	k, ok := h.Schedule.(bookahead.Keeper)
	if !ok {
		return // the five methods only
	}
	questions := drawQuestions(t, target, h)
	before := ask(k, questions)
	id, r := drawRebook(t, target, h.live, h.Capacity, h.now)
	o, want := k.SearchFor(id, r)
	res, err := k.Rebook(id, r)
	sameError(t, err, want)
	if err != nil {
		compareAnswers(t, questions, before, ask(k, questions))
	} else if res.ID != id || !sameOffer(res.Offer, o) {
		t.Fatalf("SearchFor(%d, %+v) offered %v, Rebook booked %v", id, r, o, res)
	}
	if res, err := k.Reserve(bookahead.Request{Ready: h.now, Duration: 1, Units: 1}); err == nil && res.ID != bookahead.ID(h.made)+1 {
		t.Fatalf("the next ID is %d, after %d reservations", res.ID, h.made)
	}
}

// rebookUndone books a reservation anew where it is, which must change nothing. Then it moves the
// reservation, and moves it back: every answer must be as before.
func rebookUndone(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	k, ok := h.Schedule.(bookahead.Keeper)
	if !ok || len(h.live) == 0 {
		return
	}
	questions := drawQuestions(t, target, h)
	before := ask(k, questions)
	old := h.live[rapid.IntRange(0, len(h.live)-1).Draw(t, "which")]
	book := func(r bookahead.Request) {
		t.Helper()
		if res, err := k.Rebook(old.ID, r); err != nil || !sameReservation(res, old) {
			t.Fatalf("%v is booked anew as %v, %v", old, res, err)
		}
		compareAnswers(t, questions, before, ask(k, questions))
	}
	book(bookahead.At(old.Start, old.Len(), old.Units)) // on any servers
	book(old.Request())
	if old.Start <= h.now {
		book(bookahead.Request{Ready: math.MaxInt64, Duration: old.Len(), Units: old.Units}) // Ready is not read
	}
	_, r := drawRebook(t, target, []bookahead.Reservation{old}, h.Capacity, h.now)
	res, err := k.Rebook(old.ID, r)
	stays := res.Start <= h.now && old.Start > h.now // the reservation begins now
	if err == nil && !stays && !h.changed {          // the old place may be closed
		book(old.Request())
	}
}

// givingBackSucceeds makes a reservation shorter, and smaller.
func givingBackSucceeds(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	_, ok := h.Schedule.(bookahead.Keeper)
	if !ok || len(h.live) == 0 {
		return
	}
	givesBack(t, target, h)
}

func givesBack(t *rapid.T, target Target, h history) {
	k := h.Schedule.(bookahead.Keeper)
	old := h.live[rapid.IntRange(0, len(h.live)-1).Draw(t, "which")]
	for range rapid.IntRange(1, 3).Draw(t, "times") {
		start := old.Start
		if start > h.now {
			start += drawTime(t, 0, int64(old.End-start)-1, "later")
		}
		end := old.End - drawTime(t, 0, int64(old.End-max(start, h.now))-1, "earlier")
		r := bookahead.At(start, bookahead.Duration(end-start), rapid.Int64Range(1, old.Units).Draw(t, "units"))
		if target.Servers && rapid.Bool().Draw(t, "named") {
			r.Servers = rapid.Permutation(drawMore(t, old.Servers, 0, h.Capacity)).Draw(t, "order")
		}
		res, err := k.Rebook(old.ID, r)
		if err != nil || res.ID != old.ID || res.Interval != (bookahead.Interval{Start: start, End: end}) || res.Units != r.Units {
			t.Fatalf("%v gives back all but %+v, and is %v, %v", old, r, res, err)
		}
		if target.Servers && !slices.Equal(res.Servers, old.Servers[:r.Units]) {
			t.Fatalf("%v gives back all but %d servers, and keeps %v, not the lowest", old, r.Units, res.Servers)
		}
		old = res
	}
	if a, err := k.RangeQuery(old.Interval); err != nil || a.Free > h.Capacity-old.Units {
		t.Fatalf("beside %v %+v is free, %v", old, a, err)
	}
}
