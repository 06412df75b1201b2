package main

import (
	"fmt"
	"strconv"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// number formats a number of the paper; "" if there is none.
func number(x float64) string {
	if x == 0 {
		return ""
	}
	return digits(x)
}

// digits formats a number as in all CSV files.
func digits(x float64) string { return trial.Row(nil, x)[0] }

// table has the means of each algorithm, its median time, how often its window is longer
// than the slowest node chosen needs, and by which part of that on average. Numbers of the
// paper stand beside. Times are compared with those of the first found, where that is
// measured, as those of the paper are.
func (r *results) table(title, file string) trial.Table {
	t := trial.Table{
		Title:  fmt.Sprintf("%s; %.0f slots on average, %.0f alternatives, %d environments without a window", title, r.slots, r.windows, r.empty),
		File:   file,
		Header: []string{"algorithm", "runs", "quality", "paper", "near", "paper", "far", "paper", "length", "cost", "median_us", "times", "paper", "longer", "longer_by"},
	}
	base := firstFound
	if len(r.outcomes[base]) == 0 {
		base = r.algorithms[0].name
	}
	for _, a := range r.algorithms {
		longer, by := r.longer(a.name)
		mean := func(of func(o outcome) float64) string { return digits(r.sample(a.name, of).Mean) }
		t.Rows = append(t.Rows, []string{a.name, strconv.Itoa(len(r.outcomes[a.name])),
			mean(quality), number(a.said.quality), mean(near), number(a.said.near), mean(far), number(a.said.far), mean(length), mean(cost),
			digits(r.median(a.name)), digits(r.median(a.name) / r.median(base)), number(a.said.millis / firstFoundMillis),
			strconv.Itoa(longer), digits(by)})
	}
	return t
}

// longer returns how many windows are longer than their slowest node needs, and by
// which part of that on average.
func (r *results) longer(name string) (often int, excess float64) {
	for _, o := range r.outcomes[name] {
		if o.length > o.needed {
			often++
			excess += o.length/o.needed - 1
		}
	}
	return often, excess / float64(max(often, 1))
}
