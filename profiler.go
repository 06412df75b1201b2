package bookahead

import "iter"

// Block is a rectangle of free capacity: Units are free throughout the
// interval.
type Block struct {
	Interval
	Units int64
	// Servers names the servers that are free, in ascending order; nil if the
	// schedule counts units only. It is valid only until the next Block.
	Servers []int
}

// Profiler is a Schedule that can list its free capacity.
type Profiler interface {
	Schedule

	// Blocks yields blocks of free capacity inside w, cut to [now, horizon),
	// ordered by start. At every tick the Units of the blocks that contain it
	// add up to what is free there (Schneider & Linnert, §5), and no block is
	// empty or without units. How the free area is cut into blocks is the
	// structure's own affair. It is a query: it can be ranged over again, and
	// by any number of goroutines, but nothing may be booked or released
	// meanwhile.
	Blocks(w Interval) iter.Seq[Block]
}
