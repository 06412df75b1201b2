package nodes

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// BenchmarkGangReplan plans the whole queue of a full machine anew, as a batch scheduler does when a job
// has ended early: running jobs stay, the queued ones are released, and then they are booked again, in
// the order in which they came. The machine does that on a clone. The leapfrog does it on its own
// pools, and books each job on the nodes that the machine has chosen for it. Both begin with the same
// state, and must agree on the start of each job. The states are as in BenchmarkGang, with more jobs live, so
// that the queue has at least 20 000.
//
// The lines of the two come from one run, in which the one works through the queue after the other: -benchtime
// 1x does. The machine does it three times, on a fresh clone each time, and reports the mean, because its
// seconds would be too few to even out the noise of a shared machine. The benchmark reports
//
//	us/job, total-s                   all of it, for a job and for the queue
//	clone-ns                          the clone
//	release-ns, reserve-ns            a job on the machine
//	release-ns, search-ns, book-ns    a job in the pools
//	times                             how many times longer the leapfrog takes, with all of this
//	search-times                      the same, when only the searches of the leapfrog count
//	queue                             the jobs that are planned
func BenchmarkGangReplan(b *testing.B) {
	runs := map[gangState]*replan{}
	for _, impl := range []string{"nodes", "leapfrog"} {
		for _, s := range replanStates() {
			b.Run(fmt.Sprintf("impl=%s/nodes=%d/live=%d/mode=%s/policy=%s", impl, s.nodes, s.live, s.mode, s.policy), func(b *testing.B) {
				run, ok := runs[s]
				if !ok {
					run = runReplan(b, s)
					runs[s] = run
				}
				if !testing.Short() && run.queue < fullQueue {
					b.Fatalf("%d jobs are planned, and %d are claimed", run.queue, fullQueue)
				}
				for b.Loop() {
				}
				run.report(b, impl)
			})
		}
	}
}

// fullQueue is the least number of jobs that BenchmarkGangReplan plans at full size.
const fullQueue = 20_000

// replanStates are those of BenchmarkGangReplan; a small one does for a test. Some of the live jobs run, so
// that more are live than wait.
func replanStates() (list []gangState) {
	s := gangState{nodes: 2_000, live: 21_500, policy: "lowest"}
	if testing.Short() {
		s.nodes, s.live = 100, 1_000
	}
	for _, s.mode = range []string{"backlog", "early"} {
		list = append(list, s)
	}
	return list
}

// A replan starts each job when the leapfrog does, and leaves the machine that was cloned as it was.
func TestReplanStartsAsTheLeapfrog(t *testing.T) {
	for _, mode := range []string{"backlog", "early"} {
		run := runReplan(t, gangState{40, 300, mode, "best"})
		require.Greater(t, run.queue, 200)
	}
}

// replanRounds is how often the machine plans the queue.
const replanRounds = 3

// replan is how long it takes to plan a queue anew: sums over the queue.
type replan struct {
	queue                             int
	clone, release, reserve           time.Duration // of the machine
	poolRelease, poolSearch, poolBook time.Duration // of the leapfrog
}

// runReplan plans the queue of a state on both.
func runReplan(t testing.TB, s gangState) *replan {
	x, asked := newReplanCluster(t, s)
	l, err := newLeapfrog(x.c, x.m)
	require.NoError(t, err)
	var queue []bookahead.ID
	for r := range x.m.Reservations(bookahead.Interval{Start: x.m.Frame().Now, End: bookahead.MaxTime}) {
		if r.Start > x.m.Frame().Now {
			queue = append(queue, r.ID)
		}
	}
	slices.Sort(queue)
	run := &replan{queue: len(queue)}
	var plan []Reservation
	for range replanRounds {
		plan = run.onNodes(t, x.m, queue, asked)
	}
	run.onPools(t, l, queue, asked, plan)
	require.NoError(t, x.m.Verify())
	for _, id := range queue {
		_, err = x.m.Reservation(id)
		require.NoError(t, err)
	}
	return run
}

