package desk

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// Obstacle is one thing in the way of a request: the units that a part wants, a rule of the Terms of a schedule, or a
// quota.
type Obstacle struct {
	// Shape and Part are the indices of the part: for a rule or a quota the first part of the shape that it may
	// bind.
	Shape, Part int
	// On is the schedule or the broker that the part names. For a rule it is the schedule that has the Terms, and
	// for a quota "".
	On string
	// Rule names the field of Terms that is in the way: Open, Longest, Notice, Ahead, Before, After, or Owners,
	// which stands for Labels too. Otherwise it is "".
	Rule string
	// Quota names the quota that is in the way; otherwise it is "". Obstacle.String names the bound of the quota; in
	// Refusal.Waiting that bound is a number of waiting bookings.
	Quota string
	// Units is how many units, servers or tasks the part wants. For a quota it is how much of the Bound the request
	// would use in Window, and for a rule 0.
	Units int64
	// Bound is the number of ticks of a rule that has one, or the Units or Ticks of a quota. Use is how much of the
	// quota is in use in Window without the request: the most units at once if Length is 0, and otherwise the
	// unit-ticks of a period or window of that Length. For a number beyond an int64 stands the greatest int64.
	Bound, Use int64
	Length     bookahead.Duration
	// Window is the time in which the part may lie while its shape lies in Refusal.Window; for units it includes the
	// buffers around the part. For a quota it is a time in which the place without the quota would break the quota:
	// units at once come before a period, and of windows the one with the most use is taken.
	Window bookahead.Interval
	// Bookings hold units of the schedule, or of the schedules of the broker, in Window, also by their buffers. If
	// the part names servers or nodes, they hold one of these. For a quota they are the bookings whose parts the
	// quota counts in Window, unless the parts are over. They come by the start of these parts, then by ID. Outages
	// close units there, and come by ID. Each list has at most MaxNamed, and More says that there are others:
	// InTheWay has all bookings that hold units. A rule has neither.
	Bookings []BookingID
	Outages  []OutageID
	More     bool
	// Until is the tick at which the part would start if the request had no Deadline and no other shape; of several
	// obstacles that are in the way Together, if the others were left out as well. bookahead.MaxTime means never,
	// as the clock stands: a part that is too far Ahead can be booked later.
	Until bookahead.Time

	kind    string // "unit", "server" or "task"; kindBooking for bookings that wait
	servers []int  // the servers that the part names, if any
	owner   string // who may not book
}

// kindBooking is the kind of an obstacle that bounds how many bookings wait.
const kindBooking = "booking"

// MaxNamed is how many bookings and how many outages an Obstacle has.
const MaxNamed = 8

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
