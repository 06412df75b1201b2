package idletree

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

var _ = []bookahead.LatestSearcher{(*Tree)(nil), (*Lists)(nil)}

// SearchLatest implements bookahead.LatestSearcher. It goes through the idle periods that are long
// enough and end after the offer, latest end first, in O(log p) for each. If servers are named, it
// costs as much as in a Lists.
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

// backward is a sweep in which time runs backwards. A sweep finds the earliest start in periods
// that come by start. If every time is negated, ends become starts, so that the same sweep finds
// the latest end in periods that come latest end first:
//
//	period [5, 31)                  is  [-31, -5)
//	last start 20, for 4 ticks      is  first start -24
//	the sweep returns start -24     so the window is [20, 24)
type backward struct{ sweep }

func newBackward(r bookahead.Request, last bookahead.Time) backward {
	return backward{newSweep(r, -last-bookahead.Time(r.Duration), nil)}
}

// add adds an idle period, as sweep.add does. It returns the latest start as soon as it is known.
func (b *backward) add(p bookahead.Interval) (bookahead.Time, bool) {
	end, ok := b.sweep.add(bookahead.Interval{Start: -p.End, End: -p.Start})
	return -end - b.duration, ok
}

// latest sorts the periods in which a window could lie, latest end first. The loop stops at the
// first period that ends too early for a start at first, because all periods after it end earlier.
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

// latest needs no sorting: the index yields the latest ends first.
func (x *tree) latest(r bookahead.Request, first, last bookahead.Time) (bookahead.Time, bool) {
	if r.Servers != nil {
		return x.fleet.latest(r, first, last)
	}
	b := newBackward(r, last)
	return x.index.root.descendEnds(span{by: last, end: first + b.duration, length: b.duration}, b.add)
}

// branchEnd is entry i of a node: an idle period, or a kid with the latest end below it.
type branchEnd struct {
	nd *node
	i  int
}

// descendEnds passes the periods that s selects to add, latest end first, until add has found a
// start. The tree is in the order of starts, so the latest ends may be anywhere. A heap holds the
// entries of the nodes opened so far, the latest end on top. By T4 no period below a kid ends later
// than the entry of the kid, so a period on top has the latest end of all periods still to come. In
// the tree of index.go, for the periods that start by 8:
//
//	opened   heap                        on top
//	root     ∞  31                       kid 0 is opened
//	kid 0    ∞  31   9   7               server 3 is added, then kid 1 is opened
//	kid 1       31  13  12   9   7       server 2 is added, then 5, 4, 1 and 0
//
// Kid 1 is not opened if server 3 is enough.
func (nd *node) descendEnds(s span, add func(bookahead.Interval) (bookahead.Time, bool)) (bookahead.Time, bool) {
	next := heap[branchEnd]{before: func(a, b branchEnd) bool { return a.nd.end[a.i] > b.nd.end[b.i] }}
	open := func(nd *node) {
		for i := range nd.after(s.by) {
			length := nd.end[i] - nd.start[i]
			if nd.kids != nil {
				length = nd.kids.longest[i]
			}
			if nd.end[i] >= s.end && length >= s.length {
				next.push(branchEnd{nd, i})
			}
		}
	}
	open(nd)
	for len(next.list) > 0 {
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
