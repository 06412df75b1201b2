package pieces

import (
	"fmt"
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
)

// BenchmarkSearch places work in pieces on a pool of 4 096 units with a million live reservations, of which 70 % is booked.
// The work is so many times as long as a mean reservation, at a quarter of the units, in pieces of at least a tenth of a
// mean reservation. impl=fill is told the free units, impl=seek asks where a piece fits, as on servers and nodes. Both find the
// same pieces, of which pieces is the mean number.
func BenchmarkSearch(b *testing.B) {
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
	mean, end := bookahead.Duration(0), bookahead.Time(0)
	for _, o := range booked {
		mean += o.Len() / bookahead.Duration(len(booked))
		end = max(end, o.End)
	}
	for _, size := range []bookahead.Duration{1, 10, 100} {
		for _, impl := range []string{"fill", "seek"} {
			b.Run(fmt.Sprintf("impl=%s/live=%d/size=%d", impl, live, size), func(b *testing.B) {
				n, sum := 0, 0
				for i := 0; b.Loop(); i++ {
					r := bookahead.Request{Ready: end / 64 * bookahead.Time(i%32), Duration: mean * size, Units: c.Capacity / 4}
					list, err := searchBy(impl, s, r, Rule{Least: max(1, mean/10), Restart: mean / 100})
					if err != nil {
						b.Fatal(err)
					}
					sum += len(list)
					n++
				}
				b.ReportMetric(float64(sum)/float64(n), "pieces")
			})
		}
	}
}

func searchBy(impl string, s bookahead.Keeper, r bookahead.Request, rule Rule) ([]bookahead.Interval, error) {
	if impl == "seek" {
		s = struct{ bookahead.Keeper }{s} // which tells no free units
	}
	return Search(s, r, rule, bookahead.Effort{})
}
