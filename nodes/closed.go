package nodes

import (
	"maps"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/closures"
)

// closed keeps the times at which nodes are closed. A node is open while no closure covers it. A node that
// was added is covered before and after its time.
//
//	closure 1       ├──────────────┤
//	closure 2              ├────────────┤
//	shut        0   │  1   │   2   │ 1  │  0
//	the node    open│      closed        │open
type closed struct {
	list closures.List
	born int           // the number of nodes that New was given
	shut map[int]steps // the number of closures over time; a node that is not in shut is always open
}

// one is the vector that a closure adds to the steps of shut, and counts is their packing.
var (
	one    = Vector{1}
	counts = newPacking(Vector{MaxAmount})
)

// add counts a closure of a node, so many times. The steps of a clone are copied first.
func (x *closed) add(now bookahead.Time, k int, w bookahead.Interval, times int64) {
	shut, ok := x.shut[k]
	if !ok {
		shut = newSteps(counts, now, Vector{0})
	}
	shut = shut.clone()
	shut.forget(now)
	shut.change(w, one, times)
	if x.shut == nil {
		x.shut = map[int]steps{}
	}
	x.shut[k] = shut
	if shut.len() == 1 && shut.amountAt(0, 0) == 0 {
		delete(x.shut, k)
	}
}

// count returns how many nodes are closed at a time.
func (x *closed) count(t bookahead.Time) int {
	n := 0
	for k := range x.shut {
		if x.at(k, t) {
			n++
		}
	}
	return n
}

// at reports whether a node is closed at a time.
func (x *closed) at(k int, t bookahead.Time) bool {
	shut, ok := x.shut[k]
	return ok && shut.amountAt(shut.at(t), 0) > 0
}

// comesBack returns a function that reports whether a node is open, or is so when all closures end: a node that was
// added is not, once its extension is over. nil stands for all of n nodes.
func (x *closed) comesBack(n int) func(k int) bool {
	if n == x.born {
		return nil
	}
	added := map[int]bool{}
	for c := range x.list.All() {
		for _, k := range c.Servers {
			if c.Added {
				added[k] = true
			}
		}
	}
	return func(k int) bool { return k < x.born || added[k] }
}

func (x *closed) forget(now bookahead.Time) {
	if !x.list.Forget(now) {
		return
	}
	maps.DeleteFunc(x.shut, func(_ int, shut steps) bool {
		last := shut.len() - 1
		return shut.start(last) <= now && shut.amountAt(last, 0) == 0
	})
}

// Clone returns a copy that shares the steps.
func (x *closed) Clone() closed {
	c := *x
	c.list, c.shut = x.list.Clone(), maps.Clone(x.shut)
	return c
}
