package replay

import (
	"slices"
	"time"
)

// Cost is how long the calls of one operation took, less what reading the
// clock takes.
type Cost struct {
	Calls       int
	Mean        time.Duration // of all calls, the slowest included
	Median, P99 time.Duration
}

// operation is what a stopwatch tells apart.
type operation int

const (
	searching operation = iota
	reserving
	releasing
	advancing
	operations
)

// stopwatch collects how long each call took. A nil one does not look.
type stopwatch struct {
	took     [operations][]time.Duration
	overhead time.Duration // what it shows when nothing is done
}

// newStopwatch has room for that many calls of each operation, so that it
// seldom allocates while it runs.
func newStopwatch(calls int) *stopwatch {
	w := &stopwatch{}
	for op := range w.took {
		w.took[op] = make([]time.Duration, 0, calls)
	}
	w.overhead = ClockOverhead()
	return w
}

// ClockOverhead returns what a pair of clock readings shows when nothing is done
// between them: the median of many.
func ClockOverhead() time.Duration {
	empty := make([]time.Duration, 1001)
	for i := range empty {
		started := time.Now()
		empty[i] = time.Since(started)
	}
	slices.Sort(empty)
	return empty[len(empty)/2]
}

func (w *stopwatch) start() time.Time {
	if w == nil {
		return time.Time{}
	}
	return time.Now()
}

func (w *stopwatch) stop(started time.Time, op operation) {
	if w != nil {
		w.took[op] = append(w.took[op], max(0, time.Since(started)-w.overhead))
	}
}

// cost sums up the calls of an operation.
func (w *stopwatch) cost(op operation) Cost { return CostOf(w.took[op]) }

// costOf leaves the calls in their order.
func CostOf(took []time.Duration) Cost {
	n := len(took)
	if n == 0 {
		return Cost{}
	}
	calls := slices.Sorted(slices.Values(took))
	sum := time.Duration(0)
	for _, c := range calls {
		sum += c
	}
	return Cost{Calls: n, Mean: sum / time.Duration(n), Median: calls[n/2], P99: calls[n*99/100]}
}
