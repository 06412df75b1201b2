package main

import (
	"slices"
	"time"
)

// interrupted is by how much a call that the machine broke off for others is
// longer than the median. No structure has calls that differ so much by
// themselves.
const interrupted = 100

// tick is a median that is too short to tell from the clock's own reading.
const tick = 10 * time.Nanosecond

// meanMicros returns the mean of the calls, which it sorts, less the overhead of
// each. One that was interrupted counts as the median.
func meanMicros(took []time.Duration, overhead time.Duration) float64 {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	median := max(0, took[len(took)/2]-overhead)
	sum := time.Duration(0)
	for _, t := range took {
		t = max(0, t-overhead)
		if t > interrupted*max(median, tick) {
			t = median
		}
		sum += t
	}
	return float64(sum.Nanoseconds()) / 1000 / float64(len(took))
}
