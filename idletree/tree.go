package idletree

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

// Tree keeps all idle periods in one tree, by start, that knows where the late
// ends are. No period is in it twice, and starts are exact to the tick. First
// found is the server that has been idle for the shortest time, so that those
// that are idle for long stay whole.
type Tree struct {
	fleet fleet
	index index
	found []Period // room for what Reserve finds
}

var (
	_ bookahead.Schedule = (*Tree)(nil)
	_ bookahead.Profiler = (*Tree)(nil)
	_ bookahead.Cloner   = (*Tree)(nil)
	_ finder             = (*Tree)(nil)
)

// NewTree returns a schedule of capacity servers, at most 1<<24. The error wraps
// bookahead.ErrInvalid. O(N) for N servers.
func NewTree(capacity int64, c Config) (*Tree, error) {
	f, err := newFleet(capacity, c)
	if err != nil {
		return nil, err
	}
	x := &Tree{fleet: f, index: newIndex()}
	if c.Origin == bookahead.MaxTime {
		return x, nil // no time is left to be idle in
	}
	idle := make([]edit, capacity)
	for i := range idle {
		idle[i] = edit{start: c.Origin, is: bookahead.MaxTime, server: len(idle) - 1 - i}
	}
	x.index.update(idle)
	return x, nil
}

// Search implements bookahead.Schedule. At the ready time it takes
// O(log p + n) leaves for n servers of p idle periods, and if Config.Prefer is to
// choose, O(log p + k) leaves for all k that are free, and O(log n) for each: but
// BestFit, WorstFit and LowestIndex pass over what can hold nothing better. If
// there are too few it goes on through the j idle periods that begin before the
// start found and are long enough, in O(j log n).
//
// Servers that are named are looked up, s of them in O(s log p); if there are too
// few, it is O((s + i) log p) for the i idle periods of theirs that begin before
// the start found.
func (x *Tree) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, _, err := x.fleet.search(x, r, nil)
	return o, err
}

// best is fleet.best, by means of the index.
func (x *Tree) best(r bookahead.Request, t bookahead.Time, room []Period) []Period {
	if r.Servers != nil {
		return x.fleet.best(r, t, room)
	}
	c := x.fleet.picks(r, t, room)
	c.bound = x.fleet.bound
	x.index.root.covering(&c)
	return c.heap.list
}

// later is fleet.later, by means of the index.
func (x *Tree) later(r bookahead.Request, first, last bookahead.Time, begun []Period) (t bookahead.Time, ok bool) {
	if r.Servers != nil || first == last {
		return x.fleet.later(r, first, last, begun)
	}
	s := newSweep(r, first, begun)
	d := bookahead.Time(r.Duration)
	x.index.root.ascend(span{after: first, by: last, end: first + d, length: d}, func(p Period) bool {
		t, ok = s.add(p.Interval)
		return !ok
	})
	return t, ok
}

// Reserve implements bookahead.Schedule. It takes a Search, and
// O(n log p) for n servers; less where their idle periods lie side by side.
func (x *Tree) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, chosen, err := x.fleet.search(x, r, x.found)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	x.found = chosen
	if r.Servers == nil && x.fleet.prefer == nil {
		slices.Reverse(chosen) // latest start first, as found
	} else {
		slices.SortFunc(chosen, byStart)
	}
	x.book(o, chosen)
	return x.fleet.Enter(o), nil
}

// book is fleet.take, and changes the index as well. The periods are in the order
// byStart.
func (x *Tree) book(o bookahead.Offer, chosen []Period) {
	x.fleet.take(o, chosen)
	x.index.update(x.fleet.edits)
}

// Release implements bookahead.Schedule. O(n log p) for n servers.
func (x *Tree) Release(id bookahead.ID) error {
	b, err := x.fleet.strike(id)
	if err != nil {
		return err
	}
	x.free(b)
	return nil
}

// free is fleet.give, and changes the index as well.
func (x *Tree) free(b servers.Booking) {
	before, _ := x.fleet.give(b)
	slices.SortFunc(before, edit.compare)
	x.index.update(x.fleet.edits)
}

// RangeQuery implements bookahead.Schedule. It reads O(log p + k) leaves for k
// servers that are free, and sorts them.
func (x *Tree) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := x.fleet.Window(w)
	if err != nil {
		return bookahead.Availability{}, err
	}
	var free []int
	if !w.Empty() {
		x.index.root.descend(w, func(p Period) bool {
			free = append(free, p.Server)
			return true
		})
	}
	return servers.Available(x.fleet.ascending(free)), nil
}

// Advance implements bookahead.Schedule. O(log p) amortised over the idle
// periods that were made.
func (x *Tree) Advance(now bookahead.Time) error {
	if err := x.fleet.Advance(now); err != nil {
		return err
	}
	x.index.expire(now)
	return nil
}

// Idle yields the idle periods of the servers that are free throughout w, those
// first that have begun last (Castillo et al., §4.2, range search): choose among
// them as you like, and name their servers in a request. Periods that start
// before now have their true Start. It yields nothing if w is empty, or not
// between now and the horizon. O(log p + k) leaves for k periods taken.
func (x *Tree) Idle(w bookahead.Interval) iter.Seq[Period] {
	return func(yield func(Period) bool) {
		cut, err := x.fleet.Window(w)
		if err == nil && cut == w {
			x.index.root.descend(w, yield)
		}
	}
}

// Blocks implements bookahead.Profiler: one block for each idle period. It reads
// O(log p + k) leaves for the k idle periods in w.
func (x *Tree) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		w, err := x.fleet.Window(w)
		if err != nil || w.Empty() {
			return
		}
		all := span{after: -1, by: w.End - 1, end: w.Start + 1}
		x.index.root.ascend(all, func(p Period) bool {
			p.Interval = p.Intersect(w)
			return yield(p.block())
		})
	}
}

// Clone implements bookahead.Cloner. O(N + p) for N servers with p idle periods.
func (x *Tree) Clone() bookahead.Schedule {
	return &Tree{fleet: x.fleet.clone(), index: x.index.clone()}
}
