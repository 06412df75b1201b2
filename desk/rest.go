package desk

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// again returns the request by which a booking is placed anew, and the last start of its first step. A booking that has not
// begun comes no earlier than before. A booking that has begun has the rest of its shape ahead of it.
func (k *Booking) again(now bookahead.Time) (r Request, last bookahead.Time) {
	r = k.Request
	if k.begun(now) {
		return k.rest(now)
	}
	r.Ready = max(r.Ready, k.Places[0].Start-bookahead.Time(k.Shapes[k.Shape][0].Offset))
	return r, bookahead.MaxTime
}

// rest returns the request for the rest of a booking that has begun: parts that are over are gone, and running parts are
// shorter. Parts of one step keep their distances. If the first step is over, the next step comes no later after it than
// its gap allows, which is the last start.
//
//	part 0   ████████│                      part 0 is over at now
//	part 1     ██████│▒▒▒▒                  of part 1, 4 ticks are left
//	part 2           │    ██████            part 2 keeps its gap to part 1
//	                now
func (k *Booking) rest(now bookahead.Time) (r Request, last bookahead.Time) {
	r, last = k.Request, bookahead.MaxTime
	r.Ready = now
	var rest Shape
	over := bookahead.Time(0) // the end of the last step that is over
	for parts := range k.steps() {
		step, start := k.restOf(parts, now)
		switch {
		case len(step) == 0:
			for _, i := range parts {
				over = max(over, k.Places[i].End)
			}
			continue
		case len(rest) == 0:
			gap := step[0].After
			step[0].After = nil
			r.Ready = start
			if gap != nil && !k.reached(parts, now) {
				last = bookahead.Time(addUp(bookahead.Duration(over), gap.Most))
			}
		}
		rest = append(rest, step...)
	}
	r.Shapes = []Shape{rest}
	return r, last
}

// steps yields the parts of each step, by index.
func (k *Booking) steps() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var parts []int
		for i, p := range k.Shapes[k.Shape] {
			if p.After != nil {
				if !yield(parts) {
					return
				}
				parts = nil
			}
			parts = append(parts, i)
		}
		yield(parts)
	}
}

// reached reports whether a part of a step has begun.
func (k *Booking) reached(parts []int, now bookahead.Time) bool {
	return slices.ContainsFunc(parts, func(i int) bool { return k.Places[i].Start <= now })
}

// restOf returns the rest of a step, and its start. The first part has the gap of the step.
func (k *Booking) restOf(parts []int, now bookahead.Time) (step []Part, start bookahead.Time) {
	shape := k.Shapes[k.Shape]
	first := parts[0]
	start = k.Places[first].Start - bookahead.Time(shape[first].Offset)
	if k.reached(parts, now) {
		start = bookahead.MaxTime
		for _, i := range parts {
			p := &k.Places[i]
			if p.End > now {
				start = min(start, max(p.Start, now))
			}
		}
	}
	for _, i := range parts {
		p, place := shape[i], &k.Places[i]
		if place.End <= now {
			continue
		}
		from := max(place.Start, now)
		p.Offset, p.Duration, p.After = bookahead.Duration(from-start), bookahead.Duration(place.End-from), nil
		step = append(step, p)
	}
	if len(step) > 0 {
		step[0].After = shape[first].After
	}
	return step, start
}
