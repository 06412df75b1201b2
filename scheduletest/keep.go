package scheduletest

import (
	"iter"
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// list compares the reservations in a window with those of the oracle.
func (m *machine) list(t *rapid.T) {
	w := m.pick(t)
	win := always
	if rapid.Bool().Draw(t, "in a window") {
		win = drawWindow(t, w.o.Now())
		win.End -= drawTime(t, 0, 3, "shorter") // it may be empty
	}
	m.listOf(t, w, win)
}

// always is the whole time axis, with the time before tick 0.
var always = bookahead.Interval{Start: math.MinInt64, End: math.MaxInt64}

func (m *machine) listOf(t rapid.TB, w world, win bookahead.Interval) {
	k, ok := w.s.(bookahead.Keeper)
	if !ok {
		return // the five methods only
	}
	listed := k.Reservations(win)
	got := slices.Collect(listed)
	m.did(t, "Reservations(%v) = %v", win, got)
	want := slices.Collect(w.o.Reservations(win))
	if !slices.EqualFunc(got, want, sameReservation) {
		t.Fatalf("the reservations in %v are %v, not %v", win, got, want)
	}
	overwrite(got) // the slices are ours
	for range listed {
		break // leaving early must be safe
	}
	if win == always {
		m.eachOf(t, k, w.o, listed)
	}
}

// eachOf asks for each reservation by its ID, and for IDs that are not booked. It ranges once
// more over the sequence all, which must be as before.
func (m *machine) eachOf(t rapid.TB, k bookahead.Keeper, o *oracle.Oracle, all iter.Seq[bookahead.Reservation]) {
	live := o.List()
	n := 0
	for res := range all {
		one, err := k.Reservation(res.ID)
		if err != nil || !sameReservation(one, res) || !slices.ContainsFunc(live, func(want bookahead.Reservation) bool { return sameReservation(one, want) }) {
			t.Fatalf("Reservation(%d) = %v, %v, not %v", res.ID, one, err, res)
		}
		overwrite([]bookahead.Reservation{one, res}) // the slices are ours
		n++
	}
	if n != len(live) {
		t.Fatalf("the second loop over the reservations yields %d, not %v", n, live)
	}
	for id := range o.Last + 2 {
		if !slices.ContainsFunc(live, func(res bookahead.Reservation) bool { return res.ID == id }) {
			absent(t, k, id)
		}
	}
	absent(t, k, math.MaxUint64)
}

// absent checks that nothing is booked under an ID.
func absent(t rapid.TB, k bookahead.Keeper, id bookahead.ID) {
	if res, err := k.Reservation(id); err != bookahead.ErrNotFound || res.ID != 0 {
		t.Fatalf("Reservation(%d) = %v, %v, but it is not booked", id, res, err)
	}
}

// overwrite spoils the servers of reservations, which a schedule must not have kept.
func overwrite(list []bookahead.Reservation) {
	for _, res := range list {
		for i := range res.Servers {
			res.Servers[i] = -1
		}
	}
}

func sameReservation(a, b bookahead.Reservation) bool {
	return a.ID == b.ID && sameOffer(a.Offer, b.Offer)
}
