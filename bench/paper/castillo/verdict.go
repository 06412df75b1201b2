package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// finding is what became of a claim for a log in a setting.
type finding struct {
	trial.Finding
	log, setting string
	other        bool   // the claim is the paper's, the log another one than the paper's
	why          string // it cannot be tested
}

// made reports whether the claim is made for a log. A synthetic one stands for
// all, but not where the claim is a fact of the paper's.
func (c claim) made(l log) bool {
	return c.logs == nil || slices.Contains(c.logs, l.name) || l.synthetic && !c.fact
}

// find judges the claim in a scene: it holds if the confidence interval lies
// between from and to, and does not if none of it does.
func (c claim) find(s *scene) finding {
	w := s.first()
	f := finding{trial.Finding{Claim: trial.Claim{Names: c.names}, Verdict: trial.Untested}, w.log.name, w.setting.name, c.where != ours && w.log.other != "", c.why}
	if c.sides == nil {
		return f
	}
	worlds := s.worlds
	if s.fixed && !c.chance {
		worlds = worlds[:1]
	}
	var a, b trial.Sample
	for _, w := range worlds {
		x, y := c.sides(w)
		a.Add(x)
		b.Add(y)
		f.Value.Add(c.by(x, y))
	}
	f.A, f.B = a.Mean, b.Mean
	if s.fixed && !c.chance {
		f.Value.Half = 0
	}
	if math.IsNaN(f.Value.Mean) {
		return f
	}
	logs := []log{w.log}
	if c.peer {
		logs = append(logs, w.peer.log)
	}
	for _, l := range logs {
		if c.own && l.other != "" {
			f.why = l.other
			return f
		}
	}
	f.Verdict = f.Value.Verdict(c.from, c.to)
	return f
}

// findings judges the claim in all scenes for which it is made.
func (c claim) findings(scenes []*scene) []finding {
	var all []finding
	for _, s := range scenes {
		w := s.first()
		if c.made(w.log) {
			all = append(all, c.find(s))
		}
	}
	return all
}

// writeVerdicts prints a row for each claim and log, with a column for each
// setting, and then why some cannot be tested.
func writeVerdicts(out io.Writer, all []claim, scenes []*scene) {
	fmt.Fprintf(out, "## Claims\n\nThe first column of verdicts decides. Where one is empty, the setting is that of the first. In parentheses: mean and 95 %% confidence interval of what is compared, where something depends on chance.\n\n| where | claim | paper | log | numbers |")
	for _, s := range settings {
		fmt.Fprintf(out, " %s |", s.name)
	}
	fmt.Fprintf(out, "\n|---|---|---|---|---|%s\n", strings.Repeat("---|", len(settings)))
	var open []string
	theirs, own := tally{}, tally{}
	for _, c := range all {
		counts := theirs
		if c.where == ours {
			counts = own
		}
		found := c.findings(scenes)
		for i := 0; i < len(found); {
			name, cells := found[i].log, make([]string, len(settings))
			for ; i < len(found) && found[i].log == name; i++ {
				k := slices.IndexFunc(settings, func(s setting) bool { return s.name == found[i].setting })
				f := found[i]
				cells[k] = f.Text()
				if k == 0 {
					counts[f.Verdict] = append(counts[f.Verdict], f)
				}
				if reason := fmt.Sprintf("%s, %s (%s): %s.", c.where, c.what, name, f.why); f.Verdict == trial.Untested && !slices.Contains(open, reason) {
					open = append(open, reason)
				}
			}
			fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s |\n", c.where, c.what, c.said, name, c.names, strings.Join(cells, " | "))
		}
	}
	fmt.Fprintf(out, "\nIn the setting that decides, of the paper's claims: %s; of ours: %s.\n\n", theirs, own)
	for _, line := range open {
		fmt.Fprintln(out, "- Cannot be tested: "+line)
	}
	if len(open) > 0 {
		fmt.Fprintln(out)
	}
}

// verdictRows is the table as CSV.
func verdictRows(all []claim, scenes []*scene) [][]string {
	rows := [][]string{{"where", "claim", "paper", "log", "setting", "verdict", "numbers", "a", "b", "value", "half", "from", "to"}}
	for _, c := range all {
		for _, f := range c.findings(scenes) {
			rows = append(rows, trial.Row([]string{c.where, c.what, c.said, f.log, f.setting, f.Verdict, c.names},
				f.A, f.B, f.Value.Mean, f.Value.Half, c.from, c.to))
		}
	}
	return rows
}
