package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// Schedule returns a copy of a schedule, on which a plan is made that a Book then asks for: with all reservations and
// outages, and, within w, closed outside of the opening hours (Terms.Open) and before the Notice is over. Nothing that is
// done to the copy changes the desk. With Open [2, 6) and [9, 12), and a clock at 0:
//
//	booked        ███░░░░░░░░░░
//	the copy      ███░░░▒▒▒░░░▒    ▒ is closed; w is [0, 13)
//
// The copy does not know the rest: quotas, Ahead, Longest and who may book; the buffers that a new booking would have, but
// for Before behind the clock; and opening hours outside of w. Book knows them all, and refuses a plan that breaks one.
//
// The closures of the copy are listed behind the outages of the schedule. The error wraps bookahead.ErrInvalid if w is
// empty; if there is no such schedule, or it is a broker, or of nodes, which Machine copies; or if an Own has no closures,
// and has gaps to close. The cost is that of a Clone, and a Close for each gap between opening hours.
func (d *Desk) Schedule(on string, w bookahead.Interval) (bookahead.Keeper, error) {
	s, err := d.copied(on, w)
	if err == nil && s.machine != nil {
		err = limits.Invalid("on", on, "is of kind nodes: Machine copies it")
	}
	if err != nil {
		return nil, err
	}
	return s.keeper, nil
}

// Machine returns a copy of a schedule of nodes, as Schedule does for all others. The error wraps bookahead.ErrInvalid if w
// is empty, or there is no such schedule of nodes.
func (d *Desk) Machine(on string, w bookahead.Interval) (*nodes.Machine, error) {
	s, err := d.copied(on, w)
	if err == nil && s.machine == nil {
		err = limits.Invalid("on", on, fmt.Sprintf("is of kind %s, and has no nodes: Schedule copies it", s.kind.kind()))
	}
	if err != nil {
		return nil, err
	}
	return s.machine, nil
}

// copied returns a copy of a schedule that is closed in w wherever its terms let nobody book. The
// desk may change while the copy is closed, which takes long where there are many gaps.
func (d *Desk) copied(on string, w bookahead.Interval) (*schedule, error) {
	if w.Empty() {
		return nil, limits.Invalid("w", w, "is empty")
	}
	c, gaps, err := d.cloned(on, w)
	if err != nil || len(gaps) == 0 {
		return c, err
	}
	all := c.whole()
	for _, gap := range gaps {
		all.Interval = gap
		_, err := c.shut(all)
		if err != nil {
			return nil, fmt.Errorf("desk: closing %q outside of its opening hours: %w", on, err)
		}
	}
	return c, nil
}

// cloned returns a clone of a schedule, and the stretches of w in which its terms let nobody book.
func (d *Desk) cloned(on string, w bookahead.Interval) (*schedule, []bookahead.Interval, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	at, err := d.b.counted(on)
	if err != nil {
		return nil, nil, err
	}
	if at.terms == nil {
		return at.clone(), nil, nil
	}
	gaps := at.terms.closed(w, d.b.now)
	if len(gaps) > 0 {
		_, err = d.b.closable("on", on)
		if err != nil {
			return nil, nil, err
		}
	}
	return at.clone(), gaps, nil
}

// closed returns the stretches of w, from now on, that no part may touch: those outside of the opening hours, and those
// before the first start that Notice and Before allow.
//
//	Open       ├──┤  ├─────────┤      ├───
//	Notice  ─────|
//	closed  ▒▒▒▒▒   ▒           ▒▒▒▒▒▒
func (t *Terms) closed(w bookahead.Interval, now bookahead.Time) (gaps []bookahead.Interval) {
	from := max(w.Start, now)
	may := bookahead.Interval{Start: max(from, addTicks(now, t.Notice), addTicks(now, t.Before)), End: w.End}
	open := t.Open
	if len(open) == 0 {
		open = []bookahead.Interval{may}
	}
	for _, x := range open {
		x = x.Intersect(may)
		if x.Empty() {
			continue
		}
		if from < x.Start {
			gaps = append(gaps, bookahead.Interval{Start: from, End: x.Start})
		}
		from = x.End
	}
	if from < w.End {
		gaps = append(gaps, bookahead.Interval{Start: from, End: w.End})
	}
	return gaps
}
