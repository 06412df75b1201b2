package main

// drawComparison draws what bench/cmd/compare measured.
func drawComparison(folder string, s *section) error {
	t, err := readTable(folder, comparison)
	if err != nil {
		return err
	}
	s.Intro = append(s.Intro, "The same workload, as advance reservations, on every structure of the library. Those that are exact give the same answers; coarse slots accept less, and how servers are chosen decides what still fits later.",
		"Where numbers span decades, the axis is logarithmic, and a bar says nothing by its length but by where it ends.")
	names, err := t.texts("structure")
	if err != nil {
		return err
	}
	for _, f := range []struct {
		id, title, caption string
		axis               string
		columns, labels    []string // measures
		beyond             string   // column of the further numbers
		factor             float64
	}{
		{"reserve", "Time of a reservation", "One Reserve: the earliest start is found and booked. The bar is the median, the line goes to the 99th percentile. Where it ends far out, few calls cost most of the time.",
			"µs", []string{"reserve_median_us"}, []string{"median"}, "reserve_p99_us", 1},
		{"search", "Time of a search", "One Search for the earliest start, which books nothing. Lists are walked, indexes and trees are descended.",
			"µs", []string{"search_median_us"}, []string{"median"}, "search_p99_us", 1},
		{"release", "Time of a release", "One Release of what a job leaves when it is done before its time.",
			"µs", []string{"release_median_us"}, []string{"median"}, "release_p99_us", 1},
		{"ratio", "Time of search and reservation, relative", "Median times of a search and of a reservation, relative to those of the default (carts.Indexed), which is 1: less is faster. A hundred reservations are live here, for which arrays are fast; with thousands of them, planned far ahead, the trees win.",
			"times carts.Indexed", []string{"ratio"}, []string{"relative"}, "", 1},
		{"bytes", "Memory", "Heap of the schedule when most reservations were live, for each of them. With so few of them, fixed parts weigh most: rings of slots have one for each slot of the horizon.",
			"bytes for each", []string{"bytes_per_live"}, []string{"bytes"}, "", 1},
		{"accepted", "Accepted, and used", "Share of the requests that was accepted, and of the capacity that ran jobs. Coarse slots count whole where they are partly used, and so accept less.",
			"%", []string{"success_rate", "utilisation"}, []string{"accepted", "utilisation"}, "", 100},
		{"wait", "Mean wait", "From the ready time to the start, of what was accepted. It is not to be compared where much less was accepted.",
			"hours", []string{"mean_wait_s"}, []string{"mean wait"}, "", 1.0 / 3600},
	} {
		b := bars{axis: f.axis, names: names}
		for k, column := range f.columns {
			values, err := t.numbers(column)
			if err != nil {
				return err
			}
			m := quantity{name: f.labels[k], values: scaled(values, f.factor)}
			if f.beyond != "" {
				if m.upTo, err = t.numbers(f.beyond); err != nil {
					return err
				}
				m.beyond = "99th percentile"
			}
			b.measures = append(b.measures, m)
		}
		if err := s.show(f.id, f.title, f.caption, b); err != nil {
			return err
		}
	}
	s.list("all", "All numbers of the comparison", "As bench/cmd/compare writes them.", t)
	return nil
}
