package carts

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// SR keeps for each slot the set of the servers that are free (CARTS-SR, Kurowski et al., §3.5),
// where Flat, BTree and Indexed keep their number. It is for schedulers that cannot bind servers
// as late as a reservation starts. A slot ends where the set changes. For N servers and v slots
// the sets take vN bits, so SR suits a few thousand servers. A reservation gets the free servers
// with the lowest indices.
type SR struct{ s servers.Schedule }

var _ interface {
	bookahead.Keeper
	bookahead.Profiler
	bookahead.Opener
	bookahead.Cloner
	bookahead.Snapshotter
} = (*SR)(nil)

// NewSR returns a schedule of capacity servers, at most 1<<24. Each reservation in
// Config.Booked must name its servers. The error wraps bookahead.ErrInvalid. O(r log r +
// n + vN) for r reservations of n servers together, and v slots of N servers.
func NewSR(capacity int64, c Config) (*SR, error) {
	s, err := servers.Open(capacity, c.Origin, c.Horizon, c.Booked)
	if err != nil {
		return nil, err
	}
	x, err := newSets(s.Limits.Servers, s.Now, eventsOf(&s), servers.InConfig)
	if err != nil {
		return nil, err
	}
	return newSR(s, x), nil
}

func newSR(s servers.Servers, x *sets) *SR { return &SR{servers.Schedule{Servers: s, Roster: x}} }

// sets returns the roster, which holds the slots.
func (s *SR) sets() *sets { return s.s.Roster.(*sets) }

// Search implements bookahead.Schedule (Kurowski et al., Algorithm 2, with sets for numbers).
// O(log v), and an intersection of O(N) words for each of the k slots up to the end of the offer,
// or up to m for each if windows of m slots fail at their start. It allocates a set of servers,
// two if r names servers, and the list of servers in the offer, however many slots it meets.
func (s *SR) Search(r bookahead.Request) (bookahead.Offer, error) { return s.s.Search(r) }

// Reserve implements bookahead.Schedule. It takes a Search, and O(v + m(n + N))
// for n servers in a window of m slots.
func (s *SR) Reserve(r bookahead.Request) (bookahead.Reservation, error) { return s.s.Reserve(r) }

// Release implements bookahead.Schedule. O(v + m(n + N)) for n servers in a
// window of m slots.
func (s *SR) Release(id bookahead.ID) error { return s.s.Release(id) }

// SearchFor implements bookahead.Keeper. A fixed request takes O(m) intersections for the m slots
// in which it differs from the reservation. Any other request takes O(n) Searches, and O(nv) for
// n servers that are held and v slots.
func (s *SR) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	return s.s.SearchFor(id, r)
}

// Rebook implements bookahead.Keeper. It takes a SearchFor, and a Release and a Reserve of the
// changes.
func (s *SR) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	return s.s.Rebook(id, r)
}

// RangeQuery implements bookahead.Schedule. O(log v) and m intersections for m
// slots in w. It allocates one set of servers and the list that it returns.
func (s *SR) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	return s.s.RangeQuery(w)
}

// Openings implements bookahead.Opener. It takes a Search wherever the servers found before
// become too few, and an intersection for each slot until then.
func (s *SR) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] { return s.s.Openings(r) }

// Advance implements bookahead.Schedule. O(1) amortised over the slots that were made.
func (s *SR) Advance(now bookahead.Time) error { return s.s.Advance(now) }

// Blocks implements bookahead.Profiler: one block for each slot in which a
// server is free, so that blocks never overlap. O(log v), and O(N) for each slot in w.
func (s *SR) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] { return s.s.Blocks(w) }

// Frame implements bookahead.Keeper. O(1).
func (s *SR) Frame() bookahead.Frame { return s.s.Frame() }

// Reservations implements bookahead.Keeper. O(n + k log k) for k of n reservations.
func (s *SR) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return s.s.Reservations(w)
}

// Reservation implements bookahead.Keeper. O(n) for n servers.
func (s *SR) Reservation(id bookahead.ID) (bookahead.Reservation, error) { return s.s.Reservation(id) }

// Clone implements bookahead.Cloner. O(vN) bits.
func (s *SR) Clone() bookahead.Schedule { return newSR(s.s.Servers.Clone(), s.sets().clone()) }

const kindOfSR = "carts.SR"

// MarshalBinary implements encoding.BinaryMarshaler. O(n) for n servers of all
// reservations together.
func (s *SR) MarshalBinary() ([]byte, error) {
	w := snapshot.Begin(kindOfSR)
	s.s.Write(w)
	return w.End()
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter says. If the
// sets take more than 64 MiB, and more than a kibibyte for each byte of data, the receiver must
// have as many servers as the snapshot. It takes as long as NewSR.
func (s *SR) UnmarshalBinary(data []byte) error {
	r := snapshot.Open(data, kindOfSR)
	read := servers.Read(r)
	if err := r.Err(); err != nil {
		return err
	}
	events := eventsOf(&read)
	if s.s.Capacity != read.Capacity {
		r.Afford("slots", countTimes(events), uint64(read.Capacity)/8+64)
	}
	if err := r.Close(); err != nil {
		return err
	}
	x, err := newSets(read.Limits.Servers, read.Now, events, servers.InSnapshot)
	if err != nil {
		return err
	}
	*s = *newSR(read, x)
	return nil
}
