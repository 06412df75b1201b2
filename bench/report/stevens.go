package main

import "fmt"

// both is the last workload of the paper.
const both = "CPU- and data-intensive"

// drawStevens draws Fig. 11 to 17 of Stevens et al. What they say of them is told
// beside: there are no numbers in the text but "a hundred times".
func drawStevens(folder string, s *section) error {
	s.Intro = append(s.Intro, "Nine nodes, sixteen links, three clusters; tasks that are CPU-intensive, data-intensive, or both. SAMCRA reserves at once; MC-T, AWMC-T, MC-B and ECT plan ahead; MC-T, targeted, is ours. What the paper says stands below each figure; its numbers are in pictures only.")
	t, err := readTable(folder, "stevens.csv")
	if err != nil {
		return err
	}
	for _, w := range []struct{ workload, blocked, says, delay, waits string }{
		{"CPU-intensive", "Fig. 11", "ECT, MC-T and AWMC-T block least; at a high load even SAMCRA blocks less than MC-B.",
			"Fig. 12", "SAMCRA, which never waits, has the least delay."},
		{"data-intensive", "Fig. 13", "SAMCRA and ECT block more than the others, which use more than the shortest path.",
			"Fig. 14", "ECT waits for the shortest path, and has the greatest delay."},
		{both, "Fig. 15", "SAMCRA blocks most, then MC-B and ECT; MC-T and AWMC-T block least.",
			"Fig. 16", "SAMCRA has the least delay, MC-B and ECT more than MC-T and AWMC-T."},
	} {
		rows, err := t.keep("workload", w.workload)
		if err != nil {
			return err
		}
		if len(rows.rows) == 0 {
			names, err := t.distinct("workload")
			if err != nil {
				return err
			}
			return fmt.Errorf("%s: no workload is %q, but %q", t.name, w.workload, names)
		}
		for _, f := range []struct {
			id, title, says, y string
			of                 columns
		}{
			{w.workload + "-blocked", w.blocked + ": blocked, " + w.workload, w.says, "blocked, %", columns{key: "algorithm", x: "rate", y: "blocked", half: "blocked_ci95", factor: 100}},
			{w.workload + "-delay", w.delay + ": delay, " + w.workload, w.waits, "delay, s", columns{key: "algorithm", x: "rate", y: "delay_s", half: "delay_s_ci95", factor: 1}},
		} {
			if err := s.curve(f.id, f.title, "The paper: "+f.says+" Lines that lie upon each other are algorithms that do the same.", "tasks per second", f.y, rows, f.of); err != nil {
				return err
			}
		}
	}
	rows, err := t.keep("workload", both)
	if err != nil {
		return err
	}
	if err := s.curve("operations", "Fig. 17: operations", "The paper: the optimal algorithms take about a hundred times the operations of SAMCRA. The targeted form of MC-T, which is ours, finds the same without listing all.",
		"tasks per second", "operations of a query", rows, columns{key: "algorithm", x: "rate", y: "operations", factor: 1}); err != nil {
		return err
	}
	if err := s.curve("time", "Time of a query", "Median of all queries of the last workload. The paper has none.",
		"tasks per second", "µs", rows, columns{key: "algorithm", x: "rate", y: "median_us", factor: 1}); err != nil {
		return err
	}
	return s.judge(folder)
}

// curve shows some columns of a table as curves.
func (s *section) curve(id, title, caption, x, y string, t *table, of columns) error {
	lines, err := of.lines(t)
	if err != nil {
		return err
	}
	return s.show(id, title, caption, curves{x: x, y: y, series: lines})
}
