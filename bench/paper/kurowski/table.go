package main

import "github.com/bookahead/bookahead/bench/paper/trial"

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

// deciding are the rows of the reading that decides. The first column of a table is
// the reading.
func deciding(row []string) bool { return row[0] == readings[0].name }

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
func tabulate(scenes []scene, title, file string, labels []string, cells []cell, lines []line) trial.Table {
	t := trial.Table{Title: title, File: file, Brief: deciding, Header: append([]string{"reading"}, labels...)}
	said := 0
	for _, l := range lines {
		said = max(said, len(l.said))
	}
	for k, c := range cells {
		t.Header = append(t.Header, c.name)
		if k < said {
			t.Header = append(t.Header, "paper")
		}
	}
	for _, s := range scenes {
		for _, l := range lines {
			row := append([]string{s.reading.name}, l.labels...)
			for k, c := range cells {
				row = append(row, s.sample(func(w *world) float64 { return c.of(w.run(l.plan)) }).String())
				switch {
				case k < len(l.said):
					row = append(row, l.said[k])
				case k < said:
					row = append(row, "")
				}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}
