package carts

import (
	"fmt"
	"slices"

	"github.com/bits-and-blooms/bitset"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// CheckInvariants is called by scheduletest after every operation.
func (f *Flat) CheckInvariants() error {
	slots := make([]Slot, len(f.start))
	for i := range slots {
		slots[i] = Slot{f.start[i], f.free[i]}
	}
	if len(f.free) != len(f.start) {
		return fmt.Errorf("%d starts, %d numbers", len(f.start), len(f.free))
	}
	var booked []pool.Booking
	for _, b := range f.pool.Booked.All(f.pool.Now) {
		booked = append(booked, b)
	}
	return checkSlots(slots, booked, f.pool.Now, f.pool.Capacity)
}

// CheckInvariants is called by scheduletest after every operation.
func (b *BTree) CheckInvariants() error {
	var slots []Slot
	b.slots.Ascend(func(s Slot) bool {
		slots = append(slots, s)
		return true
	})
	var booked []pool.Booking
	for _, e := range b.pool.Booked.All(b.pool.Now) {
		booked = append(booked, e)
	}
	return checkSlots(slots, booked, b.pool.Now, b.pool.Capacity)
}

// CheckInvariants is called by scheduletest after every operation: the slots
// are those of the bookings, neighbours differ, and none is left over.
func (s *SR) CheckInvariants() error {
	now, n := s.servers.Now, uint(s.servers.Capacity)
	if len(s.free) != len(s.start) || len(s.count) != len(s.start) || s.start[0] != now {
		return fmt.Errorf("%d starts from %d, %d sets, %d counts", len(s.start), s.start[0], len(s.free), len(s.count))
	}
	if !slices.IsSorted(s.start) {
		return fmt.Errorf("starts %v", s.start)
	}
	want := make([]*bitset.BitSet, len(s.start))
	for i := range want {
		want[i] = bitset.New(n).SetAll()
	}
	for _, b := range s.servers.Booked.All(now) {
		first, _ := slices.BinarySearch(s.start, b.Start)
		for i := first; i < len(s.start) && s.start[i] < b.End; i++ {
			for _, k := range b.Servers {
				if !want[i].Test(uint(k)) {
					return fmt.Errorf("server %d is booked twice at %d", k, s.start[i])
				}
				want[i].Clear(uint(k))
			}
		}
	}
	for i, t := range s.start {
		if !s.free[i].Equal(want[i]) || s.count[i] != int(want[i].Count()) {
			return fmt.Errorf("free at %d are %d of %v, not %v", t, s.count[i], s.free[i], want[i])
		}
		if i > 0 && (t == s.start[i-1] || want[i].Equal(want[i-1])) {
			return fmt.Errorf("slots %d and %d have the same set", i-1, i)
		}
	}
	return nil
}

// checkSlots demands the canonical form: the first slot starts now, starts
// ascend, neighbours differ, all is free in the end, and there are no more
// slots than the reservations account for.
func checkSlots(slots []Slot, booked []pool.Booking, now bookahead.Time, capacity int64) error {
	if len(slots) == 0 || slots[0].Start != now {
		return fmt.Errorf("first slot of %v does not start at %d", slots, now)
	}
	for i, s := range slots {
		if s.Free < 0 || s.Free > capacity {
			return fmt.Errorf("slot %v of capacity %d", s, capacity)
		}
		if i > 0 && (s.Start <= slots[i-1].Start || s.Free == slots[i-1].Free) {
			return fmt.Errorf("slot %v after %v", s, slots[i-1])
		}
	}
	if last := slots[len(slots)-1]; last.Free != capacity {
		return fmt.Errorf("last slot %v is not free", last)
	}
	if len(slots) > 2*len(booked)+1 {
		return fmt.Errorf("%d slots for %d reservations", len(slots), len(booked))
	}
	return nil
}
