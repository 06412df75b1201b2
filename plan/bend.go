package plan

import (
	"context"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/volume"
)

// bends reports whether the one part of the form does.
func (f *form) bends() bool { return f.Shape[0].bends() }

// of returns the schedule and the part of a place of the form.
func (f *form) of(i int) (on int, p *Part) {
	if f.bends() {
		i = 0
	}
	return f.on[i], &f.Shape[i]
}

// bend returns the places in which the work of a part ends as early as can be.
func (m *member) bend(ctx context.Context, p *Part, ready, deadline bookahead.Time) ([]Place, error) {
	if p.Volume != nil {
		return m.stretches(ctx, p, p.volume(p.work(), ready, deadline))
	}
	list, err := m.pieces(ctx, p, ready, deadline, nil)
	if err != nil {
		return nil, err
	}
	return m.lay(p, list)
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
	if err != nil {
		return nil, err
	}
	if p.Volume.Least > 0 && list[0].Start > now {
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
	b := pieces.Begun{Piece: last.Interval, Done: bookahead.Duration(done + max(0, int64(last.End-works))), Stop: works + bookahead.Time(p.least())}
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
