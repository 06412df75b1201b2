package idletree

import "github.com/bookahead/bookahead"

// Config holds the settings of NewTree and NewLists. The zero value is a
// schedule that begins at tick 0, has no horizon, and takes the first servers
// that it finds.
type Config struct {
	// Origin is the first time that the clock shows.
	Origin bookahead.Time
	// Horizon is the number of ticks ahead of the clock that can be booked; 0 means
	// up to the end of the axis.
	Horizon bookahead.Duration
	// Prefer chooses among the free servers. The zero value takes the first found,
	// and looks at no more servers than it needs. For BestFit, WorstFit and
	// LowestIndex a Tree looks at some more, and for an order of the caller's own
	// (PreferFunc) at all free servers.
	Prefer Prefer
	// Booked are the reservations that the schedule holds from the start; the k-th
	// gets ID k+1. Each ends after the Origin, and names its servers. A reservation
	// may have begun before the Origin, but not before tick 0. All together take
	// O((N + n) log n) for n servers of all reservations.
	Booked []bookahead.Offer
}
