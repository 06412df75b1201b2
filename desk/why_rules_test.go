package desk

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// naiveRule is a rule of terms as the oracle has it.
type naiveRule struct {
	name string
	has  func(t *Terms) (bool, bookahead.Duration)
	drop func(t *Terms)
}

// ticksRule is a rule that is a number of ticks.
func ticksRule(name string, field func(t *Terms) *bookahead.Duration) naiveRule {
	return naiveRule{
		name,
		func(t *Terms) (bool, bookahead.Duration) { return *field(t) > 0, *field(t) },
		func(t *Terms) { *field(t) = 0 },
	}
}

var naiveRules = []naiveRule{
	{"Open", func(t *Terms) (bool, bookahead.Duration) { return len(t.Open) > 0, 0 }, func(t *Terms) { t.Open = nil }},
	ticksRule("Longest", func(t *Terms) *bookahead.Duration { return &t.Longest }),
	ticksRule("Notice", func(t *Terms) *bookahead.Duration { return &t.Notice }),
	ticksRule("Ahead", func(t *Terms) *bookahead.Duration { return &t.Ahead }),
	ticksRule("Before", func(t *Terms) *bookahead.Duration { return &t.Before }),
	ticksRule("After", func(t *Terms) *bookahead.Duration { return &t.After }),
	{"Owners", func(t *Terms) (bool, bookahead.Duration) { return len(t.Owners) > 0, 0 }, func(t *Terms) { t.Owners = nil }},
}

// settled is a tick from which on nothing changes.
func (o *ideal) settled() bookahead.Time {
	hi := bookahead.Time(32)
	for _, b := range o.boards {
		hi = max(hi, b.decided(o.now))
	}
	for _, q := range o.limits {
		for _, p := range q.Periods {
			hi = max(hi, p.End)
		}
	}
	for _, q := range o.limits {
		hi += bookahead.Time(q.Window + 2*q.Every)
	}
	return hi + 2*bookahead.Time(o.buffers())
}

// allowedAnywhere reports whether the terms of one of its schedules allow a part that needs no units.
func (o *ideal) allowedAnywhere(s seat) bool {
	return slices.ContainsFunc(o.behind(s.part.On), func(b *board) bool { return o.allows(b, s) && o.padded(b, s).Start >= o.now })
}

// withoutEased returns steps without the parts that need no units.
func withoutEased(spells []spell, eased []*Part) (list []spell) {
	for _, x := range spells {
		x.parts = slices.DeleteFunc(slices.Clone(x.parts), func(p *Part) bool { return slices.Contains(eased, p) })
		list = append(list, x)
	}
	return list
}

// farEnough reports whether the last of some steps keeps the buffers to those before it.
func (o *ideal) farEnough(spells []spell, at []bookahead.Time, eased []*Part) bool {
	last := len(spells) - 1
	for j, x := range spells[:last] {
		for _, p := range x.parts {
			for _, q := range spells[last].parts {
				d := o.distance(p, q)
				if slices.Contains(eased, p) || slices.Contains(eased, q) || d == 0 {
					continue
				}
				if at[last]+bookahead.Time(q.Offset) < at[j]+bookahead.Time(p.Offset+p.Duration)+d {
					return false
				}
			}
		}
	}
	return true
}

// asks returns how much a quota counts of a part of the request.
func (w *wondering) asks(q *limit, p *Part) int64 {
	if !q.counts(w.r.Owner, w.r.Labels) {
		return 0
	}
	return w.takes(q, p.On, p.Units, nil, nil)
}

