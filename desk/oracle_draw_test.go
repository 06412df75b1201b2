package desk

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// drawer draws commands for an oracle: n returns a number from 0 to below its argument. Rapid draws for short
// runs, which it can make shorter, and a generator for long ones.
type drawer struct {
	n     func(int) int
	o     *ideal
	asked []Book // with a key

	askedSeries []Command // of which retries are drawn
	serial      bool      // a third of the commands are about series
	single      bool      // no command is about series, or a batch
	within      bool      // a batch is drawn

	strict bool   // terms are set
	free   bool   // no quotas are set
	only   string // a rule, of which all terms are; "" for any
	joint  bool   // most shapes have two steps or more, and most quotas are of unit-ticks and count many of them
}

// one reports whether something happens that happens once in n.
func (d *drawer) one(n int) bool { return d.n(n) == n-1 }

func pick[E any](d *drawer, list ...E) E { return list[d.n(len(list))] }

// schedules returns the commands that open a desk.
func (d *drawer) schedules() []Command {
	horizon := bookahead.Duration(pick(d, 0, 0, 50, 80))
	farm := Nodes{
		Horizon: horizon, Resources: []string{"gpus", "cores"}, Policy: pick(d, "", "best", "fewest", "spread"),
		Nodes:  []nodes.Vector{{2, 8}, {2, 8}, {0, 16}, {1, 4}},
		Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2, 3}}}},
	}
	return []Command{
		AddSchedule{"pool", Pool{Units: 5, Horizon: horizon}}, AddSchedule{"line", Pool{Units: 3}},
		AddSchedule{"lab", Servers{Count: 4, Horizon: horizon, Prefer: pick(d, "", "lowest", "best", "worst")}},
		AddSchedule{"farm", farm},
		AddSchedule{"any", Broker{Of: []string{"line", "lab", "pool"}, Policy: pick(d, "", "first", "least-loaded", "shortest-queue")}},
		AddSchedule{"farms", Broker{Of: []string{"farm"}}},
	}
}

// command draws a command.
func (d *drawer) command() Command {
	busy := 0
	for _, e := range d.o.kept {
		if e.State.Live() {
			busy++
		}
	}
	if d.serial && d.one(3) {
		return d.series()
	}
	k := d.n(27 + busy)
	switch {
	case k == 24 && !d.free:
		return d.quota()
	case k == 25 && !d.single:
		return d.series()
	case k == 26 && !d.single && !d.within:
		return d.batch()
	case d.joint && len(d.o.limits) < 2 && d.one(3):
		return d.quota()
	case k < 9 || k == 24:
		return d.book()
	case k < 12:
		return Advance{d.o.now + bookahead.Time(pick(d, 0, 1, 1, 1, 2, 3, 7, -1))}
	case k < 14:
		return Commit{d.id(Held)}
	case k < 17:
		return d.change()
	case k < 18:
		return End{d.id(Running)}
	case k < 20:
		return d.overrun()
	case k < 21 && d.one(4):
		return d.add()
	case k < 21 && d.strict:
		return d.setTerms()
	}
	if d.one(8) {
		return Cancel{d.id(Waiting)}
	}
	return Cancel{d.id(0)}
}

// add draws a schedule, which rarely is one that a desk takes.
func (d *drawer) add() Command {
	name := pick(d, "", "pool", "spare")
	return AddSchedule{name, pick[Kind](d, Pool{Units: 1}, Pool{}, nil, Broker{Of: []string{"any"}}, Broker{Of: []string{"lab", "none"}}, Servers{Count: 2})}
}

