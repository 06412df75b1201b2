package desk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/quota"
)

// candidates returns everything that may be in the way, in the order in which it is left out.
func (q *inquiry) candidates() (list []Obstacle) {
	for i, shape := range q.Shapes {
		for k := range shape {
			o := Obstacle{Shape: i, Part: k, On: shape[k].On, Units: shape[k].Units, kind: q.unitOf(&shape[k])}
			if q.Volume != nil {
				o.Units, o.kind = q.Volume.Volume, "unit-tick"
			}
			list = append(list, o)
		}
		list = append(list, q.ofRules(i)...)
		list = append(list, q.ofQuotas(i)...)
	}
	return list
}

// name adds the bookings and outages that have units which the part could have.
func (q *inquiry) name(o *Obstacle) {
	p := &q.Shapes[o.Shape][o.Part]
	o.servers = p.Servers
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
		if b.schedules[k].Frame().Servers == 0 {
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

// rules returns the rules that the terms have, each with its bound if it has one.
func (t *Terms) rules() (list []Obstacle) {
	if t == nil {
		return nil
	}
	add := func(rule string, is bool, bound bookahead.Duration) {
		if is {
			list = append(list, Obstacle{Rule: rule, Bound: int64(bound)})
		}
	}
	add(ruleOpen, len(t.Open) > 0, 0)
	add(ruleLongest, t.Longest > 0, t.Longest)
	add(ruleNotice, t.Notice > 0, t.Notice)
	add(ruleAhead, t.Ahead > 0, t.Ahead)
	add(ruleBefore, t.Before > 0, t.Before)
	add(ruleAfter, t.After > 0, t.After)
	add(ruleOwners, len(t.Owners) > 0 || len(t.Labels) > 0, 0)
	return list
}

// leaveOut changes the terms as if they lacked a rule.
func (t *Terms) leaveOut(rule string) {
	switch rule {
	case ruleOpen:
		t.Open = nil
	case ruleLongest:
		t.Longest = 0
	case ruleNotice:
		t.Notice = 0
	case ruleAhead:
		t.Ahead = 0
	case ruleBefore:
		t.Before = 0
	case ruleAfter:
		t.After = 0
	case ruleOwners:
		t.Owners, t.Labels = nil, nil
	}
}

// ofRules returns the rules of terms that may be in the way of a shape: by part, then in the order of Terms. A schedule
// has each of its rules once, with the first part that may lie there.
func (q *inquiry) ofRules(shape int) (list []Obstacle) {
	var seen []int32
	for k := range q.Shapes[shape] {
		for _, on := range q.behind(q.Shapes[shape][k].On) {
			if slices.Contains(seen, on) {
				continue
			}
			seen = append(seen, on)
			at := q.schedules[on]
			for _, o := range at.terms.rules() {
				o.Shape, o.Part, o.On, o.owner = shape, k, at.name, q.Owner
				list = append(list, o)
			}
		}
	}
	return list
}

// ofQuotas returns the quotas that count a shape, by name, each with the first part that it counts.
func (q *inquiry) ofQuotas(shape int) (list []Obstacle) {
	for _, x := range q.rules {
		counted := func(p Part) bool { return x.Counts(q.Owner, q.Labels) && q.asked(x, &p) > 0 }
		k := slices.IndexFunc(q.Shapes[shape], counted)
		if k >= 0 {
			list = append(list, Obstacle{Shape: shape, Part: k, Quota: x.Name})
		}
	}
	return list
}

// without returns a trial on which some obstacles of a shape are left out. Obstacles of other shapes stay: a quota that
// counts two shapes is an obstacle of each.
func (q *inquiry) without(shape int, list []Obstacle) *trial {
	s := &trial{books: q.books, meter: q.meter}
	for _, o := range list {
		switch {
		case o.Shape != shape:
		case o.Quota != "":
			s.without = append(s.without, o.Quota)
		case o.Rule != "":
			s.relent(&o)
		default:
			s.relaxed = append(s.relaxed, &q.Shapes[o.Shape][o.Part])
		}
	}
	return s
}

// relent leaves a rule out of the terms of a schedule; rules that were left out before stay out.
func (s *trial) relent(o *Obstacle) {
	if s.milder == nil {
		s.milder = map[string]*Terms{}
	}
	milder := *s.terms(s.schedules[s.names[o.On]])
	milder.leaveOut(o.Rule)
	s.milder[o.On] = &milder
}

// count adds to a quota its use where the shape would lie without the quota, and the bookings of that use.
func (q *inquiry) count(o *Obstacle, without []Obstacle) error {
	x, err := q.search(o.Shape, append(slices.Clone(without), *o))
	if err != nil {
		return err
	}
	i, _ := q.ruleAt(o.Quota)
	rule := q.rules[i]
	laid := q.laid(x.places)
	parts := slices.Clone(laid.Shapes[o.Shape])
	start := x.places[0].Start - bookahead.Time(parts[0].Offset)
	for k := range parts {
		parts[k].Offset = bookahead.Duration(x.places[k].Start - start)
	}
	s := trial{books: q.books, meter: q.meter}
	claim, ok := s.claim(rule, &q.Request, parts)
	b, over := quota.Breach{}, false
	if ok {
		b, over = claim.Breach(start, q.meter)
	}
	switch {
	case over:
	case q.Volume != nil && rule.Bounds.Ticks > 0: // the plan under the quota is another one, which the quota leaves too little
		span := spanOf(x.places)
		b = quota.Breach{Interval: span, Length: span.Len(), Asks: uint64(q.Volume.Volume)}
	default:
		return fmt.Errorf("desk: quota %q is in the way, and allows %v", o.Quota, x.places)
	}
	o.Window, o.Length, o.Bound = b.Interval, b.Length, rule.Bounds.Ticks
	o.Use, o.Units = greatest(b.Use), greatest(b.Asks)
	if b.Length == 0 {
		o.Bound = rule.Bounds.Units
	}
	q.nameUsers(o, rule)
	return nil
}

// nameUsers adds the bookings whose places a quota counts in the window.
func (q *inquiry) nameUsers(o *Obstacle, rule *quotaRule) {
	counted := func(k *Booking, i int) bool {
		p := &k.Places[i]
		if p.End <= q.now || !p.Overlaps(o.Window) || !rule.Counts(k.Owner, k.Labels) || rule.Key(k.Owner) != rule.Key(q.Owner) {
			return false
		}
		x := k.at(i)
		return q.amount(rule, k.on[i], x.Units, x.Each, x.HeadTakes) > 0
	}
	var list []starting
	for k, at := range q.schedules {
		if at.of == nil && rule.Covers(int32(k)) {
			list = append(list, q.holding(reach{int32(k), o.Window, nil}, counted)...)
		}
	}
	o.nameBookings(list)
}
