package carts

import "github.com/bookahead/bookahead"

// Config holds the settings of the constructors. With the zero value a schedule begins at tick 0,
// has no horizon, and is empty.
type Config struct {
	// Origin is the time of the clock at first.
	Origin bookahead.Time
	// Horizon is how many ticks ahead of the clock can be booked; 0 means to
	// the end of the axis.
	Horizon bookahead.Duration
	// Booked are the reservations that the schedule holds from the start; the k-th gets ID k+1.
	// Each must end after the Origin. It may have begun before the Origin, but not before tick 0.
	// Flat and Indexed build from Booked in O(n) if both the starts and the ends of the
	// reservations ascend, and in O(n log n) otherwise (Kurowski et al., Algorithm 1).
	Booked []bookahead.Offer
}
