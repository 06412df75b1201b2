package idletree

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// Prefer says which of two idle periods, both long enough for a reservation in
// w, is to be used first: a if the result is negative, b if it is positive. It
// must order all periods consistently; those it calls equal are taken by lowest
// server. A choice that needs to see all servers at once is made outside: ask
// RangeQuery or Idle, and name the servers in the request.
type Prefer func(w bookahead.Interval, a, b Period) int

// BestFit prefers the tightest idle period, so that long ones stay whole.
func BestFit(_ bookahead.Interval, a, b Period) int { return cmp.Compare(a.Len(), b.Len()) }

// WorstFit prefers the longest idle period, so that what is left is of use.
func WorstFit(_ bookahead.Interval, a, b Period) int { return cmp.Compare(b.Len(), a.Len()) }

// LowestIndex prefers the server that comes first.
func LowestIndex(_ bookahead.Interval, a, b Period) int { return byServer(a, b) }

// latestStart prefers what has been idle for the shortest time.
func latestStart(_ bookahead.Interval, a, b Period) int { return cmp.Compare(b.Start, a.Start) }

// best returns the n most preferred of the periods, which it reorders. It takes
// O(k log n) for k of them.
func (prefer Prefer) best(w bookahead.Interval, periods []Period, n int) []Period {
	compare := func(a, b Period) int {
		if c := prefer(w, a, b); c != 0 {
			return c
		}
		return byServer(a, b)
	}
	// From the n-th on, keep[:n] is sorted, and behind it are up to n that beat
	// the worst of them.
	keep := periods[:0]
	for _, p := range periods {
		if len(keep) >= n && compare(p, keep[n-1]) > 0 {
			continue
		}
		if keep = append(keep, p); len(keep) == n || len(keep) == 2*n {
			slices.SortFunc(keep, compare)
			keep = keep[:n]
		}
	}
	slices.SortFunc(keep, compare)
	return keep[:n]
}
