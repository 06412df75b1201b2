package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

var outcomes = []string{trial.Holds, trial.Fails, trial.Inconclusive, trial.Untested}

// class is how an outcome is marked in the page.
func class(outcome string) string {
	switch outcome {
	case trial.Holds:
		return "holds"
	case trial.Fails:
		return "fails"
	case trial.Inconclusive:
		return "open"
	}
	return "untested"
}

// verdict is a claim of a paper, and what became of it here.
type verdict struct {
	Where, Claim, Outcome string
	Paper                 string // its numbers, if they are told apart
	Numbers               []string
}

// counted says how many claims have an outcome.
var counted = map[string]string{trial.Holds: "%d hold", trial.Fails: "%d do not hold", trial.Inconclusive: "%d inconclusive", trial.Untested: "%d cannot be tested"}

// count says how many verdicts of the section have an outcome.
func (s section) count(outcome string) int {
	n := 0
	for _, v := range s.Verdicts {
		if v.Outcome == outcome {
			n++
		}
	}
	return n
}

// verdicts reads the claims of a paper from a CSV file: where, claim and paper, then the
// circumstances if there are any, the verdict, what the numbers are, and their mean with
// its half width, and a note. Claims that differ in the last circumstance only, such as
// the load, are one here, and the first of them decides.
func verdicts(t *table) ([]verdict, error) {
	columns := map[string][]string{}
	for _, name := range []string{"where", "claim", "paper", "verdict", "numbers", "a", "b", "value", "half"} {
		columns[name] = t.texts(t.column(name))
	}
	if t.err != nil {
		return nil, t.err
	}
	notes := t.texts(slices.Index(t.header, "note")) // some programs have none
	from, to := slices.Index(t.header, "paper")+1, slices.Index(t.header, "verdict")
	var all []verdict
	var before string
	for i, row := range t.rows {
		cell := func(name string) string { return columns[name][i] }
		v := verdict{Where: cell("where"), Claim: cell("claim"), Paper: cell("paper"), Outcome: cell("verdict")}
		about := slices.Clone(row[from:to])
		if v.Outcome != trial.Untested {
			about = append(about, numbers(cell))
		}
		if notes[i] != "" {
			about = append(about, notes[i])
		}
		text := strings.Join(about, "; ")
		if key := fmt.Sprint(v.Where, v.Claim, row[from:max(from, to-1)]); key == before {
			last := &all[len(all)-1]
			last.Numbers = append(last.Numbers, v.Outcome+": "+text)
		} else {
			before, v.Numbers = key, []string{text}
			all = append(all, v)
		}
	}
	return all, nil
}

// numbers are those behind a verdict.
func numbers(cell func(name string) string) string {
	rounded := func(name string) string {
		if v, err := parseValue(cell(name)); err == nil && v.known {
			return short(v.x)
		}
		return cell(name)
	}
	text := cell("numbers") + ": " + rounded("a")
	if strings.Contains(cell("numbers"), ", ") {
		text += ", " + rounded("b")
	}
	if half := cell("half"); half != "" && half != "0" {
		text += fmt.Sprintf(" (%s ± %s)", rounded("value"), rounded("half"))
	}
	return text
}
