package grid

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// site is some resources, on which reservations are spread until 70 % of the
// units are booked.
type site struct {
	members []Member
	length  int64
	rng     *rand.Rand
}

const (
	siteCapacity = 128
	siteUnits    = 31   // the most of a part; any number from 1 on
	siteTicks    = 1999 // the longest part; any length from 1 on
)

func newSite(t testing.TB, resources, live int) *site {
	const gap = (siteUnits + 1) / 2 * (siteTicks + 1) / 2 * 10 / (7 * siteCapacity) // between ready times
	s := &site{length: gap * int64(live), rng: rand.New(rand.NewPCG(uint64(live), 5))}
	for range resources {
		p, err := carts.NewIndexed(siteCapacity, carts.Config{})
		require.NoError(t, err)
		for range live {
			_, err := p.Reserve(s.part(s.ready()))
			require.NoError(t, err)
		}
		s.members = append(s.members, p)
	}
	return s
}

func (s *site) ready() bookahead.Time { return bookahead.Time(s.rng.Int64N(s.length)) }

func (s *site) part(ready bookahead.Time) bookahead.Request {
	return bookahead.Request{Ready: ready, Duration: bookahead.Duration(1 + s.rng.IntN(siteTicks)), Units: 1 + s.rng.Int64N(siteUnits)}
}

// jobs draws jobs with a part on each resource. In stages one part begins when the
// one before ends.
func (s *site) jobs(n int, stages bool) []Job {
	jobs := make([]Job, n)
	for i := range jobs {
		jobs[i].Ready = s.ready()
		offset := bookahead.Duration(0)
		for _, m := range s.members {
			r := s.part(0)
			jobs[i].Parts = append(jobs[i].Parts, Part{On: m, Offset: offset, Duration: r.Duration, Units: r.Units})
			if stages {
				offset += r.Duration
			}
		}
	}
	return jobs
}

// BenchmarkCoAllocate books a part on each resource at one start, and gives them
// back while the timer stands. p50-ns and p99-ns are of single calls.
func BenchmarkCoAllocate(b *testing.B) {
	for _, live := range []int{1_000, 100_000} {
		if testing.Short() && live > 1_000 {
			continue
		}
		for _, resources := range []int{1, 2, 5} {
			var s *site
			for _, stages := range []bool{false, true} {
				b.Run(fmt.Sprintf("resources=%d/live=%d/stages=%t", resources, live, stages), func(b *testing.B) {
					if s == nil {
						s = newSite(b, resources, live)
					}
					jobs := s.jobs(4096, stages)
					took := make([]time.Duration, 0, 1<<16)
					b.ReportAllocs()
					for i := 0; b.Loop(); i++ {
						start := time.Now()
						a, err := CoAllocate(jobs[i%len(jobs)])
						took = append(took, time.Since(start))
						if err != nil {
							b.Fatal(err)
						}
						b.StopTimer()
						require.NoError(b, a.Release())
						b.StartTimer()
					}
					slices.Sort(took)
					b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
					b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
				})
			}
		}
	}
}

// The median of single calls on five resources with 100 000 live reservations each
// is logged; with -short, a tenth of them. It fails only far above the promised
// time, as machines differ.
func TestCoAllocateIsQuick(t *testing.T) {
	live := 100_000
	if testing.Short() {
		live = 10_000
	}
	s := newSite(t, 5, live)
	took := []time.Duration{}
	searches := countSearches(s)
	jobs := s.jobs(2000, false)
	for _, j := range jobs {
		start := time.Now()
		a, err := CoAllocate(j)
		took = append(took, time.Since(start))
		require.NoError(t, err)
		require.NoError(t, a.Release())
	}
	slices.Sort(took)
	t.Logf("median %v, 99 %% below %v; %.0f searches in the mean", took[len(took)/2], took[len(took)*99/100], float64(searches(jobs))/float64(len(jobs)))
	require.Less(t, took[len(took)/2], time.Millisecond)
}

// countSearches returns a function that counts the searches of the members for
// jobs.
func countSearches(s *site) func([]Job) int {
	return func(jobs []Job) (n int) {
		for _, j := range jobs {
			for i := range j.Parts {
				j.Parts[i].On = &counting{Member: j.Parts[i].On, n: &n}
			}
			_, _ = CoSearch(j)
		}
		return n
	}
}

type counting struct {
	Member
	n *int
}

func (c *counting) Search(r bookahead.Request) (bookahead.Offer, error) {
	*c.n++
	return c.Member.Search(r)
}
