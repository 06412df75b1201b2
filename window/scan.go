package window

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// search is a job in an environment.
type search struct {
	env     *Environment
	job     Job
	limit   float64              // the budget, and room for the rounding of a sum
	items   []item               // the parts of the slots that are fit for the job, by start
	lengths []bookahead.Duration // the task lengths of the nodes that have items, ascending
	nodes   int                  // how many nodes have items; no start has more slots
	bad     error                // the first number of a criterion that is not finite
	meter   effort.Meter         // counts the steps

	tariffed bool    // some node has a tariff
	changes  changes // the starts that tariffs add
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

// candidate is a slot that can hold a task of some length, which starts by last.
type candidate struct {
	slot, node int
	last       bookahead.Time
	length     bookahead.Duration
	cost       float64
	slow       bool // the node needs all of the length
}

// slack is how much more than the budget a sum may be, relatively. Rounding adds up to less:
// a sum of n numbers is off by n/2⁵³ at most, and 1e-12 is 9 000 of these.
const slack = 1e-12

// newSearch checks the job, and collects the slots that it may use: each cut to the time from
// Ready to Deadline, and left out if the node's own task does not fit. The length of a task on a
// node that is not fit for the job stays 0. O(N + s).
func newSearch(e *Environment, j Job) (*search, error) {
	if e == nil {
		return nil, limits.Invalid("e", "nil", "is no environment")
	}
	if err := j.validate(len(e.nodes)); err != nil {
		return nil, err
	}
	meter, err := effort.New(j.Effort)
	if err != nil {
		return nil, err
	}
	s := &search{env: e, job: j, limit: min(j.Budget, math.MaxFloat64/4) * (1 + slack), meter: meter}
	own := make([]bookahead.Duration, len(e.nodes))
	used := make([]bool, len(e.nodes))
	for i, n := range e.nodes {
		if n.Performance >= j.MinPerformance {
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
	s.tariffs()
	return s, nil
}

// runtime returns the length of a task in whole ticks, or 0 if the task is longer than the
// axis. A quotient that is whole but for rounding is not rounded up: 2.1/0.7 is
// 3.0000000000000004, and takes 3 ticks.
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
// slots in which a task can begin at the window's start.
type extended struct {
	start  bookahead.Time
	length bookahead.Duration // of all tasks; 0 if each has its own
	list   []candidate
	done   bool           // no round follows
	before bookahead.Time // the start from which on a window is of no use; 0 for none
	until  int64          // the steps at which a round ends; 0 for no limit
}

// scan is the general window search (§3.2, steps 2 to 3c). For each length of
// the tasks, the shortest first, it moves an extended window over the slots in order
// of their starts, and shows the window wherever it has enough slots. A visit that
// returns false ends the round with this length, and all rounds if it sets w.done.
// Slots that begin together are added together. For two nodes, and tasks of 4 ticks:
//
//	node 0    ├─────────┤               [0, 10)
//	node 1        ├───┤     ├──────┤    [4, 8) and [14, 21)
//	node 2            ├─────────┤       [8, 18)
//
//	start     0     4     8     14
//	nodes     0     0 1   2     1 2     at 8 the slots of 0 and 1 have no 4 ticks left
//	shown           yes         yes
//
// O(s m) for each length, s slots, and up to m in the window.
func (s *search) scan(visit func(w *extended) bool) {
	w := &extended{list: make([]candidate, 0, len(s.env.nodes))}
	if s.job.Shape == Rough {
		s.round(w, visit)
		return
	}
	for _, w.length = range s.lengths {
		s.round(w, visit)
		if w.done || s.meter.Stopped() {
			return
		}
	}
}

// round moves the window once. In a square window, at least one slot must be on a node that
// needs the whole length, since sets of faster nodes have had their round.
//
// With tariffs each slot has the cost of a task that begins at the window's start, and the
// window stops at more starts: at the changes, and where a slot begins that is too short for this
// round, or whose node is too slow. So the rounds of all lengths stop at the same starts, and a set of
// faster nodes has had its round at the same start.
func (s *search) round(w *extended, visit func(w *extended) bool) {
	w.list = w.list[:0]
	until := bookahead.Time(-1) // the last start at which a slot of a slowest node is in the window
	s.changes.rewind()
	for i := 0; ; {
		if w.until > 0 && s.meter.Steps() > w.until {
			return
		}
		start, ok := s.next(w.start, i, len(w.list) > 0)
		if !ok || w.before > 0 && start >= w.before {
			return
		}
		w.start = start
		added := s.tariffed && len(w.list) > 0
		for ; i < len(s.items) && s.items[i].start == w.start; i++ {
			if !s.meter.Go(1) {
				return
			}
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
		if !w.expire(&s.meter) || s.tariffed && !s.reprice(w) {
			return
		}
		if len(w.list) >= s.job.Nodes && w.start <= until && !visit(w) {
			return
		}
	}
}

// candidate returns the item as a candidate in a round of some length; 0 stands for its own
// length. It returns false if the node is too slow, or the item too short.
func (i *item) candidate(length bookahead.Duration) (candidate, bool) {
	if length == 0 {
		length = i.own
	}
	last := i.end - bookahead.Time(length)
	if i.own > length || i.start > last {
		return candidate{}, false
	}
	return candidate{i.slot, i.node, last, length, float64(length) * i.price, i.own == length}, true
}

// reprice writes the costs of tasks that begin at the window's start. It returns false if the
// search must stop.
func (s *search) reprice(w *extended) bool {
	for i := range w.list {
		if !s.price(&w.list[i], w.start) {
			return false
		}
	}
	return true
}

// expire takes out the slots that end too early for the window's start. It returns false if the
// search must stop.
func (w *extended) expire(m *effort.Meter) bool {
	kept := w.list[:0]
	for i, k := range w.list {
		if i%effort.Chunk == 0 && !m.Go(min(effort.Chunk, len(w.list)-i)) {
			return false
		}
		if w.start <= k.last {
			kept = append(kept, k)
		}
	}
	w.list = kept
	return true
}

// best is the best window so far.
type best struct {
	found  bool
	start  bookahead.Time
	chosen []candidate
	value  float64
}

// offer takes a window if its value is greater. Of equal windows the first stays.
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

// window returns the best window. The error is bookahead.ErrUnavailable if there is none, or
// that of a criterion that is not finite. If the search was stopped, the error wraps
// bookahead.ErrStopped, and the window may be there all the same.
func (b *best) window(s *search, c Criterion) (Window, error) {
	var err error
	if s.meter.Stopped() {
		err = s.meter.Err()
	}
	if s.bad == nil && !b.found {
		if err == nil {
			err = bookahead.ErrUnavailable
		}
		return Window{}, err
	}
	w := s.window(b.start, b.chosen, c)
	if s.bad != nil {
		return Window{}, s.bad
	}
	return w, err
}

// check returns an error if a criterion has no Value.
func (c Criterion) check() error {
	if c.Value == nil {
		return limits.Invalid("Criterion.Value", "nil", "is missing")
	}
	return nil
}
