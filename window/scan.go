package window

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// search is a job in an environment.
type search struct {
	env     *Environment
	job     Job
	limit   float64              // the budget, and room for the rounding of a sum
	items   []item               // the parts of the slots that are fit for the job, by start
	lengths []bookahead.Duration // the task lengths of the nodes in it, ascending
	nodes   int                  // how many nodes are in it; no start has more slots
	bad     error                // the first number of a criterion that is not finite
}

// item is the part of a slot that a job may use.
type item struct {
	slot, node int
	start, end bookahead.Time
	own        bookahead.Duration // the length of the task on that node
	price      float64
}

// latest returns the last start of the node's own task.
func (i *item) latest() bookahead.Time { return i.end - bookahead.Time(i.own) }

// candidate is a slot that can hold a task of that length, from a start up to
// last.
type candidate struct {
	slot, node int
	last       bookahead.Time
	length     bookahead.Duration
	cost       float64
}

// slack is how much more than the budget a sum may be, relatively: rounding adds
// up to less.
const slack = 1e-12

// newSearch checks the job, and collects the slots that it may use. O(N + s).
func newSearch(e *Environment, j Job) (*search, error) {
	if e == nil {
		return nil, limits.Invalid("e", "nil", "is no environment")
	}
	if err := j.validate(len(e.nodes)); err != nil {
		return nil, err
	}
	s := &search{env: e, job: j, limit: min(j.Budget, math.MaxFloat64/4) * (1 + slack)}
	own := make([]bookahead.Duration, len(e.nodes))
	used := make([]bool, len(e.nodes))
	for i, n := range e.nodes {
		if n.Performance >= j.MinPerformance && (j.Require == nil || j.Require(i, n)) {
			own[i] = runtime(j.Volume, n.Performance)
		}
	}
	deadline := j.Deadline
	if deadline == 0 {
		deadline = bookahead.MaxTime
	}
	s.items = make([]item, 0, len(e.slots))
	for i, slot := range e.slots {
		start, end, length := max(slot.Start, j.Ready), min(slot.End, deadline), own[slot.Node]
		if length == 0 || start > end-bookahead.Time(length) {
			continue
		}
		s.items = append(s.items, item{i, slot.Node, start, end, length, e.nodes[slot.Node].Price})
		if !used[slot.Node] {
			used[slot.Node] = true
			s.nodes++
			s.lengths = append(s.lengths, length)
		}
	}
	slices.Sort(s.lengths)
	s.lengths = slices.Compact(s.lengths)
	return s, nil
}

// runtime returns the length of a task in whole ticks, or 0 if the axis is too
// short for it. A quotient that is whole but for rounding is not rounded up: 2.1/0.7
// is 3.0000000000000004, and takes 3 ticks.
func runtime(volume, performance float64) bookahead.Duration {
	q := volume / performance
	t := math.Round(q)
	if q-t > slack*q {
		t = math.Ceil(q)
	}
	if !(t < 1<<62) {
		return 0
	}
	return max(bookahead.Duration(t), 1)
}

// extended is the window that the scan moves along the slots (S_W in §3.2): all
// slots in which a task can begin at its start.
type extended struct {
	start  bookahead.Time
	length bookahead.Duration // of all tasks; 0 if each has its own
	list   []candidate
	done   bool // no round is to follow
}

// scan is the general window search (§3.2, steps 2 to 3c): for each length of
// the tasks, shortest first, it moves an extended window over the slots in order
// of their starts, and shows it wherever it holds enough of them. A visit that
// returns false ends the round with this length, and all rounds if it sets w.done.
// Slots that begin together are added together. O(s m) for each length, s slots, and
// up to m in the window.
func (s *search) scan(visit func(w *extended) bool) {
	w := &extended{list: make([]candidate, 0, len(s.env.nodes))}
	if s.job.Shape == Rough {
		s.round(w, visit)
		return
	}
	for _, w.length = range s.lengths {
		s.round(w, visit)
		if w.done {
			return
		}
	}
}

// round moves the window once. In a square window, one slot at least must be on
// a node that needs the whole length: the others have had their round.
func (s *search) round(w *extended, visit func(w *extended) bool) {
	w.list = w.list[:0]
	until := bookahead.Time(-1) // where the last slot of a slowest node ends to be one
	for i := 0; i < len(s.items); {
		w.start = s.items[i].start
		added := false
		for ; i < len(s.items) && s.items[i].start == w.start; i++ {
			k, ok := s.items[i].candidate(w.length)
			if !ok {
				continue
			}
			added = true
			w.list = append(w.list, k)
			if w.length == 0 || s.items[i].own == w.length {
				until = max(until, k.last)
			}
		}
		if !added {
			continue
		}
		w.expire()
		if len(w.list) >= s.job.Nodes && w.start <= until && !visit(w) {
			return
		}
	}
}

// candidate returns the item as a candidate in a round of that length, 0 for its
// own, and false if it is too slow or too short.
func (i *item) candidate(length bookahead.Duration) (candidate, bool) {
	if length == 0 {
		length = i.own
	}
	last := i.end - bookahead.Time(length)
	if i.own > length || i.start > last {
		return candidate{}, false
	}
	return candidate{i.slot, i.node, last, length, float64(length) * i.price}, true
}

// expire drops the slots that are over too early for the start.
func (w *extended) expire() {
	kept := w.list[:0]
	for _, k := range w.list {
		if w.start <= k.last {
			kept = append(kept, k)
		}
	}
	w.list = kept
}

// best is the best window so far.
type best struct {
	found  bool
	start  bookahead.Time
	chosen []candidate
	value  float64
}

// offer takes a window if it is better.
func (b *best) offer(start bookahead.Time, value float64, list []candidate, chosen []int32) {
	if b.found && !(value > b.value) {
		return
	}
	b.found, b.start, b.value = true, start, value
	b.chosen = b.chosen[:0]
	for _, i := range chosen {
		b.chosen = append(b.chosen, list[i])
	}
}

// window returns the best window, or ErrUnavailable, or the error of a criterion that
// is not finite.
func (b *best) window(s *search, c Criterion) (Window, error) {
	if s.bad == nil && !b.found {
		return Window{}, bookahead.ErrUnavailable
	}
	w := s.window(b.start, b.chosen, c)
	if s.bad != nil {
		return Window{}, s.bad
	}
	return w, nil
}

// check returns an error if a criterion has no Value.
func (c Criterion) check() error {
	if c.Value == nil {
		return limits.Invalid("Criterion.Value", "nil", "is missing")
	}
	return nil
}
