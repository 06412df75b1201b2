package nodes

import (
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/ledger"
	"github.com/bookahead/bookahead/internal/snapshot"
	"github.com/bookahead/bookahead/internal/spans"
)

// books are the reservations of a machine. The ledger finds a reservation by its ID, and the spans find
// the reservations that overlap a window. Only the methods below write to the ledger and the spans, so
// that the two always agree. The books do not change the nodes: Machine.take does.
type books struct {
	wide   int // resources
	ledger ledger.Ledger[entry]
	spans  spans.Index // of the entries that have not ended
}

// spanOf returns the span of an entry.
func spanOf(id bookahead.ID, e entry) spans.Span { return spans.Span{Interval: e.Interval, ID: id} }

// get returns the booking of an ID if the booking has not ended. The caller may keep and change it. O(s)
// for s nodes.
func (x *books) get(id bookahead.ID, now bookahead.Time) (*booking, bool) {
	e, ok := x.ledger.Get(id, now)
	if !ok {
		return nil, false
	}
	return x.open(e), true
}

func (x *books) open(e entry) *booking {
	b := new(booking)
	e.unpack(x.wide, b)
	return b
}

// add enters a booking under the next ID. O(log n + s) for s nodes, amortised: see ledger.Add.
func (x *books) add(b *booking, now bookahead.Time) bookahead.ID {
	e := b.pack()
	id := x.ledger.Add(e, now)
	x.spans.Add(spanOf(id, e))
	return id
}

// remove takes out a booking that has not ended, and returns it. O(log n + s) for s nodes.
func (x *books) remove(id bookahead.ID, now bookahead.Time) (*booking, bool) {
	e, ok := x.ledger.Remove(id, now)
	if !ok {
		return nil, false
	}
	x.spans.Remove(spanOf(id, e))
	return x.open(e), true
}

// set replaces the booking of an ID that has not ended. O(log n + s) for s nodes.
func (x *books) set(id bookahead.ID, b *booking, now bookahead.Time) {
	old, _ := x.ledger.Get(id, now)
	e := b.pack()
	x.ledger.Set(id, e)
	x.spans.Remove(spanOf(id, old))
	x.spans.Add(spanOf(id, e))
}

// restore enters a booking again under an ID that was removed. O(log n + s) for s nodes.
func (x *books) restore(id bookahead.ID, b *booking) {
	e := b.pack()
	x.ledger.Restore(id, e)
	x.spans.Add(spanOf(id, e))
}

// forget drops the spans that have ended by now. The ledger drops its entries later, when it grows.
// O(log n) for each span.
func (x *books) forget(now bookahead.Time) { x.spans.Forget(now) }

// Clone returns a copy that shares all entries. It copies the directory of the ledger.
func (x *books) Clone() books {
	return books{x.wide, x.ledger.Clone(), x.spans.Clone()}
}

// all yields the bookings that have not ended, by ID. Each booking overwrites the one before, and the
// books must not change meanwhile. O(n) for n bookings, and the nodes of all.
func (x *books) all(now bookahead.Time) iter.Seq2[bookahead.ID, *booking] {
	return func(yield func(bookahead.ID, *booking) bool) {
		var b booking
		for id, e := range x.ledger.All(now) {
			e.unpack(x.wide, &b)
			if !yield(id, &b) {
				return
			}
		}
	}
}

// overlapping yields the bookings that overlap w and have not ended, by start, then by ID. Each booking
// overwrites the one before, and the books must not change meanwhile. O(log n + k) for k of n bookings
// that lie side by side in the index, and the nodes of each.
func (x *books) overlapping(w bookahead.Interval, now bookahead.Time) iter.Seq2[bookahead.ID, *booking] {
	return func(yield func(bookahead.ID, *booking) bool) {
		var b booking
		for s := range x.spans.Overlapping(w) {
			e, _ := x.ledger.Get(s.ID, now)
			e.unpack(x.wide, &b)
			if !yield(s.ID, &b) {
				return
			}
		}
	}
}

// write writes the bookings that have not ended, with a 0 for each that has no terms if termed is set.
func (x *books) write(w *snapshot.Writer, now bookahead.Time, termed bool) {
	var b booking
	x.ledger.Write(w, now, func(e entry) {
		w.Varints([]byte(e.numbers))
		if termed {
			e.unpack(x.wide, &b)
			if b.terms == "" {
				w.Uint(0)
			}
		}
	})
}

// termed reports whether a booking that has not ended has terms. O(n) for n bookings, and the nodes of all.
func (x *books) termed(now bookahead.Time) bool {
	for _, b := range x.all(now) {
		if b.terms != "" {
			return true
		}
	}
	return false
}

// readBooks reads the books of a machine with so many resources; read reads one booking.
func readBooks(r *snapshot.Reader, bookable bookahead.Interval, wide int, read func(bookahead.Interval) *booking) books {
	x := books{wide: wide}
	x.ledger = ledger.Read(r, bookable, func(w bookahead.Interval) entry { return read(w).pack() })
	if r.Err() == nil {
		x.spans = spans.Build(x.live(bookable.Start))
	}
	return x
}

// live returns the spans of the entries that have not ended, by start, then by ID. O(n log n).
func (x *books) live(now bookahead.Time) []spans.Span {
	var list []spans.Span
	for id, e := range x.ledger.Overlapping(bookahead.Interval{Start: now, End: bookahead.MaxTime}, now) {
		list = append(list, spanOf(id, e))
	}
	return list
}

// Verify checks that the ledger and spans agree. O(n log n).
func (x *books) Verify(now bookahead.Time) error {
	want := x.live(now)
	got := slices.Collect(x.spans.Overlapping(bookahead.Interval{Start: 0, End: bookahead.MaxTime}))
	if !slices.Equal(got, want) {
		return fmt.Errorf("nodes: the index has %v, but live are %v", got, want)
	}
	return x.spans.Verify()
}
