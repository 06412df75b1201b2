package grid

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/closures"
)

// shutters has the times at which servers of a Binder are closed. It is made at the first closure or
// extension.
//
// A server is there for ever, or for the time of the extension that has added it. It is closed while
// it is not there, and while a closure names it:
//
//	there     ├─────────────────────►        added from 5 on
//	closures       ├────┤
//	                 ├──────┤     ├──┤
//	closed  ──┤    ├────────┤     ├──┤
//	          5    10       19    25 28
type shutters struct {
	closures.List
	given  int                          // the number of servers from the start
	all    int                          // the number of servers, also of those that were added
	named  map[int][]bookahead.Interval // the closures of each server; a slice is never changed
	extras []extra                      // extensions that are not over, by server
}

// extra is an extension: the servers from first up to, but not including, behind.
type extra struct {
	bookahead.Interval
	first, behind int
}

// always is the time for which the servers from the start are there.
var always = bookahead.Interval{Start: math.MinInt64, End: bookahead.MaxTime}

// there returns the time for which a server is there; an empty time if its extension is over.
func (x *shutters) there(server int) bookahead.Interval {
	if server < x.given {
		return always
	}
	i := x.extra(server)
	if i == len(x.extras) || server < x.extras[i].first {
		return bookahead.Interval{}
	}
	return x.extras[i].Interval
}

// extra returns the place of the first extension with a server that is not before the given one.
func (x *shutters) extra(server int) int {
	i, _ := slices.BinarySearchFunc(x.extras, server+1, func(e extra, behind int) int { return cmp.Compare(e.behind, behind) })
	return i
}

// shutFrom returns the first tick from t on at which a server is closed; MaxTime if there is none.
func (x *shutters) shutFrom(server int, t bookahead.Time) bookahead.Time {
	there := x.there(server)
	if !there.Contains(t) {
		return t
	}
	next := there.End
	for _, w := range x.named[server] {
		if t < w.End {
			next = min(next, max(t, w.Start))
		}
	}
	return next
}

// shutIn returns the stretches of w in which a server is closed, by start. They do not touch.
func (x *shutters) shutIn(server int, w bookahead.Interval) []bookahead.Interval {
	there := x.there(server)
	if there.Empty() {
		there = bookahead.Interval{Start: w.End, End: w.End}
	}
	before := bookahead.Interval{Start: w.Start, End: min(w.End, there.Start)}
	behind := bookahead.Interval{Start: max(w.Start, there.End), End: w.End}
	return cover(append([]bookahead.Interval{before, behind}, x.named[server]...), w)
}

// closedIn returns the stretches from now on in which a server is there, but closed. The pool has a
// unit for a server only while the server is there, so it must lack a unit in exactly these stretches.
func (x *shutters) closedIn(server int, now bookahead.Time) []bookahead.Interval {
	there := x.there(server)
	there.Start = max(there.Start, now)
	return cover(x.named[server], there)
}

// cover returns the ticks of w that lie in any interval of a list, as stretches that ascend and do not
// touch.
func cover(list []bookahead.Interval, w bookahead.Interval) (stretches []bookahead.Interval) {
	list = slices.Clone(list)
	slices.SortFunc(list, byTime)
	for _, part := range list {
		part = bookahead.Interval{Start: max(part.Start, w.Start), End: min(part.End, w.End)}
		last := len(stretches) - 1
		switch {
		case part.Empty():
		case last >= 0 && part.Start <= stretches[last].End:
			stretches[last].End = max(stretches[last].End, part.End)
		default:
			stretches = append(stretches, part)
		}
	}
	return stretches
}

func byTime(a, b bookahead.Interval) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}

// close adds a closure of a server.
func (x *shutters) close(server int, w bookahead.Interval) {
	x.named[server] = append(slices.Clip(x.named[server]), w)
}

// reopen makes the closure w of a server end at a time, which is not before now. A closure that is then
// empty or over is removed.
func (x *shutters) reopen(server int, w bookahead.Interval, at, now bookahead.Time) {
	list := slices.Clone(x.named[server])
	i := slices.Index(list, w)
	list[i].End = at
	if at <= max(w.Start, now) {
		list = slices.Delete(list, i, i+1)
	}
	x.set(server, list)
}

func (x *shutters) set(server int, list []bookahead.Interval) {
	if len(list) == 0 {
		delete(x.named, server)
		return
	}
	x.named[server] = list
}

// add adds n servers, and returns the first.
func (x *shutters) add(n int, w bookahead.Interval) int {
	first := x.all
	x.all += n
	x.extras = append(x.extras, extra{w, first, x.all})
	return first
}

// retract ends the extension that has added a server. An extension that is then empty or over is removed.
func (x *shutters) retract(server int, at, now bookahead.Time) {
	i := x.extra(server)
	x.extras = slices.Clone(x.extras)
	x.extras[i].End = at
	if at <= max(x.extras[i].Start, now) {
		x.extras = slices.Delete(x.extras, i, i+1)
	}
}

// forget drops the closures and extensions that are over by now. O(l) for l closures of all servers, if
// one is over.
func (x *shutters) forget(now bookahead.Time) {
	if !x.Forget(now) {
		return
	}
	x.extras = slices.DeleteFunc(slices.Clone(x.extras), func(e extra) bool { return e.End <= now })
	for k, list := range x.named {
		over := func(w bookahead.Interval) bool { return w.End <= now }
		if slices.ContainsFunc(list, over) {
			x.set(k, slices.DeleteFunc(slices.Clone(list), over))
		}
	}
}

func (x *shutters) clone() *shutters {
	c := *x
	c.List, c.named, c.extras = x.List.Clone(), maps.Clone(x.named), slices.Clone(x.extras)
	return &c
}
