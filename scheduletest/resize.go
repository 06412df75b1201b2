package scheduletest

import (
	"cmp"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// resize gives a reservation another place and size, where the structure can.
func (m *machine) resize(t *rapid.T) {
	w := m.pick(t)
	id, to, units := drawResize(t, w.o.live(), m.Capacity, w.o.now())
	m.resizeTo(t, w, id, to, units)
}

func (m *machine) resizeTo(t rapid.TB, w world, id bookahead.ID, to bookahead.Interval, units int64) {
	s, ok := w.s.(bookahead.Resizer)
	if !ok {
		return // no Resizer
	}
	want, wantErr := resized(w.o, w.s, id, to, units)
	lent, err := s.Resize(id, to, units)
	got := lent
	got.Servers = slices.Clone(lent.Servers)
	m.did(t, "Resize(%d, %v, %d) = %v, %v", id, to, units, got, err)
	sameError(t, err, wantErr)
	if got.ID != want.ID || !sameOffer(got.Offer, want.Offer) {
		t.Fatalf("resized to %v, not %v", got, want)
	}
	for i := range lent.Servers {
		lent.Servers[i] = -1 // the slice is ours
	}
	if err == nil {
		replace(w.o, want)
	}
}

// drawResize draws a change of a reservation, mostly of one that is live, and often
// of that which began first: it may be running.
func drawResize(t *rapid.T, live []bookahead.Reservation, capacity int64, now bookahead.Time) (bookahead.ID, bookahead.Interval, int64) {
	id := bookahead.ID(rapid.Uint64Range(0, 40).Draw(t, "id")) // known or not
	to, units := drawWindow(t, now), rapid.Int64Range(0, min(capacity, 40)+1).Draw(t, "units")
	if which := rapid.IntRange(0, 4).Draw(t, "which"); len(live) > 0 && which < 4 {
		old := live[int(id)%len(live)]
		if which < 2 {
			old = begunFirst(live)
		}
		id = old.ID
		if rapid.Bool().Draw(t, "near") { // only a little is changed
			to.Start = later(old.Start, bookahead.Time(rapid.IntRange(-3, 3).Draw(t, "earlier or later")))
			to.End = later(old.End, bookahead.Time(rapid.IntRange(-3, 12).Draw(t, "shorter or longer")))
			units = max(0, old.Units+rapid.Int64Range(-2, 2).Draw(t, "more"))
		}
	}
	return id, to, units
}

// begunFirst returns the reservation with the earliest start.
func begunFirst(live []bookahead.Reservation) bookahead.Reservation {
	return slices.MinFunc(live, func(a, b bookahead.Reservation) int { return cmp.Compare(a.Start, b.Start) })
}

// resized works out what Resize must answer, and leaves the oracle as it is. Which
// servers a reservation is to keep follows from the rules. Those that it gets
// besides are left to the structure: it must take what it would offer of the
// others.
func resized(o oracle, by bookahead.Schedule, id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	var none bookahead.Reservation
	old, err := o.resizable(id, to, units)
	if err != nil {
		return none, err
	}
	w := bookahead.Interval{Start: max(to.Start, o.now()), End: to.End}
	if w.End > o.end() {
		return none, bookahead.ErrUnavailable
	}
	if err := o.Release(id); err != nil {
		return none, err
	}
	keep, others, err := o.without(old, w, units)
	o.restore(id, old)
	if err != nil {
		return none, err
	}
	if n := units - int64(len(keep)); n > 0 && others != nil {
		offer, err := by.Search(bookahead.Request{Ready: w.Start, Deadline: w.End, Duration: w.Len(), Units: n, Servers: others})
		if err != nil {
			return none, fmt.Errorf("%d of %v are free in %v, but: %v", n, others, w, err)
		}
		keep = slices.Concat(keep, offer.Servers)
		slices.Sort(keep)
	}
	if old.Start < o.now() && w.Start == o.now() {
		w.Start = old.Start
	}
	return bookahead.Reservation{ID: id, Offer: bookahead.Offer{Interval: w, Units: units, Servers: keep}}, nil
}

// resize is Resize of an oracle.
func resize(o oracle, id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	res, err := resized(o, o, id, to, units)
	if err == nil {
		replace(o, res)
	}
	return res, err
}

// replace writes into the oracle what has become of a reservation.
func replace(o oracle, res bookahead.Reservation) {
	_ = o.Release(res.ID)
	o.restore(res.ID, res.Offer)
}

// resizable checks the arguments of Resize, and returns what is booked.
func (a *axis) resizable(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Offer, error) {
	if to.Empty() || to.End <= a.clock {
		return bookahead.Offer{}, invalid("to", to)
	}
	if units < 1 || units > a.capacity {
		return bookahead.Offer{}, invalid("units", units)
	}
	for _, res := range a.live() {
		if res.ID == id {
			return res.Offer, nil
		}
	}
	return bookahead.Offer{}, bookahead.ErrNotFound
}

func (p *Pool) without(_ bookahead.Offer, w bookahead.Interval, units int64) (keep, others []int, err error) {
	if p.free(w) < units {
		err = bookahead.ErrUnavailable
	}
	return nil, nil, err
}

func (s *Servers) without(old bookahead.Offer, w bookahead.Interval, units int64) (keep, others []int, err error) {
	for _, k := range s.free(w) {
		if slices.Contains(old.Servers, k) {
			keep = append(keep, k)
		} else {
			others = append(others, k)
		}
	}
	runsOn := old.Start <= s.clock && w.Start == s.clock
	if runsOn && int64(len(keep)) < min(units, old.Units) || int64(len(keep)+len(others)) < units {
		return nil, nil, bookahead.ErrUnavailable
	}
	return keep[:min(int64(len(keep)), units)], others, nil
}
