package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// scene is all repeats in a reading.
type scene struct {
	reading reading
	worlds  []*world
}

// sample is what of says in each repeat.
func (s scene) sample(of func(w *world) float64) trial.Sample {
	var all trial.Sample
	for _, w := range s.worlds {
		all.Add(of(w))
	}
	return all
}

// table is what is printed, and written to a file. Its first column is the
// reading; what is printed is the one that decides.
type table struct {
	title, file string
	header      []string
	rows        [][]string
	// brief says which rows of that reading are printed: all if nil.
	brief  func(row []string) bool
	silent bool // nothing is printed
}

// cell is a column of numbers.
type cell struct {
	name string
	of   metric
}

// metric is a number of a simulation.
type metric func(s *summary) float64

// The criteria of §4.3.
var (
	meanU metric = func(s *summary) float64 { return s.u }
	meanF metric = func(s *summary) float64 { return s.f }
	meanD metric = func(s *summary) float64 { return s.d }
)

var criteria = []cell{{"mean U", meanU}, {"mean F, s", meanF}, {"mean D, s", meanD}}

// line is a row of a table: labels, and the plan whose numbers follow.
type line struct {
	labels []string
	plan   plan
	said   []string // the paper's numbers for some cells, in their order
}

// tabulate makes a table of plans. Where the paper has numbers, each cell has a
// column beside it.
func tabulate(scenes []scene, title, file string, labels []string, cells []cell, lines []line) table {
	t := table{title: title, file: file, header: append([]string{"reading"}, labels...)}
	said := 0
	for _, l := range lines {
		said = max(said, len(l.said))
	}
	for k, c := range cells {
		t.header = append(t.header, c.name)
		if k < said {
			t.header = append(t.header, "paper")
		}
	}
	for _, s := range scenes {
		for _, l := range lines {
			row := append([]string{s.reading.name}, l.labels...)
			for k, c := range cells {
				row = append(row, text(s.sample(func(w *world) float64 { return c.of(w.run(l.plan)) })))
				switch {
				case k < len(l.said):
					row = append(row, l.said[k])
				case k < said:
					row = append(row, "")
				}
			}
			t.rows = append(t.rows, row)
		}
	}
	return t
}

// write prints the table, unless nothing of it is to be.
func (t table) write(out io.Writer) {
	if t.silent {
		return
	}
	fmt.Fprintf(out, "## %s\n\n| %s |\n|%s\n", t.title, strings.Join(t.header[1:], " | "), strings.Repeat("---|", len(t.header)-1))
	for _, row := range t.rows {
		if row[0] == readings[0].name && (t.brief == nil || t.brief(row)) {
			fmt.Fprintf(out, "| %s |\n", strings.Join(row[1:], " | "))
		}
	}
	fmt.Fprintln(out)
}

// text formats a mean, with the half width of its confidence interval if it depends on
// chance.
func text(s trial.Sample) string {
	if s.Half == 0 || math.IsNaN(s.Mean) {
		return number(s.Mean)
	}
	return number(s.Mean) + " ± " + number(s.Half)
}

func number(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case math.Abs(x) < 10:
		return fmt.Sprintf("%.3f", x)
	case math.Abs(x) < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
