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

// holding is how much the open nodes of a part hold when nothing is booked.
type holding struct {
	tasks int64
	heads gains         // by how much tasks changes if the head goes to an open node, each once
	nodes map[int64]int // how many open nodes have each of these
}

// open adds a node.
func (x *holding) open(q *query, k int) {
	class := q.layout.class[k]
	x.tasks += q.most[class]
	if q.head == nil || q.mostHead[class] < 0 {
		return
	}
	if x.nodes == nil {
		x.nodes = map[int64]int{}
	}
	gain := q.mostHead[class] - q.most[class]
	_, ok := x.nodes[gain]
	if !ok {
		heap.Push(&x.heads, gain)
	}
	x.nodes[gain]++
}

// close takes away a node that was open.
func (x *holding) close(q *query, k int) {
	class := q.layout.class[k]
	x.tasks -= q.most[class]
	if q.head != nil && q.mostHead[class] >= 0 {
		x.nodes[q.mostHead[class]-q.most[class]]--
	}
}

// holds reports whether the open nodes have room for the request. Gains whose nodes have all closed go.
func (x *holding) holds(q *query) bool {
	if q.head == nil {
		return x.tasks >= q.tasks
	}
	for len(x.heads) > 0 && x.nodes[x.heads[0]] == 0 {
		delete(x.nodes, x.heads[0])
		heap.Pop(&x.heads)
	}
	return len(x.heads) > 0 && x.tasks+x.heads[0] >= q.tasks
}

// gains is a heap, whose greatest comes first.
type gains []int64

func (x gains) Len() int           { return len(x) }
func (x gains) Less(i, j int) bool { return x[i] > x[j] }
func (x gains) Swap(i, j int)      { x[i], x[j] = x[j], x[i] }
func (x *gains) Push(gain any)     { *x = append(*x, gain.(int64)) }
func (x *gains) Pop() any {
	last := len(*x) - 1
	gain := (*x)[last]
	*x = (*x)[:last]
	return gain
}
