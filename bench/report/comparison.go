package main

// compared is the comparison of all structures by bench/cmd/compare.
var compared = chapter{
	id: "compare", title: "The structures compared", output: comparison,
	command: "run ./bench/cmd/compare -jobs 6000 -format csv",
	intro: []string{
		"The same workload, as advance reservations, on every structure of the library. Those that are exact give the same answers; coarse slots accept less, and how servers are chosen decides what still fits later.",
		"Where numbers span decades, the axis is logarithmic: read the end of a bar, and not its length.",
	},
	views: []view{
		{file: comparison, title: "Time of a reservation",
			caption: "One Reserve: the earliest start is found and booked. The bar is the median, the line goes to the 99th percentile. Where it ends far out, few calls cost most of the time.",
			names:   "structure", y: []string{"reserve_median_us", "reserve_p99_us"}, labels: percentiles, upTo: true, xAxis: "µs"},
		{file: comparison, title: "Time of a search",
			caption: "One Search for the earliest start, which books nothing. Lists are walked, indexes and trees are descended.",
			names:   "structure", y: []string{"search_median_us", "search_p99_us"}, labels: percentiles, upTo: true, xAxis: "µs"},
		{file: comparison, title: "Time of a release",
			caption: "One Release of the rest of a job that is done before its time.",
			names:   "structure", y: []string{"release_median_us", "release_p99_us"}, labels: percentiles, upTo: true, xAxis: "µs"},
		{file: comparison, title: "Time of search and reservation, relative",
			caption: "Median times of a search and of a reservation, relative to those of the default (carts.Indexed), which is 1: less is faster. A hundred reservations are live here, for which arrays are fast; with thousands of them, planned far ahead, the trees win.",
			names:   "structure", y: []string{"ratio"}, labels: []string{"relative"}, xAxis: "times carts.Indexed"},
		{file: comparison, title: "Memory",
			caption: "Heap of the schedule when most reservations were live, for each of them. With so few of them, fixed parts weigh most: rings of slots have one for each slot of the horizon.",
			names:   "structure", y: []string{"bytes_per_live"}, labels: []string{"bytes"}, xAxis: "bytes for each"},
		{file: comparison, title: "Accepted, and used",
			caption: "Share of the requests that was accepted, and of the capacity that ran jobs. A coarse slot that is partly used counts as a whole, so that less is accepted.",
			names:   "structure", y: []string{"success_rate", "utilisation"}, labels: []string{"accepted", "utilisation"}, factor: 100, xAxis: "%"},
		{file: comparison, title: "Mean wait",
			caption: "From the ready time to the start, of the accepted requests. Waits cannot be compared where much less was accepted.",
			names:   "structure", y: []string{"mean_wait_s"}, labels: []string{"mean wait"}, factor: 1.0 / 3600, xAxis: "hours"},
		{file: comparison, title: "All numbers of the comparison", caption: "As bench/cmd/compare writes them."},
	},
}

// percentiles are the names of the two numbers of a time.
var percentiles = []string{"median", "99th percentile"}
