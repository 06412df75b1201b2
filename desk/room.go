package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/volume"
)

// Room returns the units of a pool that a request may have over time, by its owner and its labels: the steps of w, from now to
// the horizon, in which it may have any. The units are free, w is within the opening hours (Terms.Open) and behind the Notice,
// and no quota of Units leaves less. The shapes, the times and the priority of the request are not read. It is a query.
//
//	free          4 4 4 1 1 4 4 4
//	open            ├─────────┤
//	quota of 3    1 1 1 1 1 . . .     has been used already
//	room          . 2 2 1 1 3 . .
//
// A Book may have so many units at such a time, unless a quota of Ticks is against it, or the rest of the Terms: Ahead, Longest,
// and the Owners and Labels. Parts may lie one after the other; side by side they share the room. If parts have buffers, the units are
// free for the buffers of a part, too, that has this tick alone.
//
// The error wraps bookahead.ErrInvalid if there is no such pool. O(k + o + p) for k steps of free units in w, o opening hours, and
// p pieces of use in w on the accounts of all quotas that count the request; with buffers of b ticks O(k log b).
func (d *Desk) Room(r Request, on string, w bookahead.Interval) ([]bookahead.Step, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	_, err := d.b.poolOf(on)
	if err != nil {
		return nil, err
	}
	s := trial{books: &d.b}
	return s.room(&r, &Part{On: on}, w), nil
}

// poolOf returns a pool by name, on which volumes can be planned.
func (b *books) poolOf(on string) (*schedule, error) {
	at, err := b.counted(on)
	switch {
	case err != nil:
		return nil, err
	case !at.pool():
		return nil, limits.Invalid("on", on, fmt.Sprintf("is of kind %s, and no pool", at.kind.kind()))
	}
	return at, nil
}

// VolumeRequest returns the request for a volume on a pool (Request.OfVolume), and the plan that a Book of it would book now, as one
// booking: the best in the Room of the request, between the times of the volume. The Book plans once more, so it books the best
// plan by the Deadline if somebody else has booked in between. A caller who would rather be refused gives the request the Completion
// of the plan as its Deadline. It is a query.
//
// A plan keeps all rules. A stretch longer than Terms.Longest has several parts, one after the other. Where parts have buffers,
// the volume has one stretch, since the buffers of two would be in each other's way. Quotas of Ticks have their periods shared out
// from the left: no plan of a volume ends earlier that may pause, in any number of stretches. With Least, Stretches or a Price, and
// with quotas that have a Window, there may be a better plan, or a plan where none is found; so it is with Ahead, too. A volume
// without Stretches may have MaxParts of them. Alternatives has the plans for fewer units at once.
//
// Errors are those of Room and of volume.SearchSteps; more Stretches than MaxParts are invalid. With bookahead.ErrUnavailable comes
// the request, too, since it may wait. With no number of steps the search may take as many as a Book (Config.Effort). Commands wait
// meanwhile.
func (d *Desk) VolumeRequest(r Request, on string, v volume.Request, e bookahead.Effort) (Request, volume.Plan, error) {
	err := v.Validate()
	if err != nil {
		return Request{}, volume.Plan{}, err
	}
	r = r.OfVolume(on, v)
	d.mu.RLock()
	defer d.mu.RUnlock()
	m, err := d.b.meter(e)
	if err == nil {
		_, err = d.b.poolOf(on)
	}
	if err == nil {
		err = r.checkBent()
	}
	if err != nil {
		return Request{}, volume.Plan{}, err
	}
	s := trial{books: &d.b, meter: &m}
	_, plan, err := s.bendVolume(&r)
	if err != nil {
		plan = volume.Plan{}
	}
	plan.Spent = m.Steps()
	return r, plan, err
}
