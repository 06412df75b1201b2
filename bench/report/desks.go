package main

// desks is the time of a booking on a desk.Desk, by the benchmarks of package desk.
var desks = chapter{
	id: "desk", title: "A desk of bookings", output: benchmarks,
	command: "test -short -run '^$' -bench '^(BenchmarkBook|BenchmarkLog)$' -benchtime 100ms ./desk",
	intro: []string{
		"A desk keeps bookings with a key, an owner and a number, on one schedule or several, and lists the owners to be notified of a change. Here it has one pool of 128 units. “alone” is that pool (carts.Indexed) without a desk, which knows neither keys nor owners.",
	},
	views: []view{
		{file: benchmarks, title: "Time of a booking", only: "benchmark", cell: "Book",
			caption: "The mean of one Book, with live bookings on the pool. Keys, owners and numbers are the difference.",
			by:      "impl", x: "live", y: []string{"book-ns"}, factor: 1e-3, xAxis: "live bookings", yAxis: "µs"},
		{file: benchmarks, title: "Time of a cancellation", only: "benchmark", cell: "Book",
			caption: "The mean of one Cancel.",
			by:      "impl", x: "live", y: []string{"cancel-ns"}, factor: 1e-3, xAxis: "live bookings", yAxis: "µs"},
		{file: benchmarks, title: "A booking and its cancellation, through a log", only: "benchmark", cell: "Log",
			caption: "Both commands, with 1 000 live bookings: without a log, and through one to nowhere. A disk adds its own time.",
			names:   "log", y: []string{"ns/op"}, labels: []string{"both"}, factor: 1e-3, xAxis: "µs", linear: true},
		{file: benchmarks, title: "All numbers of the desk", caption: "As the benchmarks print them. B/booking is the memory of a booking."},
	},
}
