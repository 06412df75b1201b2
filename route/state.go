package route

import (
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
)

// openLink makes the two forms of a link's free time: a vector, and a list of runs.
func (n *Network) openLink(i int) error {
	n.vectors, n.runs = append(n.vectors, nil), append(n.runs, nil)
	l := &n.links[i]
	switch {
	case l.Schedule != nil:
		if err := adopt(linkField(i, l)+".Schedule", l.Schedule, n.now); err != nil {
			return err
		}
		return n.Refresh(i)
	case l.Free != nil:
		n.vectors[i], l.Free = l.Free.Clone(), nil
	default:
		n.vectors[i] = n.full.Clone()
	}
	n.runs[i] = n.vectors[i].Runs()
	return nil
}

// Refresh reads the Schedule of a link anew, after others have written to it.
// A link without a Schedule stays as it is, and so does a link whose Schedule cannot be read. The
// error wraps bookahead.ErrInvalid if there is no such link.
// O(k log k + S/64) for S slots and k blocks of the schedule.
func (n *Network) Refresh(link int) error {
	if link < 0 || link >= len(n.links) {
		return invalid("link", link, fmt.Sprintf("is not one of %d", len(n.links)))
	}
	if n.links[link].Schedule == nil {
		return nil
	}
	r, err := n.read(link, n.now)
	if err != nil {
		return err
	}
	n.show(link, r)
	return nil
}

// read returns the free time of the Schedule of a link, slot 0 being now.
func (n *Network) read(link int, now bookahead.Time) (*avail.Runs, error) {
	if n.config.Slots == 0 {
		return &avail.Runs{}, nil
	}
	axis := avail.Axis{Origin: now, Width: 1, Slots: n.config.Slots}
	w, err := axis.Window()
	if err != nil {
		return nil, err
	}
	l := &n.links[link]
	blocks, _ := bookahead.Blocks(l.Schedule, w) // checked when it was adopted
	return avail.DiscretiseRuns(blocks, axis, l.Units)
}

// show makes r the free time of a link.
func (n *Network) show(link int, r *avail.Runs) { n.runs[link], n.vectors[link] = r, r.Vector() }

// mark makes the part of w that lies ahead free or not, on a link without a
// Schedule.
func (n *Network) mark(link int, w bookahead.Interval, free bool) {
	from, to := n.slots(w)
	if from >= to {
		return
	}
	if free {
		n.vectors[link].Set(from, to)
		n.runs[link].Set(from, to)
	} else {
		n.vectors[link].Clear(from, to)
		n.runs[link].Clear(from, to)
	}
}

// slots returns the part of w that lies on the axis of the links.
func (n *Network) slots(w bookahead.Interval) (from, to int) {
	w = w.Intersect(bookahead.Interval{Start: n.now, End: n.now + bookahead.Time(n.config.Slots)})
	if w.Empty() {
		return 0, 0
	}
	return int(w.Start - n.now), int(w.End - n.now)
}

// Advance moves the clock to now, and with it all schedules of the network. Slots that
// come into sight of a link without a Schedule are free. Moving the clock back is
// invalid, and so is a time near to the end of the axis. Any other error comes from a schedule.
// Then some of the schedules have moved, and the network has not. A Commit fails where such a
// schedule refuses its part, and an Advance to the same time or a later time mends the network.
// O(E·S/64) for E links of S slots each, and an Advance of each schedule.
func (n *Network) Advance(now bookahead.Time) error {
	switch {
	case now < n.now:
		return invalid("now", int64(now), "is before the clock")
	case now > bookahead.MaxTime-2*avail.MaxSlots:
		return invalid("now", int64(now), "is too near to the end of the axis")
	}
	ahead, err := n.ahead(now)
	if err != nil {
		return err
	}
	passed := int(min(now-n.now, bookahead.Time(n.config.Slots)))
	n.now = now
	for i := range n.links {
		if n.links[i].Schedule == nil {
			n.slide(i, passed)
			continue
		}
		n.show(i, ahead[0])
		ahead = ahead[1:]
	}
	return nil
}

// ahead moves the schedules to now, and returns the free time from then on of each link that
// has a schedule. Nothing else changes.
func (n *Network) ahead(now bookahead.Time) (free []*avail.Runs, err error) {
	for m := range n.clusters {
		if err := n.clusters[m].Pool.Advance(now); err != nil {
			return nil, err
		}
	}
	for i := range n.links {
		s := n.links[i].Schedule
		if s == nil {
			continue
		}
		if err := s.Advance(now); err != nil {
			return nil, err
		}
		r, err := n.read(i, now)
		if err != nil {
			return nil, err
		}
		free = append(free, r)
	}
	return free, nil
}

// slide drops the first slots of a link, and puts free slots behind the last.
func (n *Network) slide(i, passed int) {
	if passed == 0 {
		return
	}
	slots := n.config.Slots
	v, r := n.vectors[i], n.runs[i]
	n.full.ComposeTo(v, v, passed)
	v.Set(slots-passed, slots)
	n.fullRuns.ComposeTo(r, r, passed)
	r.Set(slots-passed, slots)
}

// slot returns a delay as a number of slots, at most Config.Slots.
func (n *Network) slot(delay int64) int { return int(min(delay, int64(n.config.Slots))) }

// adopt moves a schedule to the clock of a new network.
func adopt(field string, s bookahead.Schedule, origin bookahead.Time) error {
	err := s.Advance(origin)
	if errors.Is(err, bookahead.ErrInvalid) {
		return invalid(field, fmt.Sprintf("%T", s), fmt.Sprintf("cannot move to Config.Origin = %d: %v", origin, err))
	}
	return err
}
