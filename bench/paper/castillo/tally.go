package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// tally has the findings of each verdict.
type tally map[string][]finding

// String counts them; of those that do not hold it says how many are on logs of
// another content than the paper's.
func (t tally) String() string {
	return fmt.Sprintf("%d hold, %d do not%s, %d are inconclusive, %d cannot be tested",
		len(t[trial.Holds]), len(t[trial.Fails]), t.elsewhere(), len(t[trial.Inconclusive]), len(t[trial.Untested]))
}

func (t tally) elsewhere() string {
	var names []string
	n := 0
	for _, f := range t[trial.Fails] {
		if !f.other {
			continue
		}
		n++
		if !slices.Contains(names, f.log) {
			names = append(names, f.log)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of these on %s, which is another log than the paper's)", n, strings.Join(names, ", "))
}
