package bench_test

import (
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench"
	"github.com/bookahead/bookahead/scheduletest"
)

// BenchmarkSchedules measures every structure; see scheduletest.Benchmark for
// the names of the sub-benchmarks.
func BenchmarkSchedules(b *testing.B) {
	for _, st := range bench.Structures() {
		scheduletest.Benchmark(b, scheduletest.Target{
			Name: st.Name,
			New: func(c scheduletest.Config) (bookahead.Schedule, error) {
				return st.New(c.Capacity, bench.Config{Origin: c.Origin, Horizon: c.Horizon})
			},
		})
	}
}
