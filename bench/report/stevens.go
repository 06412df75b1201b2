package main

import "slices"

// stevens are Fig. 11 to 17 of Stevens et al. The statements of the paper stand below the figures, since
// its text has no numbers but "a hundred times".
var stevens = chapter{
	id: "stevens", title: "Stevens et al.: routes and schedules",
	source:  "T. Stevens et al., “Multi-cost job routing and scheduling in Grid networks”, 2009, §5.",
	command: "run ./bench/paper/stevens -quick -out %s",
	intro:   []string{"Nine nodes, sixteen links, three clusters; tasks that are CPU-intensive, data-intensive, or both. SAMCRA reserves at once; MC-T, AWMC-T, MC-B and ECT plan ahead; MC-T, targeted, is ours. The statements of the paper stand below each figure; its numbers are in pictures only."},
	views: slices.Concat(
		blockedAndDelayed("CPU-intensive",
			"Fig. 11", "ECT, MC-T and AWMC-T block least; at a high load even SAMCRA blocks less than MC-B.",
			"Fig. 12", "SAMCRA, which never waits, has the least delay."),
		blockedAndDelayed("data-intensive",
			"Fig. 13", "SAMCRA and ECT block more than the others, which use more than the shortest path.",
			"Fig. 14", "ECT waits for the shortest path, and has the greatest delay."),
		blockedAndDelayed(both,
			"Fig. 15", "SAMCRA blocks most, then MC-B and ECT; MC-T and AWMC-T block least.",
			"Fig. 16", "SAMCRA has the least delay, MC-B and ECT more than MC-T and AWMC-T."),
		[]view{
			byRate(both, "Fig. 17: operations", "The paper: the optimal algorithms take about a hundred times the operations of SAMCRA. The targeted form of MC-T, which is ours, finds the same without listing all.",
				"operations", "operations of a query", 1),
			byRate(both, "Time of a query", "Median of all queries of the last workload. The paper has none.",
				"median_us", "µs", 1),
		},
	),
}

// both is the last workload of the paper.
const both = "CPU- and data-intensive"

// blockedAndDelayed are the two figures of a workload, with the statements of the paper.
func blockedAndDelayed(name, blocking, blocks, delay, waits string) []view {
	const same = " Lines that lie upon each other are algorithms that do the same."
	return []view{
		byRate(name, blocking+": blocked, "+name, "The paper: "+blocks+same, "blocked", "blocked, %", 100),
		byRate(name, delay+": delay, "+name, "The paper: "+waits+same, "delay_s", "delay, s", 1),
	}
}

// byRate is a column of each algorithm by the rate of a workload.
func byRate(workload, title, caption, column, axis string, factor float64) view {
	return view{file: "stevens.csv", only: "workload", cell: workload, title: title, caption: caption,
		by: "algorithm", x: "rate", xAxis: "tasks per second", y: []string{column}, yAxis: axis, factor: factor}
}
