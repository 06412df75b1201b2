package desk

import (
	"iter"

	"github.com/bookahead/bookahead"
)

// clear lets bookings give way that a closure leaves without units, and returns their moves. The stage has the closure,
// and closed makes another such stage. Bookings are taken out, the least important first, while they lie on an overbooked
// stretch of the closure; the rest goes as by force. Bookings that may not give way stay.
func (s *stage) clear(on int32, c *Close, closed func() (*stage, error)) ([]Moved, error) {
	x := reach{on, bookahead.Interval{Start: max(c.Start, s.now), End: c.End}, nil}
	if len(c.Servers) > 0 {
		x.servers = c.Servers
	}
	gives := func(k *Booking) bool { return c.Force == Anybody || k.Priority < c.Priority }
	var out []*Booking
	for _, k := range s.inTheWay([]reach{x}, gives) {
		if !s.meets(k, x) {
			continue
		}
		err := s.takeOut([]*Booking{k})
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	stays := func(k *Booking, beside *stage) error {
		if beside.meets(k, x) {
			return bookahead.ErrUnavailable
		}
		return nil
	}
	room, out, err := s.putBack(out, closed, stays)
	if err != nil {
		return nil, err
	}
	return room.placeAnew(out)
}

// meets reports whether a booking lies, within reach, on a stretch that is overbooked on the stage now.
func (s *stage) meets(k *Booking, x reach) bool {
	at := s.at(x.on)
	for i := range k.Places {
		p := &k.Places[i]
		if k.on[i] != x.on || p.End <= s.now || !p.reserved().Overlaps(x.when) || !p.holds(x.servers) {
			continue
		}
		// Each booking on a closed node overbooks it, and a query would read all nodes.
		if at.machine != nil || at.overbooks(p, x.when) {
			return true
		}
	}
	return false
}

// holders yields the bookings that hold a place, or its buffer, within reach. A booking comes once for each such part that
// is not over.
func (b *books) holders(x reach) iter.Seq[*Booking] {
	return func(yield func(*Booking) bool) {
		at := b.schedules[x.on]
		around := bookahead.Interval{Start: x.when.Start - bookahead.Time(at.wide), End: addTicks(max(0, x.when.End), at.wide)}
		for span := range at.calendar.Overlapping(around) {
			id, index := inCalendar(span.ID)
			k, ok := b.booking(id)
			if !ok || !k.State.Live() || index >= MaxParts {
				continue
			}
			p := &k.Places[index]
			if p.End > b.now && p.reserved().Overlaps(x.when) && p.holds(x.servers) && !yield(k) {
				return
			}
		}
	}
}
