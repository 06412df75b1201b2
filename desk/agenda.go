package desk

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/spans"
)

// agenda says when something happens to each booking by itself. It lacks the Booked ones, since the calendars have their
// starts. An entry is a span that ends at its tick, so that the first span is the next one due. The zero value is empty.
type agenda struct{ spans.Index }

// due is the tick at which something happens to a booking by itself.
type due struct {
	at bookahead.Time // at least 1
	id BookingID
}

func (x due) span() spans.Span {
	return spans.Span{Interval: bookahead.Interval{Start: x.at - 1, End: x.at}, ID: bookahead.ID(x.id)}
}

func (x due) compare(y due) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.id, y.id)) }

func (x *agenda) add(k *Booking) {
	if k.change != 0 {
		x.Add(due{k.change, k.ID}.span())
	}
}

func (x *agenda) remove(k *Booking) {
	if k.change != 0 {
		x.Remove(due{k.change, k.ID}.span())
	}
}

func (x *agenda) clone() agenda { return agenda{x.Clone()} }

// next returns the entry with the least tick. O(log n).
func (x *agenda) next() (due, bool) {
	for s := range x.From(0) {
		return due{s.End, BookingID(s.ID)}, true
	}
	return due{}, false
}

// starts returns the bookings that begin after now, up to a tick, in order. No event until then changes the list.
// O(s log n + k log k) for k parts that begin on s schedules.
func (b *books) starts(to bookahead.Time) (list []due) {
	for _, s := range b.schedules {
		for span := range s.calendar.From(b.now + 1) {
			if span.Start > to {
				break
			}
			id, index := inCalendar(span.ID)
			k, _ := b.booking(id)
			if k.State == Booked && index < MaxParts && k.begins() == span.Start {
				list = append(list, due{span.Start, id})
			}
		}
	}
	slices.SortFunc(list, due.compare)
	return slices.Compact(list) // several parts may begin at once
}
