package gantt

// raster tells how much of the rows and the window bars take, for charts with
// more of them than can be seen: groups of lanes by columns of time.
type raster struct {
	group   int       // how many rows make one of the raster
	levels  [][]uint8 // of each row and column: 0 for nothing, maxLevel for all
	maximum uint8
}

// fine is how exactly a bar's ends are placed, in parts of a column.
const fine = 1 << 16

// newRaster counts how much the bars cover, with at most so many rows of whole lanes, and
// levels 0 … maximum: 0 is nothing at all, and maximum no less than all.
// O(n·r) for n bars that span r rows of the raster each.
func newRaster(c *Chart, bars []Bar, rows, columns int, maximum uint8) raster {
	group := (c.lanes() + rows - 1) / rows * c.lane()
	rows = (c.Rows + group - 1) / group
	r := raster{group: group, levels: make([][]uint8, rows), maximum: maximum}

	// In row i, whole[i] says at each column how much more, or less, is covered
	// from there on, and part[i] what is covered of that column only.
	whole, part := make([][]int64, rows), make([][]int64, rows)
	for i := range rows {
		whole[i], part[i] = make([]int64, columns+1), make([]int64, columns+1)
	}
	for _, b := range bars {
		from, to := scale(b.Start, c.Window, columns*fine), scale(b.End, c.Window, columns*fine)
		to = max(to, from+1) // what is there at all is seen
		first, last := from/fine, to/fine
		for i := b.Row / group; i <= (b.Row+b.rows()-1)/group; i++ {
			n := int64(min(b.Row+b.rows(), (i+1)*group) - max(b.Row, i*group))
			if first == last {
				part[i][first] += n * int64(to-from)
				continue
			}
			part[i][first] += n * int64((first+1)*fine-from)
			part[i][last] += n * int64(to-last*fine)
			whole[i][first+1] += n * fine
			whole[i][last] -= n * fine
		}
	}
	for i := range rows {
		r.levels[i] = make([]uint8, columns)
		all := int64(min(group, c.Rows-i*group)) * fine
		var running int64
		for k := range columns {
			running += whole[i][k]
			// What overlaps is counted twice, and is no more than all.
			if covered := min(running+part[i][k], all); covered > 0 {
				r.levels[i][k] = uint8(1 + covered*int64(maximum-1)/all)
			}
		}
	}
	return r
}

// run is a stretch of columns of the same level.
type run struct {
	row, from, to int
	level         uint8
}

// runs yields what is not empty, row by row.
func (r *raster) runs(yield func(run) bool) {
	for i, levels := range r.levels {
		for from := 0; from < len(levels); {
			to := from + 1
			for to < len(levels) && levels[to] == levels[from] {
				to++
			}
			if levels[from] > 0 && !yield(run{i, from, to, levels[from]}) {
				return
			}
			from = to
		}
	}
}

// cell is a place in a text.
type cell struct {
	owner         int   // the bar that takes most of it
	most, covered int64 // by the owner, by all bars
}

// taken reports whether half of a cell is covered; of a lane, as much as is half of one of its rows.
func (c *cell) taken() bool { return c.covered >= fine/2 }

// newCells counts for each lane and column which bar takes most of it. O(n·r) for
// n bars that span r lanes, and what columns they span.
func newCells(c *Chart, bars []Bar, columns int) [][]cell {
	cells, lane := make([][]cell, c.lanes()), c.lane()
	for i := range cells {
		cells[i] = make([]cell, columns)
	}
	for n, b := range bars {
		from, to := scale(b.Start, c.Window, columns*fine), scale(b.End, c.Window, columns*fine)
		for k := from / fine; k < columns && k*fine < to; k++ {
			covered := int64(min(to, (k+1)*fine) - max(from, k*fine))
			for i := b.Row / lane; i*lane < b.Row+b.rows(); i++ {
				rows := int64(min(b.Row+b.rows(), (i+1)*lane) - max(b.Row, i*lane))
				at := &cells[i][k]
				at.covered += covered * rows
				if covered*rows > at.most {
					at.owner, at.most = n, covered*rows
				}
			}
		}
	}
	return cells
}
