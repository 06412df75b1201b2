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
type Tree struct{ schedule }

// NewTree returns a schedule of capacity servers, at most 1<<24. The error wraps
// bookahead.ErrInvalid. O(N) for N servers; see Config.Booked.
func NewTree(capacity int64, c Config) (*Tree, error) {
	s, f, err := open(capacity, c)
	if err != nil {
		return nil, err
	}
	return &Tree{newSchedule(s, newTree(f))}, nil
}

// Idle yields the idle periods of the servers that are free throughout w, those
// first that have begun last (Castillo et al., §4.2, range search): choose among
// them as you like, and name their servers in a request. Periods that start
// before now have their true Start. It yields nothing if w is empty, or not
// between now and the horizon. O(log p + k) leaves for k periods taken.
func (x *Tree) Idle(w bookahead.Interval) iter.Seq[Period] {
	return func(yield func(Period) bool) {
		cut, err := x.s.Window(w)
		if err == nil && cut == w {
			x.tree().index.root.descend(w, yield)
		}
	}
}

// Clone implements bookahead.Cloner. O(N + p) for N servers with p idle periods.
func (x *Tree) Clone() bookahead.Schedule { return &Tree{x.clone()} }

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says. A Config.Prefer of the caller's own cannot be written: such a snapshot is
// read only by a Tree that has been made with one. O(p log p) for p idle periods.
func (x *Tree) UnmarshalBinary(data []byte) error {
	s, f, err := decode(data, kindOfTree, x.roster().calendars().prefer)
	if err != nil {
		return err
	}
	*x = Tree{newSchedule(s, newTree(f))}
	return nil
}

// tree returns the roster.
func (x *Tree) tree() *tree { return x.s.Roster.(*tree) }

// tree is the roster of a Tree: calendars, and all their idle periods in an index.
type tree struct {
	fleet
	index index
	found []Period // room for what Book finds
}

// newTree makes an index for calendars.
func newTree(f *fleet) *tree {
	x := &tree{fleet: *f, index: newIndex()}
	periods := f.periods(nil, rest(f.now))
	edits := make([]edit, len(periods))
	for i, p := range periods {
		edits[i] = edit{start: p.Start, is: p.End, server: p.Server}
	}
	x.index.update(edits)
	x.index.stack, x.index.entries = nil, nil // room for so much is needed once
	return x
}

// Search reads O(log p + n) leaves for n servers of p idle periods at the ready time, and if
// Config.Prefer is to choose, O(log p + k) leaves for all k that are free, and O(log n) for
// each: but BestFit, WorstFit and LowestIndex pass over what can hold nothing better. If
// there are too few it goes on through the j idle periods that begin before the start found
// and are long enough, in O(j log n).
func (x *tree) Search(first, last bookahead.Time, r bookahead.Request) (bookahead.Time, []int, bool) {
	t, found, ok := search(x, first, last, r, nil)
	return t, x.serversOf(found), ok
}

// best is fleet.best, by means of the index.
func (x *tree) best(r bookahead.Request, t bookahead.Time, room []Period) []Period {
	if r.Servers != nil {
		return x.fleet.best(r, t, room)
	}
	c := x.picks(r, t, room)
	c.bound = x.prefer.bound
	x.index.root.covering(&c)
	return c.heap.list
}

// later is fleet.later, by means of the index.
func (x *tree) later(r bookahead.Request, first, last bookahead.Time, begun []Period) (t bookahead.Time, ok bool) {
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

func (x *tree) Pick(w bookahead.Interval, n int, named []int) []int {
	if named != nil || n < len(x.idle) {
		return x.pick(x, w, n, named)
	}
	var free []int
	x.index.root.descend(w, func(p Period) bool {
		free = append(free, p.Server)
		return true
	})
	return x.ascending(free)
}

func (x *tree) Book(first, last bookahead.Time, r bookahead.Request) (bookahead.Time, []int, bool) {
	t, chosen, ok := search(x, first, last, r, x.found)
	if !ok {
		return 0, nil, false
	}
	x.found = chosen
	list := x.serversOf(chosen)
	if r.Servers == nil && x.prefer.order == nil {
		slices.Reverse(chosen) // latest start first, as found
	} else {
		slices.SortFunc(chosen, byStart)
	}
	x.take(servers.Window(t, r), list, chosen)
	x.index.update(x.edits)
	return t, list, true
}

func (x *tree) Take(b servers.Booking) {
	list, chosen := x.periodsOf(b)
	slices.SortFunc(chosen, byStart)
	x.take(b.Interval, list, chosen)
	x.index.update(x.edits)
}

func (x *tree) Give(b servers.Booking) {
	before, _ := x.give(b)
	slices.SortFunc(before, edit.compare)
	x.index.update(x.edits)
}

// Forget takes O(log p) amortised over the idle periods that were made.
func (x *tree) Forget(past bookahead.Interval) {
	x.fleet.Forget(past)
	x.index.expire(past.End)
}

func (x *tree) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		all := span{after: -1, by: w.End - 1, end: w.Start + 1}
		x.index.root.ascend(all, func(p Period) bool {
			p.Interval = p.Intersect(w)
			return yield(p.block())
		})
	}
}

func (x *tree) clone() roster { return &tree{fleet: x.copied(), index: x.index.clone()} }
