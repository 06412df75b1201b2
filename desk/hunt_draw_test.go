package desk

import (
	"cmp"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// edges are the numbers with which histories are hunted. Their neighbours come too.
var edges = []int64{0, 1, 2, 3, 5, 20, 100, 1 << 20, 1 << 31, 1 << 40, 1 << 52, 1 << 61, math.MaxInt64}

// hunter draws a history with numbers at the edges. n returns a number from 0 to below its argument.
type hunter struct {
	n    func(int) int
	d    *Desk
	tame int // of 8 numbers so many are small
}

func (h *hunter) one(n int) bool { return h.n(n) == n-1 }

func from[E any](h *hunter, list ...E) E { return list[h.n(len(list))] }

// num draws a number at an edge.
func (h *hunter) num() int64 {
	few := len(edges)
	if h.n(8) < h.tame {
		few = 7
	}
	x := edges[h.n(few)]
	switch h.n(10) {
	case 0:
		x--
	case 1:
		x += min(1, math.MaxInt64-x)
	case 2:
		if h.one(4) {
			x = -x
		}
	}
	return x
}

// most draws a number of at most so much, as a rule.
func (h *hunter) most(most int64) int64 {
	x := h.num()
	if !h.one(16) {
		x = min(x, most)
	}
	return x
}

func (h *hunter) ticks() bookahead.Duration { return bookahead.Duration(h.num()) }

// length draws a duration that is valid, as a rule.
func (h *hunter) length() bookahead.Duration { return max(1-bookahead.Duration(h.n(40)/39), h.ticks()) }

// time draws a tick, as a rule from the clock on.
func (h *hunter) time() bookahead.Time {
	t := bookahead.Time(h.num())
	if !h.one(4) && t <= bookahead.MaxTime-h.d.b.now {
		t += h.d.b.now
	}
	return t
}

func (h *hunter) span() bookahead.Interval {
	start := h.time()
	if start < 0 && !h.one(8) {
		start = 0
	}
	return bookahead.Interval{Start: start, End: addTicks(max(start, 0), h.length())}
}

func (h *hunter) on() string {
	if h.one(30) {
		return from(h, "more", "none")
	}
	return from(h, "pool", "pool", "line", "lab", "lab", "farm", "any", "farms")
}

func (h *hunter) who() string { return from(h, "", "ann", "ann", "bob") }

func (h *hunter) force() Force { return from(h, Nobody, Nobody, Lower, Anybody) }

// about draws a command about a booking in one of some states, or a Book if there is none.
func (h *hunter) about(command func(id BookingID) Command, states ...State) Command {
	var list []BookingID
	for _, r := range h.d.b.all.All(h.d.b.now) {
		if slices.Contains(states, r.State) {
			list = append(list, r.ID)
		}
	}
	switch {
	case h.one(20):
		return command(max(1, h.d.b.last-BookingID(h.n(6))))
	case len(list) > 0:
		return command(from(h, list...))
	}
	return Book{Request: h.request(), Force: h.force()}
}

func (h *hunter) servers() (list []int) {
	for k := range 4 {
		if h.one(2) {
			list = append(list, k)
		}
	}
	if h.one(30) {
		list = append(list, int(h.num()))
	}
	return list
}

// kinds are the commands that open a desk.
func (h *hunter) kinds() []Command {
	horizon := func() bookahead.Duration { return bookahead.Duration(from(h, 0, 0, 0, max(0, h.num()))) }
	return []Command{
		AddSchedule{"pool", Pool{max(1, h.num()), horizon()}},
		AddSchedule{"line", Pool{from[int64](h, 1, 2, 3), horizon()}},
		AddSchedule{"lab", Servers{max(1, h.most(5)), horizon(), from(h, "", "lowest", "best", "worst")}},
		AddSchedule{"farm", Nodes{Horizon: horizon(), Resources: []string{"gpus", "cores"}, Policy: from(h, "", "best", "fewest", "spread"),
			Nodes:  []nodes.Vector{{max(0, h.num()), max(1, h.num())}, {2, 8}, {8, 8}, {max(1, h.num()), 0}},
			Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2, 3}}}}, Sets: map[string][]int{"big": {2}}}},
		AddSchedule{"any", Broker{[]string{"line", "lab", "pool"}, from(h, "", "least-loaded", "shortest-queue")}},
		AddSchedule{"farms", Broker{[]string{"farm"}, ""}},
	}
}

