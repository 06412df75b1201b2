package pieces

import (
	"fmt"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// Search returns the pieces of work that is as long as the Duration of a request, in order, and books nothing. The work ends
// as early as can be. Each piece but the first begins with the ticks of its restart. Of plans that end at the same time it may
// return any.
//
// A step of the Effort is a look at a stretch of free units, or at a way to go on; a search counts as 16 steps, and so does
// a piece that is kept for later, which takes 40 bytes. Writers wait meanwhile, if s is behind Locked.
//
// The error is bookahead.ErrUnavailable if the work cannot end by the deadline or the horizon, wraps
// bookahead.ErrStopped if the effort ends first, and wraps bookahead.ErrInvalid if the request or the rule makes no
// sense, or s has no Frame. It is a query.
func Search(s bookahead.Schedule, r bookahead.Request, rule Rule, e bookahead.Effort) ([]bookahead.Interval, error) {
	return Resume(s, r, rule, nil, e)
}

// Resume is Search for the rest of work that has begun; a nil stands for work that has not. The Duration of the request is that
// of all the work. The first interval is the last piece that has begun, as long as it is to be, and the others are the pieces after
// it, from the ready time on. What that piece holds must be free in s from then to its End. The rest ends as early as can be.
func Resume(s bookahead.Schedule, r bookahead.Request, rule Rule, begun *Begun, e bookahead.Effort) (list []bookahead.Interval, err error) {
	m, err := begin(r.Validate, rule, begun, e)
	if err != nil {
		return nil, err
	}
	ok := bookahead.View(s, func(s framed) { list, err = searchOn(s, r, rule, begun, &m) })
	if !ok {
		return nil, limits.Invalid("schedule", fmt.Sprintf("%T", s), "has no Frame")
	}
	return list, err
}

// SearchNodes is Search on a machine. A piece may lie on other nodes than the one before. Patience is not read: the work ends as
// early as can be.
func SearchNodes(machine *nodes.Machine, r nodes.Request, rule Rule, e bookahead.Effort) ([]bookahead.Interval, error) {
	return ResumeNodes(machine, r, rule, nil, e)
}

// ResumeNodes is Resume on a machine.
func ResumeNodes(machine *nodes.Machine, r nodes.Request, rule Rule, begun *Begun, e bookahead.Effort) ([]bookahead.Interval, error) {
	m, err := begin(r.Validate, rule, begun, e)
	if err != nil {
		return nil, err
	}
	find := func(w bookahead.Interval, d bookahead.Duration) (bookahead.Time, error) {
		o, err := machine.Search(at(r, w, d))
		return o.Start, err
	}
	w := machine.Frame().Between(r.Ready, r.Deadline)
	return seek(seeker{w: w, find: find, Meter: &m}, r.Duration, rule, begun)
}

// Rest is what is known of work whose last piece has ended, whatever it has done.
type Rest struct {
	// Stopped is where the last piece ended. The Gap counts from there.
	Stopped bookahead.Time
	// GoesOn says that a piece that begins at Stopped is the last one, which goes on: it takes no restart, and may stop at any
	// tick. Otherwise the first piece begins with a restart, as all others do.
	GoesOn bool
}

// SearchBy is Search for a caller who knows by itself where a piece may lie, such as a desk with opening hours and quotas. It
// searches in w for so many ticks of work. first returns the earliest start of a piece of some ticks in a window. Where a piece
// fits, a part of it fits too. An error of first that does not wrap bookahead.ErrUnavailable ends the search. rest is nil for
// work that has not begun. The search also returns how many steps it has taken; those of first are not in them.
func SearchBy(first func(w bookahead.Interval, d bookahead.Duration) (bookahead.Time, error), w bookahead.Interval, work bookahead.Duration, rule Rule, rest *Rest, e bookahead.Effort) (list []bookahead.Interval, spent int64, err error) {
	m, err := begin(bookahead.Request{Duration: work, Units: 1}.Validate, rule, nil, e)
	if err != nil {
		return nil, 0, err
	}
	x := seeker{w: w, find: first, enough: work, Meter: &m}
	var begun *Begun
	if rest != nil {
		last := bookahead.Interval{Start: rest.Stopped, End: rest.Stopped}
		if rest.GoesOn {
			last = x.on(rest.Stopped)
		}
		if x.err != nil {
			return nil, m.Steps(), x.err
		}
		begun = &Begun{Piece: last, Done: last.Len(), Stop: last.Start}
	}
	list, err = seek(x, work, rule, begun)
	if err == nil && rest != nil && list[0].Empty() { // the last piece does not go on
		list = list[1:]
	}
	return list, m.Steps(), err
}

// framed is a schedule that tells its limits.
type framed interface {
	bookahead.Schedule
	Frame() bookahead.Frame
}

// begin checks what a search is asked for, and returns a meter.
func begin(validate func() error, rule Rule, begun *Begun, e bookahead.Effort) (effort.Meter, error) {
	err := validate()
	if err == nil {
		err = rule.Validate()
	}
	if err == nil && begun != nil {
		err = begun.Validate()
	}
	if err != nil {
		return effort.Meter{}, err
	}
	return effort.New(e)
}

func searchOn(s framed, r bookahead.Request, rule Rule, begun *Begun, m *effort.Meter) ([]bookahead.Interval, error) {
	f := s.Frame()
	w := f.Between(r.Ready, r.Deadline)
	if f.Servers == 0 && r.Servers == nil {
		steps, ok := bookahead.Fill(s, w, r.Units, r.Units)
		if ok {
			return solve(filled(steps, m), r.Duration, rule, begun, m)
		}
	}
	find := func(w bookahead.Interval, d bookahead.Duration) (bookahead.Time, error) {
		r.Ready, r.Deadline, r.Duration = w.Start, w.End, d
		o, err := s.Search(r)
		return o.Start, err
	}
	return seek(seeker{w: w, find: find, Meter: m}, r.Duration, rule, begun)
}

// seek returns the pieces of some ticks of work on a schedule that must be asked where a piece fits.
func seek(x seeker, work bookahead.Duration, rule Rule, begun *Begun) ([]bookahead.Interval, error) {
	x.enough = work
	if begun != nil { // no run has all the work without a restart
		x.enough += min(rule.Restart, math.MaxInt64-work)
	} else if work > x.w.Len() {
		return nil, bookahead.ErrUnavailable
	}
	return solve(sought(x), work, rule, begun, x.Meter)
}

// at returns a request for a piece in a window.
func at(r nodes.Request, w bookahead.Interval, d bookahead.Duration) nodes.Request {
	r.Ready, r.Deadline, r.Duration, r.Patience = w.Start, w.End, d, 0 // a piece starts as early as it can
	return r
}
