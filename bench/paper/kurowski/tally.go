package main

import (
	"io"
	"slices"
	"strconv"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

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
			verdicts = append(verdicts, c.judge(s).Verdict)
		}
		g := &other
		switch {
		case c.alike || c.a == nil:
			g = &alike
		case c.Where == tuned:
			g = &calibrating
		}
		g.verdicts = append(g.verdicts, verdicts)
	}
	return alike, calibrating, other
}

// count says how many claims have each verdict, by the one that of takes of those in all
// scenes.
func (g group) count(of func(verdicts []string) string) (numbers []string) {
	n := map[string]int{}
	for _, verdicts := range g.verdicts {
		n[of(verdicts)]++
	}
	for _, verdict := range trial.Verdicts {
		numbers = append(numbers, strconv.Itoa(n[verdict]))
	}
	return numbers
}

// in takes the verdict in one scene.
func in(k int) func(verdicts []string) string {
	return func(verdicts []string) string { return verdicts[k] }
}

// agreed takes the verdict that is the same in every scene; "" if there is none.
func agreed(verdicts []string) string {
	if len(slices.Compact(slices.Clone(verdicts))) > 1 {
		return ""
	}
	return verdicts[0]
}

// writeTally prints how many claims have which verdict.
func writeTally(out io.Writer, all []claim, scenes []scene) {
	t := trial.Table{Title: "How many claims hold", Header: []string{"claims", "of them", "reading", "hold", "do not", "inconclusive", "cannot be told", "cannot be tested"}}
	line := func(g group, reading string, of func(verdicts []string) string) {
		t.Rows = append(t.Rows, slices.Concat([]string{g.name, strconv.Itoa(len(g.verdicts)), reading}, g.count(of)))
	}
	alike, calibrating, other := groups(all, scenes)
	line(alike, "any", in(0))
	for _, g := range []group{other, calibrating} {
		for k, s := range scenes {
			line(g, s.reading.name, in(k))
		}
		line(g, "the same in all", agreed)
	}
	t.Write(out)
}
