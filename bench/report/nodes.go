package main

// gangs is the time of a gang on a nodes.Machine, by the benchmark of package nodes.
var gangs = chapter{
	id: "nodes", title: "Gangs on nodes", output: benchmarks,
	command: "test -run '^$' -bench '^BenchmarkGang$/./././^mode=(backlog|ar)$/^policy=lowest$' -benchtime 1x ./nodes",
	intro: []string{
		"A gang is a job of several tasks that start together, each on a node of its own with GPUs and cores. nodes.Machine finds the first start at which there are such nodes, and books them. The leapfrog does without a machine: it has a pool for each resource of each node, and asks them in turn until all agree on a start.",
		"1 000 gangs are live on 100 nodes, and 20 000 on 2 000 and on 20 000 nodes. The time of the machine is that of a booking; that of the leapfrog is of its search only. Both find the same starts.",
	},
	views: []view{
		{file: benchmarks, title: "Time of a gang", each: "mode",
			caption: "The mean. backlog: all gangs are ready now, and wait for their turn. ar: they are ready anywhere in a time in which 70 % of the GPUs are booked.",
			by:      "impl", x: "nodes", y: []string{"ns/op"}, factor: 1e-6, xAxis: "nodes", yAxis: "ms"},
		{file: benchmarks, title: "All numbers of the gangs", caption: "As the benchmark prints them. at-once: the share of the gangs that start when they are ready. tasks/job: the mean number of nodes of a gang."},
	},
}
