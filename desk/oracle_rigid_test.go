package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// declared returns the starts of the steps of a shape as Quota declares them: the earliest at which no step alone breaks a
// quota, if all steps together break none either, and otherwise the earliest rigid starts.
func (o *ideal) declared(r *Request, shape Shape, not BookingID) ([]bookahead.Time, bool) {
	joint := o.joint(r, shape)
	starts, ok := o.starts(r, shape, o.allowed(r, not, nil))
	if !ok || len(joint) == 0 {
		return starts, ok
	}
	all := o.allowed(r, not, nil)
	spells := spellsOf(shape)
	if all(seatsOf(spells, starts)) {
		o.forms["first"]++
		return starts, true
	}
	starts, ok = o.rigid(r, spells, all)
	if ok {
		o.forms["rigid"]++
	} else {
		o.forms["none"]++
	}
	return starts, ok
}

// seatsOf returns the parts of all steps that start at some ticks.
func seatsOf(spells []spell, starts []bookahead.Time) (list []seat) {
	for i := range spells {
		list = append(list, spells[i].seats(starts[i])...)
	}
	return list
}

// rigid tries each start of the first step, with the others at their least distances.
func (o *ideal) rigid(r *Request, spells []spell, allowed func([]seat) bool) ([]bookahead.Time, bool) {
	lo, last := o.span(r, spells)
	if r.Deadline == 0 {
		last += bookahead.Time(o.buffers()) * bookahead.Time(len(spells))
	}
	at := o.tight(spells, nil)
	whole := at[len(at)-1] + spells[len(at)-1].length
	if last+whole > o.now-150+tapeLength {
		panic(fmt.Sprintf("a rigid search from %d to %d leaves the tapes", o.now, last))
	}
	starts := make([]bookahead.Time, len(at))
	for t := lo; t <= last && (r.Deadline == 0 || t+whole <= r.Deadline); t++ {
		fits := true
		for i := range spells {
			starts[i] = t + at[i]
			fits = fits && o.fits(spells[i].seatsFor(r, starts[i]))
		}
		if fits && allowed(seatsOf(spells, starts)) {
			return starts, true
		}
	}
	return nil, false
}

// tight returns the distances of steps from the first when all gaps are as short as the gaps themselves and the buffers
// allow: a step that is too near to another goes on by a tick, and draws along a step that is too far behind. Some parts
// need no units.
func (o *ideal) tight(spells []spell, eased []*Part) []bookahead.Time {
	at := make([]bookahead.Time, len(spells))
	for i := 1; i < len(at); {
		wait := at[i] - at[i-1] - spells[i-1].length
		switch {
		case wait < bookahead.Time(spells[i].gap.Least) || !o.farEnough(spells[:i+1], at, eased):
			at[i]++
		case wait > bookahead.Time(spells[i].gap.Most):
			at[i-1]++
			i = max(1, i-1)
		default:
			i++
		}
	}
	return at
}
