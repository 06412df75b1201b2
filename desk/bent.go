package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/volume"
)

// Pieces says that the work of a part may stop and go on later, as package pieces has it.
type Pieces struct {
	// Ticks is how many ticks of work there are to do; at least 1.
	Ticks bookahead.Duration
	pieces.Rule
	// Stopped is where the last piece ended, if the work was begun by a booking that had to give way. The first piece then begins
	// with a restart too, and the Gap counts from there. It is 0 for other work.
	Stopped bookahead.Time
}

// OfVolume returns the request for a volume on a pool, with the times of the volume. Its shapes, times and pieces are not read, and
// the rest is that of the request that is given. It may wait (Book.Wait), and be that of a series.
func (r Request) OfVolume(on string, v volume.Request) Request {
	r.Ready, r.Deadline, r.Pieces = v.Ready, v.Deadline, nil
	v.Ready, v.Deadline = 0, 0
	r.Volume, r.Shapes = &v, []Shape{{{On: on, Units: 1, Duration: 1}}}
	return r
}

// InPieces returns the request for a part that may be done in pieces, whose Duration is the ticks of the work. Its shapes and its
// volume are not read, nor are Offset and After of the part.
func (r Request) InPieces(p Part, rule pieces.Rule) Request {
	r.Volume, r.Pieces = nil, &Pieces{Ticks: p.Duration, Rule: rule}
	p.Offset, p.After = 0, nil
	r.Shapes = []Shape{{p}}
	return r
}

// bent reports whether the parts of a request are planned together.
func (r *Request) bent() bool { return r.Volume != nil || r.Pieces != nil }

// bends says how the work of a request bends.
func (r *Request) bends() string {
	switch {
	case r.Volume != nil:
		return fmt.Sprintf("the volume %+v", *r.Volume)
	case r.Pieces != nil:
		return fmt.Sprintf("the pieces %+v", *r.Pieces)
	}
	return "of fixed parts"
}

// checkBent checks a volume or work in pieces. Its parts are alike, and follow one another.
func (r *Request) checkBent() error {
	v, p := r.Volume, r.Pieces
	err := error(nil)
	switch {
	case !r.bent():
		return nil
	case v != nil && p != nil:
		return limits.Invalid("Request.Pieces", *p, "are given beside Request.Volume")
	case len(r.Shapes) != 1:
		return limits.Invalid("Request.Shapes", len(r.Shapes), "are not the one of a volume, or of work in pieces")
	case v != nil && (v.Ready != 0 || v.Deadline != 0):
		return limits.Invalid("Request.Volume", *v, "has times of its own")
	case v != nil && v.Stretches > MaxParts:
		return limits.Invalid("Request.Volume.Stretches", v.Stretches, fmt.Sprintf("are more than the %d parts of a request", MaxParts))
	case v != nil:
		err = v.Validate()
	case p.Ticks < 1:
		return limits.Invalid("Request.Pieces.Ticks", p.Ticks, "is less than 1")
	case p.Stopped < 0:
		return limits.Invalid("Request.Pieces.Stopped", p.Stopped, "is negative")
	default:
		err = p.Rule.Validate()
	}
	if err != nil {
		return fmt.Errorf("desk: Request.Volume or Request.Pieces: %w", err)
	}
	return r.checkAlike()
}

// checkAlike checks the parts of work that bends.
func (r *Request) checkAlike() error {
	shape := r.Shapes[0]
	end := bookahead.Duration(0) // of the part before, after the start of its step
	for i := range shape {
		p, x := &shape[i], partOf{0, i}
		like := *p
		like.Duration, like.Offset, like.After = shape[0].Duration, shape[0].Offset, shape[0].After
		if r.Volume != nil {
			like.Units = shape[0].Units
		}
		if p.After != nil {
			end = 0
		}
		switch {
		case !like.equal(&shape[0]):
			return limits.Invalid(x.field(""), *p, "differs from the first part, and both are of the same work")
		case p.Offset < end || i == 0 && p.Offset > 0:
			return limits.Invalid(x.field(".Offset"), p.Offset, "is not behind the part before, or is that of the first")
		case r.Volume != nil && (p.Servers != nil || p.Tasks != nil):
			return limits.Invalid(x.field(""), *p, "names servers or tasks, but a volume lies on a pool")
		case r.Pieces != nil && p.Tasks != nil && p.Tasks.Patience != 0:
			return limits.Invalid(x.field(".Tasks.Patience"), p.Tasks.Patience, "is set, but work in pieces waits for no group")
		}
		end = addUp(p.Offset, p.Duration)
	}
	return nil
}

// leastOf returns the least length of a shape of the request.
func (r *Request) leastOf(shape Shape) bookahead.Duration {
	switch {
	case r.Volume != nil && r.Volume.Most == 0:
		return 1
	case r.Volume != nil:
		return bookahead.Duration((r.Volume.Volume-1)/r.Volume.Most + 1)
	case r.Pieces != nil:
		return r.Pieces.Ticks
	}
	return shape.least()
}

// fewest returns how many units a part of the request has at least.
func (r *Request) fewest(p *Part) int64 {
	if r.Volume != nil {
		return max(1, r.Volume.Least)
	}
	return p.Units
}

// mostParts returns how many parts a booking of the request may have.
func (r *Request) mostParts() (n int) {
	switch {
	case r.Volume != nil && r.Volume.Stretches > 0:
		return r.Volume.Stretches
	case r.bent():
		return MaxParts
	}
	for _, shape := range r.Shapes {
		n += len(shape)
	}
	return n
}

// laid returns the request as a booking has it: of work that bends, the one shape has a part for each place, at its time.
func (r *Request) laid(places []Place) Request {
	if !r.bent() || len(places) == 0 {
		return *r
	}
	parts, times := make([]Part, len(places)), make([]bookahead.Interval, len(places))
	for i := range places {
		parts[i], times[i] = r.Shapes[0][0], places[i].Interval
		if r.Volume != nil {
			parts[i].Units = places[i].Units
		}
	}
	k := r.fixed(parts, times)
	k.Ready, k.Deadline = r.Ready, r.Deadline
	return k
}

// fixed returns the request for parts at fixed times.
func (r Request) fixed(parts []Part, times []bookahead.Interval) Request {
	r.Shapes = nil
	r = r.Clone()
	r.Shapes = []Shape{make(Shape, len(parts))}
	for i, w := range times {
		if i == 0 {
			r.Ready = w.Start
		}
		p := parts[i].clone()
		p.Duration, p.Offset, p.After = w.Len(), bookahead.Duration(w.Start-r.Ready), nil
		if p.Tasks != nil && i > 0 { // a step has one part for each machine
			gap := bookahead.Duration(w.Start - r.Deadline)
			p.Offset, p.After = 0, &Gap{gap, gap}
		}
		r.Shapes[0][i], r.Deadline = p, w.End
	}
	return r
}
