package avail

import "fmt"

// Verify looks for faults. After the running slot, the servers taken must be those of the
// reservations, and no servers beyond the horizon. In the running slot, servers of reservations
// that have ended may be taken as well. The numbers of free servers must be those of the bits.
// Verify takes as much memory as the schedule, and time in proportion.
func (s *Schedule) Verify() error {
	v := s.vectors()
	g, now := &v.grid, v.slot(s.s.Now)
	want := grid{g.servers, make([]uint64, len(g.words)), make([]int32, len(g.free))}
	want.reset(want.words, want.free)
	for id, b := range s.s.Booked.All(s.s.Now) {
		for slot, to := v.span(s.s.Ahead(b.Interval)); slot < to; slot++ {
			column, bit := want.column(slot>>6), uint64(1)<<(slot&63)
			for _, k := range b.Servers {
				if column[k]&bit == 0 {
					return fmt.Errorf("avail: server %d is booked twice in slot %d, by #%d", k, slot, id)
				}
				column[k] &^= bit
			}
			want.free[want.place(slot)] -= int32(len(b.Servers))
		}
	}
	first := now >> 6
	for c := first; c < first+g.columns(); c++ {
		certain := ^uint64(0)
		if c == first {
			certain = ^uint64(1) << (now & 63)
		}
		wanted := want.column(c)
		for k, word := range g.column(c) {
			if (word^wanted[k])&certain != 0 || word&^wanted[k]>>(now&63) != 0 && c == first {
				return fmt.Errorf("avail: server %d in column %d is %x, not %x, now slot %d", k, c, word, wanted[k], now)
			}
		}
		for i := range int64(64) { // the last columns may lie beyond the last tick
			place := c%g.columns()*64 + i
			free := want.free[place]
			if c == first && i <= now&63 {
				free = 0
				for _, word := range g.column(c) {
					free += int32(word >> i & 1)
				}
			}
			if g.free[place] != free {
				return fmt.Errorf("avail: %d servers are free in slot %d of column %d, not %d", free, i, c, g.free[place])
			}
		}
	}
	return nil
}
