package main

import "slices"

// schneider are the figures of Schneider and Linnert. The statements of the paper stand below them, since
// its text has no numbers.
var schneider = chapter{
	id: "schneider", title: "Schneider and Linnert: lists and slots",
	source:  "J. Schneider and B. Linnert, “List-based data structures for efficient management of advance reservations”, 2012, §8.",
	command: "run ./bench/paper/schneider -quick -out %s",
	intro:   []string{"Success is the share of the requests that was accepted. All structures meet the same jobs. The text of the paper has no numbers; its statements stand below each figure, and claim by claim at the end."},
	views: slices.Concat(
		byLoad("fig6.csv", "Figure 6: a cluster",
			"Few long slots accept less, and the list as much as the finest slots: the lines of both lie upon each other. The paper finds the same.",
			"Many short slots take longest. The paper finds the list faster than any slots; coarse slots are an array here, and fast."),
		byLoad("fig7.csv", "Figure 7: the used list, without and with AVL tree",
			"Both accept the same, as in the paper: one line covers the other.",
			"The paper finds no significant difference. The tree saves the way to the start of the booking interval, which is long where the list is."),
		byLoad("fig8.csv", "Figure 8: a resource of the grid",
			"Only many slots come close to the success of the list, says the paper.",
			"Many slots are drastically slower than the list, says the paper."),
		byLoad("fig9.csv", "Figure 9: workflows on a grid",
			"Of whole workflows: all parts, or nothing. The paper compares slots that accept as much as the list.",
			"Of a whole workflow. The paper finds slots slower than the list, and times that change little with the load."),
	),
}

// byLoad are the figures of a file: success and time of each structure by the load.
func byLoad(file, title, success, time string) []view {
	v := view{file: file, each: "units", by: "structure", x: "mean_interarrival_s", xAxis: "mean time between submissions, s"}
	accepted, taken := v, v
	accepted.title, accepted.caption = title+", success", success+whiskers
	accepted.y, accepted.factor, accepted.yAxis = []string{"success_rate"}, 100, "accepted, %"
	taken.title, taken.caption = title+", time", time+whiskers
	taken.y, taken.yAxis = []string{"reserve_us"}, "µs for each"
	return []view{accepted, taken}
}

// whiskers explains confidence intervals in a caption.
const whiskers = " Upright lines are 95 % confidence intervals; those that reach beyond the picture are in the table only."
