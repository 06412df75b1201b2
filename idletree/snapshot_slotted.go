package idletree

import (
	"math"
	"math/bits"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
	"github.com/bookahead/bookahead/internal/snapshot"
)

func (s *slots) kind() (string, []uint64) {
	return kindOfSlotted, []uint64{uint64(s.width), uint64(s.step), uint64(s.tries)}
}

// Bytes that are allocated while the trees of the slots are built. They were measured with 1 to
// 20 000 idle periods in each slot, and rounded up: 600 bytes for the only idle period of a
// slot, 83 for each of 16, 280 for each of 33, and 1 550 for each of 20 000.
const (
	ringBytes  = 8 + 24 // of each slot: in the ring, and in the lists from which trees are built
	slotBytes  = 512    // of each slot that is not empty
	cellBytes  = 128    // of each idle period in the leaves of a slot
	levelBytes = 140    // of each idle period, for each level of inner nodes with secondary trees
)

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says. If the trees take more than 64 MiB and a kibibyte for each byte of data, the
// receiver must have as many servers and slots, and slots of the same width.
// O(c log c) for c idle periods, each counted in each slot that it spans.
func (s *Slotted) UnmarshalBinary(data []byte) error {
	r := snapshot.Open(data, kindOfSlotted)
	c := SlottedConfig{
		Slot:     bookahead.Duration(r.Time("slot")),
		Step:     bookahead.Duration(r.Time("step")),
		Attempts: int(r.Uint("attempts", math.MaxInt)),
	}
	if r.Err() == nil && (c.Slot == 0 || c.Step == 0 || c.Attempts == 0) {
		r.Fail("slot, step or attempts", 0, "is less than 1")
	}
	booked, f := readFleet(r, servers.Read(r), Prefer{})
	if err := r.Close(); err != nil {
		return err
	}
	c.Horizon = booked.Horizon()
	c, err := c.withDefaults(booked.Capacity)
	if err != nil {
		return err
	}
	read, old := newSlots(f, c, leafSize), s.slots()
	endless, bounded := read.items()
	if old.width != read.width || len(old.ring) != len(read.ring) || s.s.Capacity != booked.Capacity {
		r.Afford("bytes of trees", read.treeBytes(bounded), 1)
		if err := r.Close(); err != nil {
			return err
		}
	}
	read.fill(endless, bounded)
	*s = Slotted{newSchedule(booked, read)}
	return nil
}

// treeBytes returns the most bytes that the trees of the bounded idle periods take. O(p)
// for p of them. It cannot overflow: there are at most 2^20 slots, and the snapshot has a
// byte for each idle period.
func (s *slots) treeBytes(bounded []item) uint64 {
	cells := uint64(0)
	for _, e := range bounded {
		from, to := s.overlapped(e)
		cells += uint64(to - from)
	}
	levels := uint64(bits.Len(uint(max(len(bounded), 1)-1) / leafSize))
	slots := uint64(len(s.ring))
	return slots*ringBytes + min(cells, slots)*slotBytes + cells*(cellBytes+levels*levelBytes)
}
