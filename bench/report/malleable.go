package main

// changing is the gain of work whose rate may change while it runs, by bench/malleable. It needs a network and a log that others
// have made.
var changing = chapter{
	id: "malleable", title: "Work at a rate that changes", apart: true,
	command: "run ./bench/malleable -data data -out %s",
	intro: []string{
		"Package volume plans work that is a number of unit-ticks and not a rate for a time: a plan takes at each tick the units that are free. The measure is the same work at one rate, at the earliest place. A request is booked or refused when it comes, for good.",
		"Transfers with deadlines cross netMaker, a network of 10 000 nodes, each on a path of the fewest links. A load of 1 asks the busiest link for as much as it can carry. The slack is the mean time until the deadline, over the time at the most rate. “best of fixed rates” tries the most rate, its half, its quarter and so on, and the least rate that meets the deadline; “1 stretch” is the best of all fixed rates.",
		"Jobs of w processors are those of KTH SP2, 100 processors, booked in the order of submission for the time that they ran. A job counts as a volume of w times its run, as if its speedup were linear.",
	},
	views: []view{
		byPolicy("load", "slack", "4", "Transfers accepted, by load", "Share of the transfers, with a slack of 4. A plan of many stretches finds room for large transfers that one rate refuses, and the links are then full for others.", "accepted", "transfers accepted, %"),
		byPolicy("load", "slack", "4", "Volume accepted, by load", "Share of the volume of all transfers, with a slack of 4.", "volume", "volume accepted, %"),
		byPolicy("slack", "load", "4", "Transfers accepted, by slack", "Share of the transfers, at a load of 4.", "accepted", "transfers accepted, %"),
		byPolicy("slack", "load", "4", "Volume accepted, by slack", "Share of the volume of all transfers, at a load of 4.", "volume", "volume accepted, %"),
		{file: "gains.csv", title: "Transfers beside a published gain",
			caption: "By how many per cent more transfers any number of stretches accepts than the most rate does, by load and slack. The paper is Zhang et al., “Guaranteeing deadlines for inter-datacenter transfers”, EuroSys 2015, whose system Amoeba accepts 15 % more transfers than earlier systems. Amoeba plans a network between data centres as a whole, and is compared with systems for such networks; here each transfer has one path, once and for all, and is compared with one rate. So the two numbers do not measure the same." + whiskers,
			names:   "load,slack", y: []string{"than most rate"}, xAxis: "more transfers, %", linear: true},
		{file: "turnarounds.csv", title: "Turnaround of jobs", each: "times the load",
			caption: "From the submission to the end: the mean and the median. Without a pause, a job has a quarter of its processors at least while it runs.",
			names:   "policy", y: []string{"turnaround mean", "turnaround median"}, labels: []string{"mean", "median"}, xAxis: "hours", linear: true},
		{file: "turnarounds.csv", title: "Jobs beside a published gain", each: "times the load",
			caption: "By how many per cent the mean turnaround is less than at w processors. The paper is Zojer, Posner and Özden, “Evaluating malleable job scheduling in HPC clusters using real-world workloads”, 2026: 37 to 67 % less on three machines, of which the least is shown. Their logs are of larger machines, their jobs have no linear speedup, and their scheduler changes running jobs when others come; here a plan stands once it is made, and runs are known.",
			names:   "policy", y: []string{"less, %"}, xAxis: "less turnaround, %", linear: true},
		{file: "deadlines.csv", title: "Jobs accepted with a deadline", each: "times the load",
			caption: "Share of the jobs that end by their deadline, which is so many runs after the submission.",
			by:      "policy", x: "deadline", y: []string{"accepted"}, xAxis: "deadline, in runs", yAxis: "jobs accepted, %", linear: true},
		{file: "transfers.csv", title: "All numbers of the transfers", caption: "Shares of the transfers and of their volume, and the mean number of stretches of a plan. The half widths are those of 95 % confidence."},
		{file: "gains.csv", title: "All gains of the transfers", caption: "By how many per cent any number of stretches accepts more transfers, and more volume, than a policy of fixed rates."},
		{file: "turnarounds.csv", title: "All numbers of jobs without deadlines", caption: "Turnarounds are in hours. A slowdown is the turnaround over the run, of at least 10 s, and is at least 1."},
		{file: "deadlines.csv", title: "All numbers of jobs with deadlines", caption: "Shares of the jobs, of their work, and of the processors, in %."},
	},
}

// byPolicy is a column of some policies of transfers, by load or by slack.
func byPolicy(x, only, cell, title, caption, column, axis string) view {
	return view{file: "transfers.csv", only: only, cell: cell, title: title, caption: caption + " Lines that lie upon each other are policies that do the same.",
		by: "policy", among: []string{"fixed, most rate", "fixed, least rate", "best of fixed rates", "1 stretch", "2 stretches", "any stretches"},
		x: x, xAxis: x, y: []string{column}, yAxis: axis, factor: 100, linear: true}
}
