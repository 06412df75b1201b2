package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
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
			p.interarrival, len(p.success.values), 100*success, 100*half, p.micros.mean, p.micros.half, p.mark())
	}
	fmt.Fprintln(out)
}

var header = []string{"figure", "structure", "units", "mean_interarrival_s", "nominal_gap_s", "load",
	"success_rate", "success_ci95", "reserve_us", "reserve_us_ci95", "repeats", "converged"}

func writeCSV(folder, file string, points []point) error {
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(folder, file))
	if err != nil {
		return err
	}
	defer f.Close()
	rows := [][]string{header}
	for _, p := range points {
		success, half := p.rate()
		row := []string{p.figure, p.structure, strconv.FormatInt(p.units, 10)}
		for _, x := range []float64{p.interarrival, p.gap, p.load, success, half, p.micros.mean, p.micros.half} {
			row = append(row, strconv.FormatFloat(x, 'g', 6, 64))
		}
		rows = append(rows, append(row, strconv.Itoa(len(p.success.values)), strconv.FormatBool(p.converged())))
	}
	if err := csv.NewWriter(f).WriteAll(rows); err != nil {
		return err
	}
	return f.Close()
}
