package main

// castillo are the tables and figures of Castillo et al. in the setting that
// decides, which comes first in each file.
var castillo = chapter{
	id: "castillo", title: "Castillo et al.: online co-allocation",
	source:  "C. Castillo, G. N. Rouskas and K. Harfoush, “Resource co-allocation for large-scale distributed environments”, HPDC 2009, §5; a synthetic log stands for those of the paper here.",
	command: "run ./bench/paper/castillo -jobs 3000 -repeats 5 -out %s",
	intro:   []string{"Online, each job is booked when it is submitted; beside it stand the exact earliest start, EASY backfilling, and the waits in the batch system of the log, if the log is a real one."},
	views: []view{
		{file: "fig3.csv", title: "Fig. 3: temporal penalty",
			caption: "Mean wait over the duration, by hours of duration. The paper (KTH): short jobs have ten times the penalty and more under batch scheduling, medium ones more online. Classes that never wait have no point.",
			each:    "log", only: "setting", x: "hours", xAxis: "duration, h", y: schedulers, yAxis: "wait / duration", positive: true},
		{file: "fig4.csv", title: "Fig. 4(a): waits",
			caption: "Share of the jobs that wait for less than so many hours. The paper (CTC): online most wait less than 2 h, nearly twice as many as under batch scheduling.",
			each:    "log", only: "setting", x: "hours", xAxis: "hours", y: schedulers, yAxis: "share of the jobs"},
		{file: "fig5.csv", title: "Fig. 5: waits by size",
			caption: "The paper: larger jobs wait longer, and each size less online than under batch scheduling.",
			each:    "log", only: "setting", x: "processors", xAxis: "processors", y: schedulers, yAxis: "mean wait, h"},
		{file: "fig6.csv", title: "Fig. 6: delays by the share booked ahead",
			caption: "Share of the jobs whose delay, from the submission on, lies in the half hour from then on. With more booked ahead, delays spread over the three hours.",
			each:    "log", only: "setting", x: "hours", xAxis: "hours", yAxis: "share of the jobs"},
		{file: "fig7.csv", title: "Fig. 7: delay by the share booked ahead",
			caption: "A delay begins at the submission, a wait at the ready time." + whiskers,
			each:    "log", only: "setting", x: "ρ", xAxis: "share booked ahead, ρ", y: []string{"mean delay", "mean wait"}, yAxis: "hours"},
		{file: "table2.csv", title: "Table 2: attempts",
			caption: "Mean number of attempts of a request, by processors. The paper: they increase with the size. Its numbers are of its own logs, and stand beside them only: CTC 5.34 for the smallest, KTH 10.27, 60 and 120.",
			each:    "log", only: "setting", names: "processors", y: []string{"attempts"}, xAxis: "attempts"},
		{file: "table1.csv", title: "Table 1: the logs", caption: "What is booked, and the paper's mean duration."},
		{file: "runs.csv", title: "All schedulers", caption: "Without advance reservations; waits in hours."},
		{file: "steps.csv", title: "Other Δt", caption: "The structure as published with other steps, and the exact search; hours."},
	},
}

// schedulers are the columns of the lines in several figures.
var schedulers = []string{"online", "exact", "EASY", "batch"}
