package slotted

import (
	"fmt"
	"slices"
)

// check demands that each slot holds what the reservations and the rounding
// leave, and that places outside the horizon are free. What has ended in the
// slot that is running may still count there.
func check(free func(slot int64) int64, first, end int64, booked map[int64]int64, capacity int64) error {
	for slot := first; slot < end; slot++ {
		want := capacity - booked[slot]
		got := free(slot)
		if got != want && (slot != first || got > want || got < 0) {
			return fmt.Errorf("slot %d has %d free, not %d", slot, got, want)
		}
	}
	return nil
}

// CheckInvariants is called by scheduletest after every operation.
func (s *Scan) CheckInvariants() error {
	booked := map[int64]int64{}
	for _, b := range s.pool.Booked.All(s.pool.Now) {
		b.Start = max(b.Start, s.pool.Now)
		for slot, to := s.ring.span(b.Interval); slot < to; slot++ {
			booked[slot] += b.Units
		}
	}
	free := func(slot int64) int64 { return s.free[s.ring.place(slot)] }
	first := s.ring.slot(s.pool.Now)
	return check(free, first, first+s.ring.size, booked, s.pool.Capacity)
}

// CheckInvariants is called by scheduletest after every operation.
func (x *Indexed) CheckInvariants() error {
	booked := map[int64]int64{}
	for _, b := range x.pool.Booked.All(x.pool.Now) {
		b.Start = max(b.Start, x.pool.Now)
		for slot, to := x.ring.span(b.Interval); slot < to; slot++ {
			booked[slot] += b.Units
		}
	}
	for i, b := range x.blocks {
		part := x.used[int64(i)*x.size : int64(i+1)*x.size]
		if slices.Min(part)+b.add != b.least || slices.Max(part)+b.add != b.most {
			return fmt.Errorf("block %d %+v over %v", i, b, part)
		}
	}
	free := func(slot int64) int64 {
		place := x.ring.place(slot)
		return x.pool.Capacity - x.used[place] - x.blocks[place/x.size].add
	}
	first := x.ring.slot(x.pool.Now)
	passed := first % x.size // of the block of now, which come last again
	return check(free, first, first+x.ring.size-passed, booked, x.pool.Capacity)
}
