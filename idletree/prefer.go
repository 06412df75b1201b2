package idletree

import (
	"cmp"

	"github.com/bookahead/bookahead"
)

// Prefer is an order in which idle periods that are long enough are used. The zero value uses
// the first periods found. BestFit, WorstFit and LowestIndex are the orders of this package, and
// PreferFunc makes an order of the caller's own.
type Prefer struct {
	policy uint64 // as a snapshot names it
	order  order  // nil for the first found
	bound  bound  // of order
}

// order compares two idle periods for a reservation in w, as the function of PreferFunc does.
type order func(w bookahead.Interval, a, b Period) int

// The orders of this package. With these, a Tree passes over most idle periods that are not better
// than the periods found so far.
var (
	// BestFit prefers the shortest idle period, so that long periods stay whole. The length
	// counts from the Start of the period, even if the Start is long past.
	BestFit = Prefer{bestFit, tightest, shortest}

	// WorstFit prefers the longest idle period, so that its rest stays useful.
	WorstFit = Prefer{worstFit, widest, longest}

	// LowestIndex prefers the server of lowest index.
	LowestIndex = Prefer{lowestIndex, lowestServer, lowest}
)

// PreferFunc returns an order of the caller's own. The function compares two idle periods that are
// long enough for a reservation in w: a is used first if the result is negative, and b if the
// result is positive. The function must order all periods consistently; if it returns 0, the lower
// server is used first. If the function is nil, the result is the zero value.
//
// For a choice that needs to see all servers at once, ask RangeQuery or Idle, and name the chosen
// servers in the request.
func PreferFunc(compare func(w bookahead.Interval, a, b Period) int) Prefer {
	if compare == nil {
		return Prefer{}
	}
	return Prefer{policy: callersOwn, order: compare}
}

// Compare returns a negative number if a is used before b for a reservation in w, a positive number
// if b is used before a, and 0 if the order does not prefer either. The zero value prefers no
// period. With Compare, an order of the caller's own can be built on another order.
func (prefer Prefer) Compare(w bookahead.Interval, a, b Period) int {
	if prefer.order == nil {
		return 0
	}
	return prefer.order(w, a, b)
}

func tightest(_ bookahead.Interval, a, b Period) int { return cmp.Compare(a.Len(), b.Len()) }

func widest(_ bookahead.Interval, a, b Period) int { return cmp.Compare(b.Len(), a.Len()) }

func lowestServer(_ bookahead.Interval, a, b Period) int { return byServer(a, b) }

// latestStart prefers the server that has been idle for the shortest time.
func latestStart(_ bookahead.Interval, a, b Period) int { return cmp.Compare(b.Start, a.Start) }

// bound says which sums of the index (T4) bound an order, so that a search passes over kids.
type bound int

const (
	unbounded bound = iota
	shortest
	longest
	lowest
	lasting
)

// before reports whether a is used before b: by the order, and then by the lower server.
func (o order) before(w bookahead.Interval, a, b Period) bool {
	c := o(w, a, b)
	if c != 0 {
		return c < 0
	}
	return a.Server < b.Server
}

// Policies, as a snapshot names them.
const (
	firstFound = iota
	bestFit
	worstFit
	lowestIndex
	callersOwn
)
