package main

import (
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
