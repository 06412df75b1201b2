package main

// growth is what size costs: of a pool up to ten million live reservations, and of a machine up to 100 000 nodes.
var growth = chapter{
	id: "growth", title: "To ten million reservations, and 100 000 nodes", output: benchmarks, apart: true,
	command: "test -run '^$' -bench '^BenchmarkScale$/./trace=AR|^BenchmarkSize$' -benchtime 1s -timeout 0 ./carts ./nodes",
	intro: []string{
		"The pool is carts.Indexed with 4 096 units. Reservations are ready anywhere on a calendar of which 70 % is booked, and for each that is made another is cancelled. The machine has nodes of 8 GPUs and 64 cores and ten live jobs for each node, with 13 tasks each in the mean; they are ready anywhere in a time in which 70 % of the GPUs are booked.",
		"A line that rises by a decade with each decade takes time in proportion to the size. Of the whole, each number is of one call. All of it takes seven minutes, and 4 GB.",
	},
	views: []view{
		{file: benchmarks, title: "A pool: time", only: "trace", cell: "AR",
			caption: "ns/op is the mean of a Reserve, p99-ns its 99th percentile, and release-ns the mean of a cancellation.",
			x:       "live", y: []string{"ns/op", "p99-ns", "release-ns"}, labels: []string{"reserve", "reserve, 99 %", "release"}, factor: 1e-3, xAxis: "live reservations", yAxis: "µs"},
		{file: benchmarks, title: "A pool: memory", only: "trace", cell: "AR",
			caption: "With the ledger of IDs, for each live reservation.",
			x:       "live", y: []string{"B/live"}, labels: []string{"memory"}, factor: 1, xAxis: "live reservations", yAxis: "bytes"},
		{file: benchmarks, title: "A machine: time of a job", only: "benchmark", cell: "Size",
			caption: "The times are means, and p99-ns is the 99th percentile of Reserve.",
			x:       "nodes", y: []string{"search-ns", "ns/op", "p99-ns", "release-ns"}, labels: []string{"search", "reserve", "reserve, 99 %", "release"}, factor: 1e-3, xAxis: "nodes", yAxis: "µs"},
		{file: benchmarks, title: "A machine: time of the whole", only: "benchmark", cell: "Size",
			caption: "A machine without jobs, a clone, and a snapshot that is written and read.",
			x:       "nodes", y: []string{"new-ms", "clone-ms", "write-ms", "read-ms"}, labels: []string{"new", "clone", "write", "read"}, factor: 1, xAxis: "nodes", yAxis: "ms"},
		{file: benchmarks, title: "A machine: memory", only: "benchmark", cell: "Size",
			caption: "For each live job, and of its part of a snapshot.",
			x:       "nodes", y: []string{"B/live", "bytes/live"}, labels: []string{"memory", "snapshot"}, factor: 1, xAxis: "nodes", yAxis: "bytes"},
		{file: benchmarks, title: "All numbers of growth", caption: "As the benchmarks print them."},
	},
}
