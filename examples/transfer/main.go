// Transfer is a night of copies between two sites over a line of 40 Gb/s. Each copy must be done by a time of its own, and
// other traffic comes and goes. A plan gives a copy at each minute what is free. The example plans the same night also with
// copies that keep one rate. A tick is a minute, and a unit is 1 Gb/s.
package main

import (
	"fmt"
	"log"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/volume"
)

const (
	rate  = 40
	night = 12 * 60
)

var clock = bookahead.Clock{Epoch: time.Date(2027, time.January, 4, 18, 0, 0, 0, time.UTC), Tick: time.Minute}

func main() {
	bent, fixed := line(), line()
	backup := volume.Request{Volume: rate * 150, Most: 32}
	p, _, err := volume.Reserve(bent, backup, bookahead.Effort{})
	check(err)
	fmt.Printf("the backup takes %d stretches, and is done at %s\n", len(p.Stretches), wall(p.Completion()))
	few := backup
	few.Stretches = 2
	p, err = volume.Search(fixed, few, bookahead.Effort{})
	check(err)
	for _, s := range p.Stretches {
		fmt.Printf("  in two at most: %2d Gb/s from %s to %s\n", s.Units, wall(s.Start), wall(s.End))
	}
	_, ok := atOneRate(fixed, backup)
	fmt.Println("at one rate it has a place:", ok)

	rng := rand.New(rand.NewPCG(6, 0))
	var asked, done, atOnce tally
	asked.add(backup)
	done.add(backup)
	for range 40 {
		r := volume.Request{Ready: bookahead.Time(rng.IntN(night / 2)), Volume: 60 + rng.Int64N(500), Most: 4 << rng.IntN(4)}
		r.Deadline = min(night, r.Ready+60+bookahead.Time(rng.IntN(6*60)))
		asked.add(r)
		_, _, err = volume.Reserve(bent, r, bookahead.Effort{})
		if err == nil {
			done.add(r)
		}
		o, ok := atOneRate(fixed, r)
		if ok {
			_, err = fixed.Reserve(o.Request())
			check(err)
			atOnce.add(r)
		}
	}
	fmt.Printf("with the backup, people ask for %v: %v are in time at any rate, and %v at one rate\n", asked, done, atOnce)
	fmt.Println("The line is used:\n         by copies at any rate                       by copies at one rate")
	for t := bookahead.Time(0); t < night; t += 45 {
		fmt.Printf("  %s  %-42s  %s\n", wall(t), taken(bent, t), taken(fixed, t))
	}
}

// tally is a number of copies, and their terabytes.
type tally struct {
	copies    int
	terabytes float64
}

func (t *tally) add(r volume.Request) {
	t.copies++
	t.terabytes += float64(r.Volume) * 60 / 8 / 1000
}

func (t tally) String() string { return fmt.Sprintf("%d copies of %.0f TB", t.copies, t.terabytes) }

// line returns the line with the traffic of others.
func line() *carts.Indexed {
	x, err := carts.NewIndexed(rate, carts.Config{Horizon: night})
	check(err)
	rng := rand.New(rand.NewPCG(18, 0))
	for range 22 {
		_, err = x.Reserve(bookahead.Request{Ready: bookahead.Time(rng.IntN(night)), Duration: 20 + bookahead.Duration(rng.IntN(120)), Units: 2 + rng.Int64N(12)})
		if err != nil && err != bookahead.ErrUnavailable { // no room before 06:00
			log.Fatal(err)
		}
	}
	return x
}

// atOneRate returns the place at one rate, of all that the copy may have, which is done first.
func atOneRate(s bookahead.Schedule, r volume.Request) (best bookahead.Offer, ok bool) {
	r.Stretches = 1
	p, err := volume.Search(s, r, bookahead.Effort{})
	if err != nil {
		return best, false
	}
	return bookahead.Offer{Interval: p.Stretches[0].Interval, Units: p.Stretches[0].Units}, true
}

func taken(s bookahead.Schedule, t bookahead.Time) string {
	a, err := s.RangeQuery(bookahead.Interval{Start: t, End: t + 1})
	check(err)
	return strings.Repeat("█", int(rate-a.Free)) + strings.Repeat("·", int(a.Free))
}

func wall(t bookahead.Time) string {
	w, err := clock.Wall(t)
	check(err)
	return w.Format("15:04")
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
