// Bandwidth is a calendar of transfers over one line of 100 Gb/s. A transfer may be
// narrow and long or wide and short: of its shapes that end in time it takes the one
// that is done first. The calendar survives a restart. A tick is a minute.
package main

import (
	"fmt"
	"log"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

const gbps = 100

func main() {
	line := must(carts.NewIndexed(gbps, carts.Config{Horizon: 24 * 60}))
	must(line.Reserve(bookahead.Request{Ready: 60, Duration: 180, Units: 70})) // a telescope
	must(line.Reserve(bookahead.Request{Ready: 300, Duration: 60, Units: 100}))

	for _, t := range []struct {
		name            string
		terabytes       int64
		ready, deadline bookahead.Time
	}{
		{"genomes", 60, 0, 12 * 60},
		{"climate", 110, 30, 12 * 60},
		{"backup", 40, 120, 8 * 60},
		{"movie", 300, 0, 8 * 60},
	} {
		booked, err := transfer(line, t.terabytes, t.ready, t.deadline)
		if err != nil {
			fmt.Printf("%-8s %v\n", t.name, err)
			continue
		}
		fmt.Printf("%-8s %3d Gb/s in %v\n", t.name, booked.Units, booked.Interval)
	}

	// Written before a restart, and read after it.
	saved := must(line.MarshalBinary())
	restarted := new(carts.Indexed)
	if err := restarted.UnmarshalBinary(saved); err != nil {
		log.Fatal(err)
	}
	fmt.Println("the calendar, after a restart from", len(saved), "bytes:")
	for start := bookahead.Time(0); start < 10*60; start += 30 {
		a := must(restarted.RangeQuery(bookahead.Interval{Start: start, End: start + 30}))
		fmt.Printf("%02d:%02d │%s\n", start/60, start%60, strings.Repeat("█", int(gbps-a.Free)/4))
	}
}

// transfer books the shape that is done first.
func transfer(line bookahead.Schedule, terabytes int64, ready, deadline bookahead.Time) (bookahead.Reservation, error) {
	var best bookahead.Offer
	for _, rate := range []int64{10, 20, 40, 80, 100} {
		minutes := (terabytes*8000 + rate*60 - 1) / (rate * 60)
		r := bookahead.Request{Ready: ready, Deadline: deadline, Duration: bookahead.Duration(minutes), Units: rate}
		if r.Validate() != nil {
			continue // too slow for its deadline
		}
		if o, err := line.Search(r); err == nil && (best.Units == 0 || o.End < best.End) {
			best = o
		}
	}
	if best.Units == 0 {
		return bookahead.Reservation{}, bookahead.ErrUnavailable
	}
	return line.Reserve(best.Request())
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
