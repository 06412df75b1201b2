package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// table is a CSV file: a header, and rows of as many cells.
type table struct {
	name   string // of the file
	header []string
	rows   [][]string
}

// readTable reads a CSV file. All rows have the length of the header, or it is an
// error.
func readTable(folder, file string) (*table, error) {
	f, err := os.Open(filepath.Join(folder, file))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseTable(file, f)
}

func parseTable(name string, in io.Reader) (*table, error) {
	records, err := csv.NewReader(in).ReadAll()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(records) == 0:
		return nil, fmt.Errorf("%s: %w", name, errors.New("has no header"))
	}
	return &table{name, records[0], records[1:]}, nil
}

// column returns the place of a column, or an error that names it.
func (t *table) column(name string) (int, error) {
	if i := slices.Index(t.header, name); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%s: there is no column %q", t.name, name)
}

// texts returns the cells of a column.
func (t *table) texts(name string) ([]string, error) {
	i, err := t.column(name)
	if err != nil {
		return nil, err
	}
	cells := make([]string, len(t.rows))
	for k, row := range t.rows {
		cells[k] = row[i]
	}
	return cells, nil
}

// numbers returns a column of values. A cell that is empty is missing.
func (t *table) numbers(name string) ([]value, error) {
	cells, err := t.texts(name)
	if err != nil {
		return nil, err
	}
	values := make([]value, len(cells))
	for k, cell := range cells {
		if values[k], err = parseValue(cell); err != nil {
			return nil, fmt.Errorf("%s, row %d, %s: %w", t.name, k+2, name, err)
		}
	}
	return values, nil
}

// keep returns a table of the rows that have these cells: column, cell, and so on
// in turn.
func (t *table) keep(pairs ...string) (*table, error) {
	kept := &table{name: t.name, header: t.header, rows: t.rows}
	for k := 0; k+1 < len(pairs); k += 2 {
		i, err := t.column(pairs[k])
		if err != nil {
			return nil, err
		}
		var rows [][]string
		for _, row := range kept.rows {
			if row[i] == pairs[k+1] {
				rows = append(rows, row)
			}
		}
		kept.rows = rows
	}
	return kept, nil
}

// distinct returns the different cells of a column, in the order of the rows.
func (t *table) distinct(name string) ([]string, error) {
	cells, err := t.texts(name)
	var different []string
	for _, c := range cells {
		if !slices.Contains(different, c) {
			different = append(different, c)
		}
	}
	return different, err
}

// value is a number with the half width of its confidence interval, 0 if it has
// none. The zero value is missing.
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
	if v.x, err = strconv.ParseFloat(mean, 64); err != nil {
		return value{}, fmt.Errorf("%q is not a number", cell)
	}
	if interval {
		if v.half, err = strconv.ParseFloat(half, 64); err != nil || !(v.half >= 0) {
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

// times returns the value in another unit.
func (v value) times(factor float64) value {
	return value{v.x * factor, v.half * factor, v.known}
}

// scaled returns values in another unit.
func scaled(values []value, factor float64) []value {
	all := make([]value, len(values))
	for i, v := range values {
		all[i] = v.times(factor)
	}
	return all
}

// with puts half widths beside means.
func with(means, halves []value) []value {
	all := slices.Clone(means)
	for i := range all {
		all[i].half = halves[i].x
	}
	return all
}
