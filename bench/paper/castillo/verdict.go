package main

import (
	"slices"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// circumstances are those of a finding.
var circumstances = []string{"log", "setting"}

// made reports whether the claim is made for a log. A synthetic log stands for
// all, but not where the claim is a fact of the paper's.
func (c claim) made(l log) bool {
	return c.logs == nil || slices.Contains(c.logs, l.name) || l.synthetic && !c.fact
}

// find judges the claim in a scene.
func (c claim) find(s scene) trial.Finding {
	w := s[0]
	if c.a == nil {
		return c.Open(w.log.name, w.setting.name)
	}
	f := c.Judge(s.sample(c.chance, c.a), s.sample(c.chance, c.b), c.by, w.log.name, w.setting.name)
	if f.Verdict == trial.Untested {
		return f
	}
	f.Note = ""
	other := w.log.other
	if c.peer && other == "" {
		other = w.peer.log.other
	}
	switch {
	case other == "":
	case c.own:
		f.Verdict, f.Note = trial.Untested, other
	case f.Verdict == trial.Fails && c.Where != trial.Ours:
		f.Note = other
	}
	return f
}

// judge judges the claim in a scene among all. A verdict of the paper's in the setting
// that decides cannot be told if it is the opposite with starts at boundaries of slots.
func (c claim) judge(s scene, all []scene) trial.Finding {
	f := c.find(s)
	if c.Where == trial.Ours || s[0].setting != settings[0] {
		return f
	}
	for _, other := range all {
		if !other[0].setting.boundaries || other[0].log.name != s[0].log.name {
			continue
		}
		there := c.find(other).Verdict
		if trial.Opposite(f.Verdict, there) {
			return f.Hangs("whether starts lie at the boundaries of slots")
		}
	}
	return f
}

// findings judges all claims in the scenes for which they are made.
func findings(all []claim, scenes []scene) []trial.Finding {
	var found []trial.Finding
	for _, c := range all {
		for _, s := range scenes {
			if c.made(s[0].log) {
				found = append(found, c.judge(s, scenes))
			}
		}
	}
	return found
}
