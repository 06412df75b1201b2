package nodes

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// The errors of a request without a place that is not merely booked out. Both wrap bookahead.ErrUnavailable, so
// that errors.Is finds it; no comparison with == does. A scheduler turns down the first kind of request, and keeps
// the second kind until a repair.
var (
	// ErrNever says that no Release, no repair and no later time makes room: the machine is too small even when
	// all of its nodes are open and nothing is booked, or the duration is too long for the horizon, or for the
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
// because it stops when enough nodes are seen; O(c n) if c ends of closures lie between the first and the last
// start, and the nodes that are never closed do not suffice.
func (m *Machine) why(q *query, r Request) error {
	switch {
	case q.d > m.bounds.End-m.bounds.Now, r.Deadline != 0 && r.Deadline-q.d < m.bounds.Now, !q.holds(nil):
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
// is booked. It tries the first start and those at which a node opens, because between them nodes only close.
func (m *Machine) holdsWhileOpen(q *query, first, last bookahead.Time) bool {
	if q.holds(func(k int) bool { return m.closed.shut[k].data == nil }) { // most requests need none of the others
		return true
	}
	tries := []bookahead.Time{first}
	for _, shut := range m.closed.shut {
		for i := range shut.len() {
			t := shut.start(i)
			if t > first && t <= last && shut.amountAt(i, 0) == 0 {
				tries = append(tries, t)
			}
		}
	}
	slices.Sort(tries)
	for _, t := range slices.Compact(tries) {
		w := bookahead.Interval{Start: t, End: t + q.d}
		if q.holds(func(k int) bool { return m.closed.open(k, w) }) {
			return true
		}
	}
	return false
}
