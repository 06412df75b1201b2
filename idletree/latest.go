package idletree

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

// SearchLatest implements bookahead.LatestSearcher. It goes through the idle periods that
// are long enough and end after the offer, latest end first, in O(log p) for each of p. If
// servers are named, it costs what it does in a Lists.
func (x *Tree) SearchLatest(r bookahead.Request) (bookahead.Offer, error) {
	return x.latest(x.tree(), r)
}

// SearchLatest implements bookahead.LatestSearcher. O(p log p) for the p idle periods between
// the ready time and the deadline, of the servers named or of all.
func (l *Lists) SearchLatest(r bookahead.Request) (bookahead.Offer, error) {
	return l.latest(l.roster().calendars(), r)
}

func (x *schedule) latest(by finder, r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := x.s.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	t, ok := by.latest(r, first, last)
	if !ok {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return servers.OfferAt(t, r, x.roster().calendars().serversOf(by.best(r, t, nil))), nil
}

// backward is a sweep in which time runs backwards: a period begins where it ends, and a
// window as well. It finds the latest start in idle periods that are added latest end first.
type backward struct{ sweep }

func newBackward(r bookahead.Request, last bookahead.Time) backward {
	return backward{newSweep(r, -last-bookahead.Time(r.Duration), nil)}
}

// add is sweep.add.
func (b *backward) add(p bookahead.Interval) (bookahead.Time, bool) {
	end, ok := b.sweep.add(bookahead.Interval{Start: -p.End, End: -p.Start})
	return -end - b.duration, ok
}

func (f *fleet) latest(r bookahead.Request, first, last bookahead.Time) (bookahead.Time, bool) {
	periods := f.periods(r.Servers, bookahead.Interval{Start: first, End: last + 1})
	slices.SortFunc(periods, func(a, b Period) int { return cmp.Compare(b.End, a.End) })
	b := newBackward(r, last)
	for _, p := range periods {
		if p.End-first < b.duration {
			break
		}
		if t, ok := b.add(p.Interval); ok {
			return t, true
		}
	}
	return 0, false
}

func (x *tree) latest(r bookahead.Request, first, last bookahead.Time) (bookahead.Time, bool) {
	if r.Servers != nil {
		return x.fleet.latest(r, first, last)
	}
	b := newBackward(r, last)
	return x.index.root.descendEnds(span{by: last, end: first + b.duration, length: b.duration}, b.add)
}

// branchEnd is an entry of a node: an idle period, or a kid with the latest end below it.
type branchEnd struct {
	nd *node
	i  int
}

// descendEnds shows add the periods that s selects, latest end first, until it has found a
// start. Of the kids that it has come to, it goes on into the one with the latest end:
//
//	end   40 ─┬─ 40 ─┬─ 40     read first, and then 38
//	          │      └─ 12
//	          └─ 38 ─┬─ 38
//	                 └─ 31     not read, if 38 is enough
func (nd *node) descendEnds(s span, add func(bookahead.Interval) (bookahead.Time, bool)) (bookahead.Time, bool) {
	next := heap[branchEnd]{before: func(a, b branchEnd) bool { return a.nd.end[a.i] > b.nd.end[b.i] }}
	open := func(nd *node) {
		for i := range nd.begun(s.by) {
			length := nd.end[i] - nd.start[i]
			if nd.kids != nil {
				length = nd.kids.longest[i]
			}
			if nd.end[i] >= s.end && length >= s.length {
				next.push(branchEnd{nd, i})
			}
		}
	}
	for open(nd); len(next.list) > 0; {
		top := next.list[0]
		next.drop()
		if top.nd.kids != nil {
			open(top.nd.kids.node[top.i])
			continue
		}
		t, ok := add(bookahead.Interval{Start: top.nd.start[top.i], End: top.nd.end[top.i]})
		if ok {
			return t, true
		}
	}
	return 0, false
}
