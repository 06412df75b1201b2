package main

import (
	"github.com/bookahead/bookahead/bench/paper/trial"
)

// claim is about a number that by makes of two.
type claim struct {
	trial.Claim
	// sides are the numbers. Without sides, the claim cannot be tested.
	sides func(w *world) (a, b float64)
	by    func(a, b float64) float64
	alike bool // it is about batch tasks only: all readings are the same
	fact  bool // it is of the log itself, and no synthetic one can stand for it
	// calibrates says that the deciding reading was chosen by this and its like, so
	// that it is no wonder if it holds there.
	calibrates bool
}

var less, over, alone = trial.Less, trial.Over, trial.Alone

// rounding is by what part equal numbers may differ.
const rounding = 1e-12

// find judges the claim in a scene.
func (c claim) find(s scene) trial.Finding {
	switch {
	case c.sides == nil:
		return c.Open(s.reading.name)
	case c.fact && s.worlds[0].logs[0].synthetic:
		f := c.Open(s.reading.name)
		f.Note = "it is about the log, which is not there"
		return f
	}
	var a, b trial.Sample
	for _, w := range s.worlds {
		x, y := c.sides(w)
		a.Add(x)
		b.Add(y)
	}
	return c.Judge(a, b, c.by, s.reading.name)
}

// readingsOf are the scenes in which the claim is judged.
func (c claim) readingsOf(scenes []scene) []scene {
	if c.alike || c.sides == nil {
		return scenes[:1]
	}
	return scenes
}

// findings judges all claims, each in its readings.
func findings(all []claim, scenes []scene) []trial.Finding {
	var found []trial.Finding
	for _, c := range all {
		for _, s := range c.readingsOf(scenes) {
			f, _ := c.judge(s)
			found = append(found, f)
		}
	}
	return found
}
