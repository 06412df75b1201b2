package desk

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/internal/limits"
)

// eases reports whether the units of a part are always free on the stage. The part is one of the request itself and no
// copy, since eased has addresses.
func (s *stage) eases(p *Part) bool { return slices.Contains(s.eased, p) }

// member returns a schedule as a grid.Member for a part of a step.
func (s *stage) member(at *schedule, p *Part) grid.Member {
	if s.eases(p) {
		return &anytime{s.now}
	}
	return at.member(p)
}

// anytime is the schedule of a part whose units are always free: it has room at any time from the clock on, also beyond the
// horizon. Each part has an anytime of its own, so that grid.CoSearch does not search for two parts together.
type anytime struct{ now bookahead.Time }

// Search implements grid.Member.
func (x *anytime) Search(r bookahead.Request) (bookahead.Offer, error) {
	start := max(r.Ready, x.now)
	last := bookahead.MaxTime
	if r.Deadline != 0 {
		last = r.Deadline
	}
	if start > last-bookahead.Time(r.Duration) {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return bookahead.Offer{Interval: bookahead.Interval{Start: start, End: start + bookahead.Time(r.Duration)}, Units: r.Units}, nil
}

// Reserve and Release implement grid.Member; a stage books nothing through it.
func (x *anytime) Reserve(bookahead.Request) (bookahead.Reservation, error) {
	return bookahead.Reservation{}, limits.Invalid("part", "eased", "is searched only")
}

func (x *anytime) Release(bookahead.ID) error { return bookahead.ErrNotFound }
