package nodes

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/bookahead/bookahead"
)

// The errors of a request without a place that is not merely booked out. Both wrap bookahead.ErrUnavailable, so
// that errors.Is finds it; no comparison with == does. A scheduler turns down the first kind of request, and keeps
// the second kind until a repair.
var (
	// ErrNever says that no Release, no repair and no later time makes room: the machine is too small even when
	// all of its nodes are open and nothing is booked, but for those whose extension is over, or the duration is too long for the horizon, or for the
	// time that is left until the deadline. Only Extend may help.
	ErrNever error = &reason{"nodes: the machine never has room for the request"}
	// ErrClosed says that no Release makes room: closures leave too few nodes at every start that the request
	// allows, even if nothing were booked.
	ErrClosed error = &reason{"nodes: closures leave no room for the request"}
)

// reason is a kind of bookahead.ErrUnavailable.
type reason struct{ text string }

func (e *reason) Error() string { return e.text }

// Unwrap returns bookahead.ErrUnavailable.
func (e *reason) Unwrap() error { return bookahead.ErrUnavailable }

// why returns the error of a request for which a search has found no place. O(n) for n nodes, and mostly less,
// because it stops when enough nodes are seen; also O(s log s) for the s stretches of all closures, if the nodes that
// are never closed do not suffice.
func (m *Machine) why(q *query, r Request) error {
	switch {
	case q.d > m.bounds.End-m.bounds.Now, r.Deadline != 0 && r.Deadline-q.d < m.bounds.Now, !q.holds(m.closed.comesBack(len(m.given))):
		return ErrNever
	case len(m.closed.shut) == 0:
		return bookahead.ErrUnavailable
	}
	first, last, err := m.bounds.Starts(r.times())
	if err == nil && !m.holdsWhileOpen(q, first, last) {
		return ErrClosed
	}
	return bookahead.ErrUnavailable
}

// holdsWhileOpen reports whether there is a start from first to last at which the open nodes have room when nothing
// is booked. In order of the starts, nodes come and go, and only where one comes may there be room at last. O(n +
// s log s) for n nodes and s stretches of closures.
func (m *Machine) holdsWhileOpen(q *query, first, last bookahead.Time) bool {
	if q.holds(func(k int) bool { return m.closed.shut[k].data == nil }) { // most requests need none of the others
		return true
	}
	parts, list := m.swings(q, first, last)
	for _, x := range list {
		if !x.opens {
			parts[x.part].close(q, x.node)
			continue
		}
		parts[x.part].open(q, x.node)
		if parts[x.part].holds(q) {
			return true
		}
	}
	return false
}

// swings returns what the nodes hold that are never closed, by part, and when the others come and go, in order. A window
// that starts at t needs nodes that are open throughout [t, t+d), so a node serves the starts between its closures, less
// d before each:
//
//	closed      ░░░░            ░░░░░
//	windows         ├─────┤├─────┤             the first and the last that the node serves between them
//	starts          ├──────┤
func (m *Machine) swings(q *query, first, last bookahead.Time) (parts []holding, list []swing) {
	parts = make([]holding, len(q.parts))
	for i, p := range q.parts {
		for k := range p.in(q.allowed) {
			shut, ok := m.closed.shut[k]
			if !ok {
				parts[i].open(q, k)
				continue
			}
			for start, end := range shut.serves(q.d, first, last) {
				list = append(list, swing{start, i, k, true}, swing{end, i, k, false})
			}
		}
	}
	slices.SortFunc(list, swing.compare)
	return parts, list
}

// swing is a start from which on a node of a part serves a request, or no longer does.
type swing struct {
	at         bookahead.Time
	part, node int
	opens      bool
}

