package sim

import (
	"cmp"
	"errors"
	"slices"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
)

// calendar has the events of a run, of tasks on schedules or of gangs on nodes.
type calendar struct {
	now    bookahead.Time
	err    error                // the first fault
	rank   []int32              // place of each task by when it comes in: of a batch task, by ready time
	coming []event              // the next one first
	ends   *btree.BTreeG[event] // of tasks that run, or are booked
}

// event is when a task comes in, or will be done.
type event struct {
	at   bookahead.Time
	task int32
}

func newEvents() *btree.BTreeG[event] {
	return btree.NewG(32, func(a, b event) bool { return a.at < b.at || a.at == b.at && a.task < b.task })
}

func newCalendar(tasks []Task) calendar {
	c := calendar{rank: make([]int32, len(tasks)), ends: newEvents()}
	for i, t := range tasks {
		at := t.Ready
		if t.AR {
			at = t.Submit
		}
		c.coming = append(c.coming, event{at, int32(i)})
	}
	slices.SortStableFunc(c.coming, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	for place, e := range c.coming {
		c.rank[e.task] = int32(place)
	}
	return c
}

// fail notes the first fault, which ends the run; nil is none, and neither is a place that is not there.
func (c *calendar) fail(err error) {
	if c.err == nil && !errors.Is(err, bookahead.ErrUnavailable) {
		c.err = err
	}
}

// next returns when the next task comes in, or the next event of the trees is.
func (c *calendar) next(trees ...*btree.BTreeG[event]) bookahead.Time {
	at := bookahead.MaxTime
	if len(c.coming) > 0 {
		at = c.coming[0].at
	}
	for _, tree := range trees {
		first, ok := tree.Min()
		if ok {
			at = min(at, first.at)
		}
	}
	return at
}

// due yields the tasks of a tree whose time has come, and takes them out. They may go back into
// the tree, or others into it, at this time.
func (c *calendar) due(tree *btree.BTreeG[event]) func(func(int32) bool) {
	return func(yield func(int32) bool) {
		for {
			first, ok := tree.Min()
			if !ok || first.at > c.now || c.err != nil {
				return
			}
			tree.DeleteMin()
			if !yield(first.task) {
				return
			}
		}
	}
}
