package carts

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// profileOf is a pool.Profile in slots. The three forms of this package are three ways to
// keep one; the rest of a pool is written once, in internal/pool.
type profileOf interface {
	pool.Profile
	// searchLatest is Search for the last start.
	searchLatest(first, last, d bookahead.Time, n int64) (bookahead.Time, bool)
	// from yields the end of each slot, from the one that contains t on, and its free units.
	from(t bookahead.Time) iter.Seq2[bookahead.Time, int64]
	// until returns how long n units stay free from t on, at which they are, but no later
	// than limit.
	until(t bookahead.Time, n int64, limit bookahead.Time) bookahead.Time
	clone() profileOf
	// made returns another profile of the same form, which has those slots.
	made(capacity int64, slots []Slot) profileOf
	// verify returns the slots, or an error if the form is not as it must be.
	verify(now bookahead.Time) ([]Slot, error)
}

var _ = []interface {
	bookahead.Profiler
	bookahead.Offerer
	bookahead.LatestSearcher
	bookahead.Cloner
	bookahead.Resizer
	bookahead.Framer
	bookahead.Lister
	bookahead.Snapshotter
	bookahead.Verifier
}{(*Flat)(nil), (*BTree)(nil), (*Indexed)(nil)}

// exact is a pool on a profile that is exact to the tick. Flat, BTree and Indexed embed
// it; the table of the package comment has the costs of its methods.
type exact struct{ s pool.Schedule }

// Search implements bookahead.Schedule (Kurowski et al., Algorithm 2). It does not
// allocate.
func (x *exact) Search(r bookahead.Request) (bookahead.Offer, error) { return x.s.Search(r) }

// SearchLatest implements bookahead.LatestSearcher. It does not allocate.
func (x *exact) SearchLatest(r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := x.s.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	t, ok := x.profile().searchLatest(first, last, bookahead.Time(r.Duration), r.Units)
	if !ok {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return pool.OfferAt(t, r), nil
}

// Reserve implements bookahead.Schedule.
func (x *exact) Reserve(r bookahead.Request) (bookahead.Reservation, error) { return x.s.Reserve(r) }

// Release implements bookahead.Schedule.
func (x *exact) Release(id bookahead.ID) error { return x.s.Release(id) }

// Resize implements bookahead.Resizer.
func (x *exact) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	return x.s.Resize(id, to, units)
}

// RangeQuery implements bookahead.Schedule.
func (x *exact) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	return x.s.RangeQuery(w)
}

// Advance implements bookahead.Schedule.
func (x *exact) Advance(now bookahead.Time) error { return x.s.Advance(now) }

// Blocks implements bookahead.Profiler: one block for each slot that is not full.
func (x *exact) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		w, err := x.s.Window(w)
		if err != nil || w.Empty() {
			return
		}
		start := w.Start
		for end, free := range x.profile().from(w.Start) {
			cut := bookahead.Interval{Start: start, End: min(end, w.End)}
			if free > 0 && !yield(bookahead.Block{Interval: cut, Units: free}) || end >= w.End {
				return
			}
			start = end
		}
	}
}

// Offers implements bookahead.Offerer.
func (x *exact) Offers(r bookahead.Request) iter.Seq[bookahead.Offer] {
	return func(yield func(bookahead.Offer) bool) {
		first, last, err := x.s.Starts(r)
		if err != nil {
			return
		}
		d := bookahead.Time(r.Duration)
		for first <= last {
			t, ok := x.s.Profile.Search(first, last, d, r.Units)
			if !ok {
				return
			}
			end := x.profile().until(t, r.Units, last+d) // of the run
			for ; t <= end-d; t++ {
				if !yield(pool.OfferAt(t, r)) {
					return
				}
			}
			first = max(t, end)
		}
	}
}

// Frame implements bookahead.Framer. O(1).
func (x *exact) Frame() bookahead.Block { return x.s.Frame() }

// Reservations implements bookahead.Lister. O(1) for each.
func (x *exact) Reservations() iter.Seq[bookahead.Reservation] { return x.s.Reservations() }

// Reservation implements bookahead.Lister. O(1).
func (x *exact) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return x.s.Reservation(id)
}

// MarshalBinary implements encoding.BinaryMarshaler: a snapshot that all pools that
// are exact to the tick can read. O(n) for n reservations.
func (x *exact) MarshalBinary() ([]byte, error) { return x.s.AppendBinary(nil) }

// AppendBinary implements encoding.BinaryAppender. See MarshalBinary.
func (x *exact) AppendBinary(b []byte) ([]byte, error) { return x.s.AppendBinary(b) }

// read is UnmarshalBinary for a form, of which like is one.
func (x *exact) read(data []byte, like profileOf) error {
	p, steps, err := pool.Decode(data)
	if err != nil {
		return err
	}
	slots := make([]Slot, len(steps))
	for i, s := range steps {
		slots[i] = Slot(s)
	}
	*x = newExact(p, like.made(p.Capacity, slots))
	return nil
}

func (x *exact) clone() exact { return newExact(x.s.Pool.Clone(), x.profile().clone()) }

// profile returns the profile as one of this package.
func (x *exact) profile() profileOf { return x.s.Profile.(profileOf) }

func newExact(p pool.Pool, f profileOf) exact {
	return exact{pool.Schedule{Pool: p, Profile: f}}
}

// Verify implements bookahead.Verifier: the slots are those that the reservations
// make, and none is left over. O(v log v).
func (x *exact) Verify() error {
	slots, err := x.profile().verify(x.s.Now)
	if err != nil {
		return err
	}
	return verifySlots(&x.s.Pool, slots)
}
