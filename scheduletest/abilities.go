package scheduletest

import (
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// resize gives a reservation another place and size, where the structure can.
func (m *machine) resize(t *rapid.T) {
	w := m.pick(t)
	s, ok := w.s.(bookahead.Resizer)
	if !ok {
		return // no Resizer
	}
	id := bookahead.ID(rapid.Uint64Range(0, 40).Draw(t, "id")) // known or not
	to, units := drawWindow(t, w.o.now()), rapid.Int64Range(0, min(m.Capacity, 40)+1).Draw(t, "units")
	if live := w.o.live(); len(live) > 0 && rapid.IntRange(0, 3).Draw(t, "which") < 3 {
		old := live[int(id)%len(live)]
		id = old.ID
		if rapid.Bool().Draw(t, "near") { // only a little is changed
			to.Start = later(old.Start, bookahead.Time(rapid.IntRange(-3, 3).Draw(t, "earlier or later")))
			to.End = later(old.End, bookahead.Time(rapid.IntRange(-3, 3).Draw(t, "shorter or longer")))
			units = max(0, old.Units+rapid.Int64Range(-2, 2).Draw(t, "more"))
		}
	}
	got, err := s.Resize(id, to, units)
	m.did(t, "Resize(%d, %v, %d) = %v, %v", id, to, units, got, err)
	want, wantErr := resize(w.o, id, to, units, m.Capacity)
	sameError(t, err, wantErr)
	if got.ID != want.ID || !sameOffer(got.Offer, want.Offer) {
		t.Fatalf("resized to %v, not %v", got, want)
	}
}

// resize does it with the oracle: what is held is given back, and booked again
// if the new place is taken.
func resize(o oracle, id bookahead.ID, to bookahead.Interval, units, capacity int64) (bookahead.Reservation, error) {
	var none bookahead.Reservation
	if to.Empty() || to.End <= o.now() {
		return none, invalid("to", to)
	}
	if units < 1 || units > capacity {
		return none, invalid("units", units)
	}
	for _, old := range o.live() {
		if old.ID != id {
			continue
		}
		from := max(to.Start, o.now())
		d, err := to.End.Sub(from)
		if err != nil {
			return none, err
		}
		if err := o.Release(id); err != nil {
			return none, err
		}
		if _, err := o.place(bookahead.Request{Ready: from, Deadline: to.End, Duration: d, Units: units}); err != nil {
			o.restore(id, old.Offer)
			return none, err
		}
		if old.Start < o.now() && from == o.now() {
			from = old.Start
		}
		now := bookahead.Offer{Interval: bookahead.Interval{Start: from, End: to.End}, Units: units}
		o.restore(id, now)
		return bookahead.Reservation{ID: id, Offer: now}, nil
	}
	return none, bookahead.ErrNotFound
}

// latest searches for the last place, where the structure can.
func (m *machine) latest(t *rapid.T) {
	w := m.pick(t)
	s, ok := w.s.(bookahead.LatestSearcher)
	if !ok {
		return // no LatestSearcher
	}
	r := m.request(t, w)
	got, err := s.SearchLatest(r)
	m.did(t, "SearchLatest(%+v) = %v, %v", r, got, err)
	if _, want := w.o.place(r); want != nil || err != nil {
		sameError(t, err, want)
		return
	}
	if problem := w.o.allows(r, got); problem != nil {
		t.Fatalf("%v", problem)
	}
	// From one tick later on there is no place.
	r.Ready = got.Start + 1
	if r.Validate() != nil {
		return // no time is left
	}
	if at, err := w.o.place(r); err == nil {
		t.Fatalf("found %v, but %d is later", got, at)
	}
}
