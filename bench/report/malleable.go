package main

// changing is the gain of work whose rate may change while it runs, by bench/malleable. It needs a network and a log that others
// have made.
var changing = chapter{
	id: "malleable", title: "Work at a rate that changes", apart: true,
	command: "run ./bench/malleable -data data -out %s",
	intro: []string{
		"Package volume plans work that is a number of unit-ticks and not a rate for a time: a plan takes at each tick the units that are free. Here such plans stand beside the same work at one rate. A request is accepted or refused when it comes. “planned anew” are policies that may change the plans of accepted requests, as long as all meet their deadlines.",
		"Transfers with deadlines cross netMaker, a network of 10 000 nodes, each on a path of the fewest links. A load of 1 asks the busiest link for as much as it can carry. The slack is the mean time until the deadline, over the time at the most rate. “best of fixed rates” tries the most rate, its half, its quarter and so on, and the least rate that meets the deadline.",
		"Jobs of w processors are those of KTH SP2, 100 processors, booked when they are submitted for the time that they ran. A job counts as a volume of w times its run, as if its speedup were linear. Below, 1.25 times the load has the same jobs, which come 1.25 times as fast.",
	},
	views: []view{
		byPolicy("load", "slack", "2", "Transfers accepted, by load", "Share of the transfers, with a slack of 2. A plan that may bend finds room for large transfers that one rate refuses, and then lacks the room for several small ones. Planned anew, it makes room for them again.", "accepted", "transfers accepted, %"),
		byPolicy("load", "slack", "2", "Volume accepted, by load", "Share of the volume of all transfers, with a slack of 2.", "volume", "volume accepted, %"),
		byPolicy("slack", "load", "4", "Transfers accepted, by slack", "Share of the transfers, at a load of 4.", "accepted", "transfers accepted, %"),
		byPolicy("slack", "load", "4", "Volume accepted, by slack", "Share of the volume of all transfers, at a load of 4.", "volume", "volume accepted, %"),
		{file: "gains.csv", title: "Transfers beside a published gain", only: "slack", cell: "2",
			caption: "By how many per cent more transfers a policy accepts than the most rate does, by load, with a slack of 2. The paper is Zhang et al., “Guaranteeing deadlines for inter-datacenter transfers”, EuroSys 2015, whose system Amoeba accepts 15 % more transfers than earlier systems. Amoeba is compared with systems for networks between data centres, on networks and transfers of their own; here the measure is one rate on the same path. So the two numbers do not measure the same." + whiskers,
			names:   "policy,load", y: []string{"than most rate"}, xAxis: "more transfers, %", linear: true},
		{file: "turnarounds.csv", title: "Turnaround of jobs", each: "times the load",
			caption: "From the submission to the end: the mean and the median. Without a pause, a job has a quarter of its processors at least while it runs. Planned anew, the job with the least left is first; work at a fixed rate stays where it is once it has begun.",
			names:   "policy", y: []string{"turnaround mean", "turnaround median"}, labels: []string{"mean", "median"}, xAxis: "hours", linear: true},
		{file: "turnarounds.csv", title: "Jobs beside a published gain", each: "times the load",
			caption: "By how many per cent the mean turnaround is less than at w processors in the order of submission. The paper is Zojer, Posner and Özden, “Evaluating malleable job scheduling in HPC clusters using real-world workloads”, 2026: 37 to 67 % less, with the best strategy for each of three machines; 37 is shown. Their logs are of larger machines, and their strategies are others. Here a job has linear speedup, changes its rate for nothing, and lasts as long as was known.",
			names:   "policy", y: []string{"less, %"}, xAxis: "less turnaround, %", linear: true},
		{file: "deadlines.csv", title: "Jobs accepted with a deadline", each: "times the load",
			caption: "Share of the jobs that end by their deadline, which is so many runs after the submission. Planned anew, the job with the nearest deadline is first.",
			by:      "policy", among: []string{"fixed, w", "bent, up to w", "bent, up to 2w", "fixed, w, planned anew", "bent, up to w, planned anew", "bent, up to 2w, planned anew"},
			x: "deadline", y: []string{"accepted"}, xAxis: "deadline, in runs", yAxis: "jobs accepted, %", linear: true},
		{file: "queues.csv", title: "Turnaround of jobs in a queue", each: "times the load",
			caption: "The same jobs in a queue under EASY, which knows the estimates of the users and not the runs. A volume that yields gives its units to a job with less to do than it has left.",
			names:   "jobs", y: []string{"turnaround mean", "turnaround median"}, labels: []string{"mean", "median"}, xAxis: "hours", linear: true},
		{file: "transfers.csv", title: "All numbers of the transfers", caption: "Shares of the transfers and of their volume, and the mean number of stretches of a plan. The half widths are those of 95 % confidence."},
		{file: "gains.csv", title: "All gains of the transfers", caption: "By how many per cent a policy accepts more transfers, and more volume, than one rate."},
		{file: "turnarounds.csv", title: "All numbers of jobs without deadlines", caption: "Turnarounds are in hours. A slowdown is the turnaround over the run, of at least 10 s, and is at least 1."},
		{file: "deadlines.csv", title: "All numbers of jobs with deadlines", caption: "Shares of the jobs, of their work, and of the processors until the last end, in %."},
		{file: "queues.csv", title: "All numbers of jobs in a queue", caption: "Waits and turnarounds are in hours. A job waits until it starts for the first time."},
	},
}

// byPolicy is a column of some policies of transfers, by load or by slack.
func byPolicy(x, only, cell, title, caption, column, axis string) view {
	return view{file: "transfers.csv", only: only, cell: cell, title: title, caption: caption + " Lines that lie upon each other are policies that do the same.",
		by: "policy", among: []string{"fixed, most rate", "fixed, least rate", "best of fixed rates", "any stretches", "any stretches, 5/4 of the least rate", "any stretches, planned anew"},
		x: x, xAxis: x, y: []string{column}, yAxis: axis, factor: 100, linear: true}
}
