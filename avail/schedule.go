package avail

import (
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/servers"
)

// Config holds the settings of NewSchedule.
type Config struct {
	// Origin is the time at which the clock stands at first.
	Origin bookahead.Time
	// Horizon is how many ticks ahead of the clock can be booked. It must be
	// given: there is a bit for each server and each Slot ticks of it.
	Horizon bookahead.Duration
	// Slot is the width of a slot, in ticks; 0 means 1, which is exact.
	Slot bookahead.Duration
}

func (c Config) width() bookahead.Duration { return max(c.Slot, 1) }

// slots returns the number of slots in the horizon, wherever in a slot the clock
// stands.
func (c Config) slots() int64 { return int64((c.Horizon-1)/c.width()) + 2 }

// Bytes returns the memory that a Schedule of so many servers takes for its slots: a
// bit for each server and slot, and 4 bytes for each slot. What is booked comes on top.
// The error wraps bookahead.ErrInvalid if the horizon is missing, the width or the
// number of servers is out of range, or if it were more than MaxBytes. O(1).
func (c Config) Bytes(capacity int64) (int64, error) {
	switch {
	case capacity < 1 || capacity > servers.Max:
		return 0, limits.Invalid("capacity", capacity, fmt.Sprintf("is not from 1 to %d", servers.Max))
	case c.Horizon < 1:
		return 0, limits.Invalid("Config.Horizon", c.Horizon, "is less than 1: there is a bit for each slot")
	case c.Slot < 0:
		return 0, limits.Invalid("Config.Slot", c.Slot, "is negative")
	}
	if (c.Horizon-1)/c.width() < MaxBytes { // and so nothing overflows
		if n := gridBytes(capacity, c.slots()); n <= MaxBytes {
			return n, nil
		}
	}
	return 0, limits.Invalid("Config.Horizon", c.Horizon,
		fmt.Sprintf("takes more than %d bytes for %d servers in slots of %d ticks", MaxBytes, capacity, c.width()))
}

// Schedule books servers in slots, with an availability vector for each server
// (Stevens et al., §4.1, for a cluster of which each server is known). It is a
// bookahead.Schedule that takes the servers with the lowest index. See the
// package comment for its form.
type Schedule struct {
	servers servers.Servers
	width   bookahead.Time // of a slot
	grid    grid
}

var (
	_ bookahead.Schedule = (*Schedule)(nil)
	_ bookahead.Profiler = (*Schedule)(nil)
	_ bookahead.Cloner   = (*Schedule)(nil)
)

// NewSchedule returns a schedule of capacity servers, at most 1<<24. The error
// wraps bookahead.ErrInvalid: an argument is out of range, or Config.Bytes is refused.
// O(N·S/64 + S) for N servers and S slots.
func NewSchedule(capacity int64, c Config) (*Schedule, error) {
	s, err := servers.New(capacity, c.Origin, c.Horizon)
	if err != nil {
		return nil, err
	}
	if _, err := c.Bytes(capacity); err != nil {
		return nil, err
	}
	return &Schedule{servers: s, width: bookahead.Time(c.width()), grid: newGrid(capacity, c.slots())}, nil
}

// slot returns the slot that t, which is never negative, lies in.
func (s *Schedule) slot(t bookahead.Time) int64 { return int64(t / s.width) }

// span returns the slots that w touches, from the first to behind the last.
func (s *Schedule) span(w bookahead.Interval) (from, to int64) {
	return s.slot(w.Start), s.slot(w.End-1) + 1
}

// Search implements bookahead.Schedule. O(N·m/64) for N servers and m slots if
// there is a place at the ready time; otherwise O(k + N·k/64 · log n) for n units
// and k slots up to the end of what is found. Most of them are passed over if m
// is large, or if fewer than n servers are free.
func (s *Schedule) Search(r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := s.servers.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	named, n, d := r.Servers, int(r.Units), bookahead.Time(r.Duration)
	if !slices.IsSorted(named) {
		named = slices.Sorted(slices.Values(named))
	}
	from, to := s.span(bookahead.Interval{Start: first, End: first + d})
	if list := s.grid.lowest(named, from, to, n); len(list) == n {
		return servers.OfferAt(first, r, list), nil
	}
	// If not at the ready time, then at the start of a slot.
	m := int64((d-1)/s.width) + 1
	from, ok := s.grid.search(named, n, m, from+1, s.slot(last))
	if !ok {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	list := s.grid.lowest(named, from, from+m, n)
	return servers.OfferAt(bookahead.Time(from)*s.width, r, list), nil
}

// Reserve implements bookahead.Schedule. It takes a Search, and O(m + n·m/64)
// for n units in m slots.
func (s *Schedule) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := s.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	from, to := s.span(o.Interval)
	flip(&s.grid, o.Servers, from, to, -len(o.Servers))
	return s.servers.Enter(o), nil
}

// Release implements bookahead.Schedule. O(m + n·m/64) for n units in m slots.
func (s *Schedule) Release(id bookahead.ID) error {
	b, err := s.servers.Strike(id)
	if err != nil {
		return err
	}
	b.Interval = s.servers.Ahead(b.Interval)
	s.flip(b, len(b.Servers))
	return nil
}

// RangeQuery implements bookahead.Schedule. O(N·m/64) for N servers and m slots
// that w touches.
func (s *Schedule) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := s.servers.Window(w)
	if err != nil {
		return bookahead.Availability{}, err
	}
	if w.Empty() {
		return servers.Available(nil), nil
	}
	from, to := s.span(w)
	return servers.Available(s.grid.lowest(nil, from, to, s.grid.servers)), nil
}

// Advance implements bookahead.Schedule. O(N/64) for N servers and each slot that
// has passed, and never more than there are slots.
func (s *Schedule) Advance(now bookahead.Time) error {
	old := s.slot(s.servers.Now)
	if err := s.servers.Advance(now); err != nil {
		return err
	}
	s.grid.pass(old, s.slot(now))
	return nil
}

// Blocks implements bookahead.Profiler: one block for each run of slots in which
// the same servers are free. O(N·m/64) for N servers and m slots that w touches,
// and O(N) for each block.
func (s *Schedule) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		w, err := s.servers.Window(w)
		if err != nil || w.Empty() {
			return
		}
		var list []int
		for from, to := s.span(w); from < to; {
			end := s.grid.unchanged(from, to)
			b := bookahead.Block{Interval: w}
			b.Start = max(w.Start, bookahead.Time(from)*s.width)
			if end < to {
				b.End = bookahead.Time(end) * s.width
			}
			list = s.grid.at(list[:0], from)
			b.Units, b.Servers = int64(len(list)), list
			if b.Units > 0 && !yield(b) {
				return
			}
			from = end
		}
	}
}

// Clone implements bookahead.Cloner. O(N·S/64) for N servers and S slots.
func (s *Schedule) Clone() bookahead.Schedule {
	return &Schedule{servers: s.servers.Clone(), width: s.width, grid: s.grid.clone()}
}
