package main

import (
	"strconv"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

var header = []string{"figure", "structure", "units", "mean_interarrival_s", "nominal_gap_s", "load",
	"success_rate", "success_ci95", "reserve_us", "reserve_us_ci95", "repeats", "converged"}

// table has a row for each point of a figure.
func (f figure) table(points []point) trial.Table {
	t := trial.Table{Title: f.name + ": " + f.about, File: f.file, Header: header}
	for _, p := range points {
		success, half := p.rate()
		row := trial.Row([]string{p.figure, p.structure, strconv.FormatInt(p.units, 10)},
			p.interarrival.Mean, p.gap, p.load, success, half, p.micros.Mean, p.micros.Half)
		t.Rows = append(t.Rows, append(row, strconv.Itoa(len(p.success.Values)), strconv.FormatBool(p.converged())))
	}
	return t
}
