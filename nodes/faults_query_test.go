package nodes

import (
	"iter"

	"github.com/bookahead/bookahead"
)

// A query about free amounts is wrong, while all bookings are right.
var queryFaults = []fault{
	{name: "idle periods that touch", open: idles(func(p bookahead.Interval, yield func(bookahead.Interval) bool) {
		mid := p.Start + bookahead.Time(p.Len())/2
		if mid == p.Start || yield(bookahead.Interval{Start: p.Start, End: mid}) {
			yield(bookahead.Interval{Start: mid, End: p.End})
		}
	})},
	{name: "idle periods of a tick left out", open: idles(func(p bookahead.Interval, yield func(bookahead.Interval) bool) {
		if p.Len() > 1 {
			yield(p)
		}
	})},
	{name: "idle from the start of the window, also in the past", open: onMachine(spoilt{
		idle: func(b booker, node int, each Vector, w bookahead.Interval) iter.Seq[bookahead.Interval] {
			return func(yield func(bookahead.Interval) bool) {
				for p := range b.Idle(node, each, w) {
					if p.Start == b.Frame().Now {
						p.Start = min(p.Start, w.Start)
					}
					if !yield(p) {
						return
					}
				}
			}
		}})},
	{name: "idle while only the first resource is free", open: onMachine(spoilt{
		idle: func(b booker, node int, each Vector, w bookahead.Interval) iter.Seq[bookahead.Interval] {
			if len(each) > 0 && each[0] > 0 {
				first := make(Vector, len(each))
				first[0] = each[0]
				each = first
			}
			return b.Idle(node, each, w)
		}})},
	{name: "view that counts closed nodes", open: onCells(spoilt{
		ofTasks: func(b booker, each Vector, perNode int64) (bookahead.Frame, error) {
			f, err := b.limits(each, perNode)
			for k, given := range cellsOf(b).c.Nodes {
				if err == nil && !cellsOf(b).open(k, f.Now) {
					f.Capacity += Request{Each: each, PerNode: perNode}.fit(given)
				}
			}
			return f, err
		}})},
	{name: "view whose capacity is what is free", open: onMachine(spoilt{
		ofTasks: func(b booker, each Vector, perNode int64) (bookahead.Frame, error) {
			f, err := b.limits(each, perNode)
			if err == nil {
				a, _ := b.room(each, perNode, bookahead.Interval{Start: f.Now, End: f.Now + 1})
				f.Capacity = a.Free
			}
			return f, err
		}})},
	{name: "view whose nodes hold any number of tasks", open: onMachine(spoilt{
		ofTasks: func(b booker, each Vector, _ int64) (bookahead.Frame, error) { return b.limits(each, 0) },
	})},
}

// idles yields something else for each idle period.
func idles(change func(p bookahead.Interval, yield func(bookahead.Interval) bool)) maker {
	return onMachine(spoilt{idle: func(b booker, node int, each Vector, w bookahead.Interval) iter.Seq[bookahead.Interval] {
		return func(yield func(bookahead.Interval) bool) {
			for p := range b.Idle(node, each, w) {
				change(p, yield)
			}
		}
	}})
}
