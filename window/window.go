package window

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Node is one computing node (Toporkov et al., §3.1).
type Node struct {
	// Performance is the work that the node does in a tick; above 0.
	Performance float64
	// Price is the cost of a tick on the node; 0 or more.
	Price float64
	// Quality is the q_i of §4.1: the node's part in the criterion Quality.
	Quality float64
	// Tariff changes the price over time: Price holds before the first rate. The rates are
	// in ascending order; nil for one price. Nodes may share a tariff. The environment shares it
	// with the caller, who must not change it.
	Tariff []Rate
}

// Slot is a span in which a node is idle.
type Slot struct {
	Node int // index of the node, from 0
	bookahead.Interval
}

// Environment is a set of nodes and the slots in which they are idle. An environment
// does not change, and any number of searches may use it at once.
type Environment struct {
	nodes []Node
	slots []Slot
}

// New returns an environment with copies of the nodes and slots. The slots are in
// non-decreasing order of their starts. No slot is empty, begins before tick 0, or
// overlaps another slot of its node. Performances are finite and above 0. Prices are 0 or
// more. Prices and qualities do not exceed 1e200, so that no sum overflows. The error wraps
// bookahead.ErrInvalid, and names the field that is wrong. O(N + r + s) for N nodes, r rates and s slots.
func New(nodes []Node, slots []Slot) (*Environment, error) {
	checked := looked{}
	for i, n := range nodes {
		err := n.check(i)
		if err == nil {
			err = n.checkTariff(i, checked)
		}
		if err != nil {
			return nil, err
		}
	}
	ends := make([]bookahead.Time, len(nodes))
	for i, s := range slots {
		field := fmt.Sprintf("slots[%d]", i)
		switch {
		case s.Node < 0 || s.Node >= len(nodes):
			return nil, limits.Invalid(field, s, fmt.Sprintf("is on none of the %d nodes", len(nodes)))
		case s.Start < 0:
			return nil, limits.Invalid(field, s, "begins before tick 0")
		case s.Empty():
			return nil, limits.Invalid(field, s, "is empty")
		case i > 0 && s.Start < slots[i-1].Start:
			return nil, limits.Invalid(field, s, "begins before the one in front of it")
		case s.Start < ends[s.Node]:
			return nil, limits.Invalid(field, s, "overlaps another slot of its node")
		}
		ends[s.Node] = s.End
	}
	return &Environment{slices.Clone(nodes), slices.Clone(slots)}, nil
}

// great is the greatest price and quality. greatest is the greatest value of a
// criterion: room for a price times the length of the axis. Sums over all nodes do not
// overflow, since a float64 goes to 1.8e308.
const (
	great    = 1e200
	greatest = 1e220
)

// check checks all numbers of a node but its tariff.
func (n Node) check(i int) error {
	switch {
	case !(n.Performance > 0) || math.IsInf(n.Performance, 1):
		return limits.Invalid(fmt.Sprintf("nodes[%d].Performance", i), n.Performance, "is not a finite number above 0")
	case !(n.Price >= 0 && n.Price <= great):
		return limits.Invalid(fmt.Sprintf("nodes[%d].Price", i), n.Price, fmt.Sprintf("is not a number from 0 to %g", great))
	case !(math.Abs(n.Quality) <= great):
		return limits.Invalid(fmt.Sprintf("nodes[%d].Quality", i), n.Quality, fmt.Sprintf("is not a number from %g to %g", -great, great))
	}
	return nil
}

// Nodes returns how many nodes there are. O(1).
func (e *Environment) Nodes() int { return len(e.nodes) }

// Slots returns how many slots there are. O(1).
func (e *Environment) Slots() int { return len(e.slots) }

// Node returns the node with that index. O(1).
func (e *Environment) Node(i int) Node { return e.nodes[i] }

// Slot returns the slot with that index, in order of the starts. O(1).
func (e *Environment) Slot(i int) Slot { return e.slots[i] }

// Shape says when the tasks of a window end.
type Shape int

const (
	// Square windows hold all nodes equally long, at least until the slowest of
	// them is done (§3.1). The package's text says when they are longer.
	Square Shape = iota
	// Rough windows give each node back when its own task is done (AEP, [20]
	// in the paper): the right edge is rough.
	Rough
	// Tight windows hold all nodes exactly as long as the slowest of them needs (§3.1 to
	// the letter).
	Tight
)

