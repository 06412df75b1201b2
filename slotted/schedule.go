package slotted

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// slots is a pool.Profile in a ring of slots. Scan and Indexed are two ways to keep one; the
// rest of a pool is written once, in internal/pool.
type slots interface {
	pool.Rounder
	// lines returns the ring.
	lines() ring
	// free returns the free units of a slot between now and the horizon.
	free(slot int64) int64
	clone() slots
	// fill books units in a ring in which nothing is booked, slot by slot.
	fill(used iter.Seq2[int64, int64])
	// verify returns an error if a sum is wrong, and for how many slots from now on free
	// tells the truth.
	verify() (n int64, err error)
}

var _ = []interface {
	bookahead.Profiler
	bookahead.Cloner
	bookahead.Resizer
	bookahead.Framer
	bookahead.Lister
	bookahead.Snapshotter
	bookahead.Verifier
}{(*Scan)(nil), (*Indexed)(nil)}

// rounded is a pool on a ring, exact to the slot. Scan and Indexed embed it. The costs of
// its methods are for n slots in the ring and m in the window that is read or booked; a
// block of Indexed has B = 512 slots.
type rounded struct{ s pool.Schedule }

// profile returns the profile as slots.
func (x *rounded) profile() slots { return x.s.Profile.(slots) }

func newRounded(p pool.Pool, s slots) rounded {
	return rounded{pool.Schedule{Pool: p, Profile: s}}
}

// Search implements bookahead.Schedule. Scan: O(k) for k slots between the ready time and
// the end of the place that is found. Indexed: O(k/B + B) for each gap that it looks into,
// with k slots up to the next.
func (x *rounded) Search(r bookahead.Request) (bookahead.Offer, error) { return x.s.Search(r) }

// Reserve implements bookahead.Schedule. A Search, and O(m), or O(m/B + B) for Indexed.
func (x *rounded) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	return x.s.Reserve(r)
}

// Release implements bookahead.Schedule. O(m), or O(m/B + B) for Indexed.
func (x *rounded) Release(id bookahead.ID) error { return x.s.Release(id) }

// Resize implements bookahead.Resizer. O(m), or O(m/B + B) for Indexed.
func (x *rounded) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	return x.s.Resize(id, to, units)
}

// RangeQuery implements bookahead.Schedule. O(m), or O(m/B + B) for Indexed.
func (x *rounded) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	return x.s.RangeQuery(w)
}

// Advance implements bookahead.Schedule: the slots that have passed become the
// last ones. O(slots passed) amortised, and never more than the ring has.
func (x *rounded) Advance(now bookahead.Time) error { return x.s.Advance(now) }

// Blocks implements bookahead.Profiler: one block for each run of slots with the
// same number of free units. O(m).
func (x *rounded) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		w, err := x.s.Window(w)
		if err != nil || w.Empty() {
			return
		}
		free, r := x.profile().free, x.profile().lines()
		from, to := r.span(w)
		for slot := from; slot < to; {
			next := slot + 1
			for next < to && free(next) == free(slot) {
				next++
			}
			cut := w.Intersect(bookahead.Interval{Start: r.start(slot), End: r.end(next - 1)})
			if units := free(slot); units > 0 && !yield(bookahead.Block{Interval: cut, Units: units}) {
				return
			}
			slot = next
		}
	}
}

// Frame implements bookahead.Framer. O(1).
func (x *rounded) Frame() bookahead.Block { return x.s.Frame() }

// Reservations implements bookahead.Lister. O(1) for each.
func (x *rounded) Reservations() iter.Seq[bookahead.Reservation] { return x.s.Reservations() }

// Reservation implements bookahead.Lister. O(1).
func (x *rounded) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return x.s.Reservation(id)
}

// MarshalBinary implements encoding.BinaryMarshaler: a snapshot that both forms
// can read. O(n) for n reservations.
func (x *rounded) MarshalBinary() ([]byte, error) { return x.AppendBinary(nil) }

// AppendBinary implements encoding.BinaryAppender. See MarshalBinary.
func (x *rounded) AppendBinary(b []byte) ([]byte, error) {
	r := x.profile().lines()
	return write(b, &x.s.Pool, r, x.s.Capacity-x.profile().free(r.slot(x.s.Now)))
}

// ring returns that of the schedule, which is none if it is a zero value.
func (x *rounded) ring() ring {
	if x.s.Profile == nil {
		return ring{}
	}
	return x.profile().lines()
}

// enter takes the reservations of a snapshot into a schedule that is new.
func (x *rounded) enter(d decoded) {
	x.s.Pool = d.pool
	x.profile().fill(d.used())
}

func (x *rounded) clone() rounded { return newRounded(x.s.Pool.Clone(), x.profile().clone()) }

// Verify implements bookahead.Verifier: each slot has as many free units as the
// reservations leave, and the sums of Indexed are right. O(n log n + slots).
func (x *rounded) Verify() error {
	n, err := x.profile().verify()
	if err != nil {
		return err
	}
	return x.profile().lines().verify(&x.s.Pool, x.profile().free, n)
}
