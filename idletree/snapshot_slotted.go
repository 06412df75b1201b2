package idletree

import (
	"math"
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
	"github.com/bookahead/bookahead/internal/snapshot"
)

func (s *slots) kind() (string, []uint64) {
	return kindOfSlotted, []uint64{uint64(s.width), uint64(s.step), uint64(s.tries)}
}

// The room that is made while the trees of the slots are built, in bytes: for any slot, in
// the ring and in the lists from which the trees are built; for one that is not empty;
// for an idle period in the leaves there; and for each level of inner nodes, which have
// secondary trees, above it. Measured, and rounded up, with 1 to 20 000
// idle periods in each slot: 600 bytes for the only one of a slot, 83 for each of 16,
// 280 for each of 33, 1 550 for each of 20 000.
const (
	ringBytes  = 8 + 24
	slotBytes  = 512
	cellBytes  = 128
	levelBytes = 140
)

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says: with more than 64 MiB of trees, and a kibibyte for each byte of data, it
// wants a receiver of as many servers and slots, as wide. O(c log c) for c idle
// periods, each counted in each slot that it spans.
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

// items returns the idle periods without an end, and those with one, in the order
// of a primary tree. What ends now is among them: if the booking behind it is
// released, it goes on.
func (s *slots) items() (endless, bounded []item) {
	for _, p := range s.periods(nil, rest(s.now-1)) {
		e := item{key: -p.Start, end: p.End, server: int32(p.Server)}
		if p.End == bookahead.MaxTime {
			e.end = 0
			endless = append(endless, e)
		} else {
			bounded = append(bounded, e)
		}
	}
	slices.SortFunc(endless, item.compare)
	slices.SortFunc(bounded, item.compare)
	return endless, bounded
}

// treeBytes returns how much room the trees of the bounded idle periods take at most.
// O(p) for p of them. It cannot overflow: there are at most 2^20 slots, and a byte of the
// snapshot for each idle period.
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

// overlapped returns the slots that the bounded period e overlaps, from now on.
func (s *slots) overlapped(e item) (from, to int64) {
	return s.slotOf(max(-e.key, s.now)), s.slotOf(e.end-1) + 1
}

// fill builds the trees: that of the endless idle periods, and for each slot that of the
// bounded ones. All are in order.
func (s *slots) fill(endless, bounded []item) {
	s.root = s.endless.build(endless, &s.room)
	lists := make([][]item, len(s.ring))
	for _, e := range bounded {
		for k, to := s.overlapped(e); k < to; k++ {
			place := k % int64(len(lists))
			lists[place] = append(lists[place], e)
		}
	}
	for place, list := range lists {
		if len(list) > 0 {
			slot := newSlotTree(s.perLeaf)
			slot.primary.freeNode(slot.root)
			slot.root = slot.primary.build(list, &s.room)
			s.ring[place], lists[place] = slot, nil
		}
	}
}
