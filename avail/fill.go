package avail

// run is the slots [from, to) in which a server is booked.
type run struct {
	server   int32
	from, to int64
}

// fill books the runs in a grid in which all is free, from slot now on. No two runs of a server
// overlap. The slots of long runs lie far apart in memory, so fill writes only the edges of each
// run. Then each word follows from its edges and the word before it:
//
//	edges    ..1...1.  ........  ...1....      booked from slot 2 to 6, and from 19 on
//	booked   ..1111..  ........  ...11111
//
// O(r) for r runs, and O(1) for each word.
func (g *grid) fill(now int64, runs []run) {
	clear(g.words)
	first := now >> 6
	behind := first + g.columns()
	for _, r := range runs {
		for _, edge := range [2]int64{r.from, r.to} {
			if edge>>6 < behind {
				g.column(edge >> 6)[r.server] ^= 1 << (edge & 63)
			}
		}
	}
	var before []uint64 // the column before, complete: 1 is free
	for c := first; c < behind; c++ {
		column := g.column(c)
		for k, booked := range column {
			for by := 1; by < 64; by *= 2 { // each bit becomes the parity of the edges up to it
				booked ^= booked << by
			}
			if before != nil && before[k]>>63 == 0 {
				booked = ^booked
			}
			column[k] = ^booked
		}
		before = column
	}
	g.count()
}

// count sets the number of free servers of each slot from the bits. It adds up the bits of a
// column side by side, for 64 slots at a time: plane p holds the binary digit 2^p of each of the
// 64 sums. O(1) amortised for each word.
func (g *grid) count() {
	for c := range g.columns() {
		var planes [32]uint64
		for _, carry := range g.column(c) {
			for p := 0; carry != 0; p++ {
				planes[p], carry = planes[p]^carry, planes[p]&carry
			}
		}
		for i := range 64 {
			free := int32(0)
			for p, digits := range planes {
				free |= int32(digits>>i&1) << p
			}
			g.free[c*64+int64(i)] = free
		}
	}
}
