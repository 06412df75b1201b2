package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// row is what the paper says of an algorithm (Fig. 3 and Table 1); -1 if nothing.
type row struct{ quality, near, far, millis float64 }

var said = map[string]row{
	"FirstFit":           {35, -1, -1, -1}, // the earliest start: the paper's is the first found
	"first found":        {35, 85, 342, 4.2},
	"MultipleBest Q":     {50, -1, -1, 103},
	"MaxQ":               {61.8, -1, -1, 1695},
	"MaxQ, skipping":     {61.8, -1, -1, -1},
	"MaxQ Lite":          {50, -1, -1, 4.5},
	"MultipleBest DEP":   {-1, 253, -1, 103},
	"DEP":                {-1, 369, 480, 1695},
	"DEP, skipping":      {-1, 369, 480, -1},
	"DEP Lite":           {-1, 275, 440, 4.5},
	"MultipleBest COORD": {-1, -1, 159, 103},
	"COORD":              {-1, 9, 52, 1694},
	"COORD, skipping":    {-1, 9, 52, -1},
	"COORD Lite":         {-1, 31, 148, 4.5},
}

// columns returns the means of an algorithm.
func (r *results) columns(name string) (quality, near, far, length, cost float64) {
	return r.mean(name, func(o outcome) float64 { return o.quality }),
		r.mean(name, func(o outcome) float64 { return o.near }),
		r.mean(name, func(o outcome) float64 { return o.far }),
		r.mean(name, func(o outcome) float64 { return o.length }),
		r.mean(name, func(o outcome) float64 { return o.cost })
}

// with formats a number beside that of the paper.
func with(ours, theirs float64) string {
	digits := 1
	if ours < 1 {
		digits = 3
	}
	if theirs < 0 {
		return fmt.Sprintf("%.*f", digits, ours)
	}
	return fmt.Sprintf("%.*f (%.4g)", digits, ours, theirs)
}

// write prints a table; what the paper says is in parentheses. Times are compared
// with those of the first found, where that is measured, as those of the paper are.
func (r *results) write(out io.Writer, title string) {
	base := "FirstFit"
	if r.said {
		base = "first found"
	}
	fmt.Fprintf(out, "%s; %.0f slots on average, %.0f alternatives, %d environments without a window\n\n", title, r.slots, r.windows, r.empty)
	fmt.Fprintf(out, "| algorithm | runs | quality | near | far | length | cost | median µs | times %s |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n", base)
	first := r.median(base)
	for _, name := range r.names {
		quality, near, far, length, cost := r.columns(name)
		p, ok := said[name]
		if !ok || !r.said {
			p = row{-1, -1, -1, -1}
		}
		fmt.Fprintf(out, "| %s | %d | %s | %s | %s | %.0f | %.0f | %.1f | %s |\n", name, len(r.outcomes[name]),
			with(quality, p.quality), with(near, p.near), with(far, p.far), length, cost,
			r.median(name), with(r.median(name)/first, p.millis/4.2))
	}
	fmt.Fprintln(out)
}

var header = []string{"algorithm", "runs", "quality", "near", "far", "length", "cost", "median_us"}

// writeCSV writes the table to a file.
func (r *results) writeCSV(folder, file string) error {
	rows := [][]string{header}
	for _, name := range r.names {
		quality, near, far, length, cost := r.columns(name)
		rows = append(rows, trial.Row([]string{name, strconv.Itoa(len(r.outcomes[name]))},
			quality, near, far, length, cost, r.median(name)))
	}
	return trial.WriteCSV(folder, file, rows)
}
