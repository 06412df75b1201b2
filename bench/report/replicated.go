package main

// members is the rate of bookings on a replicated desk, by the benchmark of module replicated.
var members = chapter{
	id: "replicated", title: "A desk that survives its machine", output: benchmarks,
	command: "-C replicated test -run '^$' -bench '^BenchmarkBook$/./././^batch=1$' -benchtime 2000x .",
	intro: []string{
		"A booking is on disk when it is answered: on that of one member, or on those of two of three members, which agree by Raft. All members are on this machine here, talk by TCP on loopback, and share its disk and its cores. 0 members is the desk alone, which keeps nothing.",
		"Each caller waits for its answer before it books again. The more callers there are, the more bookings share a write to the disk.",
	},
	views: []view{
		{file: benchmarks, title: "Bookings in a second",
			caption: "A disk that takes a millisecond for a write allows one caller a thousand bookings in a second.",
			by:      "members", x: "callers", y: []string{"bookings/s"}, labels: []string{"members: %s"}, xAxis: "callers", yAxis: "bookings in a second"},
		{file: benchmarks, title: "Time of an answer, median",
			caption: "From the call to the answer.",
			by:      "members", x: "callers", y: []string{"p50-ns"}, labels: []string{"members: %s"}, factor: 1e-6, xAxis: "callers", yAxis: "ms"},
		{file: benchmarks, title: "Time of an answer, 99th percentile",
			caption: "One answer in a hundred takes longer.",
			by:      "members", x: "callers", y: []string{"p99-ns"}, labels: []string{"members: %s"}, factor: 1e-6, xAxis: "callers", yAxis: "ms"},
		{file: benchmarks, title: "All numbers of the replicated desk", caption: "As the benchmark prints them."},
	},
}
