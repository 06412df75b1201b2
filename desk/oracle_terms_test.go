package desk

import (
	"cmp"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

// allows reports whether the terms of a board allow a part at a time.
func (o *ideal) allows(b *board, s seat) bool {
	t := &b.terms
	known := len(t.Owners) == 0 && len(t.Labels) == 0
	for _, owner := range t.Owners {
		known = known || owner == s.wish.Owner
	}
	for _, label := range t.Labels {
		known = known || slices.Contains(s.wish.Labels, label)
	}
	ahead := bookahead.Duration(s.Start - o.now)
	return known && ahead >= t.Notice && (t.Ahead == 0 || ahead <= t.Ahead) && (t.Longest == 0 || s.part.Duration <= t.Longest) && t.isOpen(s.Interval)
}

// isOpen reports whether all ticks of a time lie in one opening interval.
func (t *Terms) isOpen(w bookahead.Interval) bool {
	return len(t.Open) == 0 || slices.ContainsFunc(t.Open, func(x bookahead.Interval) bool { return x.Start <= w.Start && w.End <= x.End })
}

// padded returns a seat with its buffers. That before a part of a booking that has begun may have begun too.
func (o *ideal) padded(b *board, s seat) seat {
	before, after := b.terms.Before, b.terms.After
	if s.wish == nil {
		before, after = s.buffers[0], s.buffers[1]
	}
	begun := s.wish == nil && s.old == nil
	s.Start -= bookahead.Time(before)
	s.End += bookahead.Time(after)
	if begun {
		s.Start = max(s.Start, o.now)
	}
	return s
}

// seatsFor returns the parts of a step that starts at t, for a request.
func (s *spell) seatsFor(r *Request, t bookahead.Time) []seat {
	list := s.seats(t)
	for i := range list {
		list[i].wish = r
	}
	return list
}

// decided returns a tick from which on the terms allow the same at every tick.
func (b *board) decided(now bookahead.Time) bookahead.Time {
	at := now + bookahead.Time(b.terms.Notice)
	n := len(b.terms.Open)
	if n > 0 {
		at = max(at, b.terms.Open[n-1].End)
	}
	return at
}

// buffers returns the longest buffers that there are.
func (o *ideal) buffers() (d bookahead.Duration) {
	for _, b := range o.boards {
		d = max(d, b.terms.Before+b.terms.After)
	}
	return d
}

func (o *ideal) hasTerms() bool {
	for _, b := range o.boards {
		if !b.terms.zero() {
			return true
		}
	}
	return false
}

// distance returns how far two parts of one booking have to lie apart.
func (o *ideal) distance(p, q *Part) (d bookahead.Time) {
	for _, b := range o.behind(p.On) {
		if slices.Contains(o.behind(q.On), b) {
			d = max(d, bookahead.Time(b.terms.Before+b.terms.After))
		}
	}
	return d
}

// crossed reports whether parts of a step are too near to each other for their buffers: on a broker, or on servers where they
// cannot be looked for together any more.
func (o *ideal) crossed(spells []spell) bool {
	for _, s := range spells {
		var wide []*Part
		for i, p := range s.parts {
			b := o.boards[p.On]
			for _, q := range s.parts[:i] {
				d := bookahead.Duration(o.distance(p, q))
				if d > 0 && (b.of != nil || o.boards[q.On].of != nil) && q.Offset+q.Duration+d > p.Offset && p.Offset+p.Duration+d > q.Offset {
					return true
				}
			}
			w := *p
			w.Offset += 100 - b.terms.Before
			w.Duration += b.terms.Before + b.terms.After
			wide = append(wide, &w)
		}
		if o.scattered(wide) {
			return true
		}
	}
	return false
}

// keepApart takes out the starts of steps that no starts of the others go with, until none is left: ok[i][k] is start lo+k of
// step i. As the bounds are distances, the first starts that are left go together.
func (o *ideal) keepApart(spells []spell, lo bookahead.Time, ok [][]bool) {
	fits := func(i, k, j, m int) bool { // start k of step i, and m of the later step j
		a, b := lo+bookahead.Time(k), lo+bookahead.Time(m)
		if j == i+1 {
			wait := bookahead.Duration(b - a - spells[i].length)
			if wait < spells[j].gap.Least || wait > spells[j].gap.Most {
				return false
			}
		}
		for _, p := range spells[i].parts {
			for _, q := range spells[j].parts {
				d := o.distance(p, q)
				if d > 0 && b+bookahead.Time(q.Offset)-(a+bookahead.Time(p.Offset+p.Duration)) < d {
					return false
				}
			}
		}
		return true
	}
	for again := true; again; {
		again = false
		for i := range spells {
			for j := range spells {
				if i == j {
					continue
				}
				for k := range ok[i] {
					found := !ok[i][k]
					for m := 0; m < len(ok[j]) && !found; m++ {
						found = ok[j][m] && (i < j && fits(i, k, j, m) || i > j && fits(j, m, i, k))
					}
					if !found {
						ok[i][k], again = false, true
					}
				}
			}
		}
	}
}

// mayGoOn reports whether the terms allow a booking that has begun its new request.
func (o *ideal) mayGoOn(old *entry, to *Request) bool {
	if !o.staysAdmitted(old, to) {
		return false
	}
	for i, p := range old.Places {
		part, t := &to.Shapes[0][i], &o.boards[p.On].terms
		w := bookahead.Interval{Start: max(old.began[i], o.now), End: old.began[i] + bookahead.Time(part.Duration)}
		if w.End <= p.End {
			continue
		}
		who := board{terms: Terms{Owners: t.Owners, Labels: t.Labels, Longest: t.Longest}}
		if !t.isOpen(w) || !o.allows(&who, seat{part: part, Interval: w, wish: to}) {
			return false
		}
	}
	return true
}

// staysAdmitted reports whether the new owner of a booking may book where it lies, or the present one may not either.
func (o *ideal) staysAdmitted(old *entry, to *Request) bool {
	for _, p := range old.Places {
		t := &o.boards[p.On].terms
		who := board{terms: Terms{Owners: t.Owners, Labels: t.Labels}}
		may := func(r *Request) bool {
			return o.allows(&who, seat{part: &Part{}, Interval: ticks(1<<40, 1<<40+1), wish: r})
		}
		if p.End > o.now && may(&old.Request) && !may(to) {
			return false
		}
	}
	return true
}

// weighOver puts the parts of a booking that are over on the boards, for their buffers, or takes them off.
func (o *ideal) weighOver(e *entry, times int64) {
	for i, p := range e.Places {
		if p.End <= o.now {
			o.boards[p.On].put(p, e.Shapes[e.Shape][i].Tasks, o.now, times)
		}
	}
}

// leaveBuffers takes units for the buffers behind the parts of a booking that ends now.
func (o *ideal) leaveBuffers(e *entry) {
	for i, p := range e.Places {
		if p.Start <= o.now {
			end := min(p.End, o.now)
			p.Interval, p.Before, p.After = bookahead.Interval{Start: end, End: end + bookahead.Time(p.After)}, 0, 0
			o.boards[p.On].put(p, e.Shapes[e.Shape][i].Tasks, o.now, 1)
		}
	}
}

func (o *ideal) setTerms(c SetTerms) verdict {
	b := o.boards[c.On]
	bad := b == nil || b.of != nil || c.Needs < 0 || c.Needs != 0 && c.Needs <= o.now || min(c.Longest, c.Notice, c.Ahead, c.Before, c.After) < 0
	for i, w := range c.Open {
		bad = bad || w.End <= w.Start || w.Start < 0 || i > 0 && c.Open[i-1].End >= w.Start
	}
	if bad {
		return refuse(invalid)
	}
	return verdict{then: func() {
		b.terms = c.Terms
		o.tell(WasSet, nil, o.now, bookahead.Interval{}, bookahead.Interval{})
		o.told[0].Schedule = c.On
	}}
}

// lack is a tick at which a series or a schedule needs more.
type lack struct {
	at     bookahead.Time
	on     string
	series *course
}

// needs returns the lacks up to a tick, in order: of one tick the series first.
func (o *ideal) needs(to bookahead.Time) (list []lack) {
	for _, id := range slices.Sorted(maps.Keys(o.series)) {
		s := o.series[id]
		if s.Needs > o.now && s.Needs <= to {
			list = append(list, lack{at: s.Needs, series: s})
		}
	}
	for _, name := range o.order {
		at := o.boards[name].terms.Needs
		if at > o.now && at <= to {
			list = append(list, lack{at: at, on: name})
		}
	}
	slices.SortStableFunc(list, func(x, y lack) int { return cmp.Compare(x.at, y.at) })
	return list
}

func (o *ideal) tellNeeds(list []lack, to bookahead.Time) []lack {
	for len(list) > 0 && list[0].at <= to {
		o.tell(NeedsMore, nil, list[0].at, bookahead.Interval{}, bookahead.Interval{})
		x := &o.told[len(o.told)-1]
		x.Schedule = list[0].on
		if list[0].series != nil {
			x.Series, x.Owner = list[0].series.ID, list[0].series.Owner
		}
		list = list[1:]
	}
	return list
}

// setTerms draws terms, which are mild as a rule.
func (d *drawer) setTerms() Command {
	c := SetTerms{On: pick(d, "pool", "line", "lab", "farm")}
	if d.one(3) {
		return c
	}
	t := &c.Terms
	if d.one(2) {
		at := d.o.now + bookahead.Time(d.n(6)) - 3
		for at = max(0, at); len(t.Open) < 5; {
			w := bookahead.Interval{Start: at, End: at + 1 + bookahead.Time(pick(d, 2, d.n(6), 6+d.n(20)))}
			t.Open, at = append(t.Open, w), w.End+1+bookahead.Time(d.n(5))
		}
		if d.one(2) {
			t.Open[4].End += 300
		}
	}
	if d.one(3) {
		t.Longest = bookahead.Duration(5 + d.n(8))
	}
	if d.one(3) {
		t.Notice = bookahead.Duration(d.n(6))
	}
	if d.one(3) {
		t.Ahead = bookahead.Duration(10 + d.n(30))
	}
	if d.one(2) {
		t.Before = bookahead.Duration(d.n(4))
	}
	if d.one(2) {
		t.After = bookahead.Duration(d.n(4))
	}
	if d.one(4) {
		t.Owners, t.Labels = pick(d, nil, []string{"ann", "bob"}), pick(d, nil, []string{"a"}, []string{"b"})
	}
	if d.one(4) {
		t.Needs = d.o.now + bookahead.Time(d.n(9))
	}
	d.keepOnly(t)
	if d.one(20) {
		switch d.n(6) {
		case 0:
			c.On = pick(d, "any", "none", "")
		case 1:
			t.Needs = -1
		case 2:
			t.Before = -1
		case 3:
			t.Open = append(t.Open, bookahead.Interval{Start: 3, End: 3})
		case 4:
			t.Open = []bookahead.Interval{{Start: 3, End: 5}, {Start: 5, End: 7}}
		case 5:
			t.Ahead = -1
		}
	}
	return c
}

// keepOnly leaves the rule of which all terms are, if there is one.
func (d *drawer) keepOnly(t *Terms) {
	one := Terms{}
	switch d.only {
	case "":
		return
	case "open":
		one.Open = t.Open
	case "notice":
		one.Notice = bookahead.Duration(1 + d.n(6))
	case "ahead":
		one.Ahead = bookahead.Duration(6 + d.n(30))
	case "longest":
		one.Longest = bookahead.Duration(3 + d.n(8))
	case "who":
		one.Owners, one.Labels = pick(d, nil, []string{"ann", "bob"}), pick(d, nil, []string{"a"}, []string{"b"})
	case "before":
		one.Before = bookahead.Duration(1 + d.n(4))
	case "after":
		one.After = bookahead.Duration(1 + d.n(4))
	case "both":
		one.Before, one.After = bookahead.Duration(1+d.n(3)), bookahead.Duration(1+d.n(3))
	}
	*t = one
}
