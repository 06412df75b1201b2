package main

import (
	"fmt"
	"strconv"
	"strings"
)

// columns says which columns of a table make curves: a line for each different
// cell of key.
type columns struct {
	key, x, y string
	label     string  // format of the names of the lines; "" is that of their cells
	half      string  // the half widths of y, if they have a column of their own
	factor    float64 // of y, to the unit that is shown; 0 means 1
}

// lines reads series from the rows of a table.
func (c columns) lines(t *table) ([]series, error) {
	keys, err := t.distinct(c.key)
	if err != nil {
		return nil, err
	}
	var all []series
	for _, key := range keys {
		rows, err := t.keep(c.key, key)
		if err != nil {
			return nil, err
		}
		s := series{name: key}
		if c.label != "" {
			s.name = fmt.Sprintf(c.label, key)
		}
		if s.x, err = rows.positions(c.x); err != nil {
			return nil, err
		}
		if s.values, err = rows.numbers(c.y); err != nil {
			return nil, err
		}
		if c.half != "" {
			halves, err := rows.numbers(c.half)
			if err != nil {
				return nil, err
			}
			s.values = with(s.values, halves)
		}
		if c.factor != 0 {
			s.values = scaled(s.values, c.factor)
		}
		all = append(all, s)
	}
	return all, nil
}

// wide reads a series from each of the named columns, which have values at the
// same x. A column without a value is left out.
func wide(t *table, x string, names ...string) ([]series, error) {
	xs, err := t.positions(x)
	if err != nil {
		return nil, err
	}
	var all []series
	for _, name := range names {
		values, err := t.numbers(name)
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			if v.known {
				all = append(all, series{name, xs, values})
				break
			}
		}
	}
	return all, nil
}

// positions returns where the rows stand on an axis: at their number, or at the
// end of their class, which is 4 in "(2, 4]".
func (t *table) positions(name string) ([]float64, error) {
	cells, err := t.texts(name)
	if err != nil {
		return nil, err
	}
	xs := make([]float64, len(cells))
	for i, cell := range cells {
		if _, to, ok := strings.Cut(strings.Trim(cell, "([])"), ", "); ok {
			cell = to
		}
		if xs[i], err = strconv.ParseFloat(cell, 64); err != nil {
			return nil, fmt.Errorf("%s, row %d, %s: %q is no number, nor a class of numbers", t.name, i+2, name, cell)
		}
	}
	return xs, nil
}

// beside returns what the paper says of a column: it stands in the next one.
func (t *table) beside(name string) ([]value, error) {
	i, err := t.column(name)
	if err != nil {
		return nil, err
	}
	if i+1 >= len(t.header) || t.header[i+1] != "paper" {
		return nil, fmt.Errorf("%s: there is nothing of the paper beside %q", t.name, name)
	}
	values := make([]value, len(t.rows))
	for k, row := range t.rows {
		if values[k], err = parseValue(row[i+1]); err != nil {
			return nil, fmt.Errorf("%s, row %d: %w", t.name, k+2, err)
		}
	}
	return values, nil
}

// besidePaper shows a column beside that of the paper.
func (s *section) besidePaper(id, title, caption, axis, column string, names []string, t *table) error {
	ours, err := t.numbers(column)
	if err != nil {
		return err
	}
	theirs, err := t.beside(column)
	if err != nil {
		return err
	}
	return s.show(id, title, caption, bars{axis, names, beside(ours, theirs)})
}

// here and there are the names of what was measured, and what was published.
const (
	here  = "here"
	there = "the paper"
)
