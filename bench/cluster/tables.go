package main

import (
	"fmt"
	"math"
	"strconv"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// numbers are the rows of the printed table and the columns of summary.csv.
var numbers = []struct {
	column, label string
	of            func(s *summary) float64
}{
	{"nodes", "nodes", func(s *summary) float64 { return float64(s.nodes) }},
	{"jobs", "jobs", func(s *summary) float64 { return float64(s.jobs) }},
	{"asked", "reservations asked for", func(s *summary) float64 { return float64(s.asked) }},
	{"refused", "refused at once", func(s *summary) float64 { return float64(s.refused) }},
	{"promises", "promises made", func(s *summary) float64 { return float64(s.made) }},
	{"kept", "kept to the second", func(s *summary) float64 { return float64(s.kept) }},
	{"broken", "broken: no nodes at the start", func(s *summary) float64 { return float64(s.broken) }},
	{"broken_percent", "broken, % of the promises", func(s *summary) float64 { return s.percent(s.broken) }},
	{"broken_late", "broken, ran later", func(s *summary) float64 { return float64(s.brokenRan) }},
	{"broken_late_h", "hours after the promised start, mean of these", func(s *summary) float64 { return mean(s.late) }},
	{"broken_never", "broken, never ran", func(s *summary) float64 { return float64(s.broken - s.brokenRan) }},
	{"displaced", "displaced by an outage", func(s *summary) float64 { return float64(s.displaced) }},
	{"moved", "of the displaced, those that ran", func(s *summary) float64 { return float64(s.moved) }},
	{"punctual", "of the displaced, those that ran from the promised start", func(s *summary) float64 { return float64(s.punctual) }},
	{"promised_h", "promised start after the ready time, mean, h", func(s *summary) float64 { return mean(s.ahead) }},
	{"batch_rejected", "batch jobs rejected", func(s *summary) float64 { return float64(s.rejected) }},
	{"wait_mean_h", "wait of batch jobs, mean, h", func(s *summary) float64 { return mean(s.waits) }},
	{"wait_median_h", "wait of batch jobs, median, h", func(s *summary) float64 { return s.quantile(0.5) }},
	{"wait_p95_h", "wait of batch jobs, 95 %, h", func(s *summary) float64 { return s.quantile(0.95) }},
	{"wait_max_h", "wait of batch jobs, longest, h", func(s *summary) float64 { return s.quantile(1) }},
	{"wait_large_h", fmt.Sprintf("wait of batch jobs on more than %d nodes, mean, h", largeTasks), func(s *summary) float64 { return mean(s.large) }},
	{"utilisation", "utilisation of the GPUs, %", func(s *summary) float64 { return 100 * s.utilisation }},
	{"lost", "lost in runs that an outage stopped, % of the GPUs", func(s *summary) float64 { return 100 * s.lost }},
	{"finished_gpu_h", "GPU-hours of all runs that came to their end", func(s *summary) float64 { return math.Round(s.finished) }},
	{"longest_queue", "longest queue", func(s *summary) float64 { return float64(s.longest) }},
	{"wall_s", "wall time, s", func(s *summary) float64 { return s.wall.Seconds() }},
	{"processor_s", "processor time, s", func(s *summary) float64 { return s.processor.Seconds() }},
}

// tables returns the table that is printed, and those of the files. usage.csv has the middle of each step.
func tables(all []summary) (shown trial.Table, files []trial.Table) {
	shown = trial.Table{Title: "A cluster that fails", Header: []string{""}}
	for _, n := range numbers {
		shown.Rows = append(shown.Rows, []string{n.label})
	}
	sums := trial.Table{File: "summary.csv", Silent: true, Header: []string{"machine"}}
	for _, n := range numbers {
		sums.Header = append(sums.Header, n.column)
	}
	usage := trial.Table{File: "usage.csv", Silent: true, Header: []string{"machine", "day", "utilisation", "waiting"}}
	waits := trial.Table{File: "waits.csv", Silent: true, Header: []string{"machine", "share", "wait_h"}}
	promises := trial.Table{File: "promises.csv", Silent: true, Header: []string{"machine", "kept", "displaced", "broken"}}
	for i := range all {
		s := &all[i]
		name := []string{s.machine}
		shown.Header = append(shown.Header, s.machine)
		row := name
		for k, n := range numbers {
			row = trial.Row(row, n.of(s))
			shown.Rows[k] = append(shown.Rows[k], short(n.of(s)))
		}
		sums.Rows = append(sums.Rows, row)
		for k := range s.used {
			usage.Rows = append(usage.Rows, trial.Row(name, (float64(k)+0.5)*step/day, s.used[k], s.waiting[k]))
		}
		for k := range 51 {
			share := float64(k) / 50
			waits.Rows = append(waits.Rows, trial.Row(name, share, s.quantile(share)))
		}
		promises.Rows = append(promises.Rows, trial.Row(name, s.percent(s.kept), s.percent(s.displaced), s.percent(s.broken)))
	}
	return shown, []trial.Table{sums, usage, waits, promises}
}

// short formats whole numbers as they are, and others with four digits.
func short(x float64) string {
	if x == float64(int64(x)) {
		return strconv.FormatInt(int64(x), 10)
	}
	return trial.Number(x)
}