func (h *hunter) part(later bool) Part {
	p := Part{On: h.on(), Units: max(1, h.most(5)), Duration: h.length()}
	if p.On == "pool" && h.one(2) {
		p.Units = max(1, h.num())
	}
	switch {
	case later && h.one(2):
		least := max(0, h.ticks())
		p.After = &Gap{least, addUp(least, max(0, h.ticks()))}
	case h.one(3):
		p.Offset = max(0, h.ticks())
	}
	switch p.On {
	case "lab":
		if h.one(3) {
			p.Servers = h.servers()
			p.Units = min(p.Units, int64(max(1, len(p.Servers))))
		}
	case "farm", "farms":
		p.Tasks = &nodes.Request{Each: nodes.Vector{max(0, h.num()), max(0, h.most(5))}, PerNode: max(0, h.num())}
		switch h.n(8) {
		case 0:
			p.Tasks.Head = nodes.Vector{max(0, h.num()), 1}
		case 1:
			p.Tasks.Set = "big"
		case 2:
			p.Tasks.Within = "rack"
		case 3:
			p.Tasks.Together = "rack"
			if h.n(2) == 0 {
				p.Tasks.Within = "rack"
			}
		case 4:
			p.Tasks.Nodes = h.servers()
		case 5:
			p.Tasks.Except = h.servers()
		}
	}
	return p
}

func (h *hunter) request() Request {
	r := Request{Owner: h.who(), Priority: h.num(), Ready: h.time()}
	if h.one(4) {
		r.Labels = []string{"blue"}
	}
	for range from(h, 1, 1, 1, 2) {
		s := Shape{}
		for i := range from(h, 1, 1, 1, 2, 2, 3) {
			s = append(s, h.part(i > 0))
		}
		r.Shapes = append(r.Shapes, s)
	}
	if h.one(2) {
		r.Deadline = addTicks(max(r.Ready, 0), addUp(r.Shapes[0].least(), max(0, h.ticks())))
		if h.one(16) {
			r.Deadline = h.time()
		}
	}
	return r
}

