package idletree

import "github.com/bookahead/bookahead"

// Config holds the settings of NewTree and NewLists. The zero value is a
// schedule that begins at tick 0, has no horizon, and takes the first servers
// that it finds.
type Config struct {
	// Origin is the time at which the clock stands at first.
	Origin bookahead.Time
	// Horizon is how many ticks ahead of the clock can be booked; 0 means to
	// the end of the axis.
	Horizon bookahead.Duration
	// Prefer chooses among the servers that are free. The zero value takes the
	// first found, and looks at no more than it needs. For BestFit, WorstFit and
	// LowestIndex a Tree looks at some more, for an order of the caller's own
	// (PreferFunc) at all servers that are free.
	Prefer Prefer
	// Booked is what the schedule holds from the start; the k-th gets ID k+1. Each ends
	// after the Origin, and names its servers. It may have begun before the Origin, but not
	// before tick 0. All take
	// O((N + n) log n) for n servers of all reservations together.
	Booked []bookahead.Offer
}
