package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// point is an algorithm at a load: what its runs came to.
type point struct {
	workload, algorithm                               string
	rate                                              float64
	blocked, delay, operations, labels, words, median trial.Sample
	micros                                            []float64 // of all tasks
}

func (p *point) add(o outcome) {
	p.blocked.Add(o.blocked)
	p.delay.Add(o.delay)
	p.operations.Add(o.operations())
	p.labels.Add(o.labels)
	p.words.Add(o.words)
	p.median.Add(o.median())
	p.micros = append(p.micros, o.micros...)
}

// quantile returns the time that a share of all queries took less than, in µs.
func (p *point) quantile(share float64) float64 {
	slices.Sort(p.micros)
	return p.micros[min(int(share*float64(len(p.micros))), len(p.micros)-1)]
}

func writePoints(out io.Writer, title string, points []point) {
	fmt.Fprintf(out, "%s\n\n%-15s %4s %18s %17s %12s %12s %9s %10s %10s\n",
		title, "algorithm", "λ", "blocked", "delay, s", "operations", "words", "labels", "median µs", "99 % µs")
	for i := range points {
		p := &points[i]
		fmt.Fprintf(out, "%-15s %4g %9.3f %% ± %5.3f %9.3f ± %5.3f %12.0f %12.0f %9.1f %10.2f %10.2f\n", p.algorithm, p.rate,
			100*p.blocked.Mean, 100*p.blocked.Half, p.delay.Mean, p.delay.Half, p.operations.Mean, p.words.Mean, p.labels.Mean,
			p.quantile(0.5), p.quantile(0.99))
	}
	fmt.Fprintln(out)
}

var header = []string{"workload", "algorithm", "rate", "blocked", "blocked_ci95", "delay_s", "delay_s_ci95",
	"operations", "words", "labels", "median_us", "p99_us", "runs"}

func writeCSV(folder string, points []point) error {
	rows := [][]string{header}
	for i := range points {
		p := &points[i]
		row := trial.Row([]string{p.workload, p.algorithm}, p.rate, p.blocked.Mean, p.blocked.Half, p.delay.Mean, p.delay.Half,
			p.operations.Mean, p.words.Mean, p.labels.Mean, p.quantile(0.5), p.quantile(0.99))
		rows = append(rows, append(row, strconv.Itoa(len(p.blocked.Values))))
	}
	return trial.WriteCSV(folder, "stevens.csv", rows)
}