// breach finds where a quota is broken by the parts of a step, tick by tick.
func (w *wondering) breach(q *limit, seats []seat) (best Obstacle, found bool) {
	has, ok := w.tapes[q.Name]
	if !ok {
		has = w.tapeOf(q, w.r.Owner, 0)
		w.tapes[q.Name] = has
	}
	mine := make([]int64, 200)
	var edges []bookahead.Time
	all := bookahead.Interval{Start: bookahead.MaxTime}
	for _, s := range seats {
		n := w.asks(q, s.part)
		if n == 0 {
			continue
		}
		edges = append(edges, s.Start, s.End)
		all.Start, all.End = min(all.Start, s.Start), max(all.End, s.End)
		for t := s.Start; t < s.End; t++ {
			mine[t] += n
		}
	}
	slices.Sort(edges)
	for i := 0; i+1 < len(edges) && (q.Units > 0 || q.None); i++ {
		x := Obstacle{Window: ticks(edges[i], edges[i+1]), Bound: q.Units, Units: mine[edges[i]]}
		for t := x.Window.Start; t < x.Window.End; t++ {
			x.Use = max(x.Use, has.sum(ticks(t, t+1)))
		}
		if x.Units > 0 && !x.Window.Empty() && x.Use+x.Units > q.Units {
			return x, true
		}
	}
	if q.Ticks == 0 || len(edges) == 0 {
		return best, false
	}
	look := func(p bookahead.Interval) (Obstacle, bool) {
		x := Obstacle{Window: p, Bound: q.Ticks, Length: bookahead.Duration(p.End - p.Start), Use: has.sum(p)}
		x.Window.Start = max(0, p.Start)
		for t := x.Window.Start; t < p.End; t++ {
			x.Units += mine[t]
		}
		return x, x.Units > 0 && x.Use+x.Units > q.Ticks
	}
	periods := slices.Clone(q.Periods)
	for t := q.From; q.Every > 0 && t < all.End; t += bookahead.Time(q.Every) {
		periods = append(periods, ticks(t, t+bookahead.Time(q.Every)))
	}
	for _, p := range periods {
		x, over := look(p)
		if over {
			return x, true
		}
	}
	for t := all.Start - bookahead.Time(q.Window); q.Window > 0 && t < all.End; t++ {
		x, over := look(ticks(t, t+bookahead.Time(q.Window)))
		if over && (!found || x.Use+x.Units > best.Use+best.Units) {
			best, found = x, true
		}
	}
	return best, found
}

// count adds how much of a quota is in use where the shape would lie without it.
func (w *wondering) count(o *Obstacle, x *naivePlace) {
	q := w.limits[o.Quota]
	var seats []seat
	for i, at := range x.times {
		seats = append(seats, seat{part: &w.r.Shapes[o.Shape][i], Interval: at})
	}
	b, _ := w.breach(q, seats)
	o.Window, o.Length, o.Bound, o.Use, o.Units = b.Window, b.Length, b.Bound, b.Use, b.Units
	w.nameAll(o, func(e *entry, at *Place) bool {
		mine := !q.Each || e.Owner == w.r.Owner
		return mine && q.counts(e.Owner, e.Labels) && at.Overlaps(o.Window) && w.takes(q, at.On, at.Units, nil, nil) > 0
	})
}

