package desk

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/spans"
)

// agenda says when something happens to each booking by itself. An entry is a span that ends at the tick, so
// that the first span is the next that is due. The zero value is empty.
type agenda struct{ spans.Index }

// due is when something happens to a booking by itself.
type due struct {
	at bookahead.Time // at least 0
	id BookingID
}

func (x due) span() spans.Span {
	return spans.Span{Interval: bookahead.Interval{Start: x.at - 1, End: x.at}, ID: bookahead.ID(x.id)}
}

func (x *agenda) add(k *Booking)    { x.Add(due{k.change, k.ID}.span()) }
func (x *agenda) remove(k *Booking) { x.Remove(due{k.change, k.ID}.span()) }
func (x *agenda) clone() agenda     { return agenda{x.Clone()} }

// next returns the entry with the least tick. O(log n).
func (x *agenda) next() (due, bool) {
	for s := range x.Overlapping(bookahead.Interval{Start: -1, End: bookahead.MaxTime}) {
		return due{s.End, BookingID(s.ID)}, true
	}
	return due{}, false
}
