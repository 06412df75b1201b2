package bookahead

import (
	"iter"
	"slices"
)

// Block is a rectangle of free capacity: Units are free throughout the
// interval.
type Block struct {
	Interval
	Units int64
	// Servers names the servers that are free, in ascending order; nil if the schedule counts
	// units only. The slice is valid only until the next Block.
	Servers []int
}

// Profiler is a Schedule that can list its free capacity. Use the function Blocks,
// which sees through Locked.
type Profiler interface {
	Schedule

	// Blocks yields blocks of free capacity inside w, cut to [now, horizon), ordered by start. At
	// every tick the Units of the blocks that contain it add up to the free units there
	// (Schneider & Linnert, §5). No block is empty or without units. Each structure cuts the free
	// area into blocks in its own way. Blocks is a query: the loop may be repeated, by any number
	// of goroutines, but nothing may be booked or released meanwhile.
	Blocks(w Interval) iter.Seq[Block]
}

// Blocks yields the blocks of free capacity of s inside w, as a Profiler does, and returns false
// if s is no Profiler. The blocks of a schedule behind Locked are collected under the read lock,
// when the loop begins: O(k) memory for k blocks.
func Blocks(s Schedule, w Interval) (iter.Seq[Block], bool) {
	if p, ok := s.(Profiler); ok {
		return p.Blocks(w), true
	}
	if !View(s, func(Profiler) {}) {
		return nil, false
	}
	return func(yield func(Block) bool) {
		var list []Block
		View(s, func(p Profiler) {
			for b := range p.Blocks(w) {
				b.Servers = slices.Clone(b.Servers)
				list = append(list, b)
			}
		})
		slices.Values(list)(yield)
	}, true
}
