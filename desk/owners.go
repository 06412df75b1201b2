package desk

import (
	"hash/maphash"
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/spans"
)

// owners lists the bookings of each owner. The index finds all spans of a tick, so an owner is taken for a tick here, and
// each booking of the owner for a span of that tick. The zero value is empty.
type owners struct{ spans.Index }

// owned is the span of a booking. Two names may have the same number; the bookings tell them apart.
func owned(owner string, id BookingID) spans.Span {
	number := bookahead.Time(maphash.String(seed, owner) >> 2)
	return spans.Span{Interval: bookahead.Interval{Start: number, End: number + 1}, ID: bookahead.ID(id)}
}

func (x *owners) add(k *Booking) { x.Add(owned(k.Owner, k.ID)) }

func (x *owners) remove(k *Booking) { x.Remove(owned(k.Owner, k.ID)) }

func (x *owners) clone() owners { return owners{x.Clone()} }

// of yields the bookings of an owner by ID; there may be bookings of other owners among them, whose names have the same
// number. O(log n + k) for the k that it yields.
func (x *owners) of(owner string) iter.Seq[BookingID] {
	return func(yield func(BookingID) bool) {
		for s := range x.Overlapping(owned(owner, 0).Interval) {
			if !yield(BookingID(s.ID)) {
				return
			}
		}
	}
}
