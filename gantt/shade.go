package gantt

// raster has the level to which bars cover each cell of a chart with more rows or bars
// than can be seen. A cell is a group of lanes in a column of time.
type raster struct {
	group   int       // the rows of the chart that make one row of the raster
	levels  [][]uint8 // by row and column: 0 for nothing, maximum for all
	maximum uint8
}

// fine is how exactly a bar's ends are placed, in parts of a column.
const fine = 1 << 16

// newRaster returns the raster of some bars, with at most so many rows of whole lanes. Level 0
// is only for cells that no bar touches, and level maximum only for cells to which the bars add
// up. O(n·r) for n bars that span r rows of the raster each.
func newRaster(c *Chart, bars []Bar, rows, columns int, maximum uint8) raster {
	group := (c.lanes() + rows - 1) / rows * c.lane()
	rows = (c.Rows + group - 1) / group
	r := raster{group: group, levels: make([][]uint8, rows), maximum: maximum}

	// In row i, whole[i] has at each column the change of the covered amount from this column
	// on, and part[i] has the amount that is covered in this column alone. So a bar takes O(1)
	// in each row, however many columns it spans:
	//
	//	columns of 6    │  0  │  1  │  2  │  3  │
	//	bar                ├───────────────┤         from 3 to 20
	//	part               3     0     0     2
	//	whole              0    +6     0    -6
	whole, part := make([][]int64, rows), make([][]int64, rows)
	for i := range rows {
		whole[i], part[i] = make([]int64, columns+1), make([]int64, columns+1)
	}
	for _, b := range bars {
		from, to := scale(b.Start, c.Window, columns*fine), scale(b.End, c.Window, columns*fine)
		to = max(to, from+1) // the shortest bar is seen too
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
			covered := min(running+part[i][k], all) // bars that overlap are counted twice
			if covered > 0 {
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

// runs yields the runs that are not empty, row by row.
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
	owner         int   // the bar that takes most of the cell
	most, covered int64 // the amounts that the owner and all bars take
}

// taken reports whether half of a cell is covered; in a lane of several rows, as much as half of one row.
func (c *cell) taken() bool { return c.covered >= fine/2 }

// newCells returns for each lane and column the bar that takes most of it. O(n·r·c) for n
// bars that span r lanes and c columns each.
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
