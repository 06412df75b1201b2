package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// added is where claims stand that are not the paper's. They are not counted.
const added = "ours"

// hanging is the verdict of what depends on a choice, where verdicts are counted.
const hanging = "depends on a choice"

// outcomes are the columns of the count.
var outcomes = []string{trial.Holds, trial.Fails, trial.Inconclusive, hanging, trial.Untested}

// group is claims that are counted together, with their verdicts by scenes.
type group struct {
	name     string
	verdicts [][]string
}

// groups splits the claims so that all readings have as many of each group to judge.
func groups(all []claim, scenes []scene) (alike, calibrating, other group) {
	alike.name = "claims that are the same in all readings, or for which there is no test"
	calibrating.name = "Table 5, which chose the reading"
	other.name = "all others"
	for _, c := range all {
		if c.where == added {
			continue
		}
		var verdicts []string
		for _, s := range c.readingsOf(scenes) {
			j := c.judge(s)
			v := j.verdict()
			if len(j.hangs) > 0 {
				v = hanging
			}
			verdicts = append(verdicts, v)
		}
		g := &other
		switch {
		case c.alike || c.sides == nil:
			g = &alike
		case c.calibrates:
			g = &calibrating
		}
		g.verdicts = append(g.verdicts, verdicts)
	}
	return alike, calibrating, other
}

// count says how many claims have each verdict, in one scene.
func (g group) count(k int) []int {
	return g.tally(func(verdicts []string, want string) bool { return verdicts[k] == want })
}

// agreed says how many have it in every scene.
func (g group) agreed() []int {
	return g.tally(func(verdicts []string, want string) bool {
		return !slices.ContainsFunc(verdicts, func(v string) bool { return v != want })
	})
}

func (g group) tally(is func(verdicts []string, want string) bool) []int {
	n := make([]int, len(outcomes))
	for i, want := range outcomes {
		for _, verdicts := range g.verdicts {
			if is(verdicts, want) {
				n[i]++
			}
		}
	}
	return n
}

// writeTally prints how many claims have which verdict.
func writeTally(out io.Writer, all []claim, scenes []scene) {
	fmt.Fprint(out, "| claims | of them | reading | hold | do not | inconclusive | depend on a choice | cannot be tested |\n|---|---|---|---|---|---|---|---|\n")
	line := func(g group, reading string, n []int) {
		fmt.Fprintf(out, "| %s | %d | %s | %d | %d | %d | %d | %d |\n", g.name, len(g.verdicts), reading, n[0], n[1], n[2], n[3], n[4])
	}
	alike, calibrating, other := groups(all, scenes)
	line(alike, "any", alike.count(0))
	for _, g := range []group{other, calibrating} {
		for k, s := range scenes {
			line(g, s.reading.name, g.count(k))
		}
		line(g, "the same in all", g.agreed())
	}
	fmt.Fprintln(out)
}
