package bench_test

import (
	"strings"
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/structures"
	"github.com/bookahead/bookahead/scheduletest"
)

// BenchmarkSchedules measures every structure; see scheduletest.Benchmark for
// the names of the sub-benchmarks.
func BenchmarkSchedules(b *testing.B) {
	for _, st := range structures.Compared() {
		most := 0
		if strings.HasPrefix(st.Name, "freelist.") || st.Name == "idletree.Lists" {
			most = 10_000 // lists are walked from their heads
		}
		scheduletest.Benchmark(b, scheduletest.Target{
			MaxLive: most,
			Name:    st.Name,
			New: func(c scheduletest.Config) (bookahead.Schedule, error) {
				return st.New(c.Capacity, structures.Config{Origin: c.Origin, Horizon: c.Horizon})
			},
		})
	}
}
