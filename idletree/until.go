package idletree

import (
	"cmp"

	"github.com/bookahead/bookahead"
)

// lastingLongest is the order that finds the idle periods with the latest ends.
var lastingLongest = Prefer{
	order: func(_ bookahead.Interval, a, b Period) int { return cmp.Compare(b.End, a.End) },
	bound: func(_ bookahead.Interval, nd *node, i int) Period {
		return Period{bookahead.Interval{End: nd.end[i]}, int(nd.kids.lowest[i])}
	},
}

// Until reads the calendar of each server that is named, or of all.
func (f *fleet) Until(t bookahead.Time, r bookahead.Request, limit bookahead.Time) bookahead.Time {
	g := *f
	g.prefer = lastingLongest
	return until(&g, t, r, limit)
}

// Until reads the leaves with the latest ends.
func (x *tree) Until(t bookahead.Time, r bookahead.Request, limit bookahead.Time) bookahead.Time {
	y := *x
	y.prefer = lastingLongest
	return until(&y, t, r, limit)
}

// until returns the first of the ends that by finds.
func until(by finder, t bookahead.Time, r bookahead.Request, limit bookahead.Time) bookahead.Time {
	end := limit
	for _, p := range by.best(r, t, nil) {
		end = min(end, p.End)
	}
	return end
}
