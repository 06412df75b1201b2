package freelist

import (
	"fmt"
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// list is a pool.Profile in blocks. The lists of this package are four ways to keep one. The rest
// of a pool is written once, in internal/pool.
type list interface {
	pool.Profile
	// blocks yields the free blocks in w, cut to w, until yield returns false.
	blocks(w bookahead.Interval, yield func(bookahead.Block) bool)
	clone() list
	// made returns another list of the same form, with the free units of the steps.
	made(capacity int64, steps []pool.Step) list
	// check returns an error if the list is not in its canonical form.
	check(now bookahead.Time, capacity int64) error
}

var _ = []interface {
	bookahead.Keeper
	bookahead.Profiler
	bookahead.Opener
	bookahead.LatestSearcher
	bookahead.Cloner
	bookahead.Snapshotter
}{(*TimeExclusive)(nil), (*CapacityHierarchical)(nil), (*Mixed)(nil), (*Used)(nil)}

// exact is a pool on a list, and exact to the tick. The lists of this package embed exact. The
// table of the package comment has the costs of its methods.
type exact struct{ s pool.Schedule }

// open returns a pool on a list of the same form as like.
func open(capacity int64, c Config, like list) (exact, error) {
	p, steps, err := pool.Open(capacity, c.Origin, c.Horizon, c.Booked)
	if err != nil {
		return exact{}, err
	}
	return newExact(p, like.made(capacity, steps)), nil
}

// profile returns the profile as a list.
func (x *exact) profile() list { return x.s.Profile.(list) }

func newExact(p pool.Pool, l list) exact { return exact{pool.Schedule{Pool: p, Profile: l}} }

// Search implements bookahead.Schedule.
func (x *exact) Search(r bookahead.Request) (bookahead.Offer, error) { return x.s.Search(r) }

// Reserve implements bookahead.Schedule.
func (x *exact) Reserve(r bookahead.Request) (bookahead.Reservation, error) { return x.s.Reserve(r) }

// Release implements bookahead.Schedule.
func (x *exact) Release(id bookahead.ID) error { return x.s.Release(id) }

// SearchFor implements bookahead.Keeper. It takes two Searches, and O(m) for the m steps in which
// the request overlaps the reservation.
func (x *exact) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	return x.s.SearchFor(id, r)
}

// Rebook implements bookahead.Keeper. It takes a SearchFor and two Releases.
func (x *exact) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	return x.s.Rebook(id, r)
}

// RangeQuery implements bookahead.Schedule.
func (x *exact) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	return x.s.RangeQuery(w)
}

// Advance implements bookahead.Schedule. O(b), and for all lists but CapacityHierarchical and
// Mixed O(log b) amortised over the blocks made.
func (x *exact) Advance(now bookahead.Time) error { return x.s.Advance(now) }

// Blocks implements bookahead.Profiler: it yields the blocks of the list, or, for Used, the free
// units between them. Blocks may overlap, except those of TimeExclusive and Used. Costs are those
// of RangeQuery.
func (x *exact) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		w, err := x.s.Window(w)
		if err == nil && !w.Empty() {
			x.profile().blocks(w, yield)
		}
	}
}

// Openings implements bookahead.Opener. It takes a Search for each range, and O(b) for its
// blocks.
func (x *exact) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] { return x.s.Openings(r) }

// SearchLatest implements bookahead.LatestSearcher. O(b) for the blocks up to the deadline.
func (x *exact) SearchLatest(r bookahead.Request) (bookahead.Offer, error) {
	return x.s.SearchLatest(r)
}

// Frame implements bookahead.Keeper. O(1).
func (x *exact) Frame() bookahead.Frame { return x.s.Frame() }

// Reservations implements bookahead.Keeper. O(n + k log k) for k of n reservations.
func (x *exact) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return x.s.Reservations(w)
}

// Reservation implements bookahead.Keeper. O(1).
func (x *exact) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return x.s.Reservation(id)
}

// MarshalBinary implements encoding.BinaryMarshaler. Every pool that is exact to the tick can
// read the snapshot. O(n) for n reservations.
func (x *exact) MarshalBinary() ([]byte, error) { return x.s.Encode() }

// read is UnmarshalBinary for a list of the same form as like.
func (x *exact) read(data []byte, like list) error {
	p, steps, err := pool.Decode(data)
	if err != nil {
		return err
	}
	*x = newExact(p, like.made(p.Capacity, steps))
	return nil
}

func (x *exact) clone() exact { return newExact(x.s.Pool.Clone(), x.profile().clone()) }

// Verify looks for faults: it checks that the list is in its canonical form, and that its blocks,
// up to the end of the axis, are those that the reservations leave. O(b log b).
func (x *exact) Verify() error {
	err := x.profile().check(x.s.Now, x.s.Capacity)
	if err == nil {
		err = x.s.VerifyBlocks(func(yield func(bookahead.Block) bool) { x.profile().blocks(rest(x.s.Now), yield) })
	}
	if err != nil {
		return fmt.Errorf("freelist: %w", err)
	}
	return nil
}
