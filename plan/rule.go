package plan

import (
	"fmt"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/volume"
)

// A part that bends has a list of places, in order, where another has one:
//
//	pieces, with a restart of a tick       ▒▒▒▒░░░r▒▒        two places
//	a volume                               ▒▒▒▒
//	                                       ▒▒▒▒▒▒▒▒░░▒▒      three places

// bends reports whether the part may lie in several places.
func (p *Part) bends() bool { return p.Pieces != nil || p.Volume != nil }

// pauses reports whether the part is a volume that may pause.
func (p *Part) pauses() bool { return p.Volume != nil && p.Volume.Least == 0 }

func (p *Part) checkBends(field func(name string) string) error {
	switch v := p.Volume; {
	case p.Pieces != nil && v != nil:
		return limits.Invalid(field("Volume"), *v, "is set, and so are Pieces")
	case p.Pieces != nil:
		err := p.Pieces.Validate()
		if err != nil {
			return fmt.Errorf("plan: %s %w", field("Pieces"), err)
		}
	case v == nil:
	case p.Units > math.MaxInt64/2/int64(p.Duration):
		return limits.Invalid(field("Units"), p.Units, fmt.Sprintf("for %d ticks are a volume that overflows", p.Duration))
	case *v != volume.Request{Least: v.Least}:
		return limits.Invalid(field("Volume"), *v, "has more than a Least: the queue and the part have the rest")
	case v.Least < 0 || v.Least > p.Units:
		return limits.Invalid(field("Volume.Least"), v.Least, fmt.Sprintf("is not between 0 and the Units, %d", p.Units))
	}
	return nil
}

// work returns what there is to do, in ticks or in units times ticks.
func (p *Part) work() int64 {
	if p.Volume != nil {
		return p.Units * int64(p.Duration)
	}
	return int64(p.Duration)
}

// done returns how much of the work the places have done by a time; the largest int64 if that is more.
func (p *Part) done(at []Place, by bookahead.Time) (n int64) {
	for i := range at {
		n += min(math.MaxInt64-n, p.does(i, &at[i], by))
	}
	return n
}

// does returns how much of the work place i has done by a time; the largest int64 if that is more.
func (p *Part) does(i int, x *Place, by bookahead.Time) int64 {
	ticks := bookahead.Duration(max(0, min(x.End, by)-x.Start))
	switch {
	case p.Volume != nil:
		return int64(min(math.MaxInt64, product(x.Units, ticks)))
	case i > 0:
		return int64(max(0, ticks-p.Pieces.Restart))
	}
	return int64(ticks)
}

// least returns the ticks of work that a piece does at least, unless it ends the work.
func (p *Part) least() bookahead.Duration { return min(max(1, p.Pieces.Least), p.Duration) }

// volume returns the request for a volume from a time on.
func (p *Part) volume(amount int64, ready, deadline bookahead.Time) volume.Request {
	return volume.Request{Ready: ready, Deadline: deadline, Volume: amount, Most: p.Units, Least: p.Volume.Least}
}

// obeys returns an error that wraps bookahead.ErrInvalid if the places do not do the work of a part that bends, by its rule.
func (p *Part) obeys(at []Place) error {
	bad := func(i int, reason string) error {
		return limits.Invalid(fmt.Sprintf("place[%d]", i), at[i].Interval, reason)
	}
	for i := range at {
		x, last := &at[i], i == len(at)-1
		gap := bookahead.Time(0)
		if i > 0 {
			gap = x.Start - at[i-1].End
		}
		switch {
		case x.On != p.On:
			return bad(i, "is not on "+p.On)
		case x.Empty() || gap < 0 || x.Start < 0:
			return bad(i, "is out of order")
		case p.Volume != nil && (x.Units > p.Units || x.Units < max(1, p.Volume.Least)):
			return bad(i, fmt.Sprintf("has %d units", x.Units))
		case p.Volume != nil && p.Volume.Least > 0 && gap > 0:
			return bad(i, "begins after a pause")
		case p.Volume != nil:
		case x.Units != p.Units:
			return bad(i, fmt.Sprintf("has %d units", x.Units))
		case p.Pieces.Gap > 0 && gap > bookahead.Time(p.Pieces.Gap):
			return bad(i, fmt.Sprintf("begins %d ticks after the piece before", gap))
		case !last && p.does(i, x, x.End) < int64(p.least()):
			return bad(i, fmt.Sprintf("does less than %d ticks of the work", p.least()))
		}
	}
	end := at[len(at)-1].End
	if n := p.done(at, end); n < p.work() || p.done(at, end-1) >= p.work() || p.Pieces != nil && n != p.work() {
		return bad(len(at)-1, fmt.Sprintf("ends after %d of the work, which is %d", n, p.work()))
	}
	return nil
}
