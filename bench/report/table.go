package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// table is a CSV file: a header, and rows of as many cells.
type table struct {
	name   string // of the file
	header []string
	rows   [][]string
	// err is the first error of the methods: a missing column, or a cell that cannot be
	// read. Their results have as many rows as the table nevertheless.
	err error
}

// keepAll returns a table of the rows whose cell in a column is one of these, in the order of the cells.
func (t *table) keepAll(name string, cells []string) *table {
	all := &table{name: t.name, header: t.header, err: t.err}
	for _, cell := range cells {
		kept := t.keep(name, cell)
		all.rows = append(all.rows, kept.rows...)
		all.err = kept.err
	}
	return all
}

// fail keeps the first error.
func (t *table) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf(t.name+format, args...)
	}
}

// column returns the place of a column. If there is none, that is an error, and
// the place is -1.
func (t *table) column(name string) int {
	i := slices.Index(t.header, name)
	if i < 0 {
		t.fail(": there is no column %q", name)
	}
	return i
}

// beside returns the place after i if the name of the column there has this ending, or -1. Half widths
// and the numbers of a paper stand beside the column to which they belong.
func (t *table) beside(i int, ending string) int {
	if i < 0 || i+1 == len(t.header) || !strings.HasSuffix(t.header[i+1], ending) {
		return -1
	}
	return i + 1
}

// texts returns the cells of the column at place i. They are empty if it is -1.
func (t *table) texts(i int) []string {
	cells := make([]string, len(t.rows))
	if i >= 0 {
		for k, row := range t.rows {
			cells[k] = row[i]
		}
	}
	return cells
}

// joined returns the cells of some columns, put together row by row.
func (t *table) joined(names []string) []string {
	all := make([]string, len(t.rows))
	for k, name := range names {
		for i, cell := range t.texts(t.column(name)) {
			if k > 0 {
				all[i] += ", "
			}
			all[i] += cell
		}
	}
	return all
}

// numbers returns the values of the column at place i, with half widths from the
// column beside it if that one has them. An empty cell is a missing value, and all values are
// missing if the place is -1.
func (t *table) numbers(i int) []value {
	values := make([]value, len(t.rows))
	for k, cell := range t.texts(i) {
		v, err := parseValue(cell)
		if err != nil {
			t.fail(", row %d, %s: %w", k+2, t.header[i], err)
		}
		values[k] = v
	}
	half := t.beside(i, "_ci95")
	if half >= 0 {
		for k, v := range t.numbers(half) {
			values[k].half = v.x
		}
	}
	return values
}

// positions returns where the rows stand on an axis: at their number, or at the
// end of their class, which is 4 in "(2, 4]".
func (t *table) positions(name string) []float64 {
	xs := make([]float64, len(t.rows))
	for k, cell := range t.texts(t.column(name)) {
		if _, to, ok := strings.Cut(strings.Trim(cell, "([])"), ", "); ok {
			cell = to
		}
		x, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			t.fail(", row %d, %s: %q is no number, nor a class of numbers", k+2, name, cell)
		}
		xs[k] = x
	}
	return xs
}

// keep returns a table of the rows that have this cell in a column.
func (t *table) keep(name, cell string) *table {
	cells := t.texts(t.column(name))
	kept := &table{name: t.name, header: t.header, err: t.err}
	for k, row := range t.rows {
		if cells[k] == cell {
			kept.rows = append(kept.rows, row)
		}
	}
	return kept
}

// distinct returns each different cell once, in the order of the first ones.
func distinct(cells []string) []string {
	var different []string
	for _, c := range cells {
		if !slices.Contains(different, c) {
			different = append(different, c)
		}
	}
	return different
}

// value is a number with the half width of its confidence interval; 0 is no interval.
// The zero value is a missing number.
type value struct {
	x, half float64
	known   bool
}

// parseValue reads "1.5", "1.5 ± 0.2", or nothing.
func parseValue(cell string) (value, error) {
	if cell == "" || cell == "NaN" {
		return value{}, nil
	}
	mean, half, interval := strings.Cut(cell, " ± ")
	v := value{known: true}
	var err error
	v.x, err = strconv.ParseFloat(mean, 64)
	if err != nil {
		return value{}, fmt.Errorf("%q is not a number", cell)
	}
	if interval {
		v.half, err = strconv.ParseFloat(half, 64)
		if err != nil || !(v.half >= 0) {
			return value{}, fmt.Errorf("%q has no half width", cell)
		}
	}
	return v, nil
}

// String formats the value to five digits.
func (v value) String() string {
	switch {
	case !v.known:
		return "–"
	case v.half > 0:
		return full(v.x) + " ± " + full(v.half)
	}
	return full(v.x)
}
