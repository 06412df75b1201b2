package idletree

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

// Lists keeps a list of idle periods for each server, and reads them all: the
// simple form that the others are measured by. First found is the lowest index.
type Lists struct{ fleet fleet }

var (
	_ bookahead.Schedule = (*Lists)(nil)
	_ bookahead.Profiler = (*Lists)(nil)
	_ bookahead.Cloner   = (*Lists)(nil)
)

// NewLists returns a schedule of capacity servers, at most 1<<24. The error
// wraps bookahead.ErrInvalid. O(N) for N servers.
func NewLists(capacity int64, c Config) (*Lists, error) {
	f, err := newFleet(capacity, c)
	if err != nil {
		return nil, err
	}
	f.first = LowestIndex
	return &Lists{f}, nil
}

// Search implements bookahead.Schedule. O(N log m) for N servers, each with m idle
// periods, if there are enough at the ready time; otherwise O((N + i) log p) for p
// idle periods, of which i begin between then and the start that is found. If
// servers are named, it reads only theirs.
func (l *Lists) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, _, err := l.fleet.search(&l.fleet, r, nil)
	return o, err
}

// Reserve implements bookahead.Schedule. It takes a Search, and O(m) for each
// server that has m idle periods.
func (l *Lists) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, chosen, err := l.fleet.search(&l.fleet, r, nil)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	l.fleet.take(o, chosen)
	return l.fleet.Enter(o), nil
}

// Release implements bookahead.Schedule. O(m) for each server that has m idle
// periods.
func (l *Lists) Release(id bookahead.ID) error {
	b, err := l.fleet.strike(id)
	if err != nil {
		return err
	}
	l.fleet.give(b)
	return nil
}

// RangeQuery implements bookahead.Schedule. O(N log m) for N servers.
func (l *Lists) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := l.fleet.Window(w)
	if err != nil {
		return bookahead.Availability{}, err
	}
	var free []int
	if !w.Empty() {
		for p := range l.fleet.covering(nil, w) {
			free = append(free, p.Server)
		}
	}
	return servers.Available(free), nil
}

// Advance implements bookahead.Schedule. O(1).
func (l *Lists) Advance(now bookahead.Time) error { return l.fleet.Advance(now) }

// Blocks implements bookahead.Profiler: one block for each idle period.
// O(p log p) for p of them, before the first block.
func (l *Lists) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		w, err := l.fleet.Window(w)
		if err != nil || w.Empty() {
			return
		}
		var periods []Period
		for k := range l.fleet.idle {
			for p := range l.fleet.idle[k].from(w.Start) {
				if p.Start >= w.End {
					break
				}
				periods = append(periods, Period{p.Intersect(w), k})
			}
		}
		slices.SortFunc(periods, byStart)
		for _, p := range periods {
			if !yield(p.block()) {
				return
			}
		}
	}
}

// Clone implements bookahead.Cloner. O(p) for p idle periods.
func (l *Lists) Clone() bookahead.Schedule { return &Lists{l.fleet.clone()} }
