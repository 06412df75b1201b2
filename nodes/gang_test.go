package nodes

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
)

// gang draws the jobs of workload.Gangs: nodes of 8 GPUs and 64 cores, in racks of 20. A tick is a second.
type gang struct {
	nodes int
	rng   *rand.Rand
}

const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
)

func (g *gang) config(p Policy) Config {
	c := Config{Resources: []string{"gpus", "cores"}, Policy: p, Nodes: slices.Repeat([]Vector{{8, 64}}, g.nodes)}
	racks := Level{Name: "rack"}
	for k := range g.nodes {
		if k%20 == 0 {
			racks.Groups = append(racks.Groups, nil)
		}
		racks.Groups[k/20] = append(racks.Groups[k/20], k)
	}
	c.Levels = []Level{racks}
	return c
}

// job draws a job that is ready at a time.
func (g *gang) job(ready bookahead.Time) Request {
	x := workload.Gangs{Nodes: g.nodes}.Draw(g.rng)
	r := Request{Ready: ready, Duration: x.Run, Tasks: x.Tasks, Each: Vector{x.GPUs, x.Cores}, PerNode: 1}
	if x.OneRack {
		r.Within = "rack"
	}
	return r
}

// gangStates are those of BenchmarkGang; a small one does for a test.
func gangStates() []gangState {
	sizes := []gangState{{nodes: 100, live: 1_000}, {nodes: 2_000, live: 20_000}, {nodes: 20_000, live: 20_000}}
	if testing.Short() {
		sizes = sizes[:1]
	}
	var list []gangState
	for _, s := range sizes {
		for _, s.mode = range []string{"backlog", "early", "ar"} {
			for _, s.policy = range []string{"lowest", "best"} {
				list = append(list, s)
			}
		}
	}
	return list
}

// gangJobs is how many jobs are measured in each state.
func gangJobs() int {
	jobs, err := strconv.Atoi(os.Getenv("BOOKAHEAD_GANG"))
	switch {
	case err == nil && jobs > 0:
		return jobs
	case testing.Short():
		return 20
	}
	return 500
}

// BenchmarkGang books one job after the other on a machine on which a number of jobs is live. It
// measures Machine.Reserve, which searches and books, beside the search of the leapfrog alone, which
// only learns when the job starts. Both look at the same state, one after the other, and must agree.
//
//	backlog    ready now; jobs run as long as they were booked for
//	early      ready now; jobs end after 20 to 100 % of the time that they were booked for
//	ar         ready anywhere in the time in which the live jobs take 70 % of the GPUs
//
// The clock goes on: whenever a job ends, the next is booked.
//
// BOOKAHEAD_GANG is the number of jobs measured in a state; 500 if it is not set. The lines of the two
// come from one run, and each line is the mean of its jobs: -benchtime 1x does. It reports
//
//	ns/op, p50-ns ...    of a job
//	release-ns           of a job that ends early, or else of one that is cancelled
//	B/live               the memory of the machine, by live jobs
//	at-once              the share of the jobs that started when they were ready
//	tasks/job            the mean number of nodes of a job
func BenchmarkGang(b *testing.B) {
	for _, impl := range []string{"nodes", "leapfrog"} {
		for _, s := range gangStates() {
			b.Run(fmt.Sprintf("impl=%s/nodes=%d/live=%d/mode=%s/policy=%s", impl, s.nodes, s.live, s.mode, s.policy), func(b *testing.B) {
				run := nextGangRun(b, s)
				for b.Loop() {
				}
				if impl == "leapfrog" {
					reportTimes(b, run.search)
				} else {
					reportTimes(b, run.reserve)
					b.ReportMetric(meanOf(run.release), "release-ns")
					b.ReportMetric(run.bytes, "B/live")
				}
				b.ReportMetric(run.atOnce, "at-once")
				b.ReportMetric(run.tasks, "tasks/job")
			})
		}
	}
}

// The runs of BenchmarkGang: with -count there are several of a state. A benchmark takes the next that
// it has not taken before, so that the lines of the Machine and of the leapfrog belong together.
var (
	gangRuns  = map[gangState][]*gangRun{}
	gangTaken = map[string]int{} // by benchmark
)

func nextGangRun(b *testing.B, s gangState) *gangRun {
	i := gangTaken[b.Name()]
	gangTaken[b.Name()]++
	if i == len(gangRuns[s]) {
		run, err := runGang(s, uint64(i), gangJobs())
		if err != nil {
			b.Fatal(err)
		}
		gangRuns[s] = append(gangRuns[s], run)
	}
	return gangRuns[s][i]
}

// reportTimes reports the mean, as ns/op, and how far the times spread.
func reportTimes(b *testing.B, times []time.Duration) {
	b.ReportMetric(meanOf(times), "ns/op")
	sorted := slices.Sorted(slices.Values(times))
	b.ReportMetric(float64(sorted[len(sorted)/2]), "p50-ns")
	b.ReportMetric(float64(sorted[len(sorted)*99/100]), "p99-ns")
	b.ReportMetric(float64(sorted[len(sorted)-1]), "max-ns")
}

// meanOf returns the mean of times in nanoseconds; 0 if there are none.
func meanOf(times []time.Duration) float64 {
	sum := time.Duration(0)
	for _, d := range times {
		sum += d
	}
	return float64(sum) / float64(max(1, len(times)))
}

// The jobs of the benchmarks are as their description promises.
func TestGangJobs(t *testing.T) {
	for nodes, want := range map[int]float64{100: 6.1, 2_000: 12.9, 20_000: 12.9} {
		g := gang{nodes, rand.New(rand.NewPCG(1, 1))}
		const jobs = 200_000
		tasks, cores, whole, racks, seconds := 0.0, 0.0, 0.0, 0.0, []bookahead.Duration{}
		for range jobs {
			r := g.job(0)
			require.NoError(t, r.Validate())
			require.LessOrEqual(t, r.Tasks, int64(min(256, nodes/2)))
			tasks += float64(r.Tasks) / jobs
			seconds = append(seconds, r.Duration)
			switch {
			case r.Each[0] == 0:
				cores += 1. / jobs
			case r.Each[0] == 8:
				whole += 1. / jobs
			}
			if r.Within != "" {
				require.LessOrEqual(t, r.Tasks, int64(20))
				racks += 1. / jobs
			}
		}
		slices.Sort(seconds)
		t.Logf("%d nodes: %.2f tasks a job, median of %d s", nodes, tasks, seconds[jobs/2])
		require.InDelta(t, want, tasks, 0.2)
		require.InDelta(t, 0.30, cores, 0.01)
		require.InDelta(t, 0.25, whole, 0.01)
		require.InDelta(t, 0.10, racks, 0.01)
		require.InDelta(t, float64(hour), float64(seconds[jobs/2]), 60)
		require.Equal(t, bookahead.Duration(minute), seconds[0])
		require.Equal(t, bookahead.Duration(3*day), seconds[jobs-1])
	}
}
