package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// choice is what the paper leaves open, or has in two ways, where our plans have one
// of them.
type choice struct {
	name   string
	about  string          // the claims that it concerns
	other  string          // the other way
	settle func(plan) plan // the other way, from ours
}

// choices are all. A claim depends on one if its verdict is another the other way.
var choices = []choice{
	{"ties", "MCT", "MCT takes the first of equals, not any by chance", func(p plan) plan {
		if p.grid == mct && p.parts > 1 {
			p.grid = first
		}
		return p
	}},
	{"the queue", "δ", "AR first, not AR FCFS: AR tasks do not wait for the end of δ (§4.4.2)", func(p plan) plan {
		p.arFirst = p.period > 0
		return p
	}},
}

// under is the scene with the choice made the other way. What is simulated is kept
// in the scene's own worlds.
func (s scene) under(c choice) scene {
	other := scene{reading: s.reading}
	for _, w := range s.worlds {
		other.worlds = append(other.worlds, &world{logs: w.logs, reading: w.reading, seed: w.seed, base: w, instead: c.settle})
	}
	return other
}

// judgement is a finding, and the choices it depends on.
type judgement struct {
	trial.Finding          // as we chose
	hangs         []string // names of choices
}

// judge finds out about the claim, and whether it is otherwise under other choices.
// What is inconclusive anyway depends on none.
func (c claim) judge(s scene) judgement {
	j := judgement{Finding: c.find(s)}
	if j.Verdict != trial.Holds && j.Verdict != trial.Fails {
		return j
	}
	for _, other := range choices {
		if c.find(s.under(other)).Verdict != j.Verdict {
			j.hangs = append(j.hangs, other.name)
		}
	}
	return j
}

// verdict is the finding's, unless it depends on a choice.
func (j judgement) verdict() string {
	if len(j.hangs) > 0 {
		return trial.Inconclusive
	}
	return j.Verdict
}

// text is the verdict in Markdown, with the numbers.
func (j judgement) text() string {
	text := j.Text()
	if len(j.hangs) == 0 {
		return text
	}
	return fmt.Sprintf("**depends on %s**; as we chose: %s", strings.Join(j.hangs, ", "), strings.ReplaceAll(text, "**", ""))
}

// otherwise are the claims for which a choice makes other numbers, in all scenes.
func otherwise(all []claim, scenes []scene) [][]string {
	rows := [][]string{{"where", "claim", "choice", "reading", "verdict", "verdict the other way", "numbers", "a", "b", "value", "half"}}
	for _, other := range choices {
		for _, c := range all {
			for _, s := range c.readingsOf(scenes) {
				f, g := c.find(s), c.find(s.under(other))
				if !slices.Equal(f.Value.Values, g.Value.Values) {
					rows = append(rows, trial.Row([]string{c.where, c.what, other.name, s.reading.name, f.Verdict, g.Verdict, c.names},
						g.A, g.B, g.Value.Mean, g.Value.Half))
				}
			}
		}
	}
	return rows
}

// writeOtherwise prints them, in the reading that decides.
func writeOtherwise(out io.Writer, all []claim, s scene) {
	fmt.Fprintln(out, "## Claims, had we chosen otherwise")
	for _, other := range choices {
		fmt.Fprintf(out, "\nThe other way for %s: %s. The numbers of these claims about %s change, in reading %s.\n\n", other.name, other.other, other.about, s.reading.name)
		fmt.Fprint(out, "| where | claim | numbers | as we chose | the other way |\n|---|---|---|---|---|\n")
		for _, c := range all {
			f, g := c.find(s), c.find(s.under(other))
			if !slices.Equal(f.Value.Values, g.Value.Values) {
				fmt.Fprintf(out, "| %s | %s | %s | %s | %s |\n", c.where, c.what, c.names, f.Text(), g.Text())
			}
		}
	}
	fmt.Fprintln(out)
}
