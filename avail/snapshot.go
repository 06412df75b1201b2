package avail

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/servers"
	"github.com/bookahead/bookahead/internal/snapshot"
)

const kind = "avail.Schedule"

// MarshalBinary implements encoding.BinaryMarshaler. O(N + n) for N servers, and n
// servers of all reservations together.
func (s *Schedule) MarshalBinary() ([]byte, error) {
	w := snapshot.Begin(kind)
	s.s.Write(w)
	w.Uint(uint64(s.vectors().width))
	ended := s.ended()
	w.Uint(uint64(len(ended)))
	servers.WriteSet(w, ended)
	return w.End()
}

// ended returns the servers that are taken in the running slot only by reservations that have
// ended in it.
func (s *Schedule) ended() []int {
	v := s.vectors()
	now := v.slot(s.s.Now)
	taken := make([]bool, v.grid.servers)
	for k, word := range v.grid.column(now >> 6) {
		taken[k] = word>>(now&63)&1 == 0
	}
	for _, b := range s.s.Booked.All(s.s.Now) {
		if v.slot(b.Start) <= now {
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

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter says. If the
// slots take more than 64 MiB, and more than a kibibyte for each byte of data, the receiver must
// have as many servers and slots. O(r log r) for r servers of all reservations together, and O(1)
// for each word of the grid.
func (s *Schedule) UnmarshalBinary(data []byte) error {
	r := snapshot.Open(data, kind)
	booked := servers.Read(r)
	c := Config{Origin: booked.Now, Horizon: booked.Horizon(), Slot: bookahead.Duration(r.Time("width"))}
	ended := servers.ReadSet(r, int(r.Uint("servers of what has ended", uint64(r.Left()))), booked.Capacity)
	if r.Err() == nil && c.Slot < 1 {
		r.Fail("width", c.Slot, "is less than 1")
	}
	if r.Err() == nil {
		n, err := c.bytes(booked.Capacity)
		r.Check(err)
		g := &s.vectors().grid
		if s.s.Capacity != booked.Capacity || n > int64(8*len(g.words)+4*len(g.free)) {
			r.Afford("bytes", uint64(n), 1)
		}
	}
	if err := r.Close(); err != nil {
		return err
	}
	n, err := build(booked, c, servers.InSnapshot)
	if err != nil {
		return err
	}
	if err := n.vectors().runOut(n.s.Now, ended); err != nil {
		return err
	}
	*s = *n
	return nil
}

// runOut takes the servers whose reservations have ended in the running slot.
func (v *vectors) runOut(now bookahead.Time, ended []int32) error {
	slot := v.slot(now)
	if len(ended) > 0 && now == bookahead.Time(slot)*v.width {
		return limits.Invalid("snapshot: servers of what has ended", ended, "are in a slot that has only begun")
	}
	for _, k := range ended {
		if !v.grid.idle(v.grid.stripe(slot, slot+1), int(k)) {
			return limits.Invalid("snapshot: server", k, "has ended, and is booked in the same slot")
		}
	}
	v.grid.flip(ended, slot, slot+1, -len(ended))
	return nil
}
