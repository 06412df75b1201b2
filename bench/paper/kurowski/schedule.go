package main

import (
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/slotted"
)

// form is the structure that a provider keeps its reservations in. The zero value
// has variable slots.
type form struct {
	slot   bookahead.Duration // the width of fixed slots, in seconds; 0 for variable ones
	bind   binding
	probed bool // searches are counted
}

// binding says when a task gets its servers.
type binding int

const (
	counted binding = iota // never: units are counted
	dynamic                // when it starts
	early                  // when it is booked
)

// The slots of §3.3, in seconds.
const (
	shortSlot = 600
	longSlot  = hour
)

// open returns an empty schedule from 0 on.
func (f form) open(units int64, horizon bookahead.Duration) (bookahead.Schedule, error) {
	switch {
	case f.bind == early:
		return idletree.NewTree(units, idletree.Config{})
	case f.bind == dynamic:
		pool, err := carts.NewIndexed(units, carts.Config{})
		if err != nil {
			return nil, err
		}
		return grid.NewBinder(pool)
	case f.slot > 0:
		return slotted.NewScan(units, slotted.Config{Slot: f.slot, Horizon: horizon})
	case f.probed:
		return carts.NewFlat(units, carts.Config{})
	}
	return carts.NewIndexed(units, carts.Config{})
}

// probe counts the slots that searches go through.
type probe struct {
	bookahead.Schedule
	slot     bookahead.Duration // the width of fixed slots; 0 for variable ones
	searches int
	slots    int           // from the slot of the ready time to the slot in which the offer ends
	took     time.Duration // of all searches, with one reading of the clock for each
}

// Search implements bookahead.Schedule. A search that finds nothing is not counted.
func (p *probe) Search(r bookahead.Request) (bookahead.Offer, error) {
	began := time.Now()
	o, err := p.Schedule.Search(r)
	took := time.Since(began)
	if err == nil {
		p.searches++
		p.took += took
		p.slots += p.count(bookahead.Interval{Start: r.Ready, End: o.End})
	}
	return o, err
}

// count returns the number of slots that w touches.
func (p *probe) count(w bookahead.Interval) int {
	if p.slot > 0 {
		width := bookahead.Time(p.slot)
		return int((w.End+width-1)/width - w.Start/width)
	}
	change := map[bookahead.Time]int64{}
	keeper := p.Schedule.(bookahead.Keeper)
	for r := range keeper.Reservations(keeper.Frame().Window()) {
		change[r.Start] -= r.Units
		change[r.End] += r.Units
	}
	n := 1
	for t, units := range change {
		if w.Start < t && t < w.End && units != 0 {
			n++
		}
	}
	return n
}
