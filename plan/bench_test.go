package plan

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/nodes"
)

// backlog is a queue with a number of jobs that wait, which goes on: jobs end before their estimates, and as many come in as
// start.
type backlog struct {
	q      *Queue
	rng    *rand.Rand
	shapes func(rng *rand.Rand) []Shape
	owners int // of jobs; 0 for one
	next   int
	now    bookahead.Time
	ends   map[ID]bookahead.Time
	spent  []time.Duration // of each event, with all calls of the queue
}

// estimates are what users ask for, in seconds.
var estimates = []bookahead.Duration{300, 900, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 12 * 3600, 24 * 3600}

func (b *backlog) submit(tb testing.TB) {
	b.next++
	j := Job{ID: ID(strconv.Itoa(b.next)), Submitted: b.now, Shapes: b.shapes(b.rng)}
	if b.owners > 0 {
		j.Owner = strconv.Itoa(b.rng.IntN(b.owners))
	}
	err := b.q.Submit(j)
	require.NoError(tb, err)
}

// event ends the job that is next to end, and lets others start.
func (b *backlog) event(tb testing.TB) (started []ID) {
	var next ID
	for id, at := range b.ends {
		if next == "" || at < b.ends[next] || at == b.ends[next] && id < next {
			next = id
		}
	}
	at := b.now
	began := time.Now()
	if next != "" {
		at = b.ends[next]
		delete(b.ends, next)
		b.now = at
		began = time.Now()
		require.NoError(tb, b.q.Ended(at, next))
	}
	r, err := b.q.Pass(context.Background(), at)
	require.NoError(tb, err)
	for _, s := range r.Starts {
		require.NoError(tb, b.q.Started(s.Job))
	}
	b.spent = append(b.spent, time.Since(began))
	for _, s := range r.Starts {
		length := int64(s.Places[0].Len())
		b.ends[s.Job] = at + bookahead.Time(1+b.rng.Int64N(length))
		started = append(started, s.Job)
		b.submit(tb)
	}
	return started
}

func newBacklog(tb testing.TB, on string, c Config, jobs int, plain bool) *backlog {
	b := &backlog{rng: rand.New(rand.NewPCG(7, 0)), ends: map[ID]bookahead.Time{}}
	s := Schedule{Name: "m"}
	part := func(rng *rand.Rand) Part {
		return Part{On: "m", Units: 1 << rng.IntN(10), Duration: estimates[rng.IntN(len(estimates))]}
	}
	switch on {
	case "pool":
		pool, err := carts.NewIndexed(16384, carts.Config{})
		require.NoError(tb, err)
		s.Pool = pool
		b.shapes = func(rng *rand.Rand) []Shape { return []Shape{{part(rng)}} }
	case "nodes":
		n := nodes.Config{Resources: []string{"gpus", "cores"}, Nodes: slices.Repeat([]nodes.Vector{{8, 64}}, 2000)}
		m, err := nodes.New(n)
		require.NoError(tb, err)
		s.Nodes = m
		takes := []*nodes.Request{{Each: nodes.Vector{8, 64}}, {Each: nodes.Vector{4, 32}}, {Each: nodes.Vector{1, 8}}, {Each: nodes.Vector{0, 16}}}
		b.shapes = func(rng *rand.Rand) []Shape {
			p := part(rng)
			p.Units = 1 << rng.IntN(7)
			p.Tasks = takes[rng.IntN(len(takes))]
			return []Shape{{p}}
		}
	}
	c.Schedules, c.Limits.Steps = []Schedule{s}, math.MaxInt64
	q, err := New(c)
	require.NoError(tb, err)
	q.plain = plain
	b.q = q
	for range jobs {
		b.submit(tb)
	}
	return b
}

