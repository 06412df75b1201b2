package slotted

import (
	"fmt"
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// slots is a pool.Profile in a ring of slots. Scan and Indexed are two ways to keep one. The rest
// of a pool is written once, in internal/pool.
type slots interface {
	pool.Rounder
	// lines returns the ring.
	lines() ring
	// free returns the free units of a slot between now and the horizon.
	free(slot int64) int64
	clone() slots
	// made returns another profile of the same form, for a pool and a ring in which nothing
	// is booked.
	made(p *pool.Pool, r ring) slots
	// fill sets the used units of an empty ring, slot by slot.
	fill(used iter.Seq2[int64, int64])
	// verify returns an error if a sum is wrong, and otherwise for how many slots from now on the
	// method free is right.
	verify() (n int64, err error)
}

var _ = []interface {
	bookahead.Keeper
	bookahead.Profiler
	bookahead.Opener
	bookahead.LatestSearcher
	bookahead.Cloner
	bookahead.Snapshotter
}{(*Scan)(nil), (*Indexed)(nil)}

// rounded is a pool on a ring, exact to the slot. Scan and Indexed embed rounded. The costs of
// its methods are for n slots in the ring and m in the window that is read or booked; a block of
// Indexed has B = 512 slots.
type rounded struct{ s pool.Schedule }

// profile returns the profile as slots.
func (x *rounded) profile() slots { return x.s.Profile.(slots) }

func newRounded(p pool.Pool, s slots) rounded {
	return rounded{pool.Schedule{Pool: p, Profile: s}}
}

// open returns a pool on a ring of the same form as like.
func open(capacity int64, c Config, like slots) (rounded, error) {
	p, err := pool.Hold(capacity, c.Origin, c.Horizon, c.Booked)
	if err != nil {
		return rounded{}, err
	}
	r, err := newRing(c)
	if err != nil {
		return rounded{}, err
	}
	x, err := filled(p, r, 0, like)
	if err != nil {
		return rounded{}, fmt.Errorf("Config.Booked in slots of %d ticks: %w", r.width, err)
	}
	return x, nil
}

// filled returns a pool with its reservations in a ring. ended is how many units were in use
// earlier in the running slot, and still count there. The error wraps bookahead.ErrInvalid.
func filled(p pool.Pool, r ring, ended int64, like slots) (rounded, error) {
	steps, err := r.generate(&p, ended)
	if err != nil {
		return rounded{}, err
	}
	s := like.made(&p, r)
	s.fill(used(p.Capacity, steps))
	return newRounded(p, s), nil
}

// Search implements bookahead.Schedule. Scan takes O(k) for k slots between the ready time and
// the end of the offer. Indexed takes O(k/B + B) for each gap that it looks into, with k slots up
// to the next gap.
func (x *rounded) Search(r bookahead.Request) (bookahead.Offer, error) { return x.s.Search(r) }

// Reserve implements bookahead.Schedule. It takes a Search, and O(m), or O(m/B + B) for Indexed.
func (x *rounded) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	return x.s.Reserve(r)
}

// Release implements bookahead.Schedule. O(m), or O(m/B + B) for Indexed.
func (x *rounded) Release(id bookahead.ID) error { return x.s.Release(id) }

// SearchFor implements bookahead.Keeper. It takes two Searches, and O(m).
func (x *rounded) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	return x.s.SearchFor(id, r)
}

// Rebook implements bookahead.Keeper. It takes a SearchFor and two Releases.
func (x *rounded) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	return x.s.Rebook(id, r)
}

// RangeQuery implements bookahead.Schedule. O(m), or O(m/B + B) for Indexed.
func (x *rounded) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	return x.s.RangeQuery(w)
}

// Advance implements bookahead.Schedule: the slots that have passed become the
// last ones. O(slots passed) amortised, and never more than the ring has.
func (x *rounded) Advance(now bookahead.Time) error { return x.s.Advance(now) }

// Blocks implements bookahead.Profiler: one block for each run of slots with the same number of
// free units. O(m).
func (x *rounded) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] { return x.s.Blocks(w) }

// Openings implements bookahead.Opener. It takes a Search for each range, and O(1) for each
// of its slots.
func (x *rounded) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] {
	return x.s.Openings(r)
}

// SearchLatest implements bookahead.LatestSearcher. O(k) for k slots up to the deadline.
func (x *rounded) SearchLatest(r bookahead.Request) (bookahead.Offer, error) {
	return x.s.SearchLatest(r)
}

// Frame implements bookahead.Keeper. O(1).
func (x *rounded) Frame() bookahead.Frame { return x.s.Frame() }

// Reservations implements bookahead.Keeper. O(n + k log k) for k of n reservations.
func (x *rounded) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return x.s.Reservations(w)
}

// Reservation implements bookahead.Keeper. O(1).
func (x *rounded) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return x.s.Reservation(id)
}

// MarshalBinary implements encoding.BinaryMarshaler. Both forms can read the snapshot. O(n) for n
// reservations.
func (x *rounded) MarshalBinary() ([]byte, error) {
	r := x.profile().lines()
	return write(&x.s.Pool, r, x.s.Capacity-x.profile().free(r.slot(x.s.Now)))
}

// read is UnmarshalBinary for a form like like; each is how many bytes one of its slots takes.
func (x *rounded) read(data []byte, like slots, each uint64) error {
	made := ring{} // of the receiver, unless it is a zero value
	if x.s.Profile != nil {
		made = x.profile().lines()
	}
	d, err := decode(data, made, each)
	if err != nil {
		return err
	}
	read, err := filled(d.pool, d.ring, d.ended, like)
	if err != nil {
		return err
	}
	*x = read
	return nil
}

func (x *rounded) clone() rounded { return newRounded(x.s.Pool.Clone(), x.profile().clone()) }

// Verify looks for faults: each slot has as many free units as the reservations leave, and
// the sums of Indexed are right. O(n log n + slots).
func (x *rounded) Verify() error {
	n, err := x.profile().verify()
	if err != nil {
		return err
	}
	return x.profile().lines().verify(&x.s.Pool, x.profile().free, n)
}
