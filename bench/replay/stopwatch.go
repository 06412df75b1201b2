package replay

import (
	"slices"
	"time"
)

// Cost is the time of the calls of one operation, without the time of reading
// the clock.
type Cost struct {
	Calls       int
	Mean        time.Duration // of all calls, the slowest included
	Median, P99 time.Duration
}

// operation is a method of a schedule whose calls are timed apart from the others.
type operation int

const (
	searching operation = iota
	reserving
	releasing
	advancing
	operations
)

// stopwatch collects the time of each call. A nil stopwatch never reads the clock.
type stopwatch struct {
	took     [operations][]time.Duration
	overhead time.Duration // see ClockOverhead
}

// newStopwatch returns a stopwatch with room for that many calls of each operation,
// so that it seldom allocates while it runs.
func newStopwatch(calls int) *stopwatch {
	w := &stopwatch{}
	for op := range w.took {
		w.took[op] = make([]time.Duration, 0, calls)
	}
	w.overhead = ClockOverhead()
	return w
}

// ClockOverhead returns the median difference of two clock readings with nothing
// between them.
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

// cost returns the cost of an operation so far.
func (w *stopwatch) cost(op operation) Cost { return CostOf(w.took[op]) }

// CostOf returns the cost of calls that took these times. It leaves them in their order.
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
