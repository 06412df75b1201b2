package bookahead_test

import (
	"cmp"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
)

// Two of eight units fail, and nobody knows for how long. The reservations stay where they are,
// until Displace clears the overbooked stretch.
func ExampleClosable() {
	gpus, _ := carts.NewIndexed(8, carts.Config{})
	night, _ := gpus.Reserve(bookahead.At(0, 12, 5))
	day, _ := gpus.Reserve(bookahead.At(12, 12, 7))

	broken, _ := gpus.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: bookahead.MaxTime}, Units: 2})
	fmt.Println(broken)
	for o := range gpus.Overbooked(bookahead.Interval{Start: 0, End: 48}) {
		fmt.Println("missing:", o)
		for res := range bookahead.ReservationsOn(gpus, o.Interval, nil) {
			fmt.Println("in the way:", res)
		}
	}

	// The day job gets six units instead, in place.
	_, _ = gpus.Rebook(day.ID, bookahead.At(12, 12, 6))
	fmt.Println("free:", gpus.Frame().Capacity-night.Units)

	_ = gpus.End(broken.ID, 6) // repaired
	free, _ := gpus.RangeQuery(bookahead.Interval{Start: 6, End: 12})
	fmt.Println("free from 6 on:", free.Free)
	// Output:
	// closure 1 [0, 9223372036854775807) 2
	// missing: [12, 24) 1
	// in the way: #2 [12, 24) 7
	// free: 1
	// free from 6 on: 3
}

// A node is drained: reservations that run on it from hour 4 on go elsewhere, or are dropped.
func ExampleDisplace() {
	nodes, _ := idletree.NewTree(3, idletree.Config{})
	for _, server := range []int{0, 1, 2} {
		r := bookahead.At(bookahead.Time(server), 6, 1)
		r.Servers = []int{server}
		_, _ = nodes.Reserve(r)
	}
	_, _ = nodes.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 4, End: bookahead.MaxTime}, Servers: []int{1}})

	done, err := bookahead.Displace(nodes, bookahead.Force{})
	for _, m := range done.Moved {
		fmt.Println(m.From, "→", m.To.Interval, m.To.Servers)
	}
	fmt.Println(len(done.Dropped), "dropped", err)
	// Output:
	// #2 [1, 7) [1] → [6, 12) [0]
	// 0 dropped <nil>
}

// Preemption: a job of priority 9 takes the place of less important jobs. The least important go
// first, and jobs that need not go stay.
func ExampleDisplace_preemption() {
	cluster, _ := carts.NewIndexed(8, carts.Config{})
	priority := map[bookahead.ID]int{}
	for i, units := range []int64{3, 4, 1} {
		res, _ := cluster.Reserve(bookahead.At(0, 10, units))
		priority[res.ID] = 5 - i
	}

	urgent := bookahead.At(0, 5, 4)
	done, _ := bookahead.Displace(cluster, bookahead.Force{
		Request: &urgent,
		Order:   func(a, b bookahead.Reservation) int { return cmp.Compare(priority[a.ID], priority[b.ID]) },
		Spare:   func(res bookahead.Reservation) bool { return priority[res.ID] >= 9 },
	})
	fmt.Println("booked:", done.Booked)
	for _, m := range done.Moved {
		fmt.Println("moved:", m.From, "→", m.To.Interval)
	}
	// Output:
	// booked: #4 [0, 5) 4
	// moved: #2 [0, 10) 4 → [5, 15)
}

// An administrator books over other reservations. Those in the way are dropped, and listed.
func ExampleDisplace_forced() {
	lab, _ := carts.NewIndexed(1, carts.Config{})
	_, _ = lab.Reserve(bookahead.At(9, 3, 1))
	exam := bookahead.At(10, 2, 1)
	drop := func(bookahead.Reservation) (r bookahead.Request, again bool) { return r, false }
	done, _ := bookahead.Displace(lab, bookahead.Force{Request: &exam, Again: drop})
	fmt.Println(done.Booked, "in place of", done.Dropped)
	// Output:
	// #2 [10, 12) 1 in place of [#1 [9, 12) 1]
}
