package scheduletest_test

import (
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/scheduletest"
)

// newMine makes an empty schedule: put a structure of your own here.
func newMine(c scheduletest.Config) (bookahead.Schedule, error) {
	return carts.NewFlat(c.Capacity, carts.Config{Origin: c.Origin, Horizon: c.Horizon})
}

// mine gives the limits of the structure: with a Slot of 16, for example, the oracle rounds
// bookings as the structure does.
var mine = scheduletest.Target{Name: "mine", New: newMine}

// In the test file of your structure these are TestMine, FuzzMine, FuzzMineSnapshot
// and BenchmarkMine.
func Example() {
	_ = func(t *testing.T) { scheduletest.Run(t, mine) }
	_ = func(f *testing.F) { scheduletest.Fuzz(f, mine) }
	_ = func(f *testing.F) { scheduletest.FuzzSnapshot(f, mine) }
	_ = func(b *testing.B) { scheduletest.Benchmark(b, mine) }
}
