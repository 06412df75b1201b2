package avail

import (
	"fmt"
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/servers"
)

// Config holds the settings of NewSchedule.
type Config struct {
	// Origin is the time of the clock at first.
	Origin bookahead.Time
	// Horizon is how many ticks ahead of the clock can be booked. It must be given: there is a
	// bit for each server and every Slot ticks of the horizon.
	Horizon bookahead.Duration
	// Slot is the width of a slot, in ticks; 0 means 1, which is exact.
	Slot bookahead.Duration
	// Booked are the reservations that the schedule holds from the start; the k-th gets ID k+1.
	// Each must end after the Origin, and name its servers. It may have begun before the Origin,
	// but not before tick 0.
	Booked []bookahead.Offer
}

func (c Config) width() bookahead.Duration { return max(c.Slot, 1) }

// slots returns how many slots the horizon touches at most, wherever in a slot the clock stands.
func (c Config) slots() int64 { return int64((c.Horizon-1)/c.width()) + 2 }

// bytes returns the memory that a Schedule of capacity servers takes for its slots: a bit for
// each server and slot, and 4 bytes for each slot. Reservations take more memory besides. The
// error wraps bookahead.ErrInvalid if the horizon is missing, if the width or the number of
// servers is out of range, or if the slots would take more than a gibibyte. O(1).
func (c Config) bytes(capacity int64) (int64, error) {
	switch {
	case capacity < 1 || capacity > servers.Max:
		return 0, limits.Invalid("capacity", capacity, fmt.Sprintf("is not from 1 to %d", servers.Max))
	case c.Horizon < 1:
		return 0, limits.Invalid("Config.Horizon", c.Horizon, "is less than 1: there is a bit for each slot")
	case c.Slot < 0:
		return 0, limits.Invalid("Config.Slot", c.Slot, "is negative")
	}
	if (c.Horizon-1)/c.width() < maxBytes { // and so nothing overflows
		n := gridBytes(capacity, c.slots())
		if n <= maxBytes {
			return n, nil
		}
	}
	return 0, limits.Invalid("Config.Horizon", c.Horizon,
		fmt.Sprintf("takes more than %d bytes for %d servers in slots of %d ticks", maxBytes, capacity, c.width()))
}

// Schedule books servers in slots, with an availability vector for each server (Stevens et al.,
// §4.1, for a cluster whose servers are known one by one). A reservation gets the free servers
// with the lowest indices. The package comment shows the form.
type Schedule struct{ s servers.Schedule }

var _ interface {
	bookahead.Keeper
	bookahead.Profiler
	bookahead.Opener
	bookahead.Cloner
	bookahead.Snapshotter
} = (*Schedule)(nil)

// NewSchedule returns a schedule of capacity servers, at most 1<<24. The error wraps
// bookahead.ErrInvalid if an argument is out of range, or if the slots would take more than a
// gibibyte. O(N·S/64 + S + r log r) for N servers and S slots, and r servers of all reservations
// in Config.Booked together.
func NewSchedule(capacity int64, c Config) (*Schedule, error) {
	s, err := servers.Open(capacity, c.Origin, c.Horizon, c.Booked)
	if err != nil {
		return nil, err
	}
	return build(s, c, servers.InConfig)
}

// build returns the schedule of the reservations in s. name is for servers.Runs.
func build(s servers.Servers, c Config, name func(bookahead.ID) string) (*Schedule, error) {
	if _, err := c.bytes(s.Capacity); err != nil {
		return nil, err
	}
	v := &vectors{bookahead.Time(c.width()), newGrid(s.Capacity, c.slots())}
	runs, err := s.Runs(v.Round, name)
	if err != nil {
		return nil, err
	}
	if len(runs) > 0 {
		v.grid.fill(v.slot(s.Now), v.inSlots(runs))
	}
	return &Schedule{servers.Schedule{Servers: s, Roster: v}}, nil
}

// vectors returns the roster. A zero Schedule gets an empty one.
func (s *Schedule) vectors() *vectors {
	v, ok := s.s.Roster.(*vectors)
	if !ok {
		return &vectors{}
	}
	return v
}

// Search implements bookahead.Schedule. O(N·m/64) for N servers and m slots if there is a place
// at the ready time; otherwise O(k + N·k/64 · log n) for n units and k slots up to the end of the
// offer. Most of these slots are passed over if m is large, or if fewer than n servers are free.
func (s *Schedule) Search(r bookahead.Request) (bookahead.Offer, error) { return s.s.Search(r) }

// Reserve implements bookahead.Schedule. It takes a Search, and O(m + n·m/64)
// for n units in m slots.
func (s *Schedule) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	return s.s.Reserve(r)
}

// Release implements bookahead.Schedule. O(m + n·m/64) for n units in m slots.
func (s *Schedule) Release(id bookahead.ID) error { return s.s.Release(id) }

// SearchFor implements bookahead.Keeper. A fixed request takes O(n·m/64) for n servers that are
// held and m slots, and O(N·m/64) for N servers if some are added. Any other request takes O(n)
// Searches.
func (s *Schedule) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	return s.s.SearchFor(id, r)
}

// Rebook implements bookahead.Keeper. It takes a SearchFor, and O(m + n·m/64) for n servers
// in m slots that are given back or taken.
func (s *Schedule) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	return s.s.Rebook(id, r)
}

// RangeQuery implements bookahead.Schedule. O(N·m/64) for N servers and m slots
// that w touches.
func (s *Schedule) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	return s.s.RangeQuery(w)
}

// Openings implements bookahead.Opener. It takes a Search wherever the servers found before
// become too few, and O(N·m/64) for the m slots until then.
func (s *Schedule) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] {
	return s.s.Openings(r)
}

// Advance implements bookahead.Schedule. O(N/64) for N servers and each slot that has passed, at
// most for all slots.
func (s *Schedule) Advance(now bookahead.Time) error { return s.s.Advance(now) }

// Blocks implements bookahead.Profiler: one block for each run of slots in which
// the same servers are free. O(N·m/64) for N servers and m slots that w touches,
// and O(N) for each block.
func (s *Schedule) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] { return s.s.Blocks(w) }

// Frame implements bookahead.Keeper. O(1).
func (s *Schedule) Frame() bookahead.Frame { return s.s.Frame() }

// Reservations implements bookahead.Keeper. O(n + k log k) for k of n reservations.
func (s *Schedule) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return s.s.Reservations(w)
}

// Reservation implements bookahead.Keeper. O(n) for n servers.
func (s *Schedule) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return s.s.Reservation(id)
}

// Clone implements bookahead.Cloner. O(N·S/64) for N servers and S slots.
func (s *Schedule) Clone() bookahead.Schedule {
	return &Schedule{servers.Schedule{Servers: s.s.Servers.Clone(), Roster: s.vectors().clone()}}
}
