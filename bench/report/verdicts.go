package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

var outcomes = []string{trial.Holds, trial.Fails, trial.Inconclusive, trial.Untold, trial.Untested}

// counted says how many claims have an outcome.
var counted = map[string]string{trial.Holds: "%d hold", trial.Fails: "%d do not hold", trial.Inconclusive: "%d inconclusive", trial.Untold: "%d cannot be told", trial.Untested: "%d cannot be tested"}

// class is how an outcome is marked in the page: style.css has a colour for each.
func class(outcome string) string { return strings.ReplaceAll(outcome, " ", "-") }

// verdict is a claim of a paper, and what became of it here.
type verdict struct {
	Where, Claim, Outcome string
	Paper                 string // its numbers, if they are told apart
	Numbers               []evidence
}

// evidence are the numbers of a claim, and a note on them; "" is none.
type evidence struct{ Text, Note string }

// tally is how many claims have an outcome, in words.
type tally struct{ Outcome, Text string }

// Tally counts the verdicts of a section: those that hold, do not, and so on.
func (s section) Tally() []tally {
	count := map[string]int{}
	for _, v := range s.Verdicts {
		count[v.Outcome]++
	}
	var all []tally
	for _, o := range outcomes {
		if count[o] > 0 {
			all = append(all, tally{o, fmt.Sprintf(counted[o], count[o])})
		}
	}
	return all
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
	notes := t.texts(slices.Index(t.header, "note")) // older files have none
	from, to := slices.Index(t.header, "paper")+1, slices.Index(t.header, "verdict")
	var all []verdict
	var before string
	for i, row := range t.rows {
		cell := func(name string) string { return columns[name][i] }
		about := slices.Clone(row[from:to])
		if cell("verdict") != trial.Untested {
			about = append(about, numbers(cell))
		}
		text := strings.Join(about, "; ")
		key := fmt.Sprint(cell("where"), cell("claim"), row[from:max(from, to-1)])
		if key == before {
			text = cell("verdict") + ": " + text
		} else {
			before = key
			all = append(all, verdict{Where: cell("where"), Claim: cell("claim"), Paper: cell("paper"), Outcome: cell("verdict")})
		}
		last := &all[len(all)-1]
		last.Numbers = append(last.Numbers, evidence{text, notes[i]})
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
