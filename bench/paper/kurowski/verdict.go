package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// claim says that what by makes of two numbers lies between from and to.
type claim struct {
	where, what string
	said        string // the paper's numbers, or its words
	names       string // of ours
	// sides are the numbers. Without it, the claim cannot be tested.
	sides    func(w *world) (a, b float64)
	by       func(a, b float64) float64
	from, to float64
	alike    bool // it is about batch tasks only: all readings are the same
	fact     bool // it is of the log itself, and no synthetic one can stand for it
	// calibrates says that the deciding reading was chosen by this and its like, so
	// that it is no wonder if it holds there.
	calibrates bool
	why        string // it cannot be tested, or what else is to be said
}

// How two numbers are compared.
var (
	less  = func(a, b float64) float64 { return a - b }
	over  = func(a, b float64) float64 { return a / b }
	alone = func(a, _ float64) float64 { return a }
	inf   = math.Inf(1)
)

// rounding is by what part equal numbers may differ.
const rounding = 1e-12

// find judges the claim in a scene: it holds if the confidence interval lies
// between from and to, and does not if none of it does.
func (c claim) find(s scene) trial.Finding {
	f := trial.Finding{Claim: trial.Claim{Names: c.names}, Verdict: trial.Untested}
	if c.sides == nil || c.fact && s.worlds[0].logs[0].synthetic {
		return f
	}
	var a, b trial.Sample
	for _, w := range s.worlds {
		x, y := c.sides(w)
		a.Add(x)
		b.Add(y)
		f.Value.Add(c.by(x, y))
	}
	f.A, f.B = a.Mean, b.Mean
	if f.Value.Half < rounding*math.Abs(f.Value.Mean) {
		f.Value.Half = 0
	}
	f.Verdict = f.Value.Verdict(c.from, c.to)
	return f
}

// readingsOf are the scenes in which the claim is judged.
func (c claim) readingsOf(scenes []scene) []scene {
	if c.alike || c.sides == nil {
		return scenes[:1]
	}
	return scenes
}

// writeVerdicts prints a row for each claim, with a column for each reading, and
// then what is to be said of some.
func writeVerdicts(out io.Writer, all []claim, scenes []scene) {
	fmt.Fprint(out, "## Claims\n\nThe first column of verdicts decides; where the reading makes no difference, the others are empty. One that depends on a choice of ours comes out differently with the other choice, as listed at the end, and is inconclusive.\n\n| where | claim | paper | numbers |")
	for _, s := range scenes {
		fmt.Fprintf(out, " %s |", s.reading.name)
	}
	fmt.Fprintf(out, "\n|---|---|---|---|%s\n", strings.Repeat("---|", len(scenes)))
	var notes []string
	for _, c := range all {
		cells := make([]string, len(scenes))
		for k, s := range c.readingsOf(scenes) {
			f := c.judge(s)
			cells[k] = f.text()
			if k > 0 {
				continue
			}
			why := c.why
			if f.Verdict == trial.Untested && c.sides != nil {
				why = "it is about the log, which is not there"
			}
			if why != "" {
				notes = append(notes, fmt.Sprintf("%s, %s: %s.", c.where, c.what, why))
			}
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s |\n", c.where, c.what, c.said, c.names, strings.Join(cells, " | "))
	}
	fmt.Fprintln(out)
	writeTally(out, all, scenes)
	for _, line := range notes {
		fmt.Fprintln(out, "- "+line)
	}
	if len(notes) > 0 {
		fmt.Fprintln(out)
	}
}

// verdictRows is the table as CSV.
func verdictRows(all []claim, scenes []scene) [][]string {
	rows := [][]string{{"where", "claim", "paper", "reading", "verdict", "numbers", "a", "b", "value", "half", "from", "to", "depends on"}}
	for _, c := range all {
		for _, s := range c.readingsOf(scenes) {
			f := c.judge(s)
			row := trial.Row([]string{c.where, c.what, c.said, s.reading.name, f.verdict(), c.names},
				f.A, f.B, f.Value.Mean, f.Value.Half, c.from, c.to)
			rows = append(rows, append(row, strings.Join(f.hangs, ", ")))
		}
	}
	return rows
}
