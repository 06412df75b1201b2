package main

// cluster is the simulation of a cluster that fails, by bench/cluster.
var cluster = chapter{
	id: "cluster", title: "A cluster that fails",
	command: "run ./bench/cluster -quick -out %s",
	intro: []string{
		"A GPU cluster in racks, with a queue (EASY) and reservations, on two kinds of schedule. “nodes” is a nodes.Machine, which books nodes. “pools” books the sums of GPUs and of cores, and chooses nodes when a gang starts. Both meet the same jobs, the same failures, which nobody expects, and the same drains, which are known a day ahead.",
		"With -quick, as this page runs it, the pictures are of 2 000 jobs on 200 nodes, with 5 failures and 10 drains. The full scale is 20 000 jobs on 2 000 nodes, with 50 failures and 100 drains: bench/cluster/RESULTS.md has its numbers, and the commands that draw it. The table below says which of the two is shown.",
		"A promise is a reservation that was accepted. It is broken if the gang finds no nodes at the start that it was booked for, and displaced if an outage took its nodes or its amounts before.",
	},
	views: []view{
		{file: "promises.csv", title: "Promises kept and broken",
			caption: "Shares of the reservations that were accepted. Nodes break none. Pools promise sums: the GPUs may lie on nodes without free cores, in several racks, or a few on each node where the gang wants many on one.",
			names:   "machine", y: []string{"kept", "displaced", "broken"}, xAxis: "% of the promises", linear: true},
		{file: "usage.csv", title: "Utilisation over days",
			caption: "Share of the GPUs that run gangs, in steps of six hours. Gangs that an outage stops begin anew, and their first runs do not count. At the end no jobs come in, and the machine runs empty.",
			by:      "machine", x: "day", y: []string{"utilisation"}, factor: 100, xAxis: "day", yAxis: "GPUs in use, %", linear: true},
		{file: "usage.csv", title: "Jobs that wait over days",
			caption: "Mean number of batch jobs in the queue, in steps of six hours.",
			by:      "machine", x: "day", y: []string{"waiting"}, xAxis: "day", yAxis: "jobs that wait", linear: true},
		{file: "waits.csv", title: "Waits of batch jobs",
			caption: "The wait that a share of the batch jobs does not exceed, without the runs that an outage stopped. Jobs that start at once are left out of the picture. A sum that pools keep for a gang keeps no nodes, so that others overtake it.",
			by:      "machine", x: "share", y: []string{"wait_h"}, xAxis: "share of the batch jobs", yAxis: "wait, hours", positive: true},
		{file: "forecasts.csv", title: "How far a forecast is from the start",
			caption: "Hours between the start that was forecast for a job when it came in and its real start, of the jobs that wait, without reservations and outages, on 200 nodes at most. With exact estimates Conservative keeps each forecast. Under EASY others overtake, so that all but the first may be later than forecast. Estimates that are too long make a start earlier than forecast: the error grows with them, and the wait does not.",
			names:   "policy,estimates", y: []string{"error_median_h", "error_mean_h", "error_p95_h"}, labels: []string{"median", "mean", "95 %"}, xAxis: "hours from the forecast", linear: true},
		{file: "forecasts.csv", title: "All numbers of the forecasts", caption: "Times in hours. A job is early if it starts before its forecast: in % of the jobs that wait."},
		{file: "summary.csv", title: "All numbers of the cluster", caption: "As bench/cluster writes them. The first two columns are the scale. Waits of batch jobs in hours; utilisation and broken promises in %."},
	},
}
