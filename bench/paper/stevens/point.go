package main

import (
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

var header = []string{"workload", "algorithm", "rate", "blocked", "blocked_ci95", "delay_s", "delay_s_ci95",
	"operations", "words", "labels", "median_us", "p99_us", "runs"}

// table has a row for each point.
func table(title string, points []point) *trial.Table {
	t := &trial.Table{Title: title, File: "stevens.csv", Header: header}
	for i := range points {
		p := &points[i]
		row := trial.Row([]string{p.workload, p.algorithm}, p.rate, p.blocked.Mean, p.blocked.Half, p.delay.Mean, p.delay.Half,
			p.operations.Mean, p.words.Mean, p.labels.Mean, p.quantile(0.5), p.quantile(0.99))
		t.Rows = append(t.Rows, append(row, strconv.Itoa(len(p.blocked.Values))))
	}
	return t
}
