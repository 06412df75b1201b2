package grid

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/spans"
)

// index finds the reservations of a Broker by time: all of them, and those on each server.
type index struct {
	all spans.Index
	on  map[int]*spans.Index // none is empty
}

func (x *index) add(id bookahead.ID, o bookahead.Offer) {
	s := spans.Span{Interval: o.Interval, ID: id}
	x.all.Add(s)
	for _, k := range o.Servers {
		if x.on[k] == nil {
			x.on[k] = &spans.Index{}
		}
		x.on[k].Add(s)
	}
}

func (x *index) remove(id bookahead.ID, o bookahead.Offer) {
	s := spans.Span{Interval: o.Interval, ID: id}
	x.all.Remove(s)
	for _, k := range o.Servers {
		x.on[k].Remove(s)
		if x.on[k].Len() == 0 {
			delete(x.on, k)
		}
	}
}

// clone returns a copy. O(s) for s servers with reservations.
func (x *index) clone() *index {
	c := &index{all: x.all.Clone(), on: make(map[int]*spans.Index, len(x.on))}
	for k, on := range x.on {
		copied := on.Clone()
		c.on[k] = &copied
	}
	return c
}

// Track implements bookahead.Tracker. The index is of the Broker's own reservations; a provider may have
// an index of its own. O(n log n) for n reservations and their servers.
func (b *Broker) Track(on bool) {
	switch {
	case !on:
		b.lie = nil
	case b.lie == nil:
		b.lie = &index{on: map[int]*spans.Index{}}
		for _, id := range slices.Sorted(maps.Keys(b.booked)) {
			b.lie.add(id, b.booked[id].Offer)
		}
	}
}

// Live implements bookahead.Tracker. O(1).
func (b *Broker) Live() (n int, ok bool) {
	if b.lie == nil {
		return 0, false
	}
	return len(b.booked), true
}

// Reservations implements bookahead.Keeper. It yields the Broker's own reservations, and not those that
// others have made at its providers. O(n + k log k) for k of n reservations; O(log n + k) with an index.
func (b *Broker) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return b.ReservationsOn(w, nil)
}

// ReservationsOn implements bookahead.Tracker. It yields the Broker's own reservations. If the providers
// are pools, no reservation holds a server.
func (b *Broker) ReservationsOn(w bookahead.Interval, servers []int) iter.Seq[bookahead.Reservation] {
	return func(yield func(bookahead.Reservation) bool) {
		for _, s := range b.spansOn(w, servers) {
			res, _ := b.Reservation(s.ID)
			if !yield(res) {
				return
			}
		}
	}
}

// spansOn returns the spans of the reservations that ReservationsOn yields, by start, then by ID.
func (b *Broker) spansOn(w bookahead.Interval, servers []int) (list []spans.Span) {
	switch {
	case b.lie != nil && servers == nil:
		return slices.Collect(b.lie.all.Overlapping(w))
	case b.lie != nil:
		for _, k := range servers {
			if b.lie.on[k] != nil {
				list = slices.AppendSeq(list, b.lie.on[k].Overlapping(w))
			}
		}
	default:
		held := func(k int) bool { return slices.Contains(servers, k) }
		for id, k := range b.booked {
			if k.Overlaps(w) && (servers == nil || slices.ContainsFunc(k.Servers, held)) {
				list = append(list, spans.Span{Interval: k.Interval, ID: id})
			}
		}
	}
	slices.SortFunc(list, func(a, b spans.Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID))
	})
	return slices.Compact(list) // a reservation on several of the servers is there several times
}

// verifyIndex checks that the index has exactly the reservations.
func (b *Broker) verifyIndex() error {
	if b.lie == nil {
		return nil
	}
	want := &index{on: map[int]*spans.Index{}}
	for id, k := range b.booked {
		want.add(id, k.Offer)
	}
	same := func(x, y *spans.Index) bool {
		return x != nil && y != nil && x.Verify() == nil && slices.Equal(slices.Collect(x.Overlapping(always)), slices.Collect(y.Overlapping(always)))
	}
	if !same(&b.lie.all, &want.all) || !maps.EqualFunc(b.lie.on, want.on, same) {
		return fmt.Errorf("grid: the index has %d reservations, on %d servers, but should have %d, on %d", b.lie.all.Len(), len(b.lie.on), want.all.Len(), len(want.on))
	}
	return nil
}