// newReplanCluster returns a cluster in a state, and the requests of its jobs.
func newReplanCluster(t testing.TB, s gangState) (*gangCluster, map[bookahead.ID]Request) {
	live := s.live
	s.live = 0
	x, err := newGangCluster(s, 1)
	require.NoError(t, err)
	asked := map[bookahead.ID]Request{}
	fill := func() {
		r := x.next()
		res, err := x.m.Reserve(r)
		require.NoError(t, err)
		x.note(res)
		asked[res.ID] = r
	}
	for range live {
		fill()
	}
	for i := 0; s.mode == "early" && i < live; i++ {
		require.NoError(t, x.end(&gangRun{}))
		fill()
	}
	return x, asked
}

// onNodes plans the queue on a clone, and returns where the jobs lie.
func (run *replan) onNodes(t testing.TB, m *Machine, queue []bookahead.ID, asked map[bookahead.ID]Request) []Reservation {
	plan := make([]Reservation, len(queue))
	runtime.GC()
	began := time.Now()
	m = m.Clone()
	run.clone += time.Since(began) / replanRounds
	began = time.Now()
	for _, id := range queue {
		err := m.Release(id)
		if err != nil {
			t.Fatal(err)
		}
	}
	run.release += time.Since(began) / replanRounds
	began = time.Now()
	for i, id := range queue {
		res, err := m.Reserve(asked[id])
		if err != nil {
			t.Fatal(err)
		}
		plan[i] = res
	}
	run.reserve += time.Since(began) / replanRounds
	require.NoError(t, m.Verify())
	return plan
}

// onPools plans the queue in the pools, on the nodes of a plan.
func (run *replan) onPools(t testing.TB, l *leapfrog, queue []bookahead.ID, asked map[bookahead.ID]Request, plan []Reservation) {
	runtime.GC()
	began := time.Now()
	for _, id := range queue {
		err := l.release(id)
		if err != nil {
			t.Fatal(err)
		}
	}
	run.poolRelease = time.Since(began)
	for i, id := range queue {
		began = time.Now()
		start, ok := l.search(asked[id])
		between := time.Now()
		if !ok || start != plan[i].Start {
			t.Fatalf("%+v: the leapfrog starts at %d (%v), and the machine at %d", asked[id], start, ok, plan[i].Start)
		}
		err := l.book(plan[i])
		if err != nil {
			t.Fatal(err)
		}
		run.poolBook += time.Since(between)
		run.poolSearch += between.Sub(began)
	}
	require.NoError(t, l.verify())
}

// report reports the figures of one of the two.
func (run *replan) report(b *testing.B, impl string) {
	onNodes, onPools := run.clone+run.release+run.reserve, run.poolRelease+run.poolSearch+run.poolBook
	perJob := func(d time.Duration) float64 { return float64(d) / float64(run.queue) }
	total := onNodes
	if impl == "nodes" {
		b.ReportMetric(float64(run.clone), "clone-ns")
		b.ReportMetric(perJob(run.release), "release-ns")
		b.ReportMetric(perJob(run.reserve), "reserve-ns")
	} else {
		total = onPools
		b.ReportMetric(perJob(run.poolRelease), "release-ns")
		b.ReportMetric(perJob(run.poolSearch), "search-ns")
		b.ReportMetric(perJob(run.poolBook), "book-ns")
		b.ReportMetric(onPools.Seconds()/onNodes.Seconds(), "times")
		b.ReportMetric(run.poolSearch.Seconds()/onNodes.Seconds(), "search-times")
	}
	b.ReportMetric(0, "ns/op") // it would be the time of an empty loop
	b.ReportMetric(perJob(total)/1000, "us/job")
	b.ReportMetric(total.Seconds(), "total-s")
	b.ReportMetric(float64(run.queue), "queue")
}