// makeLaws sets terms and quotas, and books more under them.
func makeLaws(t require.TestingT, rng *rand.Rand, w *world) {
	for _, on := range []string{"p", "q", "s", "farm"} {
		c := SetTerms{On: on}
		d := func(n int) bookahead.Duration { return bookahead.Duration(1 + rng.IntN(n)) }
		for range rng.IntN(3) {
			switch rng.IntN(7) {
			case 0:
				c.Open = nil
				at := bookahead.Time(rng.IntN(8))
				for range 1 + rng.IntN(3) {
					end := at + bookahead.Time(2+rng.IntN(12))
					c.Open, at = append(c.Open, ticks(at, end)), end+bookahead.Time(1+rng.IntN(5))
				}
			case 1:
				c.Longest = d(4)
			case 2:
				c.Notice = d(6)
			case 3:
				c.Ahead = d(20)
			case 4:
				c.Before = d(3)
			case 5:
				c.After = d(3)
			case 6:
				c.Owners = []string{"ann"}
			}
		}
		require.NoError(t, w.run(c, false))
	}
	for range 6 {
		start, length := rng.IntN(24), 1+rng.IntN(4)
		r := asks(Part{On: []string{"p", "q", "s"}[rng.IntN(3)], Units: 1, Duration: bookahead.Duration(length)})
		r.Ready, r.Deadline, r.Owner = bookahead.Time(start), bookahead.Time(start+length+4), "ann"
		require.NoError(t, w.run(Book{Request: r}, false))
	}
	for _, name := range []string{"gold", "iron"} {
		c := SetQuota{Name: name}
		c.Each = rng.IntN(2) == 0
		switch rng.IntN(3) {
		case 0:
			c.Owners = []string{"ann"}
		case 1:
			c.On = []string{"s", "farm"}
		}
		switch rng.IntN(6) {
		case 5:
			c.None = true
		case 0:
			continue
		case 1:
			c.Units = 1 + rng.Int64N(6)
		case 2:
			c.Ticks, c.Window = 2+rng.Int64N(20), bookahead.Duration(1+rng.IntN(8))
		case 3:
			c.Ticks, c.Every, c.From = 2+rng.Int64N(20), bookahead.Duration(1+rng.IntN(10)), bookahead.Time(rng.IntN(6))
		case 4:
			c.Ticks, c.Periods = 2+rng.Int64N(16), []bookahead.Interval{ticks(0, 7), ticks(9, 20)}
		}
		require.NoError(t, w.run(c, false))
	}
}

// obstacleKind names the kind of an obstacle.
func obstacleKind(o *Obstacle) string {
	switch {
	case o.Rule != "":
		return o.Rule
	case o.Quota != "" && o.Length == 0:
		return "units of a quota"
	case o.Quota != "":
		return "unit-ticks of a quota"
	}
	return "units"
}

// TestWhyWithRulesAgainstAllStarts takes each part, each rule of terms and each quota out of a model by ticks, and tries all
// starts.
func TestWhyWithRulesAgainstAllStarts(t *testing.T) {
	counts, err := tryWhy(t, whyCases(), true, ask)
	require.NoError(t, err)
	t.Log(counts)
	if whyCases() >= 500 {
		require.Len(t, counts, 8+len(naiveRules)+4, "%v", counts)
	}
}

// TestFaultsOfRulesAreCaught: the comparison finds rules and quotas that are wrong on purpose.
func TestFaultsOfRulesAreCaught(t *testing.T) {
	each := func(change func(d *Desk, o *Obstacle)) asker {
		return amiss(func(d *Desk, _ *Request, f *Refusal) {
			for i := range f.Obstacles {
				change(d, &f.Obstacles[i])
			}
		})
	}
	for name, why := range map[string]asker{
		"no rule is blamed": amiss(func(_ *Desk, _ *Request, f *Refusal) {
			f.Obstacles = slices.DeleteFunc(f.Obstacles, func(o Obstacle) bool { return o.Rule != "" })
		}),
		"no quota is blamed": amiss(func(_ *Desk, _ *Request, f *Refusal) {
			f.Obstacles = slices.DeleteFunc(f.Obstacles, func(o Obstacle) bool { return o.Quota != "" })
		}),
		"another rule of the same terms": each(func(d *Desk, o *Obstacle) {
			if o.Rule == ruleBefore {
				o.Rule = ruleAfter
			}
		}),
		"the use with the request": each(func(_ *Desk, o *Obstacle) {
			if o.Quota != "" {
				o.Use += o.Units
			}
		}),
		"a period off by one": each(func(_ *Desk, o *Obstacle) {
			if o.Length > 0 {
				o.Window.End++
			}
		}),
		"bookings that a quota does not count": each(func(d *Desk, o *Obstacle) {
			if o.Quota == "" || o.More {
				return
			}
			for k := range d.Bookings(Filter{}, bookahead.Effort{}) {
				if k.Overlaps(o.Window) && len(o.Bookings) < MaxNamed && !slices.Contains(o.Bookings, k.ID) {
					o.Bookings = append(o.Bookings, k.ID)
				}
			}
		}),
		"a window without buffers": each(func(d *Desk, o *Obstacle) {
			if o.Rule == "" && o.Quota == "" && d.b.schedules[d.b.names[o.On]].terms != nil {
				o.Window.Start += bookahead.Time(d.b.schedules[d.b.names[o.On]].terms.Before)
			}
		}),
		"a rule that never changes": each(func(_ *Desk, o *Obstacle) {
			if o.Rule != "" {
				o.Until = bookahead.MaxTime
			}
		}),
	} {
		_, err := tryWhy(t, 200, true, why)
		require.Error(t, err, name)
	}
}

