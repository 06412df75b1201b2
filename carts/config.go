package carts

import "github.com/bookahead/bookahead"

// Config holds the settings of the constructors. The zero value is a schedule that begins
// at tick 0, has no horizon, and is empty.
type Config struct {
	// Origin is the time at which the clock stands at first.
	Origin bookahead.Time
	// Horizon is how many ticks ahead of the clock can be booked; 0 means to
	// the end of the axis.
	Horizon bookahead.Duration
	// Booked is what the schedule holds from the start; the k-th gets ID k+1. Each ends
	// after the Origin. It may have begun before it, but not before tick 0. Flat and Indexed build from it in
	// O(n) if the reservations come in the order of their starts, and of their ends too,
	// and in O(n log n) otherwise (Kurowski et al., Algorithm 1).
	Booked []bookahead.Offer
}
