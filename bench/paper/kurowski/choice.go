package main

import (
	"slices"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// choice is a detail that the paper leaves open, or has in two ways. Our plans have one of
// the ways.
type choice struct {
	name   string
	other  string          // the other way
	settle func(plan) plan // the other way, from ours
}

// choices are all. A claim depends on one if its verdict is another the other way.
var choices = []choice{
	{"ties", "MCT takes the first of equals, not any by chance", func(p plan) plan {
		if p.grid == mct && p.parts > 1 {
			p.grid = first
		}
		return p
	}},
	{"the queue", "AR first, not AR FCFS: AR tasks do not wait for the end of δ (§4.4.2)", func(p plan) plan {
		p.arFirst = p.period > 0
		return p
	}},
}

// under is the scene with the choice made the other way.
func (s scene) under(c choice) scene {
	other := scene{reading: s.reading}
	for _, w := range s.worlds {
		changed := *w
		changed.instead = c.settle
		other.worlds = append(other.worlds, &changed)
	}
	return other
}

// judge judges the claim. A claim that holds or does not cannot be told if its verdict is
// another under one of the choices, or on logs that have lost more jobs.
func (c claim) judge(s scene) trial.Finding {
	f := c.find(s)
	if f.Verdict != trial.Holds && f.Verdict != trial.Fails {
		return f
	}
	var on []string
	for _, other := range choices {
		if c.find(s.under(other)).Verdict != f.Verdict {
			on = append(on, other.name)
		}
	}
	turned := c.turned(f, s)
	if turned > fewTurns {
		on = append(on, jobsLost(turned))
	}
	if len(on) == 0 {
		return f
	}
	return f.Hangs(strings.Join(on, ", "))
}

// otherwise has the claims for which a choice makes other numbers, and the numbers
// that the other way makes.
func otherwise(all []claim, scenes []scene) trial.Table {
	t := trial.Table{
		Title: "Claims, had we chosen otherwise", File: "otherwise.csv",
		Header: []string{"where", "claim", "choice", "reading", "verdict", "verdict the other way", "numbers", "a", "b", "value", "half"},
		Brief:  func(row []string) bool { return row[3] == readings[0].name },
	}
	for _, other := range choices {
		for _, c := range all {
			for _, s := range c.readingsOf(scenes) {
				f, g := c.find(s), c.find(s.under(other))
				if !slices.Equal(f.Value.Values, g.Value.Values) {
					t.Rows = append(t.Rows, trial.Row([]string{c.Where, c.What, other.name, s.reading.name, f.Verdict, g.Verdict, c.Names},
						g.A, g.B, g.Value.Mean, g.Value.Half))
				}
			}
		}
	}
	return t
}