// TestRuleTexts has one line for each rule, and for the quotas.
func TestRuleTexts(t *testing.T) {
	d := deskWith(t, "lab", Pool{Units: 4}, "night", Pool{Units: 4}, "late", Pool{Units: 4}, "rare", Pool{Units: 4}, "clean", Pool{Units: 4}, "far", Pool{Units: 4}, "free", Pool{Units: 9})
	for _, c := range []Command{
		SetTerms{"lab", Terms{Longest: 4, Owners: []string{"ann"}}},
		SetTerms{"night", Terms{Open: []bookahead.Interval{ticks(8, 12)}}},
		SetTerms{"late", Terms{Notice: 3}},
		SetTerms{"far", Terms{Ahead: 1}},
		SetTerms{"clean", Terms{Before: 2}},
		Book{Request: Request{Owner: "bob", Shapes: []Shape{{{On: "free", Units: 2, Duration: 5}}}}},
		SetQuota{"gold", Quota{Owners: []string{"bob"}, Each: true, On: []string{"free"}, Ticks: 12, Every: 10}},
		SetQuota{"iron", Quota{Owners: []string{"eve"}, On: []string{"free"}, Units: 3}},
	} {
		_, err := d.Do(c)
		require.NoError(t, err)
	}
	for _, c := range []struct {
		owner string
		ready bookahead.Time
		part  Part
		want  string
	}{
		{"ann", 0, Part{On: "lab", Units: 1, Duration: 5}, `"lab" is booked for 4 ticks at the longest`},
		{"bob", 0, Part{On: "lab", Units: 1, Duration: 4}, `"lab" is not for "bob"`},
		{"bob", 0, Part{On: "night", Units: 1, Duration: 4}, `"night" is closed, and free at 8`},
		{"bob", 0, Part{On: "night", Units: 1, Duration: 5}, `"night" is closed, and never open for so long`},
		{"bob", 0, Part{On: "late", Units: 1, Duration: 5}, `"late" is booked 3 ticks ahead at the latest, and free at 3`},
		{"bob", 2, Part{On: "far", Units: 1, Duration: 5}, `"far" is booked 1 tick ahead at the earliest`},
		{"bob", 0, Part{On: "clean", Units: 1, Duration: 5}, `"clean" is set up for 2 ticks before, and free at 2`},
		{"bob", 0, Part{On: "free", Units: 1, Duration: 3}, `quota "gold" has 10 of 12 unit-ticks in use by #1, and room for 3 at 8`},
		{"eve", 0, Part{On: "free", Units: 4, Duration: 3}, `quota "iron" has 0 of 3 units in use, and never room for 4`},
	} {
		f, err := d.Why(Request{Owner: c.owner, Ready: c.ready, Shapes: []Shape{{c.part}}}, bookahead.Effort{})
		require.NoError(t, err)
		require.Len(t, f.Obstacles, 1, c.want)
		require.Equal(t, c.want, f.Obstacles[0].String())
		if c.part.On != "lab" || c.owner != "ann" {
			continue
		}
		for tick, long := range map[time.Duration]string{
			time.Second: "4s", 20 * time.Second: "1m20s", 15 * time.Minute: "1h", 25 * time.Minute: "1h40m", 24 * time.Hour: "96h", 1 << 62: "4 ticks",
		} {
			clock := bookahead.Clock{Epoch: time.Date(2026, 3, 28, 0, 0, 0, 0, time.UTC), Tick: tick}
			require.Equal(t, `"lab" is booked for `+long+` at the longest`, f.Obstacles[0].Text(clock, "15:04"))
		}
	}
}