// Job is a request for slots that begin together (§3.1).
type Job struct {
	// Nodes is n, the number of nodes that the job runs on; at least 1.
	Nodes int
	// MinPerformance leaves out slower nodes; 0 leaves out none.
	MinPerformance float64
	// Volume is V, the work on each node; above 0. A node of performance P has
	// a task of V/P ticks, rounded up to a whole tick.
	Volume float64
	// Budget is S, the most that all tasks may cost together; above 0, and
	// math.Inf(1) for no limit.
	Budget float64
	// Ready is the first tick at which the window may start.
	Ready bookahead.Time
	// Deadline is the tick by which the window has ended; 0 means that only the
	// slots limit it.
	Deadline bookahead.Time
	// Shape says when the tasks end.
	Shape Shape
	// Effort limits a search for the job. A step is a look at a slot, or at a set
	// of slots.
	Effort bookahead.Effort
}

// validate checks that some environment of so many nodes could make sense of the job.
// O(1).
func (j Job) validate(nodes int) error {
	switch {
	case j.Nodes < 1:
		return limits.Invalid("Job.Nodes", j.Nodes, "is less than 1")
	case j.Nodes > nodes:
		return limits.Invalid("Job.Nodes", j.Nodes, fmt.Sprintf("is more than the %d nodes", nodes))
	case !(j.MinPerformance >= 0) || math.IsInf(j.MinPerformance, 1):
		return limits.Invalid("Job.MinPerformance", j.MinPerformance, "is not a finite number of 0 or more")
	case !(j.Volume > 0) || math.IsInf(j.Volume, 1):
		return limits.Invalid("Job.Volume", j.Volume, "is not a finite number above 0")
	case !(j.Budget > 0):
		return limits.Invalid("Job.Budget", j.Budget, "is not a number above 0")
	case j.Deadline != 0 && j.Deadline <= max(j.Ready, 0):
		return limits.Invalid("Job.Deadline", j.Deadline, fmt.Sprintf("is not after Job.Ready %d", j.Ready))
	case j.Shape != Square && j.Shape != Rough && j.Shape != Tight:
		return limits.Invalid("Job.Shape", j.Shape, "is neither Square nor Rough nor Tight")
	}
	return nil
}

// Window is a set of slots for a job.
type Window struct {
	// Interval is from the common start to the end of the last task.
	bookahead.Interval
	// Tasks are in ascending order of their nodes.
	Tasks []Task
	// Cost is the sum of Node.Cost over the tasks.
	Cost float64
	// Value is the sum of the criterion over the tasks.
	Value float64
}

// Task is the part of a job that one node does.
type Task struct {
	Slot int // index of the slot in the environment
	Node int // index of the node
	bookahead.Interval
}

// Distances returns the average distances of a window's tasks to the nearer and
// to the farther end of their slots, δ_near and δ_far of §3.4, in ticks. Both are 0 of a
// window without tasks. O(n) for n tasks.
func (e *Environment) Distances(w Window) (near, far float64) {
	for _, t := range w.Tasks {
		s := e.slots[t.Slot]
		left, right := float64(t.Start-s.Start), float64(s.End-t.End)
		near += min(left, right)
		far += max(left, right)
	}
	n := float64(max(len(w.Tasks), 1))
	return near / n, far / n
}

// window makes a Window of the candidates chosen. Cost and Value are summed up in the order of
// the nodes, so that Environment.cost comes to the same sum.
func (s *search) window(start bookahead.Time, chosen []candidate, c Criterion) Window {
	w := Window{Interval: bookahead.Interval{Start: start, End: start}}
	sorted := slices.SortedFunc(slices.Values(chosen), func(a, b candidate) int { return cmp.Compare(a.node, b.node) })
	for _, k := range sorted {
		end := start + bookahead.Time(k.length)
		w.Tasks = append(w.Tasks, Task{k.slot, k.node, bookahead.Interval{Start: start, End: end}})
		w.End = max(w.End, end)
		w.Cost += k.cost
		if c.Value != nil {
			w.Value += s.value(c, k, start)
		}
	}
	return w
}
