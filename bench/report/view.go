package main

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// view says which rows and columns of a file make a figure: bars if names is set,
// lines if x is, and a table of all columns otherwise. A column whose name ends in "paper"
// has the numbers of the paper for the column before it, and a column whose name
// ends in "_ci95" has half widths.
type view struct {
	file           string // CSV, or an SVG picture, which is shown as it is
	title, caption string

	each string // column: there is a figure for each of its cells; "" is one for all
	// only is a column, and rows with another cell in it are left out. A cell of "" stands for
	// the cell of the first row. If only is "", all rows are shown.
	only, cell string
	among      []string // cells of by: these have lines, in this order; none are all
	mark       string   // name of the series that is the default: its line is thick

	names string   // columns that name the rows of bars, with commas between them
	x     string   // column of the places of points on the x axis
	by    string   // column: there is a line for each of its cells; "" is one for each of y
	y     []string // columns of the measurements; none are all that follow x

	labels       []string // the names of y in the figure, or the format of the cells of by
	xAxis, yAxis string   // the names of the axes, with their units; bars lie along x
	factor       float64  // to the unit that is shown; 0 is 1
	upTo         bool     // the second of y is a line that leads on from the bar of the first
	positive     bool     // values of 0 are left out, so that the y axis may be logarithmic
	linear       bool     // no axis is logarithmic: for parts of a whole, and for days from the first on
}

// here and there name the numbers that were measured, and the published numbers.
const (
	here  = "here"
	there = "the paper"
)

// show adds the figures of a view to the section.
func (s *section) show(folder string, v view) error {
	if strings.HasSuffix(v.file, ".svg") {
		return s.embed(folder, v)
	}
	t, err := readTable(folder, v.file)
	if err != nil {
		return err
	}
	groups := []string{""}
	if v.each != "" {
		groups = distinct(t.texts(t.column(v.each)))
	}
	for _, group := range groups {
		rows, title := t, v.title
		if v.each != "" {
			rows = t.keep(v.each, group)
		}
		if len(groups) > 1 {
			title += ", " + group + " " + v.each
		}
		if err := s.figure(title, v, rows); err != nil {
			return err
		}
	}
	return t.err
}

// figure adds the figure of a view of some rows.
func (s *section) figure(title string, v view, t *table) error {
	if v.only != "" && len(t.rows) > 0 {
		cell := cmp.Or(v.cell, t.texts(t.column(v.only))[0])
		kept := t.keep(v.only, cell)
		if len(kept.rows) == 0 {
			return fmt.Errorf("%s: no %s is %q, but %q", t.name, v.only, cell, distinct(t.texts(t.column(v.only))))
		}
		t = kept
	}
	if v.names == "" && v.x == "" {
		s.add(figure{Title: title, Caption: v.caption, Wide: true, Table: t.grid()})
		return nil
	}
	if v.among != nil {
		t = t.keepAll(v.by, v.among)
	}
	c := v.chart(t)
	if t.err != nil {
		return t.err
	}
	picture, err := c.svg(title)
	if err != nil {
		return err
	}
	s.add(figure{Title: title, Caption: v.caption, Legend: c.legend(), Picture: picture, Unit: c.unit(), Table: c.grid()})
	return nil
}

// grid shows all columns, with numbers to five digits.
func (t *table) grid() grid {
	g := grid{Header: t.header}
	for _, row := range t.rows {
		cells := slices.Clone(row)
		for i, cell := range row {
			if v, err := parseValue(cell); err == nil && v.known {
				cells[i] = v.String()
			}
		}
		g.Rows = append(g.Rows, cells)
	}
	return g
}

// chart reads the numbers of a view. An error is kept in t.
func (v view) chart(t *table) chart {
	c := chart{xAxis: v.xAxis, yAxis: v.yAxis, bars: v.x == "", upTo: v.upTo, positive: v.positive, linear: v.linear, mark: v.mark}
	columns := v.y
	if c.bars {
		c.names = t.joined(strings.Split(v.names, ","))
		for i := range c.names {
			c.at = append(c.at, float64(i))
		}
	} else {
		c.at = t.positions(v.x)
		if columns == nil {
			columns = t.header[t.column(v.x)+1:]
		}
	}
	for k, name := range columns {
		i := t.column(name)
		s := series{name, t.numbers(i)}
		for j := range s.values {
			s.values[j].x *= cmp.Or(v.factor, 1)
			s.values[j].half *= cmp.Or(v.factor, 1)
		}
		if v.labels != nil {
			s.name = v.labels[k]
		}
		paper := t.beside(i, "paper")
		switch {
		case v.by != "":
			c.series = append(c.series, s.split(t.texts(t.column(v.by)), v.labels != nil)...)
		case paper >= 0:
			c.series = append(c.series, series{here, s.values})
			theirs := series{there, t.numbers(paper)}
			if theirs.known() {
				c.series = append(c.series, theirs)
			}
		case c.bars || s.known():
			c.series = append(c.series, s)
		}
	}
	return c
}

// svg draws the chart.
func (c chart) svg(label string) (template.HTML, error) {
	if c.bars && len(c.names) == 0 {
		return "", fmt.Errorf("%q has no bars", label)
	}
	p := newPlot(c.xAxis, c.yAxis)
	if c.bars {
		return svg(p, c.drawBars(p), label)
	}
	if err := c.drawLines(p); err != nil {
		return "", err
	}
	return svg(p, lineHeight, label)
}

// embed shows a picture that the program drew, if there is a file. The picture is an image of
// its own, so that its styles cannot change the page.
func (s *section) embed(folder string, v view) error {
	picture, err := os.ReadFile(filepath.Join(folder, v.file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s.add(figure{Title: v.title, Caption: v.caption, Wide: true, Picture: template.HTML(fmt.Sprintf(
		`<img alt="%s" src="data:image/svg+xml;base64,%s">`, html.EscapeString(v.title), base64.StdEncoding.EncodeToString(picture)))})
	return nil
}
