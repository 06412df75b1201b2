package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// mark is a star for a point that is wide.
func (p point) mark() string {
	if p.converged() {
		return ""
	}
	return "*"
}

func writePoints(out io.Writer, title string, points []point) {
	fmt.Fprintf(out, "%s\n\n%-22s %5s %5s %14s %7s %18s %22s\n",
		title, "structure", "units", "load", "interarrival s", "repeats", "success", "µs per reservation")
	for _, p := range points {
		success, half := p.rate()
		fmt.Fprintf(out, "%-22s %5d %5g %14.1f %7d %8.2f %% ± %5.2f %13.2f ± %6.2f %s\n", p.structure, p.units, p.load,
			p.interarrival, len(p.success.Values), 100*success, 100*half, p.micros.Mean, p.micros.Half, p.mark())
	}
	fmt.Fprintln(out)
}

var header = []string{"figure", "structure", "units", "mean_interarrival_s", "nominal_gap_s", "load",
	"success_rate", "success_ci95", "reserve_us", "reserve_us_ci95", "repeats", "converged"}

func writeCSV(folder, file string, points []point) error {
	rows := [][]string{header}
	for _, p := range points {
		success, half := p.rate()
		row := trial.Row([]string{p.figure, p.structure, strconv.FormatInt(p.units, 10)},
			p.interarrival, p.gap, p.load, success, half, p.micros.Mean, p.micros.Half)
		rows = append(rows, append(row, strconv.Itoa(len(p.success.Values)), strconv.FormatBool(p.converged())))
	}
	return trial.WriteCSV(folder, file, rows)
}
