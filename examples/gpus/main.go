// Gpus is the maintenance of a cluster: half of its GPUs will be out for
// twelve hours. When does that cost the least? Each plan is tried with the expected jobs, on a copy of the
// schedule. A copy costs next to nothing. A tick is a minute.
package main

import (
	"errors"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

const (
	gpus = 32
	hour = 60
	day  = 24 * hour
)

func main() {
	cluster := must(carts.NewIndexed(gpus, carts.Config{Horizon: 7 * day}))
	rng := rand.New(rand.NewPCG(1, 2))
	for range 36 { // bookings of the week, more by day than by night
		at := bookahead.Time(rng.IntN(6)*day + 8*hour + rng.IntN(10*hour))
		_, err := cluster.Reserve(bookahead.Request{
			Ready: at, Deadline: at + day, Duration: bookahead.Duration(hour + rng.IntN(8*hour)), Units: 1 + rng.Int64N(12),
		})
		if err != nil && !errors.Is(err, bookahead.ErrUnavailable) {
			log.Fatal(err)
		}
	}
	queue := jobs(rng)
	fmt.Printf("without maintenance: %.1f hours of waiting\n", wait(cluster.Clone(), queue))

	// No reservation may be broken off; jobs may have to wait.
	best, least := bookahead.Reservation{}, -1.0
	for d := range 5 {
		for _, h := range []int{0, 6, 12, 18} {
			plan := cluster.Clone()
			ready := bookahead.Time(d*day + h*hour)
			out, err := plan.Reserve(bookahead.Request{Ready: ready, Deadline: ready + 12*hour, Duration: 12 * hour, Units: gpus / 2})
			if err != nil {
				continue
			}
			hours := wait(plan, queue)
			fmt.Printf("day %d, %2d:00: %.1f\n", d, h, hours)
			if least < 0 || hours < least {
				best, least = out, hours
			}
		}
	}
	done := must(cluster.Reserve(best.Request()))
	fmt.Printf("maintenance: %v\n", done)

	// As late as possible, if the spare parts come late.
	late := must(cluster.SearchLatest(bookahead.Request{Deadline: 5 * day, Duration: 12 * hour, Units: gpus / 2}))
	fmt.Printf("the last place before day 5: day %d, %d:00\n", late.Start/day, late.Start%day/hour)
}

// jobs returns the jobs that are expected.
func jobs(rng *rand.Rand) []bookahead.Request {
	var list []bookahead.Request
	for range 80 {
		list = append(list, bookahead.Request{
			Ready: bookahead.Time(rng.IntN(5 * day)), Duration: bookahead.Duration(hour + rng.IntN(6*hour)), Units: 1 + rng.Int64N(8),
		})
	}
	return list
}

// wait books the jobs, and returns for how many hours they wait in all. A job that
// finds no place counts as a wait of a week.
func wait(s bookahead.Schedule, jobs []bookahead.Request) float64 {
	minutes := 0.0
	for _, j := range jobs {
		if r, err := s.Reserve(j); err == nil {
			minutes += float64(r.Start - j.Ready)
		} else {
			minutes += 7 * day
		}
	}
	return minutes / hour
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
