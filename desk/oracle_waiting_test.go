package desk

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// wait is book for a booking that finds no place and waits.
func (o *ideal) wait(c Book) verdict {
	e := &entry{asked: c, Booking: Booking{ID: o.last + 1, Key: c.Key, Request: c.Request, State: Waiting, Expiry: c.Wait}}
	e.Start, e.End = max(c.Ready, 0), max(c.Ready, 0)
	if o.lapse(e) <= o.now || o.queued(&c.Request) {
		return refuse(unavailable)
	}
	return verdict{e: e, then: func() {
		o.last++
		if e.Key != "" {
			o.keys[e.Key] = e.ID
		}
		o.tell(IsWaiting, e, o.now, bookahead.Interval{}, e.Interval)
		o.put(e)
	}}
}

// queued reports whether so many bookings wait that a quota lets no more of a request wait.
func (o *ideal) queued(r *Request) bool {
	for _, q := range o.limits {
		if q.None && q.counts(r.Owner, r.Labels) && o.shapesCounted(q, r) == len(r.Shapes) {
			return true
		}
		if q.Waiting == 0 || !q.counts(r.Owner, r.Labels) {
			continue
		}
		n := int64(0)
		for _, e := range o.kept {
			if e.State == Waiting && q.counts(e.Owner, e.Labels) && (!q.Each || e.Owner == r.Owner) {
				n++
			}
		}
		if n >= q.Waiting {
			return true
		}
	}
	return false
}

// shapesCounted returns how many shapes have a part that a quota counts.
func (o *ideal) shapesCounted(q *limit, r *Request) (n int) {
	for _, s := range r.Shapes {
		sum := int64(0)
		for i := range s {
			p := &s[i]
			if p.Tasks == nil {
				sum += o.takes(q, p.On, p.Units, nil, nil)
			} else {
				sum += o.takes(q, p.On, p.Units, p.Tasks.Each, p.Tasks.Head)
			}
		}
		n += int(min(1, sum))
	}
	return n
}

// lapse returns the first tick, from now on, at which a booking waits no longer: its Expiry, or one at which
// no shape can end by the deadline even if nothing is booked.
func (o *ideal) lapse(e *entry) bookahead.Time {
	for t := o.now; t < e.Expiry; t++ {
		meets := e.Deadline == 0
		for _, s := range e.Shapes {
			meets = meets || endsAtBest(s, e.Ready, t) <= e.Deadline
		}
		if !meets {
			return t
		}
	}
	return e.Expiry
}

// endsAtBest returns when a shape ends, at the earliest, of which no part begins before the clock.
func endsAtBest(s Shape, ready, now bookahead.Time) (end bookahead.Time) {
	for i, x := range spellsOf(s) {
		start := end + bookahead.Time(x.gap.Least)
		if i == 0 {
			start = ready
			for slices.ContainsFunc(x.parts, func(p *Part) bool { return start+bookahead.Time(p.Offset) < now }) {
				start++
			}
		}
		end = start + x.length
	}
	return end
}

// grant books all that wait and have a place, in turn: round after round, until a round grants no place.
func (o *ideal) grant() error {
	for {
		before := o.given
		err := o.grantRound()
		if err != nil || o.given == before {
			return err
		}
	}
}

// grantRound looks for the next in all of those that wait each time.
func (o *ideal) grantRound() error {
	tried := map[BookingID]bool{}
	for {
		var next *entry
		for _, e := range o.kept {
			if e.State != Waiting || tried[e.ID] {
				continue
			}
			if next == nil || e.Priority > next.Priority || e.Priority == next.Priority && e.ID < next.ID {
				next = e
			}
		}
		if next == nil {
			return nil
		}
		tried[next.ID] = true
		shape, times, ok := o.search(&next.Request, 0)
		if !ok {
			continue
		}
		o.given++
		e := *next
		e.State, e.Expiry, e.Shape = Booked, 0, shape
		err := o.take(&e, nil, times, o.look(e.ID))
		if err != nil {
			return err
		}
		o.enter(&e, WasBooked, next.Interval)
	}
}

// wait turns a Book into one that mostly waits: it wants the place of another booking, or waits for the same as another.
func (d *drawer) wait(c *Book) {
	c.Wait = d.o.now + bookahead.Time(pick(d, 1, 3, 10, 20, 30, d.n(3)-1))
	if !d.one(20) {
		c.Hold = 0
	}
	other := d.o.kept[d.id(pick(d, 0, Waiting))]
	switch {
	case other == nil || d.one(5):
	case other.State == Waiting:
		c.Ready, c.Deadline, c.Shapes = other.Ready, other.Deadline, other.Request.Clone().Shapes
		if d.one(2) && c.Shapes[0][0].Units > 1 {
			c.Shapes[0][0].Units--
		}
	case other.State.Live():
		i := d.n(len(other.Places))
		p := other.Places[i]
		part := other.Shapes[other.Shape][i]
		part.On, part.Offset, part.After = p.On, 0, nil
		part.Duration = bookahead.Duration(max(1, p.End-max(p.Start, d.o.now)))
		if p.Nodes == nil && part.Servers == nil {
			part.Units = min(4, part.Units+int64(d.n(3)))
		}
		c.Ready, c.Shapes = p.Start-bookahead.Time(d.n(2)), []Shape{{part}}
		c.Deadline = max(c.Ready, d.o.now) + bookahead.Time(part.Duration) + bookahead.Time(d.n(3))
	}
}
