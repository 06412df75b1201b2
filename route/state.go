package route

import (
	stdheap "container/heap"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
)

// openLink makes the two forms of a link's vector.
func (n *Network) openLink(i int) error {
	n.vectors, n.runs = append(n.vectors, nil), append(n.runs, nil)
	l := &n.links[i]
	switch {
	case l.Schedule != nil:
		return n.Refresh(i)
	case l.Free != nil:
		n.vectors[i], l.Free = l.Free.Clone(), nil
	default:
		n.vectors[i] = n.full.Clone()
	}
	n.runs[i] = n.vectors[i].Runs()
	return nil
}

// Refresh reads the Schedule of a link anew: for one that others have written to.
// Links without a Schedule stay as they are. O(k log k + S/64) for S slots and k
// blocks of the schedule.
func (n *Network) Refresh(link int) error {
	l := &n.links[link]
	if l.Schedule == nil {
		return nil
	}
	axis := avail.Axis{Origin: n.now, Width: 1, Slots: n.config.Slots}
	w, err := axis.Window()
	if err != nil {
		return err
	}
	if n.config.Slots == 0 {
		n.runs[link] = &avail.Runs{}
	} else if n.runs[link], err = avail.DiscretiseRuns(l.Schedule.(bookahead.Profiler).Blocks(w), axis, l.Units); err != nil {
		return err
	}
	n.vectors[link] = n.runs[link].Vector()
	return nil
}

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

// Advance moves the clock to now, and with it all schedules of the network. What
// comes into sight of a link without a Schedule is free. Moving the clock back is
// invalid; so is a time near to the end of the axis. O(E·S/64) for E links of S
// slots each, and what the schedules take.
func (n *Network) Advance(now bookahead.Time) error {
	switch {
	case now < n.now:
		return invalid("now", int64(now), "is before the clock")
	case now > bookahead.MaxTime-2*avail.MaxSlots:
		return invalid("now", int64(now), "is too near to the end of the axis")
	}
	passed := int(min(now-n.now, bookahead.Time(n.config.Slots)))
	n.now = now
	for m := range n.clusters {
		if err := n.clusters[m].Pool.Advance(now); err != nil {
			return err
		}
	}
	for i := range n.links {
		if s := n.links[i].Schedule; s != nil {
			if err := s.Advance(now); err != nil {
				return err
			}
			if err := n.Refresh(i); err != nil {
				return err
			}
			continue
		}
		n.slide(i, passed)
	}
	n.booked.expire(now)
	return nil
}

// slide drops the first slots of a link, and puts free ones behind the last.
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

// booking is a committed plan and what it holds in the schedules; 0 where a link
// has none.
type booking struct {
	plan Plan
	ids  []bookahead.ID // by place on the path
	pool bookahead.ID
}

// end is when nothing of the plan is in use any more.
func (n *Network) end(p Plan) bookahead.Time {
	end := p.Run.End
	if last := len(p.Links) - 1; last >= 0 {
		end = max(end, n.Window(p, last).End)
	}
	return end
}

// bookings are the committed plans that have not ended.
type bookings struct {
	last bookahead.ID
	live map[bookahead.ID]booking
	ends endQueue
}

func (b *bookings) add(k booking, end bookahead.Time) bookahead.ID {
	if b.live == nil {
		b.live = map[bookahead.ID]booking{}
	}
	b.last++
	b.live[b.last] = k
	stdheap.Push(&b.ends, ending{end, b.last})
	return b.last
}

// expire forgets what has ended.
func (b *bookings) expire(now bookahead.Time) {
	for len(b.ends) > 0 && b.ends[0].at <= now {
		delete(b.live, stdheap.Pop(&b.ends).(ending).id)
	}
}

// ending is when a booking ends; one that has been released stays in the queue
// until then.
type ending struct {
	at bookahead.Time
	id bookahead.ID
}

type endQueue []ending

func (q endQueue) Len() int           { return len(q) }
func (q endQueue) Less(i, j int) bool { return q[i].at < q[j].at }
func (q endQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *endQueue) Push(x any)        { *q = append(*q, x.(ending)) }
func (q *endQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}