// compare sorts swings by start. At one start, nodes go before others come.
func (x swing) compare(y swing) int {
	comes := func(x swing) int {
		if x.opens {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(x.at, y.at), comes(x)-comes(y))
}

// serves yields the stretches of starts from first to last at which windows of d ticks lie where the value is 0. A
// stretch may end behind last.
func (s steps) serves(d, first, last bookahead.Time) func(yield func(start, end bookahead.Time) bool) {
	return func(yield func(start, end bookahead.Time) bool) {
		free := first // the first start that no step before is in the way of
		for i := range s.len() {
			if s.amountAt(i, 0) == 0 {
				continue
			}
			end := min(s.start(i)-d, last) + 1
			if end > free && !yield(free, end) {
				return
			}
			free = max(free, s.end(i))
		}
		if free <= last {
			yield(free, last+1)
		}
	}
}

// holds reports whether some part has room for the request when nothing is booked, on those of its nodes that are
// open; nil stands for all.
func (q *query) holds(open func(k int) bool) bool {
	for _, p := range q.parts {
		var x holding
		for k := range p.in(q.allowed) {
			if open != nil && !open(k) {
				continue
			}
			x.open(q, k)
			if x.holds(q) {
				return true
			}
		}
	}
	return false
}

// holding is how much the open nodes of a part hold when nothing is booked.
type holding struct {
	tasks int64            // in whole bundles
	heads *gains           // by how much tasks changes if the head goes to an open node
	cells map[int]*holding // with bundles: the same of each of their groups, in tasks
}

// open adds a node.
func (x *holding) open(q *query, k int) { x.change(q, k, 1) }

// close takes away a node that was open.
func (x *holding) close(q *query, k int) { x.change(q, k, -1) }

// change adds a node, or takes it away.
func (x *holding) change(q *query, k, times int) {
	if q.bundled == nil {
		x.count(q, k, times)
		return
	}
	if x.cells == nil {
		x.cells = map[int]*holding{}
	}
	g := q.bundled.of[k]
	cell, ok := x.cells[g]
	if !ok {
		cell = &holding{}
		x.cells[g] = cell
	}
	x.countIn(q, cell, -1)
	cell.count(q, k, times)
	x.countIn(q, cell, 1)
}

// count counts a node, and the head on it.
func (x *holding) count(q *query, k, times int) {
	class := q.layout.class[k]
	x.tasks += int64(times) * q.most[class]
	if q.head != nil && q.mostHead[class] >= 0 {
		x.addHead(q.mostHead[class]-q.most[class], times)
	}
}

// countIn counts the whole bundles of a group, and those that are lost if the head goes to the best of its nodes.
func (x *holding) countIn(q *query, cell *holding, times int) {
	whole := q.whole(cell.tasks)
	x.tasks += int64(times) * whole
	gain, ok := cell.heads.most()
	if ok {
		x.addHead(q.whole(cell.tasks+gain)-whole, times)
	}
}

// addHead adds what is gained if the head goes to a node, or takes it away. Requests without a head take no memory.
func (x *holding) addHead(gain int64, times int) {
	if x.heads == nil {
		x.heads = &gains{times: map[int64]int{}}
	}
	x.heads.add(gain, times)
}

// holds reports whether the open nodes have room for the request.
func (x *holding) holds(q *query) bool {
	if q.head == nil {
		return x.tasks >= q.tasks
	}
	gain, ok := x.heads.most()
	return ok && x.tasks+gain >= q.tasks
}

// gains are numbers, of which the greatest is asked for; nil has none.
type gains struct {
	heap  gainHeap // each number that was ever added, until it is found to be gone
	times map[int64]int
}

// add adds a number so many times, or takes it away.
func (x *gains) add(gain int64, times int) {
	_, ok := x.times[gain]
	if !ok {
		heap.Push(&x.heap, gain)
	}
	x.times[gain] += times
}

// most returns the greatest number, and whether there is any.
func (x *gains) most() (gain int64, ok bool) {
	if x == nil {
		return 0, false
	}
	for len(x.heap) > 0 && x.times[x.heap[0]] == 0 {
		delete(x.times, x.heap[0])
		heap.Pop(&x.heap)
	}
	if len(x.heap) == 0 {
		return 0, false
	}
	return x.heap[0], true
}

// gainHeap is a heap, whose greatest comes first.
type gainHeap []int64

func (x gainHeap) Len() int           { return len(x) }
func (x gainHeap) Less(i, j int) bool { return x[i] > x[j] }
func (x gainHeap) Swap(i, j int)      { x[i], x[j] = x[j], x[i] }
func (x *gainHeap) Push(gain any)     { *x = append(*x, gain.(int64)) }
func (x *gainHeap) Pop() any {
	last := len(*x) - 1
	gain := (*x)[last]
	*x = (*x)[:last]
	return gain
}
