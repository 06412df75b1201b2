package volume

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
)

// BenchmarkFill plans volumes on a pool of 4 096 units with a million live reservations, of which 70 % is booked. A
// volume is so many times that of a mean reservation, at so many units at most. impl=leap is Search; impl=walk looks at
// each step of the free units. Both find the same plans. stretches is the mean of a plan, and bends that of the changes
// of the free units up to its end.
func BenchmarkFill(b *testing.B) {
	live := 1_000_000
	if testing.Short() {
		live = 10_000
	}
	c := workload.Churn{Kind: workload.AR, Capacity: 4096, Live: live, Load: 0.70, Powers: true}
	w, err := c.Work()
	if err != nil {
		b.Fatal(err)
	}
	s, err := carts.NewIndexed(c.Capacity, carts.Config{})
	if err != nil {
		b.Fatal(err)
	}
	booked, err := w.Place(s)
	if err != nil {
		b.Fatal(err)
	}
	s, err = carts.NewIndexed(c.Capacity, carts.Config{Booked: booked})
	if err != nil {
		b.Fatal(err)
	}
	mean, end := int64(0), bookahead.Time(0)
	for _, o := range booked {
		mean += o.Units * int64(o.Len()) / int64(len(booked))
		end = max(end, o.End)
	}
	for _, size := range []int64{10, 100, 1_000, 10_000} {
		for _, most := range []int64{16, 256, 4096} {
			for _, impl := range []string{"leap", "walk"} {
				b.Run(fmt.Sprintf("impl=%s/live=%d/size=%d/most=%d", impl, live, size, most), func(b *testing.B) {
					stretches, bends, n := 0, 0, 0
					var r Request
					for i := 0; b.Loop(); i++ {
						r = Request{Ready: end / 64 * bookahead.Time(i%32), Volume: mean * size, Most: most}
						p, err := planBy(impl, s, r)
						if err != nil {
							b.Fatal(err)
						}
						stretches += len(p.Stretches)
						n++
						if i < 32 {
							b.StopTimer()
							bends += bendsOf(s, bookahead.Interval{Start: r.Ready, End: p.Completion()})
							b.StartTimer()
						}
					}
					b.ReportMetric(float64(stretches)/float64(n), "stretches")
					b.ReportMetric(float64(bends)/float64(min(n, 32)), "bends")
				})
			}
		}
	}
}

func planBy(impl string, s *carts.Indexed, r Request) (Plan, error) {
	if impl == "leap" {
		return Search(s, r, bookahead.Effort{})
	}
	return Search(stepped{s, s}, r, bookahead.Effort{})
}

// stepped is a pool that is no Filler.
type stepped struct {
	bookahead.Keeper
	x *carts.Indexed
}

func (s stepped) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] { return s.x.Blocks(w) }

func bendsOf(s bookahead.Schedule, w bookahead.Interval) int {
	steps, _ := bookahead.Steps(s, w)
	return len(slices.Collect(steps))
}
