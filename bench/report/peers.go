package main

// peers is the run of traces of operations through other structures, by bench/peers.
var peers = chapter{
	id: "peers", title: "Beside other structures",
	command: "-C bench/peers run . -quick -out %s",
	intro: []string{
		"The same operations, one after the other, through structures of this library and through structures that a program could have in their place: a step function on google/btree, the interval tree rdleal/intervalst, a sorted slice. All of them find the earliest start. AR-128-1000 are advance reservations on 128 units, of which 1 000 are live; for each that comes, another is released. BATCH-4096-10000 is a packed backlog on 4 096 units: all requests are ready now.",
		"Each has 300 ms for each trace. bench/peers/README.md has a run with a million live, and says how a planner of another project is driven by the same file.",
	},
	views: []view{
		{file: beside, title: "Time of a Reserve", each: "trace",
			caption: "The earliest start is found and booked. The bar is the median, the line goes to the 99th percentile.",
			names:   "planner", y: []string{"reserve_median_us", "reserve_p99_us"}, labels: percentiles, upTo: true, xAxis: "µs"},
		{file: beside, title: "Time of a Reserve, relative", each: "trace",
			caption: "Mean and median, relative to those of carts.Indexed in the same run, which are 1: less is faster. On a busy machine, trust the median.",
			names:   "planner", y: []string{"ratio", "median_ratio"}, labels: []string{"mean", "median"}, xAxis: "times carts.Indexed"},
		{file: beside, title: "Operations within the limit", each: "trace",
			caption: "How many operations of the trace each managed in its time, and how many the trace has.",
			names:   "planner", y: []string{"operations", "of"}, labels: []string{"managed", "of"}, upTo: true, xAxis: "operations"},
		{file: beside, title: "All numbers of the peers",
			caption: "As bench/peers writes them; times in µs. The release is the clock where no operation releases. Same: each start was that of carts.Indexed, as far as the planner went."},
	},
}
