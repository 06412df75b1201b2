package desk

import (
	"cmp"
	"hash/maphash"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/spans"
)

// owners lists the bookings of each owner by time. The index finds all spans that overlap one, so each owner has a stretch of
// its axis, and each booking is a span of it:
//
//	axis       ...│ann                     │bob                     │...
//	bookings      │  ██   ████       █     │        ██              │
//	a week        │      ▒▒▒▒▒▒▒           │                        │      of ann
//
// The zero value is empty.
type owners struct{ spans.Index }

// seed is another number in each process, so that nobody can choose names that all get one stretch. No answer depends on it.
var seed = maphash.MakeSeed()

// A stretch has 2^timeBits ticks, so there are 2^30 of them. Of a time, its first bit and so many behind it are kept: 17 seconds,
// if ticks are seconds or less and count from 1970, and each tick of the first 2^27.
const (
	timeBits = 32
	kept     = 26
)

// rounded returns a time in timeBits. It keeps the order of times, and may make neighbours equal:
//
//	below 2^27        each tick          to 2^27
//	       2^28       every second       to 3 2^26
//	       2^29       every fourth       to 4 2^26, and so on, to 38 2^26
func rounded(t bookahead.Time) bookahead.Time {
	drop := bits.Len64(uint64(t)) - 1 - kept
	if drop <= 0 {
		return t
	}
	return bookahead.Time(drop)<<kept + t>>drop
}

// stretch is the part of the axis for a time of an owner. Two names may have the same stretch; the bookings tell them apart.
// The times may be rounded, so there may be bookings near the time, too.
func stretch(owner string, w bookahead.Interval) bookahead.Interval {
	first := bookahead.Time(maphash.String(seed, owner)>>(2+timeBits)) << timeBits
	return bookahead.Interval{Start: first + rounded(w.Start), End: first + rounded(max(w.Start, w.End-1)) + 1}
}

// owned is the span of a booking.
func owned(k *Booking) spans.Span {
	return spans.Span{Interval: stretch(k.Owner, k.Interval), ID: bookahead.ID(k.ID)}
}

func (x *owners) add(k *Booking) { x.Add(owned(k)) }

func (x *owners) remove(k *Booking) { x.Remove(owned(k)) }

func (x *owners) clone() owners { return owners{x.Clone()} }

// of yields the bookings of an owner that overlap a window, by start; there may be others among them. O(log n + k) for the k
// that it yields, unless some lie scattered among shorter ones (package spans).
func (x *owners) of(owner string, w bookahead.Interval) iter.Seq[BookingID] {
	return func(yield func(BookingID) bool) {
		for s := range x.Overlapping(stretch(owner, w)) {
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

	ready, deadline bookahead.Time // no deadline is the end of the axis
	units           int64          // each part wants so many, or more
}

func turnOf(k *Booking) turn {
	x := turn{
		priority: k.Priority, id: k.ID, steps: slices.ContainsFunc(k.Shapes, Shape.stepped),
		ready: k.Ready, deadline: cmp.Or(k.Deadline, bookahead.MaxTime), units: math.MaxInt64,
	}
	for _, shape := range k.Shapes {
		for i := range shape {
			x.units = min(x.units, k.fewest(&shape[i]))
		}
	}
	return x
}

// stepped reports whether a shape has several steps.
func (x Shape) stepped() bool {
	return slices.ContainsFunc(x, func(p Part) bool { return p.After != nil })
}

func (x turn) compare(y turn) int {
	return cmp.Or(cmp.Compare(y.priority, x.priority), cmp.Compare(x.id, y.id))
}

// waiting lists the waiting bookings in the order of their turns. A change makes a new slice, since clones share the
// old one; with MaxWaiting turns a slice has 192 KiB.
type waiting []turn

func (x *waiting) add(k *Booking) {
	if k.State != Waiting {
		return
	}
	at := turnOf(k)
	i, _ := slices.BinarySearchFunc(*x, at, turn.compare)
	*x = slices.Concat((*x)[:i], waiting{at}, (*x)[i:])
}

func (x *waiting) remove(k *Booking) {
	if k.State != Waiting {
		return
	}
	i, ok := slices.BinarySearchFunc(*x, turnOf(k), turn.compare)
	if ok {
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
