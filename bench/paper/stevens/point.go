package main

import (
	"strconv"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// point is an algorithm at a load, with the outcomes of its runs.
type point struct {
	workload, algorithm string
	rate                float64
	runs                []outcome
}

// sample has a number of all runs.
func (p point) sample(of func(outcome) float64) trial.Sample { return trial.Each(p.runs, of) }

// The numbers of an outcome.
func blocked(o outcome) float64 { return o.blocked }
func delay(o outcome) float64   { return o.delay }
func labels(o outcome) float64  { return o.labels }
func words(o outcome) float64   { return o.words }

var header = []string{"workload", "algorithm", "rate", "blocked", "blocked_ci95", "delay_s", "delay_s_ci95",
	"operations", "words", "labels", "median_us", "p99_us", "runs"}

// table has a row for each point.
func table(title string, points []point) trial.Table {
	t := trial.Table{Title: title, File: "stevens.csv", Header: header}
	for _, p := range points {
		var micros []float64
		for _, o := range p.runs {
			micros = append(micros, o.micros...)
		}
		blocked, delay := p.sample(blocked), p.sample(delay)
		row := trial.Row([]string{p.workload, p.algorithm}, p.rate, blocked.Mean, blocked.Half, delay.Mean, delay.Half,
			p.sample(outcome.operations).Mean, p.sample(words).Mean, p.sample(labels).Mean, quantile(micros, 0.5), quantile(micros, 0.99))
		t.Rows = append(t.Rows, append(row, strconv.Itoa(len(p.runs))))
	}
	return t
}
