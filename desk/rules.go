package desk

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/quota"
)

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
		counted := func(p Part) bool { return x.counts(q.Owner, q.Labels) && q.asked(x, &p) > 0 }
		k := slices.IndexFunc(q.Shapes[shape], counted)
		if k >= 0 {
			list = append(list, Obstacle{Shape: shape, Part: k, Quota: x.Name})
		}
	}
	return list
}

// without returns a stage on which some obstacles of a shape are left out. Obstacles of other shapes stay: a quota that
// counts two shapes is an obstacle of each.
func (q *inquiry) without(shape int, list []Obstacle) *stage {
	s := &stage{books: q.books, meter: q.meter}
	for _, o := range list {
		switch {
		case o.Shape != shape:
		case o.Quota != "":
			s.without = append(s.without, o.Quota)
		case o.Rule != "":
			s.relent(&o)
		default:
			s.eased = append(s.eased, &q.Shapes[o.Shape][o.Part])
		}
	}
	return s
}

// relent leaves a rule out of the terms of a schedule; rules that were left out before stay out.
func (s *stage) relent(o *Obstacle) {
	if s.lenient == nil {
		s.lenient = map[string]*Terms{}
	}
	milder := *s.terms(s.schedules[s.names[o.On]])
	milder.leaveOut(o.Rule)
	s.lenient[o.On] = &milder
}

// count adds to a quota its use where the shape would lie without the quota, and the bookings of that use.
func (q *inquiry) count(o *Obstacle, without []Obstacle) error {
	x, err := q.search(o.Shape, append(slices.Clone(without), *o))
	if err != nil {
		return err
	}
	i, _ := q.ruleAt(o.Quota)
	rule := q.rules[i]
	parts := slices.Clone(q.Shapes[o.Shape])
	start := x.places[0].Start - bookahead.Time(parts[0].Offset)
	for k := range parts {
		parts[k].Offset = bookahead.Duration(x.places[k].Start - start)
	}
	s := stage{books: q.books, meter: q.meter}
	claim, ok := s.claim(rule, &q.Request, parts)
	b, over := quota.Breach{}, false
	if ok {
		b, over = claim.Breach(start, q.meter)
	}
	if !over {
		return fmt.Errorf("desk: quota %q is in the way, and allows %v", o.Quota, x.places)
	}
	o.Window, o.Length, o.Bound = b.Interval, b.Length, rule.Ticks
	o.Use, o.Units = greatest(b.Use), greatest(b.Asks)
	if b.Length == 0 {
		o.Bound = rule.Units
	}
	q.nameUsers(o, rule)
	return nil
}

// nameUsers adds the bookings whose places a quota counts in the window.
func (q *inquiry) nameUsers(o *Obstacle, rule *rule) {
	counted := func(k *Booking, i int) bool {
		p := &k.Places[i]
		if p.End <= q.now || !p.Overlaps(o.Window) || !rule.counts(k.Owner, k.Labels) || rule.account(k.Owner) != rule.account(q.Owner) {
			return false
		}
		x := k.at(i)
		return q.amount(rule, k.on[i], x.Units, x.Each, x.HeadTakes) > 0
	}
	var list []starting
	for k, at := range q.schedules {
		if at.of == nil && rule.covers(int32(k)) {
			list = append(list, q.holding(reach{int32(k), o.Window, nil}, counted)...)
		}
	}
	o.nameBookings(list)
}
