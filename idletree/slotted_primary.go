package idletree

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// slotTree is the 2-dimensional tree T_q of a slot (§4.1). The primary tree has the
// bounded idle periods that overlap the slot, by start, latest first. Each of its inner
// nodes has a secondary tree of the periods below it, by end. Periods that have ended
// stay until the slot is discarded.
type slotTree struct {
	primary   forest // one tree
	root      int32  // of primary
	secondary forest // a tree for each inner node of primary
}

func newSlotTree(perLeaf int32) *slotTree {
	s := &slotTree{primary: forest{perLeaf: perLeaf}, secondary: forest{perLeaf: perLeaf}}
	s.primary.second = &s.secondary
	s.root = s.primary.newLeaf(nil)
	return s
}

func (s *slotTree) clone() *slotTree {
	c := &slotTree{primary: s.primary.clone(), root: s.root, secondary: s.secondary.clone()}
	c.primary.second = &c.secondary
	return c
}

// mark is a subtree whose periods are all candidates, or a leaf whose periods are
// candidates from some place on.
type mark struct{ tree, from int32 }

// maxMarks is more than the height of any tree: a tree has at most 2^31 entries, and
// each half of a node has at most 3/4 of the entries of the node.
const maxMarks = 80

// candidates is phase 1 (§4.2): it appends the subtrees in which all periods start by t,
// the earliest starts first, and counts the periods of these subtrees. O(log n).
func (s *slotTree) candidates(t bookahead.Time, marks []mark, e *Spent) ([]mark, int) {
	n, at := int32(0), s.root
	for at >= 0 {
		e.Visits++
		nd := &s.primary.inner[at]
		if nd.key < -t { // the median starts after t, and so does all before it
			at = nd.right
			continue
		}
		marks = append(marks, mark{tree: nd.right})
		n += s.primary.size(nd.right)
		at = nd.left
	}
	e.Visits++
	l := &s.primary.leaf[^at]
	from := l.from(-t)
	if from < l.n {
		marks = append(marks, mark{at, from})
		n += l.n - from
	}
	return marks, int(n)
}

// feasible is phase 2 (§4.2): it appends the servers of the candidates that end at end or
// later, until there are atMost. It reads the marks from the last to the first, so that
// the latest starts are taken. O(log² n + k) for k servers.
func (s *slotTree) feasible(marks []mark, end bookahead.Time, found []int, atMost int, e *Spent) []int {
	for _, m := range slices.Backward(marks) {
		if len(found) == atMost {
			break
		}
		found = s.latest(m, end, found, atMost, e)
	}
	return found
}

// latest is feasible for one subtree. If not all of its feasible periods are wanted, it
// takes the half with the later starts first.
func (s *slotTree) latest(m mark, end bookahead.Time, found []int, atMost int, e *Spent) []int {
	if m.tree < 0 {
		e.Visits++
		l, ends := &s.primary.leaf[^m.tree], &s.primary.end[^m.tree]
		for i := m.from; i < l.n && len(found) < atMost; i++ {
			if ends[i] >= end {
				found = append(found, int(l.server[i]))
			}
		}
		return found
	}
	nd := &s.primary.inner[m.tree]
	n := s.secondary.count(nd.second, end, e)
	if n == 0 {
		return found
	}
	if n <= atMost-len(found) {
		return s.secondary.servers(nd.second, end, found, atMost, e)
	}
	found = s.latest(mark{tree: nd.left}, end, found, atMost, e)
	if len(found) < atMost {
		found = s.latest(mark{tree: nd.right}, end, found, atMost, e)
	}
	return found
}

// count returns how many entries have the key or a later key. O(log n).
func (f *forest) count(tree int32, key bookahead.Time, e *Spent) int {
	n := int32(0)
	for tree >= 0 {
		e.Visits++
		nd := &f.inner[tree]
		if nd.key < key {
			tree = nd.right
			continue
		}
		n += f.size(nd.right)
		tree = nd.left
	}
	e.Visits++
	l := &f.leaf[^tree]
	return int(n + l.n - l.from(key))
}

// servers appends the servers of the entries with the key or a later key, in order, until
// there are atMost. O(log n + k) for k servers.
func (f *forest) servers(tree int32, key bookahead.Time, found []int, atMost int, e *Spent) []int {
	e.Visits++
	if tree < 0 {
		l := &f.leaf[^tree]
		for i := l.from(key); i < l.n && len(found) < atMost; i++ {
			found = append(found, int(l.server[i]))
		}
		return found
	}
	nd := &f.inner[tree]
	if nd.key >= key {
		found = f.servers(nd.left, key, found, atMost, e)
	}
	if len(found) < atMost {
		found = f.servers(nd.right, key, found, atMost, e)
	}
	return found
}

// between appends the entries with keys from low to below high.
func (f *forest) between(tree int32, low, high bookahead.Time, list []item) []item {
	if tree < 0 {
		first := len(list)
		list = f.appendLeaf(^tree, list)
		outside := func(e item) bool { return e.key < low || e.key >= high }
		return append(list[:first], slices.DeleteFunc(list[first:], outside)...)
	}
	nd := &f.inner[tree]
	if nd.key >= low {
		list = f.between(nd.left, low, high, list)
	}
	if nd.key < high {
		list = f.between(nd.right, low, high, list)
	}
	return list
}

// Spent is the cost of a search.
type Spent struct {
	// Attempts is the number of starts tried (Castillo et al., Table 2).
	Attempts int
	// Visits is the number of tree nodes read, or of servers if servers were
	// named: the operations of Fig. 7(b).
	Visits int
}
