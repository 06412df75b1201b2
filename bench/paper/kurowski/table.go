package main

import (
	"slices"
	"strconv"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// scene is all repeats in a reading.
type scene struct {
	reading reading
	worlds  []*world
	thinned []*world // the first of them with fewer jobs, for each draw; none without a log
}

// deciding are the rows of the reading that decides. The first column of a table is
// the reading.
func deciding(row []string) bool { return row[0] == readings[0].name }

// metric is a number of a simulation.
type metric struct {
	name string // of its column
	of   func(s *summary) float64
}

var (
	meanU     = metric{"mean U", func(s *summary) float64 { return s.u }}
	meanF     = metric{"mean F, s", func(s *summary) float64 { return s.f }}
	meanD     = metric{"mean D, s", func(s *summary) float64 { return s.d }}
	meanWait  = metric{"mean wait, s", func(s *summary) float64 { return s.wait }}
	makespan  = metric{"makespan, s", func(s *summary) float64 { return s.makespan }}
	flowAR    = metric{"F of AR tasks, s", func(s *summary) float64 { return s.flowAR }}
	flowBatch = metric{"F of batch tasks, s", func(s *summary) float64 { return s.flowBatch }}
	slots     = metric{"slots", func(s *summary) float64 { return s.slots }}
	nano      = metric{"ns", func(s *summary) float64 { return s.nano }}
)

// criteria are those of §4.3.
var criteria = []metric{meanU, meanF, meanD}

// figure is a table of plans, or a figure.
type figure struct {
	title, file string
	labels      []string // of the columns before the numbers, after that of the reading
	metrics     []metric
	lines       []line
}

// line is a row of a figure: labels, and the plan whose numbers follow.
type line struct {
	labels []string
	plan   plan
	said   []float64 // the paper's numbers, one for each metric; nil if it has none
}

// byShare has a line for each share of AR tasks, in per cent, in place of each of lines.
func byShare(shares []int, lines ...line) (all []line) {
	for _, l := range lines {
		for _, share := range shares {
			all = append(all, line{labels: slices.Concat(l.labels, []string{strconv.Itoa(share)}), plan: l.plan.with(share)})
		}
	}
	return all
}

// table has the numbers of each line in each scene. Where the paper has numbers, each
// metric has a column beside it.
func (f figure) table(scenes []scene) trial.Table {
	t := trial.Table{Title: f.title, File: f.file, Brief: deciding, Header: append([]string{"reading"}, f.labels...)}
	paper := slices.ContainsFunc(f.lines, func(l line) bool { return l.said != nil })
	for _, m := range f.metrics {
		t.Header = append(t.Header, m.name)
		if paper {
			t.Header = append(t.Header, "paper")
		}
	}
	for _, s := range scenes {
		for _, l := range f.lines {
			row := append([]string{s.reading.name}, l.labels...)
			for k, m := range f.metrics {
				row = append(row, trial.Each(s.worlds, at(m, l.plan)).String())
				switch {
				case l.said != nil:
					row = append(row, trial.Number(l.said[k]))
				case paper:
					row = append(row, "")
				}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// once is the table in the first reading, for numbers that are the same in all readings.
func (f figure) once(scenes []scene) trial.Table { return f.table(scenes[:1]) }
