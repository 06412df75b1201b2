package main

import (
	"github.com/bookahead/bookahead/bench/paper/trial"
)

// claim is about a number that by makes of two.
type claim struct {
	trial.Claim
	// a and b are the numbers. Without b, it is 0. Without a, the claim cannot be tested.
	a, b  pick
	by    func(a, b float64) float64
	alike bool // it is about batch tasks only: all readings are the same
	fact  bool // it is of the log itself, and no synthetic one can stand for it
}

var less, over, alone = trial.Less, trial.Over, trial.Alone

// find judges the claim in a scene.
func (c claim) find(s scene) trial.Finding {
	switch {
	case c.a == nil:
		return c.Open(s.reading.name)
	case c.fact && s.worlds[0].logs[0].synthetic:
		return c.because("it is about the log, which is not there").Open(s.reading.name)
	}
	return c.Judge(trial.Each(s.worlds, c.a), trial.Each(s.worlds, c.b), c.by, s.reading.name)
}

// readingsOf are the scenes in which the claim is judged.
func (c claim) readingsOf(scenes []scene) []scene {
	if c.alike || c.a == nil {
		return scenes[:1]
	}
	return scenes
}

// findings judges all claims, each in its readings.
func findings(all []claim, scenes []scene) []trial.Finding {
	var found []trial.Finding
	for _, c := range all {
		for _, s := range c.readingsOf(scenes) {
			found = append(found, c.judge(s))
		}
	}
	return found
}
