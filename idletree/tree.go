package idletree

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

// Tree keeps all idle periods in one tree, by start, whose inner nodes know the latest end below
// them. No period is in the tree twice, and starts are exact to the tick. A search takes the
// servers that have been idle for the shortest time, so that long idle periods stay whole.
type Tree struct{ closable }

var _ interface {
	form
	bookahead.Displacer
	bookahead.Tracker
} = (*Tree)(nil)

// NewTree returns a schedule of capacity servers, at most 1<<24. The error wraps
// bookahead.ErrInvalid. O(N) for N servers; see Config.Booked. A server takes some 75 bytes, and some 375 while
// the tree is made: 400 MB for a million.
func NewTree(capacity int64, c Config) (*Tree, error) {
	s, f, err := open(capacity, c)
	if err != nil {
		return nil, err
	}
	return &Tree{closable{newSchedule(s, newTree(f))}}, nil
}

// Idle yields the idle periods that contain w, latest start first (Castillo et al., §4.2, range
// search). The caller may choose among them, and name their servers in a request. Periods that
// start before now have their true Start. Idle yields nothing if w is empty, or if a part of w is
// before now or beyond the horizon. It reads O(log p + k) leaves for k periods taken.
func (x *Tree) Idle(w bookahead.Interval) iter.Seq[Period] {
	return func(yield func(Period) bool) {
		cut, err := x.s.Window(w)
		if err == nil && cut == w {
			x.tree().index.root.descend(w, nil, yield)
		}
	}
}

// Clone implements bookahead.Cloner. O(N + p) for N servers with p idle periods.
func (x *Tree) Clone() bookahead.Schedule { return &Tree{closable{x.clone()}} }

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says. A Config.Prefer of the caller's own cannot be written: such a snapshot is
// read only by a Tree that has been made with one. O(p log p) for p idle periods.
func (x *Tree) UnmarshalBinary(data []byte) error {
	s, f, err := decode(data, kindOfTree, true, x.roster().calendars().prefer)
	if err != nil {
		return err
	}
	tracks, counted := x.s.Tracks(), x.counted()
	*x = Tree{closable{newSchedule(s, newTree(f))}}
	x.s.Track(tracks)
	x.tree().recount(counted)
	return nil
}

// counted returns the counts of the views that are tracked. A zero Tree has none.
func (x *Tree) counted() []*counts {
	if y, ok := x.s.Roster.(*tree); ok {
		return y.counted
	}
	return nil
}

// tree returns the roster.
func (x *Tree) tree() *tree { return x.s.Roster.(*tree) }

// tree is the roster of a Tree. Each idle period is in a calendar and in the index: a calendar
// finds the periods of one server, and the index finds the periods for one window. A change goes
// into the calendars first; they return edits, and the index applies these (T6).
type tree struct {
	fleet
	index   index
	found   []Period  // room for the periods that Book finds
	counted []*counts // of the views that are tracked
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
	x.index.scratch = scratch{} // no later update is as large as this one
	return x
}

// Search looks at the ready time first. There it reads O(log p + n) leaves for n servers and p
// idle periods. With a Config.Prefer it reads O(log p + k) leaves for all k free servers, and
// O(log n) for each; but BestFit, WorstFit and LowestIndex pass over kids that can hold nothing
// better. If too few servers are free, it goes on through the j idle periods that begin before
// the start found and are long enough, in O(j log n).
func (x *tree) Search(first, last bookahead.Time, r bookahead.Request) (bookahead.Time, []int, bool) {
	t, found, ok := search(x, first, last, r, nil)
	return t, x.serversOf(found), ok
}

// best is fleet.best by the index. If servers are named, their calendars answer, because the index
// is in the order of time and cannot look up a server.
func (x *tree) best(r bookahead.Request, t bookahead.Time, room []Period) []Period {
	if r.Servers != nil {
		return x.fleet.best(r, t, room)
	}
	c := x.picks(r, t, room)
	c.bound = x.prefer.bound
	x.index.root.covering(&c)
	return c.heap.list
}

