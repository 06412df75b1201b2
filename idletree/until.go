package idletree

import (
	"cmp"

	"github.com/bookahead/bookahead"
)

// Openings needs to know until when a request fits without another Search: as long as enough of the
// servers that are idle at t stay idle, whichever servers Config.Prefer would take. So until searches
// for the best servers, but in an order of its own, the latest end first:
//
//	idle at 7, until      31  20  12
//	a request for 2       31 and 20 are the latest ends: two servers stay idle until 20

// lastingLongest prefers the idle periods with the latest ends.
var lastingLongest = Prefer{
	order: func(_ bookahead.Interval, a, b Period) int { return cmp.Compare(b.End, a.End) },
	bound: lasting,
}

// Until reads the calendar of each server that is named, or of all.
func (f *fleet) Until(t bookahead.Time, r bookahead.Request, limit bookahead.Time) bookahead.Time {
	g := *f // a query must not write, not even another order
	g.prefer = lastingLongest
	return until(&g, t, r, limit)
}

// Until passes over kids in which no period ends later than the periods found so far.
func (x *tree) Until(t bookahead.Time, r bookahead.Request, limit bookahead.Time) bookahead.Time {
	y := *x
	y.prefer = lastingLongest
	return until(&y, t, r, limit)
}

// until returns the earliest end among the best periods, but no later than limit.
func until(by finder, t bookahead.Time, r bookahead.Request, limit bookahead.Time) bookahead.Time {
	end := limit
	for _, p := range by.best(r, t, nil) {
		end = min(end, p.End)
	}
	return end
}
