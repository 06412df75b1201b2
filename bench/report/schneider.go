package main

import "fmt"

// drawSchneider draws the figures of Schneider and Linnert. Theirs have no numbers
// in the text: what they say is told beside.
func drawSchneider(folder string, s *section) error {
	s.Intro = append(s.Intro, "Success is the share of the requests that was accepted. All structures meet the same jobs. The paper's figures have no numbers in its text; what it says of them stands below each, and claim by claim at the end.")
	for _, f := range []struct{ file, name, what, success, time string }{
		{"fig6.csv", "Figure 6", "a cluster",
			"Few long slots accept less, and the list as much as the finest slots: the lines of both lie upon each other. The paper finds the same.",
			"Many short slots take longest. The paper finds the list faster than any slots; coarse slots are an array here, and fast."},
		{"fig7.csv", "Figure 7", "the used list, without and with AVL tree",
			"Both accept the same, as in the paper: only one line is to be seen.",
			"The paper finds no significant difference. The tree saves the way to the start of the booking interval, which is long where the list is."},
		{"fig8.csv", "Figure 8", "a resource of the grid",
			"Only many slots come close to the success of the list, says the paper.",
			"Many slots are drastically slower than the list, says the paper."},
		{"fig9.csv", "Figure 9", "workflows on a grid",
			"Of whole workflows: all parts, or nothing. The paper compares slots that accept as much as the list.",
			"Of a whole workflow. The paper finds slots slower than the list, and times that change little with the load."},
	} {
		t, err := readTable(folder, f.file)
		if err != nil {
			return err
		}
		sizes, err := t.distinct("units")
		if err != nil {
			return err
		}
		for _, units := range sizes {
			rows, err := t.keep("units", units)
			if err != nil {
				return err
			}
			title := fmt.Sprintf("%s: %s", f.name, f.what)
			if len(sizes) > 1 {
				title += " of " + units + " units"
			}
			success, err := columns{key: "structure", x: "mean_interarrival_s", y: "success_rate", half: "success_ci95", factor: 100}.lines(rows)
			if err != nil {
				return err
			}
			micros, err := columns{key: "structure", x: "mean_interarrival_s", y: "reserve_us", half: "reserve_us_ci95", factor: 1}.lines(rows)
			if err != nil {
				return err
			}
			id := f.file[:len(f.file)-len(".csv")] + "-" + units
			const x = "mean time between submissions, s"
			if err := s.show(id+"-success", title+", success", f.success+whiskers, curves{x: x, y: "accepted, %", series: success}); err != nil {
				return err
			}
			if err := s.show(id+"-time", title+", time", f.time+whiskers, curves{x: x, y: "µs for each", series: micros}); err != nil {
				return err
			}
		}
	}
	return s.judge(folder)
}

// whiskers explains the confidence intervals of curves.
const whiskers = " Upright lines are 95 % confidence intervals; those that reach beyond the picture are in the table only."