// windows draws the windows of a series, in order, and of some length at least as a rule.
func (h *hunter) windows(least bookahead.Duration) (at Occurrences) {
	start := max(0, h.time())
	for range 1 + h.n(6) {
		length := h.length()
		if !h.one(30) {
			length = addUp(least, max(0, h.ticks()))
		}
		at = append(at, bookahead.Interval{Start: start, End: addTicks(start, length)})
		start = addTicks(start, max(0, h.ticks()))
	}
	slices.SortFunc(at, func(a, b bookahead.Interval) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return at
}

func (h *hunter) quota() Command {
	c := SetQuota{Name: from(h, "q", "r")}
	c.Each = h.one(2)
	if h.one(3) {
		c.Owners = []string{"ann"}
	}
	switch h.n(6) {
	case 0:
		c.Label = "blue"
	case 1:
		c.On = []string{from(h, "pool", "farm")}
	case 2:
		c.Resource = "cores"
	}
	switch h.n(6) {
	case 0:
		c.Units = h.num()
	case 1, 2:
		c.Ticks, c.Window = max(1, h.num()), h.length()
	case 3, 4:
		c.Ticks, c.Every, c.From = max(1, h.num()), h.length(), h.time()
	case 5:
		c.Ticks, c.Periods = max(1, h.num()), []bookahead.Interval{h.span()}
	}
	if h.one(6) {
		c.Waiting = h.num()
	}
	return c
}

func (h *hunter) terms() (t Terms) {
	if h.one(3) {
		start := max(0, h.time())
		for range 1 + h.n(5) {
			w := bookahead.Interval{Start: start, End: addTicks(start, h.length())}
			t.Open, start = append(t.Open, w), addTicks(w.End, h.length())
		}
	}
	rule := func(to *bookahead.Duration) {
		if h.one(4) {
			*to = h.ticks()
		}
	}
	rule(&t.Longest)
	rule(&t.Notice)
	rule(&t.Ahead)
	rule(&t.Before)
	rule(&t.After)
	if h.one(6) {
		t.Owners = []string{"ann"}
	}
	if h.one(6) {
		t.Needs = h.time()
	}
	return t
}

// command draws a command of any kind.
func (h *hunter) command(batch bool) Command {
	switch h.n(40) {
	default:
		return Book{Request: h.request(), Force: h.force()}
	case 0, 1:
		return Book{Request: h.request(), Wait: addTicks(h.d.b.now, h.length()), Force: h.force()}
	case 2:
		return Book{Request: h.request(), Hold: addTicks(h.d.b.now, h.length()), Key: from(h, "", "key")}
	case 3, 4, 5:
		if h.one(4) {
			return Advance{h.time()}
		}
		return Advance{addTicks(h.d.b.now, bookahead.Duration(from(h, edges[:8]...)))}
	case 6:
		return h.about(func(id BookingID) Command { return Commit{id} }, Held)
	case 7, 8:
		return h.about(func(id BookingID) Command { return Change{id, h.request(), h.force()} }, Held, Booked)
	case 9, 10:
		return h.about(h.like, Held, Booked, Running)
	case 11, 12:
		return h.about(func(id BookingID) Command { return Cancel{id} }, Held, Booked, Running, Waiting)
	case 13:
		return h.about(func(id BookingID) Command { return End{id} }, Running)
	case 14, 15:
		return h.about(h.overrun, Running)
	case 16, 17, 18:
		c := Close{On: h.on(), Interval: h.span(), Force: h.force(), Priority: h.num()}
		if c.On == "lab" || c.On == "farm" {
			c.Servers = append(h.servers(), 0)
			c.Servers = slices.Compact(slices.Sorted(slices.Values(c.Servers)))
		} else {
			c.Units = max(1, h.num())
		}
		return c
	case 19:
		return Reopen{max(1, h.d.b.lastOutage-OutageID(h.n(3))), h.time()}
	case 20:
		c := Extend{On: h.on(), Interval: h.span()}
		if c.On == "farm" {
			c.Nodes = []nodes.Added{{Has: nodes.Vector{max(0, h.num()), 1}}}
		} else {
			c.Units = h.num()
		}
		return c
	case 21, 22, 23:
		c := BookSeries{Request: h.request(), Needs: from(h, 0, 0, h.time()), Key: from(h, "", "", "s")}
		c.Ready, c.Deadline, c.Shapes = 0, 0, c.Shapes[:1]
		for i := range c.Shapes[0] {
			c.Shapes[0][i].After = nil
			if h.one(3) {
				c.Shapes[0][i].Duration = 0
			}
		}
		c.At = h.windows(c.Shapes[0].least())
		switch h.n(3) {
		case 0:
			c.Partly = true
		case 1:
			c.Shift = max(0, h.ticks())
		}
		return c
	case 24:
		c := Continue{ID: h.series(), Needed: h.time(), Partly: h.one(2)}
		least := bookahead.Duration(1)
		s, err := h.d.b.seriesOf(c.ID)
		if err == nil {
			c.Needed, least = s.Needs, lasting(s.Shapes, 1)[0].least()
		}
		c.At = h.windows(least)
		c.Needs = from(h, 0, addTicks(max(c.Needed, h.d.b.now), h.length()))
		return c
	case 25:
		return CancelSeries{h.series(), h.time()}
	case 26, 27, 28:
		return h.quota()
	case 29:
		return DropQuota{from(h, "q", "r")}
	case 30, 31:
		return SetTerms{h.on(), h.terms()}
	case 32:
		return AddSchedule{"more", from[Kind](h, Pool{h.num(), h.ticks()}, Servers{h.most(100), h.ticks(), ""}, Servers{h.num(), 0, ""}, Broker{[]string{"pool", "lab"}, ""})}
	case 34:
		if batch {
			return Advance{h.time()}
		}
		return h.about(func(id BookingID) Command {
			g := Given{ID: id, Sum: uint64(h.num())}
			k, ok := h.d.b.booking(id)
			if ok && !h.one(4) {
				g.Sum = k.Sum()
			}
			if h.one(4) {
				g.Command = h.command(true) // none that holds others
			}
			return g
		}, Held, Booked, Running, Waiting)
	case 33:
		if batch {
			return Advance{h.time()}
		}
		var c Batch
		for range 1 + h.n(5) {
			c.Commands = append(c.Commands, h.command(true))
		}
		return c
	}
}

func (h *hunter) series() SeriesID { return max(1, h.d.b.series.last-SeriesID(h.n(3))) }

// like draws a Change of a booking to one that differs little.
func (h *hunter) like(id BookingID) Command {
	k, ok := h.d.b.booking(id)
	if !ok {
		return Cancel{1}
	}
	to := k.Request.Clone()
	to.Shapes = to.Shapes[min(k.Shape, len(to.Shapes)-1):][:1]
	p := &to.Shapes[0][h.n(len(to.Shapes[0]))]
	switch h.n(4) {
	case 0:
		p.Units = max(1, h.num())
	case 1:
		p.Duration = h.length()
	case 2:
		p.Duration += bookahead.Duration(h.n(3) - 1)
	case 3:
		to.Owner = h.who()
	}
	return Change{k.ID, to, h.force()}
}

// overrun draws an Overrun that ends late enough.
func (h *hunter) overrun(id BookingID) Command {
	c := Overrun{id, h.time(), h.force()}
	k, ok := h.d.b.booking(id)
	if ok {
		c.Until = addTicks(k.End, h.length())
	}
	return c
}
