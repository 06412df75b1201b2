package oracle

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// Part is the part of the capacity that a request could have: a number of units, or some servers.
type Part struct {
	Units   int64
	Servers []int // nil for a pool, and where nothing can be booked
}

// Equal reports whether two parts are the same.
func (p Part) Equal(q Part) bool { return p.Units == q.Units && slices.Equal(p.Servers, q.Servers) }

// and returns the part that the request could have at both of two times.
func (p Part) and(q Part) Part {
	if p.Servers == nil && q.Servers == nil {
		return Part{Units: min(p.Units, q.Units)}
	}
	both := []int{}
	for _, k := range p.Servers {
		if slices.Contains(q.Servers, k) {
			both = append(both, k)
		}
	}
	return Part{int64(len(both)), both}
}

// PartAt returns the part that r could have at a tick.
func (o *Oracle) PartAt(r bookahead.Request, t bookahead.Time) Part {
	if t < o.Clock || t >= o.Until() {
		return Part{}
	}
	n, servers := o.allowed(r)(bookahead.Interval{Start: t, End: t + 1})
	return Part{n, servers}
}

// Reasons returns the reasons that Explain must give why r does not fit. It goes from tick to
// tick. A schedule that tells no Frame does not know the time, and takes another tick for now.
func (o *Oracle) Reasons(r bookahead.Request, now bookahead.Time) (e bookahead.Explanation) {
	d := bookahead.Time(r.Duration)
	start := min(max(r.Ready, now), bookahead.MaxTime-d)
	if r.Deadline != 0 {
		start = min(start, r.Deadline-d)
	}
	e.Window = bookahead.Interval{Start: start, End: start + d}
	at := func(t bookahead.Time) Part { return o.PartAt(r, t) }
	last := start // with this tick too little is left in common
	for common := at(last); common.Units >= r.Units; common = common.and(at(last)) {
		last++
		if last == start+d {
			return e
		}
	}
	e.Blocked = bookahead.Interval{Start: last, End: last + 1}
	common := at(last)
	if common.Units < r.Units {
		for e.Blocked.End < start+d && at(e.Blocked.End).Units < r.Units {
			common = common.and(at(e.Blocked.End))
			e.Blocked.End++
		}
	}
	for common.Units >= r.Units {
		e.Blocked.Start--
		common = common.and(at(e.Blocked.Start))
	}
	e.Free = common.Units
	e.Changes = bookahead.MaxTime
	here := at(e.Blocked.Start)
	quiet := max(o.Busy(), e.Blocked.Start) // from this tick on nothing changes but the horizon
	for t := e.Blocked.Start + 1; t-1 <= quiet && t < bookahead.MaxTime; t++ {
		if !at(t).Equal(here) {
			e.Changes = t
			return e
		}
	}
	if here.Units > 0 && o.Until() > e.Blocked.Start {
		e.Changes = o.Until()
	}
	return e
}
