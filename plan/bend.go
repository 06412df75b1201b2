package plan

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/volume"
)

// A part that bends has a list of places, in order, where another has one:
//
//	pieces, with a restart of a tick       ▒▒▒▒░░░r▒▒        two places
//	a volume                               ▒▒▒▒
//	                                       ▒▒▒▒▒▒▒▒░░▒▒      three places

// bends reports whether the part may lie in several places.
func (p *Part) bends() bool { return p.Pieces != nil || p.Volume != nil }

// bends reports whether the one part of the form does.
func (f *form) bends() bool { return f.Shape[0].bends() }

// of returns the schedule and the part of a place of the form.
func (f *form) of(i int) (on int, p *Part) {
	if f.bends() {
		i = 0
	}
	return f.on[i], &f.Shape[i]
}

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

// done returns how much of the work the places have done by a time.
func (p *Part) done(at []Place, by bookahead.Time) (n int64) {
	for i := range at {
		ticks := min(at[i].End, by) - at[i].Start
		switch {
		case p.Volume != nil:
			n += at[i].Units * int64(max(0, ticks))
		case i > 0:
			n += int64(max(0, ticks-bookahead.Time(p.Pieces.Restart)))
		default:
			n += int64(max(0, ticks))
		}
	}
	return n
}

// least returns the ticks of work that a piece does at least, unless it ends the work.
func (p *Part) least() bookahead.Duration { return min(max(1, p.Pieces.Least), p.Duration) }

// volume returns the request for a volume from a time on.
func (p *Part) volume(amount int64, ready, deadline bookahead.Time) volume.Request {
	return volume.Request{Ready: ready, Deadline: deadline, Volume: amount, Most: p.Units, Least: p.Volume.Least}
}

// bend returns the places in which the work of a part ends as early as can be.
func (m *member) bend(ctx context.Context, p *Part, ready, deadline bookahead.Time) (at []Place, err error) {
	if p.Volume != nil {
		at, err = m.stretches(ctx, p, p.volume(p.work(), ready, deadline))
	} else {
		var list []bookahead.Interval
		list, err = m.pieces(ctx, p, ready, deadline, nil)
		if err == nil {
			at, err = m.lay(p, list)
		}
	}
	if len(at) > 1 && !m.exact() { // two places may need one slot
		_, err = world{*m}.Clone()[0].reserveRest(p, at, 0)
		err = limits.Bare(err)
	}
	return at, err
}

// pieces returns the pieces of a part, of which some may have begun.
func (m *member) pieces(ctx context.Context, p *Part, ready, deadline bookahead.Time, begun *pieces.Begun) ([]bookahead.Interval, error) {
	e := bookahead.Effort{Context: ctx, Steps: math.MaxInt64}
	if m.nodes != nil {
		list, err := pieces.ResumeNodes(m.nodes, p.tasks(ready, deadline), *p.Pieces, begun, e)
		return list, limits.Bare(err)
	}
	list, err := pieces.Resume(m.pool, p.request(ready, deadline), *p.Pieces, begun, e)
	return list, limits.Bare(err)
}

// lay finds the servers or nodes of each piece.
func (m *member) lay(p *Part, list []bookahead.Interval) ([]Place, error) {
	at := make([]Place, 0, len(list))
	for _, w := range list {
		piece := *p
		piece.Duration = w.Len()
		x, err := m.search(&piece, w.Start, w.End)
		if err != nil {
			return nil, err
		}
		at = append(at, x)
	}
	return at, nil
}

// stretches returns the places of a volume.
func (m *member) stretches(ctx context.Context, p *Part, r volume.Request) ([]Place, error) {
	v, err := volume.Search(m.pool, r, bookahead.Effort{Context: ctx, Steps: math.MaxInt64})
	if err != nil {
		return nil, limits.Bare(err)
	}
	at := make([]Place, 0, len(v.Stretches))
	for _, s := range v.Stretches {
		at = append(at, Place{On: p.On, Interval: s.Interval, Units: s.Units, Head: -1})
	}
	return at, nil
}

// at returns the place of a form that starts at a time. A form that bends has one if it ends earliest so.
func (w world) at(ctx context.Context, f *form, t bookahead.Time) ([]Place, error) {
	if !f.bends() {
		return w.search(ctx, f, t, t+min(bookahead.Time(f.length), bookahead.MaxTime-t))
	}
	at, err := w.search(ctx, f, t, 0)
	if err == nil && at[0].Start > t {
		return nil, bookahead.ErrUnavailable
	}
	return at, err
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
		case !last && p.done(at[:i+1], x.End)-p.done(at[:i], x.End) < int64(p.least()):
			return bad(i, fmt.Sprintf("does less than %d ticks of the work", p.least()))
		}
	}
	end := at[len(at)-1].End
	if n := p.done(at, end); n < p.work() || p.done(at, end-1) >= p.work() || p.Pieces != nil && n != p.work() {
		return bad(len(at)-1, fmt.Sprintf("ends after %d of the work, which is %d", n, p.work()))
	}
	return nil
}

// rest returns the places of a part that runs, of which those that have begun stay, where what is left ends as early as can be. Its
// places are free in m.
func (m *member) rest(ctx context.Context, p *Part, at []Place, now bookahead.Time) ([]Place, error) {
	begun := 0
	for begun < len(at) && at[begun].Start <= now {
		begun++
	}
	old := at[:begun:begun]
	if p.Volume == nil {
		return m.resume(ctx, p, old, now)
	}
	left := p.work() - p.done(old, now)
	if left <= 0 {
		return nil, bookahead.ErrUnavailable
	}
	list, err := m.stretches(ctx, p, p.volume(left, now, 0))
	if err != nil || p.Volume.Least > 0 && list[0].Start > now {
		return nil, bookahead.ErrUnavailable
	}
	old = slices.Clone(old)
	last := &old[begun-1]
	last.End = min(last.End, now)
	switch {
	case last.End == list[0].Start && last.Units == list[0].Units:
		last.End, list = list[0].End, list[1:]
	case last.Empty():
		old = old[:begun-1]
	}
	return append(old, list...), nil
}

// resume returns the pieces of a part of which some have begun. The last of these goes on where it is.
func (m *member) resume(ctx context.Context, p *Part, begun []Place, now bookahead.Time) ([]Place, error) {
	k := len(begun) - 1
	last := begun[k]
	works := last.Start // from then on
	if k > 0 {
		works += bookahead.Time(p.Pieces.Restart)
	}
	done := p.done(begun[:k], now)
	if last.End > now {
		last.End = m.stays(last, p, now, works+bookahead.Time(int64(p.Duration)-done))
	}
	b := pieces.Begun{Piece: last.Interval, Done: bookahead.Duration(done) + bookahead.Duration(last.End-works), Stop: works + bookahead.Time(p.least())}
	list, err := m.pieces(ctx, p, now, 0, &b)
	if err != nil {
		return nil, err
	}
	next, err := m.lay(p, list[1:])
	if err != nil {
		return nil, err
	}
	last.Interval = list[0]
	return append(slices.Clone(begun[:k]), append([]Place{last}, next...)...), nil
}

// stays returns until when what a place holds is free from now on, at most until some end.
func (m *member) stays(x Place, p *Part, now, most bookahead.Time) bookahead.Time {
	end := now
	for end < most {
		x.Start, x.End = now, most-(most-end)/2
		id, err := m.reserve(&x, p)
		if err != nil {
			most = x.End - 1
			continue
		}
		_ = m.release(id) // it was booked a moment ago
		end = x.End
	}
	return end
}
