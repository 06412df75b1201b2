package desk

import (
	"fmt"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

// series draws a command about a series.
func (d *drawer) series() Command {
	ids := slices.Sorted(maps.Keys(d.o.series))
	id := SeriesID(d.n(int(d.o.lastSeries) + 2))
	if len(ids) > 0 && !d.one(20) {
		id = pick(d, ids...)
	}
	switch d.n(11) {
	case 0, 10:
		return CancelSeries{id, d.o.now + bookahead.Time(d.n(30)-10)}
	case 1, 2, 3:
		open := slices.DeleteFunc(ids, func(id SeriesID) bool { return d.o.series[id].Needs == 0 })
		if len(open) > 0 && !d.one(8) {
			id = pick(d, open...)
		}
		return d.goOn(id)
	case 4:
		if len(d.askedSeries) > 0 {
			return d.askAgain()
		}
	}
	return d.bookSeries()
}

// askAgain draws a command that was drawn before, maybe with a slip.
func (d *drawer) askAgain() Command {
	switch c := pick(d, d.askedSeries...).(type) {
	case BookSeries:
		switch d.n(8) {
		case 0:
			c.Title += "!"
		case 1:
			c.Labels = slices.Clone(c.Labels)
			slices.Reverse(c.Labels)
		case 2:
			c.At = c.At[:max(0, len(c.At)-1)]
		case 3:
			c.Partly, c.Shift = !c.Partly, 0
		case 4:
			c.Needs++
		}
		return c
	default:
		return c
	}
}

// ask remembers a command, of which a retry may be drawn.
func (d *drawer) ask(c Command) Command {
	d.askedSeries = append(d.askedSeries, c)
	if len(d.askedSeries) > 4 {
		d.askedSeries = slices.Delete(d.askedSeries, 0, 1)
	}
	return c
}

// bookSeries draws a series that a desk can search for, as a rule.
func (d *drawer) bookSeries() Command {
	c := BookSeries{Request: d.request()}
	c.Ready, c.Deadline = 0, 0
	if len(c.Shapes) > 2 {
		c.Shapes = c.Shapes[:2]
	}
	for _, s := range c.Shapes {
		for i := range s {
			s[i].After = nil
			if d.one(3) {
				s[i].Duration = 0
			}
		}
	}
	c.At = d.windows(&c.Request)
	if !d.o.suits(&c) && !d.one(20) {
		c.Request = Request{Owner: c.Owner, Title: c.Title, Labels: c.Labels, Priority: c.Priority, Shapes: []Shape{{d.part(pick(d, "pool", "line", "farm", "any"))}}}
		c.At = d.windows(&c.Request)
	}
	if d.o.suits(&c) && d.o.unsearchableSeries(&c.Request, c.At) {
		c.Shapes = []Shape{{{On: "pool", Units: int64(1 + d.n(3)), Duration: bookahead.Duration(d.n(5))}}}
		c.At = d.windows(&c.Request)
	}
	switch d.n(3) {
	case 1:
		c.Partly = true
	case 2:
		c.Shift = bookahead.Duration(1 + d.n(12))
	}
	if d.one(2) {
		c.Needs = d.o.now + bookahead.Time(1+d.n(15))
	}
	if d.one(30) {
		d.spoilSeries(&c)
	}
	if !d.one(3) {
		return c
	}
	c.Key = fmt.Sprintf("series %d\xff", d.n(20))
	return d.ask(c)
}

// suits reports whether the schedules that a series asks for are there.
func (o *ideal) suits(c *BookSeries) bool {
	return !o.senselessSeries(c) && !o.unfitSeries(&c.Request, c.At)
}

// windows draws windows that are mostly ahead and long enough: apart, or overlapping, or equal.
func (d *drawer) windows(r *Request) (at Occurrences) {
	least := bookahead.Duration(1)
	for _, p := range slices.Concat(r.Shapes...) {
		least = max(least, p.Offset+p.Duration, p.Offset+1)
	}
	w := bookahead.Interval{Start: max(0, d.o.now+bookahead.Time(d.n(25)-4))}
	apart := bookahead.Time(1 + d.n(14))
	for range pick(d, 1, 2, 2, 3, 4) {
		w.End = max(w.End, w.Start+bookahead.Time(least)+bookahead.Time(d.n(5)*d.n(2)))
		at = append(at, w)
		w.Start += apart
		if d.one(4) {
			w.Start += bookahead.Time(d.n(9)) - min(apart, 3)
		}
		w.End = w.Start + bookahead.Time(least)
	}
	slices.SortFunc(at, func(v, w bookahead.Interval) int { return int((v.Start-w.Start)*10_000 + v.End - w.End) })
	return at
}

// spoilSeries makes something wrong.
func (d *drawer) spoilSeries(c *BookSeries) {
	switch d.n(8) {
	case 0:
		c.Ready = 1
	case 1:
		c.At = nil
	case 2:
		slices.Reverse(c.At)
	case 3:
		c.At[0].Start = -1
	case 4:
		c.At[0].End = c.At[0].Start
	case 5:
		c.Shift = -1
	case 6:
		c.Needs = pick(d, -1, d.o.now)
	case 7:
		c.Partly, c.Shift = true, 2
	}
}

// goOn draws a Continue.
func (d *drawer) goOn(id SeriesID) Command {
	c := Continue{ID: id, Needed: d.o.now + bookahead.Time(d.n(4)), Partly: d.one(2)}
	s := d.o.series[id]
	if s == nil {
		c.At = d.windows(&Request{})
		return c
	}
	c.At = d.windows(&s.Request)
	for try := 0; d.o.unsearchableSeries(&s.Request, c.At); try++ {
		c.At = s.asked.At
		if try > 0 {
			return Continue{ID: id} // its windows are searchable, but as long as all others
		}
	}
	if s.Needs != 0 && !d.one(10) {
		c.Needed = s.Needs
	}
	if d.one(2) {
		c.Needs = max(c.Needed, d.o.now) + bookahead.Time(1+d.n(9))
	}
	switch d.n(40) {
	case 0:
		c.Needs = pick(d, -1, c.Needed, d.o.now)
	case 1:
		c.At = c.At[1:]
	case 2:
		c.At = slices.Clone(c.At)
		c.At[len(c.At)-1].End--
	}
	return d.ask(c)
}

// batch draws a Batch of commands that are mostly carried out, each by itself.
func (d *drawer) batch() Command {
	var c Batch
	d.within = true
	for range 1 + d.n(3) {
		one := d.command()
		k, ok := one.(Book)
		if ok {
			k.Force = Nobody
			one = k
		}
		c.Commands = append(c.Commands, one)
	}
	d.within = false
	return c
}