// BenchmarkPass measures an hour of a queue with 20 000 jobs that wait, in seconds of its clock. At an event, a job ends before its
// estimate, a Pass follows, and all its proposals start. With -short there are 100 jobs. impl=plain searches for each job anew in
// each pass, and starts the same jobs. It reports
//
//	event-ns p99-ns    mean and percentile of the events of an hour
//	events             of an hour
//	B/job              memory of the queue and its schedules, by jobs that wait
func BenchmarkPass(b *testing.B) {
	jobs := 20_000
	if testing.Short() {
		jobs = 100
	}
	const hour = 3600
	for _, on := range []string{"pool", "nodes"} {
		for _, fill := range []struct {
			name string
			Backfill
		}{{"easy", EASY(1)}, {"conservative", Conservative()}} {
			for _, impl := range []string{"kept", "plain"} {
				b.Run(fmt.Sprintf("impl=%s/on=%s/backfill=%s/jobs=%d", impl, on, fill.name, jobs), func(b *testing.B) {
					before := memory()
					x := newBacklog(b, on, Config{Backfill: fill.Backfill}, jobs, false)
					x.event(b)
					bytes := memory() - before
					x.q.plain = impl == "plain"
					x.spent = nil
					for b.Loop() {
						for until := x.now + hour; x.now < until; {
							x.event(b)
						}
					}
					var sum time.Duration
					for _, d := range x.spent {
						sum += d
					}
					slices.Sort(x.spent)
					b.ReportMetric(float64(sum)/float64(len(x.spent)), "event-ns")
					b.ReportMetric(float64(x.spent[len(x.spent)*99/100]), "p99-ns")
					b.ReportMetric(float64(len(x.spent))/float64(b.N), "events")
					b.ReportMetric(bytes/float64(jobs), "B/job")
				})
			}
		}
	}
}

// memory returns the bytes that live.
func memory() float64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	return float64(s.HeapAlloc)
}

// TestPlain: a queue that keeps what it knows starts the jobs that one starts which searches anew. Some jobs have two shapes, and some
// are postponed.
func TestPlain(t *testing.T) {
	for _, on := range []string{"pool", "nodes"} {
		for name, c := range map[string]Config{
			"none": {Backfill: None()}, "first fit": {Backfill: FirstFit()}, "easy": {Backfill: EASY(1)}, "easy 3": {Backfill: EASY(3)},
			"conservative": {Backfill: Conservative()}, "shortest first": {Backfill: EASY(2), Order: SJF()},
			"fair share": {Backfill: EASY(2), Order: FairShare(Share{HalfLife: 9999})}, "fair first fit": {Backfill: FirstFit(), Order: FairShare(Share{})},
			"depth": {Backfill: EASY(1), Limits: Limits{Depth: 30}}, "window": {Backfill: EASY(40), Limits: Limits{Window: 5000}},
		} {
			kept, plain := newMixedBacklog(t, on, c, false), newMixedBacklog(t, on, c, true)
			for i := range depth.Cases(150) {
				require.Equal(t, plain.event(t), kept.event(t), "%s, %s, event %d", on, name, i)
				if i%7 == 0 {
					id := ID(strconv.Itoa(1 + kept.rng.IntN(kept.next)))
					plain.rng.IntN(plain.next)
					until := kept.now + 1 + bookahead.Time(i)*10
					require.Equal(t, plain.q.Postpone(id, until), kept.q.Postpone(id, until))
				}
			}
			require.NoError(t, kept.q.Verify())
		}
	}
}

// newMixedBacklog returns a backlog of 200 jobs of several owners, some of which have a second shape.
func newMixedBacklog(tb testing.TB, on string, c Config, plain bool) *backlog {
	b := newBacklog(tb, on, c, 0, plain)
	one := b.shapes
	b.shapes = func(rng *rand.Rand) []Shape {
		list := one(rng)
		if rng.IntN(5) == 0 {
			list = append(list, one(rng)...)
		}
		return list
	}
	b.owners = 3
	for range 200 {
		b.submit(tb)
	}
	return b
}
