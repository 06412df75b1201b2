package main

import (
	"fmt"
	"strconv"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// row has the numbers of the paper for an algorithm (Fig. 3, §4.3 and Table 1, in
// milliseconds); 0 where the paper has none.
type row struct{ quality, near, far, millis float64 }

var said = map[string]row{
	"FirstFit":           {35, 0, 0, 0}, // the earliest start: the paper's is the first found
	"first found":        {35, 85, 342, 4.2},
	"MultipleBest Q":     {50, 0, 0, 103},
	"MaxQ":               {61.8, 0, 0, 1695},
	"MaxQ, skipping":     {61.8, 0, 0, 0},
	"MaxQ Lite":          {50, 0, 0, 4.5},
	"MultipleBest DEP":   {0, 253, 0, 103},
	"DEP":                {0, 369, 480, 1695},
	"DEP, skipping":      {0, 369, 480, 0},
	"DEP Lite":           {0, 275, 440, 4.5},
	"MultipleBest COORD": {0, 0, 159, 103},
	"COORD":              {0, 9, 52, 1694},
	"COORD, skipping":    {0, 9, 52, 0},
	"COORD Lite":         {0, 31, 148, 4.5},
}

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
func (r *results) table(title, file string) *trial.Table {
	t := &trial.Table{
		Title:  fmt.Sprintf("%s; %.0f slots on average, %.0f alternatives, %d environments without a window", title, r.slots, r.windows, r.empty),
		File:   file,
		Header: []string{"algorithm", "runs", "quality", "paper", "near", "paper", "far", "paper", "length", "cost", "median_us", "times", "paper", "longer", "longer_by"},
	}
	base := "FirstFit"
	if r.said {
		base = "first found"
	}
	for _, name := range r.names {
		p := row{}
		if r.said {
			p = said[name]
		}
		longer, by := r.longer(name)
		mean := func(of func(o outcome) float64) string { return digits(r.sample(name, of).Mean) }
		t.Rows = append(t.Rows, []string{name, strconv.Itoa(len(r.outcomes[name])),
			mean(quality), number(p.quality), mean(near), number(p.near), mean(far), number(p.far), mean(length), mean(cost),
			digits(r.median(name)), digits(r.median(name) / r.median(base)), number(p.millis / said["first found"].millis),
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
