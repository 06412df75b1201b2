package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

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
		if c.Where == trial.Ours {
			continue
		}
		var verdicts []string
		for _, s := range c.readingsOf(scenes) {
			f, hangs := c.judge(s)
			if len(hangs) > 0 {
				f.Verdict = hanging
			}
			verdicts = append(verdicts, f.Verdict)
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
	t := trial.Table{Title: "How many claims hold", Header: []string{"claims", "of them", "reading", "hold", "do not", "inconclusive", "depend on a choice", "cannot be tested"}}
	line := func(g group, reading string, n []int) {
		t.Rows = append(t.Rows, append([]string{g.name, strconv.Itoa(len(g.verdicts)), reading}, strings.Fields(strings.Trim(fmt.Sprint(n), "[]"))...))
	}
	alike, calibrating, other := groups(all, scenes)
	line(alike, "any", alike.count(0))
	for _, g := range []group{other, calibrating} {
		for k, s := range scenes {
			line(g, s.reading.name, g.count(k))
		}
		line(g, "the same in all", g.agreed())
	}
	t.Write(out)
}
