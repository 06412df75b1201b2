package idletree

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bookahead/bookahead"
)

// week is one in minutes.
const week = 7 * 24 * 60

// fullWeek returns servers that are booked all week, as far as requests of up to a day fit, and
// the number of reservations.
func fullWeek(b *testing.B, servers int64) (x *Tree, booked int) {
	x, err := NewTree(servers, Config{Horizon: 4 * week})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for full := 0; full < 100; {
		r := bookahead.Request{
			Duration: bookahead.Duration(15 + rng.IntN(24*60)), Units: 1 + rng.Int64N(4), Deadline: week,
		}
		_, err := x.Reserve(r)
		if err != nil {
			full++
			continue
		}
		booked++
	}
	return x, booked
}

// BenchmarkDrain closes 8 of 100 servers for a full week. It measures the closure and its end, then also the
// Displace of the reservations in the way, and beside it their Releases and Reserves.
func BenchmarkDrain(b *testing.B) {
	for _, servers := range []int64{100, 10_000} {
		x, booked := fullWeek(b, servers)
		eight := bookahead.Closure{Interval: bookahead.Interval{End: week}}
		for k := range 8 {
			eight.Servers = append(eight.Servers, k*int(servers)/8)
		}
		drain := func(b *testing.B, x *Tree) bookahead.ClosureID {
			c, err := x.Close(eight)
			if err != nil {
				b.Fatal(err)
			}
			return c.ID
		}
		name := fmt.Sprintf("impl=idletree.Tree/servers=%d/closed=8/reservations=%d", servers, booked)
		b.Run("op=close+end/"+name, func(b *testing.B) {
			for b.Loop() {
				err := x.End(drain(b, x), 0)
				if err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("op=overbooked/"+name, func(b *testing.B) {
			id, n := drain(b, x), 0
			for b.Loop() {
				for range x.Overbooked(eight.Interval) {
					n++
				}
			}
			b.ReportMetric(float64(n)/float64(b.N), "stretches")
			_ = x.End(id, 0)
		})
		b.Run("op=clone/"+name, func(b *testing.B) {
			for b.Loop() {
				x.Clone()
			}
		})
		b.Run("op=displace/"+name, func(b *testing.B) {
			id, moved := drain(b, x), 0
			for b.Loop() {
				b.StopTimer()
				y := x.Clone().(*Tree)
				b.StartTimer()
				d, err := bookahead.Displace(y, bookahead.Force{})
				if err != nil {
					b.Fatal(err)
				}
				moved += len(d.Moved)
			}
			b.ReportMetric(float64(moved)/float64(b.N), "moved")
			_ = x.End(id, 0)
		})
		b.Run("op=by-hand/"+name, func(b *testing.B) { // the least that Displace must do
			id, n := drain(b, x), 0
			for b.Loop() {
				b.StopTimer()
				y := x.Clone().(*Tree)
				inTheWay := slices.Collect(y.ReservationsOn(eight.Interval, eight.Servers))
				b.StartTimer()
				for _, res := range inTheWay {
					_ = y.Release(res.ID)
				}
				for _, res := range inTheWay {
					_, err := y.Reserve(bookahead.Request{Ready: res.Start, Duration: res.Len(), Units: res.Units})
					if err != nil {
						b.Fatal(err)
					}
				}
				n += len(inTheWay)
			}
			b.ReportMetric(float64(n)/float64(b.N), "moved")
			_ = x.End(id, 0)
		})
	}
}
