package desk

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// name adds the bookings and outages that have units which the part could have.
func (q *inquiry) name(o *Obstacle) {
	p := &q.Shapes[o.Shape][o.Part]
	o.kind, o.servers = q.unitOf(p), p.Servers
	o.Window = q.buffered(p, o.Window)
	holds := func(k *Booking, i int) bool {
		x := &k.Places[i]
		return x.End > q.now && x.reserved().Overlaps(o.Window) && x.holds(p.named())
	}
	var list []starting
	for _, k := range q.behind(p.On) {
		list = append(list, q.holding(reach{k, o.Window, p.named()}, holds)...)
		for _, out := range q.outages {
			if !out.added && out.On == q.schedules[k].name && out.Overlaps(o.Window) && out.closesOneOf(p.named()) {
				o.Outages = append(o.Outages, out.ID)
			}
		}
	}
	slices.Sort(o.Outages)
	o.More = len(o.Outages) > MaxNamed
	o.Outages = o.Outages[:min(len(o.Outages), MaxNamed)]
	o.nameBookings(list)
}

// nameBookings adds the first of some bookings.
func (o *Obstacle) nameBookings(list []starting) {
	slices.SortFunc(list, starting.compare)
	for _, x := range list {
		if !slices.Contains(o.Bookings, x.id) {
			o.Bookings = append(o.Bookings, x.id)
		}
	}
	o.More = o.More || len(o.Bookings) > MaxNamed
	o.Bookings = o.Bookings[:min(len(o.Bookings), MaxNamed)]
}

// buffered returns the time in which a part may hold units, for a time w in which it may lie: w with the largest buffers
// that the part may have, but not before the clock.
func (q *inquiry) buffered(p *Part, w bookahead.Interval) bookahead.Interval {
	before, after := bookahead.Duration(0), bookahead.Duration(0)
	for _, k := range q.behind(p.On) {
		t := q.schedules[k].terms
		if t != nil {
			before, after = max(before, t.Before), max(after, t.After)
		}
	}
	w.Start = max(q.now, w.Start-bookahead.Time(before))
	w.End = addTicks(w.End, after)
	return w
}

// closesOneOf reports whether an outage closes one of some servers or nodes; nil stands for all.
func (o *Outage) closesOneOf(named []int) bool {
	return named == nil || o.Servers == nil || slices.ContainsFunc(o.Servers, func(k int) bool { return slices.Contains(named, k) })
}

// unitOf returns the word for the units of a part. On a broker it is "server" if all of its schedules have servers.
func (b *books) unitOf(p *Part) string {
	if p.Tasks != nil {
		return "task"
	}
	for _, k := range b.behind(p.On) {
		if b.schedules[k].frame().Servers == 0 {
			return "unit"
		}
	}
	return "server"
}

// starting is a booking by the start of a part.
type starting struct {
	start bookahead.Time
	id    BookingID
}

func (x starting) compare(y starting) int {
	return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.id, y.id))
}

// holding returns the bookings with a place within reach that counts, and stops after one more than MaxNamed, which says
// that there are others. Each booking comes with the start of its first such place.
func (b *books) holding(x reach, counts func(k *Booking, i int) bool) (list []starting) {
	seen := map[BookingID]bool{}
	for k := range b.holders(x) {
		if seen[k.ID] {
			continue
		}
		seen[k.ID] = true
		first, some := bookahead.MaxTime, false
		for i := range k.Places {
			if k.on[i] == x.on && counts(k, i) {
				first, some = min(first, k.Places[i].Start), true
			}
		}
		if some {
			list = append(list, starting{first, k.ID})
		}
		if len(list) > MaxNamed {
			break
		}
	}
	return list
}
