package desk

import (
	"cmp"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/spans"
)

// owners lists the bookings of each owner. The index finds all spans of a tick, so an owner is taken for a tick here, and
// each booking of the owner for a span of that tick. The zero value is empty.
type owners struct{ spans.Index }

// seed is another number in each process, so that nobody can choose names that all get one number. No answer depends on it.
var seed = maphash.MakeSeed()

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
	if k.nextDue != 0 {
		x.Add(due{k.nextDue, k.ID}.span())
	}
}

func (x *agenda) remove(k *Booking) {
	if k.nextDue != 0 {
		x.Remove(due{k.nextDue, k.ID}.span())
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

// turn is the place of a waiting booking in the order of turns.
type turn struct {
	priority int64
	id       BookingID
	steps    bool // some shape has several steps
}

func turnOf(k *Booking) turn {
	return turn{k.Priority, k.ID, slices.ContainsFunc(k.Shapes, Shape.stepped)}
}

// stepped reports whether a shape has several steps.
func (x Shape) stepped() bool {
	return slices.ContainsFunc(x, func(p Part) bool { return p.After != nil })
}

func (x turn) compare(y turn) int {
	return cmp.Or(cmp.Compare(y.priority, x.priority), cmp.Compare(x.id, y.id))
}

// waiting lists the waiting bookings in the order of their turns. A change makes a new slice, since clones share the
// old one; with MaxWaiting turns a slice has 96 KiB.
type waiting []turn

func (x *waiting) add(k *Booking) {
	if k.State != Waiting {
		return
	}
	i, _ := slices.BinarySearchFunc(*x, turnOf(k), turn.compare)
	*x = slices.Concat((*x)[:i], waiting{turnOf(k)}, (*x)[i:])
}

func (x *waiting) remove(k *Booking) {
	i, ok := slices.BinarySearchFunc(*x, turnOf(k), turn.compare)
	if k.State == Waiting && ok {
		*x = slices.Concat((*x)[:i], (*x)[i+1:])
	}
}

// reservedBy says which booking has a reservation of a schedule. Reservations with neighbouring IDs are mostly asked for
// one after another, so IDs lie on pages, and the last page is at hand. The zero value is empty.
type reservedBy struct {
	n     int
	pages map[bookahead.ID]*reservedPage
	at    bookahead.ID // the number of the last page
	last  *reservedPage
}

// reservedPage has 32 consecutive IDs, few enough that an ID alone on its page costs no more than the booking that was
// read for it.
type reservedPage struct {
	has uint32
	by  [32]BookingID
}

// set notes that a booking has a reservation. If another booking has it, set returns that one instead.
func (x *reservedBy) set(id bookahead.ID, k BookingID) (other BookingID, twice bool) {
	number, bit := id/32, id%32
	if x.last == nil || x.at != number {
		x.turn(number)
	}
	p := x.last
	if p.has&(1<<bit) != 0 {
		return p.by[bit], true
	}
	p.has |= 1 << bit
	p.by[bit] = k
	x.n++
	return 0, false
}

// turn makes the page with a number the last one.
func (x *reservedBy) turn(number bookahead.ID) {
	if x.pages == nil {
		x.pages = map[bookahead.ID]*reservedPage{}
	}
	p := x.pages[number]
	if p == nil {
		p = new(reservedPage)
		x.pages[number] = p
	}
	x.at, x.last = number, p
}

// inIndex reports whether an index has a span.
func inIndex(x *spans.Index, want spans.Span) bool {
	for s := range x.Overlapping(want.Interval) {
		if s == want {
			return true
		}
	}
	return false
}
