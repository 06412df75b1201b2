package main

import "slices"

// kurowski are the tables and figures of Kurowski et al. in the reading that
// decides, which comes first in each file.
var kurowski = chapter{
	id: "kurowski", title: "Kurowski et al.: grids of two levels",
	source:  "K. Kurowski, A. Oleksiak, W. Piątek and J. Węglarz, “Hierarchical scheduling strategies for parallel tasks and advance reservations in grids”, 2013, §3.3 and §5; synthetic logs stand for that of the paper here.",
	command: "run ./bench/paper/kurowski -jobs 600 -repeats 5 -out %s",
	intro:   []string{"Batch tasks and tasks with advance reservations (AR tasks) on one machine, or on the parts of a grid. U is the utilisation, F the flow time, D the tardiness of AR tasks. The paper's numbers are of the SDSC SP2 log; with a synthetic log, only the order of numbers can be compared, and not their size."},
	views: slices.Concat(
		view{file: "table2.csv", title: "Table 2: one level", caption: "128 processors. LSF decides every so many seconds.", names: "local"}.
			of("mean U", "mean F, s", "mean wait, s"),
		view{file: "table3.csv", title: "Table 3: two levels", caption: "The grid chooses a part at random. In the paper, too, more parts of the same size shorten the flow time.", names: "parts,local"}.
			of("mean U", "mean F, s", "mean wait, s"),
		view{file: "table5.csv", title: "Table 5: share of AR tasks", caption: "MCT over two parts of 64 processors, for both pieces of the log; the second number of a name is the share in per cent.", names: "jobs,% AR"}.
			of("mean U", "mean F, s", "mean D, s"),
		view{file: "table6.csv", title: "Table 6: strategies", caption: "30 % AR tasks. In the paper AR resource priority has the shortest flow time.", names: "strategy"}.
			of("mean U", "mean F, s", "mean D, s"),
		[]view{{file: "fig4.csv", title: "Fig. 4: use by days",
			caption: "Share of the processors that work, day by day, where all tasks are AR tasks: with fixed and with variable slots.",
			only:    "reading", x: "day", xAxis: "day", yAxis: "share"}},
		view{file: "fig8-10.csv", title: "Fig. 8–10: off-line period δ", caption: "The grid decides every δ seconds only. AR tasks that wait for the next decision are late.",
			by: "δ, s", labels: []string{"δ = %s s"}, x: "% AR", xAxis: "AR tasks, %"}.of("mean U", "mean F, s", "mean D, s"),
		view{file: "fig11-19.csv", title: "Fig. 11–13 and 17–19: strategies", caption: "Fixed requests: MCT, AR resource priority, and Random.",
			by: "strategy", x: "% AR", xAxis: "AR tasks, %"}.of("mean U", "mean F, s", "mean D, s"),
		view{file: "fig14.csv", title: "Fig. 14: interval", caption: "30 % AR tasks with flexible requests, by the end of the interval in hours. Later starts lengthen the flow time, and fewer tasks are late.",
			by: "strategy", x: "interval", xAxis: "end of the interval, h"}.of("mean U", "mean F, s", "mean D, s"),
		[]view{
			{file: "table4.csv", title: "Table 4: the jobs", caption: "Means, and those of the paper's log."},
			{file: "fig5.csv", title: "Fig. 5: fixed and variable slots", caption: "The paper: the longer fixed slots are, the lower the use; variable ones are better."},
			{file: "searches.csv", title: "§3.5: slots that a search goes through", caption: "Where all tasks are AR tasks."},
			{file: "static.csv", title: "§5.3: static parts", caption: "One part for AR tasks, one for batch tasks."},
			{file: "fig15-16.csv", title: "Fig. 15 and 16: flexible requests", caption: "By the share of AR tasks."},
			{file: "reasons.csv", title: "What knowledge and binding do", caption: "§3.2 and §6."},
		},
	),
}

// of returns a view for each of some columns, in the reading that decides.
func (v view) of(columns ...string) []view {
	var all []view
	for _, column := range columns {
		one := v
		one.only, one.y, one.title = "reading", []string{column}, v.title+", "+column
		if v.names != "" {
			one.xAxis = column
		} else {
			one.yAxis = column
		}
		all = append(all, one)
	}
	return all
}
