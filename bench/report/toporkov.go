package main

// toporkov are Fig. 3 and 4, the distances and Table 1 of Toporkov et al.
var toporkov = chapter{
	id: "toporkov", title: "Toporkov et al.: windows of slots",
	source:  "V. Toporkov, A. Toporkova and D. Yemelyanov, “Slot co-allocation optimization in distributed computing with heterogeneous resources”, 2018, §4.",
	command: "run ./bench/paper/toporkov -quick -out %s",
	intro:   []string{"Windows of seven slots on a hundred nodes. Algorithms with “skipping” leave out starts at which a bound shows that there is nothing better. Algorithms named Exact are ours."},
	views: []view{
		{file: "table1.csv", title: "Fig. 3: quality of the window",
			caption: "Sum of the qualities of seven nodes, each 0 to 10. MaxQ and Exact Q seek the highest.",
			names:   "algorithm", y: []string{"quality"}, xAxis: "quality"},
		{file: "table1.csv", title: "§4.3: distance to the nearer neighbour", caption: "DEP seeks a great distance, COORD a small one.",
			names: "algorithm", y: []string{"near"}, xAxis: "ticks"},
		{file: "table1.csv", title: "§4.3: distance to the farther neighbour", caption: "COORD seeks a small distance.",
			names: "algorithm", y: []string{"far"}, xAxis: "ticks"},
		{file: "table1.csv", title: "Table 1: time, relative",
			caption: "Relative to the first window found, as machines differ. A dynamic program takes hundreds of times as long as the one pass of Lite; the exact search needs no program.",
			names:   "algorithm", y: []string{"times"}, xAxis: "times the first found"},
		{file: "large.csv", title: "64 of 1 000 nodes", caption: "Ours: the times of the exact search on large environments, in µs."},
		{file: "figure4-near.svg", title: "Fig. 4: a window, chosen by the near neighbour", caption: rowsOfNodes},
		{file: "figure4-far.svg", title: "Fig. 4: a window, chosen by the far neighbour", caption: rowsOfNodes},
	},
}

const rowsOfNodes = "A row for each node. Grey is taken; the tasks of the window are in colour. With near, tasks keep away from their neighbours; with far, they lie close to them."