// later is fleet.later by the index. A start becomes possible only where an idle period begins, so
// it is enough to go through the periods that start after first, in order. Of the periods that
// start by first, begun has all that matter: the others end before first + d, too early for any
// later start as well.
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

// Pick needs no choice if n is the number of all servers: then it picks all free servers.
func (x *tree) Pick(w bookahead.Interval, n int, named []int) []int {
	if named != nil || n < len(x.idle) {
		return x.pick(x, w, n, named)
	}
	var free []int
	x.index.root.descend(w, nil, func(p Period) bool {
		free = append(free, p.Server)
		return true
	})
	return x.ascending(free)
}

// Book takes the servers that Search finds. The index needs edits in the order byStart. Periods
// found without a preference come latest start first (T1), so that Book reverses them instead of
// sorting them. The parts behind the booking come from take in order, and all of them start later.
func (x *tree) Book(first, last bookahead.Time, r bookahead.Request) (bookahead.Time, []int, bool) {
	t, chosen, ok := search(x, first, last, r, x.found)
	if !ok {
		return 0, nil, false
	}
	x.found = chosen
	list := x.serversOf(chosen)
	if r.Servers == nil && x.prefer.order == nil {
		slices.Reverse(chosen)
	} else {
		slices.SortFunc(chosen, byStart)
	}
	w := servers.Window(t, r)
	x.take(w, list, chosen)
	x.index.update(x.edits)
	for _, c := range x.counted {
		addTo(c, list, w, -1)
	}
	return t, list, true
}

func (x *tree) Take(b servers.Booking) {
	list, chosen := x.periodsOf(b)
	slices.SortFunc(chosen, byStart)
	x.take(b.Interval, list, chosen)
	x.index.update(x.edits)
	for _, c := range x.counted {
		addTo(c, b.Servers, b.Interval, -1)
	}
}

// Give sorts only the edits of the parts in front. The parts behind all start at the end of the
// booking, and give lists them from the highest server down, which is the order byStart.
func (x *tree) Give(b servers.Booking) {
	before, _ := x.give(b)
	slices.SortFunc(before, edit.compare)
	x.index.update(x.edits)
	for _, c := range x.counted {
		addTo(c, b.Servers, b.Interval, 1)
	}
}

// Forget takes O(log p) amortised over the idle periods that were made.
func (x *tree) Forget(past bookahead.Interval) {
	x.fleet.Forget(past)
	x.index.forget(past.End)
	for _, c := range x.counted {
		for _, free := range c.free {
			free.Forget(past.End)
		}
	}
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

var _ servers.Closer = (*tree)(nil)

func (x *tree) clone() roster { return &tree{fleet: x.copied(), index: x.index.clone()} }

func (x *tree) kind() (string, []uint64) { return kindOfTree, nil }

// Free yields the parts of the idle periods of a server that lie in w.
func (x *tree) Free(server int, w bookahead.Interval) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		for p := range x.idle[server].from(w.Start) {
			if p.Start >= w.End || !yield(p.Intersect(w)) {
				return
			}
		}
	}
}

// Grow adds calendars without idle periods.
func (x *tree) Grow(n int) { x.idle = append(x.idle, make([]calendar, n)...) }

// Adopt implements bookahead.Displacer. The clone must be a Tree. O(1), and the counts of views that
// are tracked are made anew.
func (x *Tree) Adopt(clone bookahead.Schedule) {
	counted := x.counted()
	*x = *clone.(*Tree)
	x.tree().recount(counted)
}

// recount takes over the counts of the roster that x replaces, and counts anew. Counts whose regions name
// servers that x does not have are switched off.
func (x *tree) recount(counted []*counts) {
	for _, c := range counted {
		if len(c.regions.first)-2 > len(x.idle) {
			c.free = nil
			continue
		}
		c.count(&x.fleet)
		x.counted = append(x.counted, c)
	}
}
