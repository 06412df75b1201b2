package desk

import (
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

// limit is a quota as the oracle has it: with all bookings that it counts, also those that the desk has forgotten.
type limit struct {
	SetQuota
	known map[BookingID]*entry
	since map[BookingID]bookahead.Time // from when on a forgotten booking counts, where the quota was set anew
}

// tape has the use of an account, a cell for each tick from base on.
type tape struct {
	base bookahead.Time
	use  []int64
}

// rounds are the periods of quotas that are drawn. Any of them come round together within 120 ticks, so that a search need look no
// further.
var rounds = []bookahead.Duration{1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24, 30, 40}

// tapeLength is longer than any search looks ahead: starts checks it.
const tapeLength = 1000

func newTape(now bookahead.Time) *tape { return &tape{now - 150, make([]int64, tapeLength)} }

func (x *tape) end() bookahead.Time { return x.base + tapeLength }

func (x *tape) add(w bookahead.Interval, n int64) {
	for t := max(w.Start, x.base); t < min(w.End, x.end()); t++ {
		x.use[t-x.base] += n
	}
}

func (x *tape) sum(w bookahead.Interval) (sum int64) {
	for t := max(w.Start, x.base); t < min(w.End, x.end()); t++ {
		sum += x.use[t-x.base]
	}
	return sum
}

func (q *limit) counts(owner string, labels []string) bool {
	return (len(q.Owners) == 0 || slices.Contains(q.Owners, owner)) && (q.Label == "" || slices.Contains(labels, q.Label))
}

// takes returns how much the quota counts of a part or a place on a schedule.
func (o *ideal) takes(q *limit, on string, units int64, each, head []int64) int64 {
	var names []string // on which the part may lie
	for name, b := range o.boards {
		if slices.Contains(o.behind(on), b) && b.of == nil {
			names = append(names, name)
		}
	}
	counted := len(q.On) == 0
	for _, name := range q.On {
		b := o.boards[name]
		counted = counted || name == names[0] || slices.Contains(b.of, names[0])
	}
	switch {
	case !counted:
		return 0
	case q.Resource == "":
		return units
	case each == nil:
		return 0
	}
	r := slices.Index([]string{"gpus", "cores"}, q.Resource)
	if r < 0 || r >= len(each) {
		return 0
	}
	sum := units * each[r]
	if head != nil {
		sum += head[r]
	}
	return sum
}

// used adds the use of an entry to a tape.
func (o *ideal) used(q *limit, x *tape, e *entry, sign int64) {
	add := func(w bookahead.Interval, on string, units int64, each, head []int64) {
		_, kept := o.kept[e.ID]
		since, cut := q.since[e.ID]
		if !kept && cut {
			w.Start = max(w.Start, since)
		}
		if !w.Empty() {
			x.add(w, sign*o.takes(q, on, units, each, head))
		}
	}
	for _, p := range e.Past {
		add(p.Interval, p.On, p.Units, p.Each, p.HeadTakes)
	}
	for i, p := range e.Places {
		tasks := e.Shapes[e.Shape][i].Tasks
		if tasks == nil {
			add(p.Interval, p.On, p.Units, nil, nil)
		} else {
			add(p.Interval, p.On, p.Units, tasks.Each, tasks.Head)
		}
	}
}

// tapeOf returns the use that a quota counts for an owner, but for one booking.
func (o *ideal) tapeOf(q *limit, owner string, not BookingID) *tape {
	x := newTape(o.now)
	for id, e := range q.known {
		if id != not && q.counts(e.Owner, e.Labels) && (!q.Each || e.Owner == owner) {
			o.used(q, x, e, 1)
		}
	}
	return x
}

// stretches returns the periods and windows that are not over and have some of the ticks of when.
func (o *ideal) stretches(q *limit, when bookahead.Interval) (list []bookahead.Interval) {
	if q.Ticks == 0 {
		return nil
	}
	list = append(list, q.Periods...)
	for t := q.From; q.Every > 0 && t < when.End; t += bookahead.Time(q.Every) {
		list = append(list, bookahead.Interval{Start: t, End: t + bookahead.Time(q.Every)})
	}
	for t := when.Start - bookahead.Time(q.Window); q.Window > 0 && t < when.End; t++ {
		list = append(list, bookahead.Interval{Start: t, End: t + bookahead.Time(q.Window)})
	}
	return slices.DeleteFunc(list, func(w bookahead.Interval) bool { return w.End <= o.now || !w.Overlaps(when) })
}

// beyond reports whether a quota is broken on a tape where there is more than before.
func (o *ideal) beyond(q *limit, before, after *tape) bool {
	more := bookahead.Interval{Start: after.end()} // to the last tick of which there is more
	for i, n := range after.use {
		t := after.base + bookahead.Time(i)
		if n <= before.use[i] {
			continue
		}
		more.Start, more.End = min(more.Start, t), t+1
		if (q.Units > 0 || q.None) && t >= o.now && n > q.Units {
			return true
		}
	}
	if more.Empty() {
		return false
	}
	return slices.ContainsFunc(o.stretches(q, more), func(w bookahead.Interval) bool {
		n := after.sum(w)
		return n > q.Ticks && n > before.sum(w)
	})
}

// allowed returns a function that says whether the quotas allow some parts, but for those in except. The use of one booking
// counts as free.
func (o *ideal) allowed(r *Request, not BookingID, except []string) func(seats []seat) bool {
	type rule struct {
		*limit
		has *tape
	}
	var rules []rule
	for _, name := range slices.Sorted(maps.Keys(o.limits)) {
		q := o.limits[name]
		if q.counts(r.Owner, r.Labels) && !slices.Contains(except, name) {
			rules = append(rules, rule{q, o.tapeOf(q, r.Owner, not)})
		}
	}
	return func(seats []seat) bool {
		for _, q := range rules {
			after := &tape{q.has.base, slices.Clone(q.has.use)}
			some := false
			for _, s := range seats {
				n := o.takesOf(q.limit, s.part)
				after.add(s.Interval, n)
				some = some || n > 0
			}
			if some && o.beyond(q.limit, q.has, after) {
				return false
			}
		}
		return true
	}
}

// takesOf returns how much a quota counts of a part.
func (o *ideal) takesOf(q *limit, p *Part) int64 {
	if p.Tasks == nil {
		return o.takes(q, p.On, p.Units, nil, nil)
	}
	return o.takes(q, p.On, p.Units, p.Tasks.Each, p.Tasks.Head)
}

// joint returns the names of the quotas of unit-ticks that count two steps of a shape.
func (o *ideal) joint(r *Request, s Shape) (names []string) {
	for name, q := range o.limits {
		if q.Ticks == 0 || !q.counts(r.Owner, r.Labels) {
			continue
		}
		steps := 0
		for _, x := range spellsOf(s) {
			sum := int64(0)
			for _, p := range x.parts {
				sum += o.takesOf(q, p)
			}
			steps += min(1, int(sum))
		}
		if steps > 1 {
			names = append(names, name)
		}
	}
	return names
}

// worsens reports whether a quota is broken, or broken further, when a booking is another one.
func (o *ideal) worsens(old, e *entry) bool {
	for _, q := range o.limits {
		for _, owner := range []string{old.Owner, e.Owner} {
			before, after := o.tapeOf(q, owner, old.ID), o.tapeOf(q, owner, old.ID)
			mine := func(x *entry) bool {
				return q.counts(x.Owner, x.Labels) && (!q.Each || x.Owner == owner)
			}
			if mine(old) {
				o.used(q, before, old, 1)
			}
			if mine(e) {
				o.used(q, after, e, 1)
			}
			if o.beyond(q, before, after) {
				return true
			}
		}
	}
	return false
}

// goesOn returns a booking that has begun, as it uses its schedules for another request: as before until now.
func (o *ideal) goesOn(old *entry, to Request) *entry {
	e := *old
	e.Request, e.Shape = to, 0
	e.Past = slices.Clone(old.Past)
	e.Places = slices.Clone(old.Places)
	for i := range e.Places {
		p := &e.Places[i]
		if p.End <= o.now {
			continue
		}
		p.Units, p.End = to.Shapes[0][i].Units, old.began[i]+bookahead.Time(to.Shapes[0][i].Duration)
		if p.Start >= o.now {
			continue
		}
		piece := o.until(old, i)
		e.Past = append(e.Past, piece)
		p.Start = o.now
	}
	return &e
}

// oldest returns the first tick whose use a quota needs.
func (o *ideal) oldest(q *Quota) bookahead.Time {
	first := o.now
	if q.Window > 0 {
		first = min(first, max(0, o.now-bookahead.Time(q.Window)+1))
	}
	for _, p := range q.Periods {
		if p.Contains(o.now) {
			first = min(first, p.Start)
		}
	}
	if q.Every > 0 && o.now >= q.From {
		first = min(first, o.now-(o.now-q.From)%bookahead.Time(q.Every))
	}
	return first
}

func (o *ideal) setQuota(c SetQuota) verdict {
	given := len(c.Periods) > 0 || c.Every > 0 || c.Window > 0
	bad := c.Name == "" || c.Ticks > 0 && !given || min(c.Units, c.Waiting) < 0 || c.None && max(c.Units, c.Ticks, c.Waiting) > 0
	counted := map[string]bool{}
	for _, name := range c.On {
		b := o.boards[name]
		bad = bad || b == nil
		if b != nil && b.of != nil {
			for _, name := range b.of {
				counted[name] = true
			}
		}
		counted[name] = true
	}
	for _, b := range o.boards {
		for _, name := range b.of {
			bad = bad || len(c.On) > 0 && counted[name] != counted[b.of[0]]
		}
	}
	named := c.Resource == ""
	for name, b := range o.boards {
		nodes, ok := b.kind.(Nodes)
		named = named || ok && slices.Contains(nodes.Resources, c.Resource) && (len(c.On) == 0 || counted[name])
	}
	if bad || !named {
		return refuse(invalid)
	}
	return verdict{then: func() {
		q := &limit{SetQuota: c, known: maps.Clone(o.kept), since: map[BookingID]bookahead.Time{}}
		was := o.limits[c.Name]
		if was != nil && o.sameCount(&was.Quota, &c.Quota) {
			for id, e := range was.known {
				if o.kept[id] == nil && was.counts(e.Owner, e.Labels) && q.counts(e.Owner, e.Labels) {
					q.known[id], q.since[id] = e, max(was.since[id], o.oldest(&was.Quota))
				}
			}
		}
		o.limits[c.Name] = q
		o.tell(WasSet, nil, o.now, bookahead.Interval{}, bookahead.Interval{})
		o.told[0].Quota = c.Name
	}}
}

// sameCount reports whether the use by forgotten bookings that a has counted counts for b too.
func (o *ideal) sameCount(a, b *Quota) bool {
	more := len(b.Owners) == 0 || len(a.Owners) > 0
	for _, owner := range a.Owners {
		more = more && (len(b.Owners) == 0 || slices.Contains(b.Owners, owner))
	}
	return (a.Each || more) && a.Label == b.Label && a.Each == b.Each && a.Resource == b.Resource && slices.Equal(o.counted(a), o.counted(b))
}

// counted returns the schedules that a quota counts, by name, also those behind brokers; nil for all.
func (o *ideal) counted(q *Quota) (list []string) {
	for _, name := range q.On {
		list = append(list, o.boards[name].of...)
		if o.boards[name].of == nil {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (o *ideal) dropQuota(c DropQuota) verdict {
	if c.Name == "" {
		return refuse(invalid)
	}
	if o.limits[c.Name] == nil {
		return refuse(notFound)
	}
	return verdict{then: func() {
		delete(o.limits, c.Name)
		o.tell(WasDropped, nil, o.now, bookahead.Interval{}, bookahead.Interval{})
		o.told[0].Quota = c.Name
	}}
}

// quota draws a quota, or another one under its name.
func (d *drawer) quota() Command {
	c := SetQuota{Name: pick(d, "a", "b", "c")}
	if d.one(5) {
		return DropQuota{pick(d, "a", "b", "c", "", "d")}
	}
	was := d.o.limits[c.Name]
	if was != nil && d.one(2) {
		c.Quota = was.Quota
		c.Units, c.Ticks, c.Periods, c.Every, c.From, c.Window, c.Waiting, c.None = 0, 0, nil, 0, 0, 0, 0, false
	} else {
		c.Owners = pick(d, nil, nil, []string{"ann"}, []string{"ann", "bob", "zoe"})
		c.Label = pick(d, "", "", "", "a", "b")
		c.Each = d.one(2)
		c.On = pick(d, nil, nil, []string{"any"}, []string{"farm"}, []string{"farms"}, []string{"pool", "line", "lab"}, []string{"pool", "any"}, []string{"pool"}, []string{"none"})
		c.Resource = pick(d, "", "", "", "cores", "gpus")
		if c.Resource != "" && !d.one(8) {
			c.On = pick(d, nil, []string{"farm"}, []string{"farms"})
		}
		if d.one(40) {
			c.Resource = "gqus"
		}
	}
	many := int64(1)
	if c.Resource == "cores" {
		many = 4
	}
	kind := d.n(7)
	if d.joint {
		c.On, c.Label, kind = pick(d, nil, nil, c.On), "", 2+d.n(4)
	}
	switch kind {
	case 6:
		if d.one(3) { // it is hard on its owners, and another comes soon
			c.None = true
			return c
		}
	case 0, 1:
		c.Units = many * int64(1+d.n(8))
	case 2:
		c.Ticks, c.Window = many*int64(10+d.n(60)), bookahead.Duration(1+d.n(40))
	case 3:
		c.Ticks, c.Every, c.From = many*int64(10+d.n(60)), pick(d, rounds...), d.o.now+bookahead.Time(pick(d, 0, 0, 9))
	case 4:
		c.Ticks = many * int64(5+d.n(50))
		c.Periods = []bookahead.Interval{{Start: d.o.now, End: d.o.now + 9}, {Start: d.o.now + 9 + bookahead.Time(d.n(5)), End: d.o.now + 40}}
	case 5:
		c.Units, c.Ticks, c.Every, c.Window = many*6, many*int64(20+d.n(60)), 15, bookahead.Duration(d.n(20))
	}
	if d.one(3) {
		c.None = d.one(20)
		c.Waiting = int64(pick(d, 1, 1, 2, 3))
	}
	return c
}
