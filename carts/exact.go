package carts

import (
	"fmt"
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// slot is a step of a profile, as the paper calls it.
type slot = pool.Step

// profileOf is a pool.Profile in slots. The three forms of this package are three ways to keep
// one. The rest of a pool is written once, in internal/pool.
type profileOf interface {
	pool.Leaper
	clone() profileOf
	// verify returns the slots, or an error if the form breaks one of its invariants.
	verify(now bookahead.Time) ([]slot, error)
}

// maker makes a profile of one form, with the given slots.
type maker func(capacity int64, slots []slot) profileOf

var _ = []interface {
	bookahead.Keeper
	bookahead.Profiler
	bookahead.Opener
	bookahead.Filler
	bookahead.LatestSearcher
	bookahead.Cloner
	bookahead.Snapshotter
	bookahead.Tracker
	bookahead.Displacer
}{(*Flat)(nil), (*BTree)(nil), (*Indexed)(nil)}

// exact is a pool on a profile that is exact to the tick. Flat, BTree and Indexed embed exact.
// The table of the package comment has the costs of its methods.
type exact struct{ s pool.Schedule }

// Search implements bookahead.Schedule (Kurowski et al., Algorithm 2). It does not
// allocate.
func (x *exact) Search(r bookahead.Request) (bookahead.Offer, error) { return x.s.Search(r) }

// SearchLatest implements bookahead.LatestSearcher. It does not allocate.
func (x *exact) SearchLatest(r bookahead.Request) (bookahead.Offer, error) {
	return x.s.SearchLatest(r)
}

// Openings implements bookahead.Opener: a Search for each range, and for Flat and BTree the
// slots in it.
func (x *exact) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] { return x.s.Openings(r) }

// Reserve implements bookahead.Schedule.
func (x *exact) Reserve(r bookahead.Request) (bookahead.Reservation, error) { return x.s.Reserve(r) }

// Release implements bookahead.Schedule.
func (x *exact) Release(id bookahead.ID) error { return x.s.Release(id) }

// SearchFor implements bookahead.Keeper. It takes two Searches, and O(m) for the m slots in which
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

// Advance implements bookahead.Schedule.
func (x *exact) Advance(now bookahead.Time) error { return x.s.Advance(now) }

// Blocks implements bookahead.Profiler: one block for each slot that is not full.
func (x *exact) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] { return x.s.Blocks(w) }

// Fill implements bookahead.Filler. O(log v) of v slots for each step that it yields; Flat and BTree go through the
// slots in w.
func (x *exact) Fill(w bookahead.Interval, least, most int64) iter.Seq[bookahead.Step] {
	return x.s.Fill(w, least, most)
}

// Frame implements bookahead.Keeper. O(1).
func (x *exact) Frame() bookahead.Frame { return x.s.Frame() }

// Reservations implements bookahead.Keeper. O(n + k log k) for k of n reservations; O(log n + k)
// with the index that Track makes.
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

// open returns a pool on a profile of a form.
func open(capacity int64, c Config, made maker) (exact, error) {
	p, steps, err := pool.Open(capacity, c.Origin, c.Horizon, c.Booked)
	if err != nil {
		return exact{}, err
	}
	return newExact(p, made(capacity, steps)), nil
}

// read is UnmarshalBinary for a form.
func (x *exact) read(data []byte, made maker) error {
	p, steps, err := pool.DecodeClosed(data)
	if err != nil {
		return err
	}
	tracks := x.s.Tracks()
	*x = newExact(p, made(p.Capacity, steps))
	x.s.Track(tracks)
	return nil
}

func (x *exact) clone() exact { return newExact(x.s.Pool.Clone(), x.profile().clone()) }

// profile returns the profile, as the form of this package that it is.
func (x *exact) profile() profileOf { return x.s.Profile.(profileOf) }

func newExact(p pool.Pool, f profileOf) exact {
	return exact{pool.Schedule{Pool: p, Profile: f}}
}

// Verify looks for faults: it checks that the slots are those that the reservations make, and no
// others. O(v log v).
func (x *exact) Verify() error {
	steps, err := x.profile().verify(x.s.Now)
	if err == nil {
		err = x.s.VerifySteps(steps)
	}
	if err != nil {
		return fmt.Errorf("carts: %w", err)
	}
	return nil
}