// id draws a booking, as a rule one of a state; of 0, any that is live.
func (d *drawer) id(state State) BookingID {
	if d.one(30) {
		return BookingID(d.n(int(d.o.last) + 2))
	}
	var ids []BookingID
	for id, e := range d.o.kept {
		if e.State == state || state == 0 && e.State.Live() {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return d.o.last
	}
	slices.Sort(ids)
	return pick(d, ids...)
}

func (d *drawer) book() Command {
	c := Book{Request: d.request()}
	if d.one(3) {
		c.Hold = d.o.now + bookahead.Time(1+d.n(20))
	}
	if d.one(60) {
		c.Hold = d.o.now - bookahead.Time(d.n(2))
	}
	if d.one(3) {
		d.wait(&c)
	}
	if !d.one(3) {
		return c
	}
	if len(d.asked) > 0 && d.one(2) { // a retry, maybe with a slip
		c = pick(d, d.asked...)
		switch d.n(8) {
		case 0:
			c.Title += "!"
		case 1:
			c.Labels = append([]string{"x"}, c.Labels...)
		case 2:
			c.Labels = slices.Clone(c.Labels)
			slices.Reverse(c.Labels)
		case 3:
			c.Hold++
		case 4:
			c.Force = pick(d, Nobody, Lower, Anybody)
			now := c
			now.Wait = 0
			if d.o.book(now).error == unavailable {
				c.Force = Nobody // others would have to give way, and the oracle moves nobody
			}
		case 5:
			c.Shapes = append(c.Shapes[:len(c.Shapes):len(c.Shapes)], Shape{d.part("pool")})
		}
		return c
	}
	c.Key = fmt.Sprintf("key %d\xff", d.n(40))
	d.asked = append(d.asked, c)
	if len(d.asked) > 6 {
		d.asked = slices.Delete(d.asked, 0, 1)
	}
	return c
}

// request draws a request that a desk can search for, as a rule.
func (d *drawer) request() Request {
	r := Request{Owner: pick(d, "ann", "bob", "", "\xff\x00"), Title: pick(d, "", "run"), Priority: int64(d.n(3))}
	r.Labels = pick(d, nil, nil, []string{"a"}, []string{"b", "a"}, []string{"b", "c"})
	r.Labels = slices.Clone(r.Labels)
	r.Ready = d.o.now + bookahead.Time(pick(d, 0, -5, d.n(5), d.n(40)))
	for range pick(d, 1, 1, 1, 2, 3) {
		shape := d.shape()
		for try := Shape(shape); d.o.unsearchable(&Request{Shapes: []Shape{try}}); {
			shape = Shape{d.part(pick(d, "pool", "lab"))} // servers are named maybe that a pool has not
			shape[0].Servers = nil
			try = shape
		}
		r.Shapes = append(r.Shapes, shape)
	}
	if d.one(3) {
		whole, shortest := bookahead.Time(0), bookahead.MaxTime
		for _, s := range r.Shapes {
			sum := bookahead.Time(0)
			for _, x := range spellsOf(s) {
				sum += x.length + bookahead.Time(x.gap.Least)
			}
			whole, shortest = max(whole, sum), min(shortest, sum)
		}
		if d.one(4) {
			whole = shortest // longer shapes are passed over
		}
		r.Deadline = max(0, r.Ready) + whole + bookahead.Time(d.n(30)-1)
	}
	if d.one(25) {
		d.spoil(&r)
	}
	return r
}

// spoil makes something wrong, mostly, of a request of one step.
func (d *drawer) spoil(r *Request) {
	r.Shapes = []Shape{{d.part("lab")}}
	p := &r.Shapes[0][0]
	switch d.n(14) {
	case 0:
		p.Units = int64(-d.n(2))
	case 1:
		p.Duration = bookahead.Duration(-d.n(2))
	case 2:
		p.Offset = -1
	case 3:
		p.After = &Gap{1, 2}
	case 4:
		p.On = pick(d, "", "none", "farm")
	case 5:
		p.Servers = pick(d, []int{9}, []int{1, 1}, []int{-1}, []int{})
	case 6:
		p.On, p.Servers = pick(d, "pool", "any"), []int{0, 1, 2, 3}
	case 7:
		p.Tasks = &nodes.Request{Each: nodes.Vector{1, 1}}
	case 8:
		p.On, p.Servers, p.Tasks = "farm", nil, &nodes.Request{Each: pick(d, nodes.Vector{1}, nodes.Vector{0, 0}, nodes.Vector{1, -1})}
	case 9:
		p.On, p.Servers, p.Tasks = "farms", nil, &nodes.Request{Each: nodes.Vector{1, 1}, Within: "row"}
	case 10:
		r.Labels = []string{"a", "b", "a"}
	case 11:
		r.Deadline = 1
	case 12:
		r.Shapes[0] = append(r.Shapes[0], Part{On: "any", Units: 1, Duration: 2})
	case 13:
		r.Shapes = pick(d, nil, []Shape{nil})
	}
}

func (d *drawer) shape() (s Shape) {
	parts := pick(d, 1, 1, 1, 2, 2, 3, 4)
	if d.joint {
		parts = pick(d, 1, 2, 2, 2, 3, 4)
	}
	for i := range parts {
		p := d.part(pick(d, "pool", "pool", "line", "lab", "lab", "farm", "any", "farms"))
		if i > 0 && (d.joint || d.one(2)) {
			least := bookahead.Duration(d.n(5))
			p.After = &Gap{least, least + pick[bookahead.Duration](d, 0, 1, 6, 1<<40)}
		}
		if d.one(3) {
			p.Offset = bookahead.Duration(d.n(6))
		}
		s = append(s, p)
	}
	if d.o.unfit(&Request{Shapes: []Shape{s}}) && !d.one(20) {
		return s[:1]
	}
	return s
}

func (d *drawer) part(on string) Part {
	p := Part{On: on, Units: int64(1 + d.n(4)), Duration: bookahead.Duration(1 + d.n(10))}
	if d.one(2) {
		p.Units = 1
	}
	switch on {
	case "lab":
		p.Units = min(p.Units, 3)
		if d.one(3) {
			p.Servers = d.some(4, int(p.Units))
		}
	case "farm", "farms":
		p.Tasks = d.tasks()
	}
	return p
}

// some draws at least so many of n.
func (d *drawer) some(n, least int) (list []int) {
	for len(list) < least || d.one(3) && len(list) < n {
		k := d.n(n)
		for slices.Contains(list, k) {
			k = (k + 1) % n
		}
		list = append(list, k)
	}
	return list
}

func (d *drawer) tasks() *nodes.Request {
	r := &nodes.Request{Each: pick(d, nodes.Vector{1, 1}, nodes.Vector{0, 4}, nodes.Vector{1, 4}, nodes.Vector{0, 3})}
	switch d.n(8) {
	case 0:
		r.PerNode = int64(1 + d.n(2))
	case 1:
		r.Within = "rack"
	case 2:
		r.Nodes = d.some(4, 1)
	case 3:
		r.Except = d.some(4, 1)
	case 4:
		r.Head = pick(d, nodes.Vector{1, 0}, nodes.Vector{0, 5})
	case 5:
		r.Together = "rack"
	}
	return r
}

// change draws another request for a booking: nearly the same, or quite another.
func (d *drawer) change() Command {
	c := Change{ID: d.id(pick(d, 0, Running, Booked))}
	e := d.o.kept[c.ID]
	if e == nil || d.one(6) {
		c.To = d.request()
		if e != nil && e.Start <= d.o.now && !d.o.senseless(&c.To) && !d.o.unfit(&c.To) && d.o.unsearchable(&c.To) {
			c.To.Shapes = nil // else the error depends on the parts that are over
		}
		return c
	}
	c.To = e.Request.Clone()
	switch d.n(8) {
	case 0:
		c.To.Owner, c.To.Labels = pick(d, "ann", "zoe"), []string{"new"}
		return c
	case 1:
		c.To.Ready += bookahead.Time(d.n(11) - 5)
	case 2:
		c.To.Deadline = 0
	case 3:
		c.To.Deadline = d.o.now + bookahead.Time(5+d.n(30))
	}
	for i, s := range c.To.Shapes {
		s = slices.Clone(s)
		for j := range s {
			d.vary(&s[j])
		}
		c.To.Shapes[i] = s
	}
	if e.State.Live() && e.Start <= d.o.now && !d.one(10) {
		c.To.Shapes = c.To.Shapes[e.Shape : e.Shape+1]
		for i, p := range e.Places { // those that are over stay as they were
			if p.End <= d.o.now && !d.one(20) {
				c.To.Shapes[0][i] = e.Shapes[e.Shape][i]
			}
		}
	} else if d.o.unsearchable(&c.To) {
		c.To = d.request()
	}
	return c
}

func (d *drawer) vary(p *Part) {
	switch d.n(8) {
	case 0:
		p.Units++
	case 1:
		p.Units = max(1, p.Units-1)
	case 2:
		p.Duration += bookahead.Duration(1 + d.n(4))
	case 3:
		p.Duration = max(1, p.Duration-1)
	case 4:
		p.Units, p.Duration = max(1, p.Units-1), p.Duration+3
	}
	if p.Servers != nil && (int64(len(p.Servers)) < p.Units || d.one(4)) {
		p.Servers = d.some(4, int(min(4, p.Units)))
	}
}

func (d *drawer) overrun() Command {
	c := Overrun{ID: d.id(Running), Until: d.o.now}
	e := d.o.kept[c.ID]
	if e != nil && !d.one(20) {
		c.Until = e.End + bookahead.Time(d.n(6))
	}
	return c
}
