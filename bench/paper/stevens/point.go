package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// point is an algorithm at a load: what its runs came to.
type point struct {
	workload, algorithm                        string
	rate                                       float64
	blocked, delay, operations, labels, median sample
	micros                                     []float64 // of all tasks
}

func (p *point) add(o outcome) {
	p.blocked.add(o.blocked)
	p.delay.add(o.delay)
	p.operations.add(o.operations())
	p.labels.add(o.labels)
	p.median.add(o.median())
	p.micros = append(p.micros, o.micros...)
}

// quantile returns the time that a share of all queries took less than, in µs.
func (p *point) quantile(share float64) float64 {
	slices.Sort(p.micros)
	return p.micros[min(int(share*float64(len(p.micros))), len(p.micros)-1)]
}

// sample is a mean with the half width of its 95 % confidence interval.
type sample struct {
	values     []float64 // one for each run
	mean, half float64
}

// student95 are the quantiles of Student's distribution for 1, 2, ... degrees of
// freedom.
var student95 = []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228}

func (s *sample) add(x float64) {
	s.values = append(s.values, x)
	n := float64(len(s.values))
	s.mean += (x - s.mean) / n
	if n < 2 {
		s.half = math.Inf(1)
		return
	}
	squares := 0.0
	for _, v := range s.values {
		squares += (v - s.mean) * (v - s.mean)
	}
	free := len(s.values) - 1
	t := 1.96 + 2.4/float64(free)
	if free <= len(student95) {
		t = student95[free-1]
	}
	s.half = t * math.Sqrt(squares/(n-1)/n)
}

// pairs applies f run by run: both met the same tasks, so that it is the pairs that
// count.
func pairs(a, b sample, f func(a, b float64) float64) sample {
	var s sample
	for i := range min(len(a.values), len(b.values)) {
		s.add(f(a.values[i], b.values[i]))
	}
	return s
}

func writePoints(out io.Writer, title string, points []point) {
	fmt.Fprintf(out, "%s\n\n%-15s %4s %18s %17s %12s %9s %10s %10s\n",
		title, "algorithm", "λ", "blocked", "delay, s", "operations", "labels", "median µs", "99 % µs")
	for i := range points {
		p := &points[i]
		fmt.Fprintf(out, "%-15s %4g %9.3f %% ± %5.3f %9.3f ± %5.3f %12.0f %9.1f %10.2f %10.2f\n", p.algorithm, p.rate,
			100*p.blocked.mean, 100*p.blocked.half, p.delay.mean, p.delay.half, p.operations.mean, p.labels.mean,
			p.quantile(0.5), p.quantile(0.99))
	}
	fmt.Fprintln(out)
}

var header = []string{"workload", "algorithm", "rate", "blocked", "blocked_ci95", "delay_s", "delay_s_ci95",
	"operations", "labels", "median_us", "p99_us", "runs"}

func writeCSV(folder string, points []point) error {
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(folder, "stevens.csv"))
	if err != nil {
		return err
	}
	defer f.Close()
	rows := [][]string{header}
	for i := range points {
		p := &points[i]
		row := []string{p.workload, p.algorithm}
		for _, x := range []float64{p.rate, p.blocked.mean, p.blocked.half, p.delay.mean, p.delay.half,
			p.operations.mean, p.labels.mean, p.quantile(0.5), p.quantile(0.99)} {
			row = append(row, strconv.FormatFloat(x, 'g', 6, 64))
		}
		rows = append(rows, append(row, strconv.Itoa(len(p.blocked.values))))
	}
	if err := csv.NewWriter(f).WriteAll(rows); err != nil {
		return err
	}
	return f.Close()
}
