package avail

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/servers"
	"github.com/bookahead/bookahead/internal/snapshot"
)

var _ bookahead.Snapshotter = (*Schedule)(nil)

const kind = "avail.Schedule"

// MarshalBinary implements encoding.BinaryMarshaler. O(N + n) for N servers, and n
// servers of all reservations together.
func (s *Schedule) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// AppendBinary implements encoding.BinaryAppender. See MarshalBinary.
func (s *Schedule) AppendBinary(b []byte) ([]byte, error) {
	w := snapshot.Begin(b, kind)
	s.servers.Write(w)
	w.Uint(uint64(s.width))
	ended := s.ended()
	w.Uint(uint64(len(ended)))
	servers.WriteSet(w, ended)
	return w.End()
}

// ended returns the servers that are taken in the slot that is running only by
// what has ended in it.
func (s *Schedule) ended() []int {
	now := s.slot(s.servers.Now)
	taken := make([]bool, s.grid.servers)
	for k, word := range s.grid.column(now >> 6) {
		taken[k] = word>>(now&63)&1 == 0
	}
	for _, b := range s.servers.Booked.All(s.servers.Now) {
		if s.slot(b.Start) <= now {
			for _, k := range b.Servers {
				taken[k] = false
			}
		}
	}
	var list []int
	for k, t := range taken {
		if t {
			list = append(list, k)
		}
	}
	return list
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says: where Config.Bytes is more than 64 MiB, and a kibibyte for each byte of
// data, it wants a receiver of as many servers and slots. O(r log r) for r servers of
// all reservations together, and O(1) for each word of the grid.
func (s *Schedule) UnmarshalBinary(data []byte) error {
	r := snapshot.Open(data, kind)
	booked := servers.Read(r)
	c := Config{Origin: booked.Now, Horizon: booked.Horizon(), Slot: bookahead.Duration(r.Time("width"))}
	ended := servers.ReadSet(r, int(r.Uint("servers of what has ended", uint64(r.Left()))), booked.Capacity)
	if r.Err() == nil && c.Slot < 1 {
		r.Fail("width", c.Slot, "is less than 1")
	}
	if r.Err() == nil {
		n, err := c.Bytes(booked.Capacity)
		r.Check(err)
		if s.servers.Capacity != booked.Capacity || n > int64(8*len(s.grid.words)+4*len(s.grid.free)) {
			r.Afford("bytes", uint64(n), 1)
		}
	}
	if err := r.Close(); err != nil {
		return err
	}
	n, err := NewSchedule(booked.Capacity, c)
	if err != nil {
		return err
	}
	n.servers = booked
	if err := n.occupy(ended); err != nil {
		return err
	}
	*s = *n
	return nil
}

// occupy fills the grid, in which all is free, from the reservations and the servers
// whose reservations have ended in the slot that is running.
func (s *Schedule) occupy(ended []int32) error {
	now := s.servers.Now
	slot := s.slot(now)
	if len(ended) > 0 && now == bookahead.Time(slot)*s.width {
		return limits.Invalid("snapshot: servers of what has ended", ended, "are in a slot that has only begun")
	}
	var runs []run
	for _, k := range ended {
		runs = append(runs, run{k, slot, slot + 1})
	}
	for _, b := range s.servers.Booked.All(now) {
		b.Start = max(b.Start, now)
		from, to := s.span(b.Interval)
		for _, k := range b.Servers {
			runs = append(runs, run{k, from, to})
		}
	}
	slices.SortFunc(runs, run.compare)
	for i := 1; i < len(runs); i++ {
		if a, b := runs[i-1], runs[i]; a.server == b.server && b.from < a.to {
			return limits.Invalid("snapshot: server", b.server, fmt.Sprintf("is booked twice in slot %d", b.from))
		}
	}
	s.grid.fill(slot, runs)
	return nil
}
