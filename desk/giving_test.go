package desk

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/scheduletest"
)

// giving is a random run on a small desk, in which every command with Force is compared with the reference.
type giving struct {
	*testing.T
	rng    *rand.Rand
	d      *Desk
	tally  map[string]int
	forced int
	strict int // 1 if terms are set
}

func newGiving(t *testing.T, seed uint64) *giving {
	g := &giving{T: t, rng: rand.New(rand.NewPCG(seed, 23)), tally: map[string]int{}, strict: int(seed % 2)}
	d, err := New(Config{Keep: 10})
	require.NoError(t, err)
	g.d = d
	for _, c := range []AddSchedule{
		{"p", Pool{Units: 4, Horizon: 48}}, {"q", Pool{Units: 3, Horizon: 48}},
		{"s", Servers{Count: 3, Horizon: 48, Prefer: "lowest"}},
		{"n", Nodes{Horizon: 48, Resources: []string{"a", "b"}, Nodes: []nodes.Vector{{2, 3}, {2, 2}, {1, 3}}, Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2}}}}}},
		{"pq", Broker{Of: []string{"p", "q"}}}, {"ps", Broker{Of: []string{"s", "p"}}},
	} {
		_, err := d.Do(c)
		require.NoError(t, err)
	}
	return g
}

func (g *giving) upTo(n int) int64                   { return g.rng.Int64N(int64(n) + 1) }
func (g *giving) one(list ...int) bool               { return g.rng.IntN(list[0]) == 0 }
func (g *giving) ticks(n int) (d bookahead.Duration) { return bookahead.Duration(g.upTo(n)) }

// part returns a part on one of the schedules, or on a broker.
func (g *giving) part(alone bool) Part {
	on := []string{"p", "q", "s", "n", "p", "s", "n", "pq", "ps"}
	if !alone {
		on = on[:7] // a broker is refused beside its schedules
	}
	p := Part{On: on[g.rng.IntN(len(on))], Units: 1 + g.upTo(2), Duration: 1 + g.ticks(7)}
	switch p.On {
	case "s":
		if g.one(3) {
			p.Servers = []int{g.rng.IntN(3)}
			p.Units = 1
		}
	case "n":
		p.Tasks = &nodes.Request{Each: nodes.Vector{g.upTo(1), 1}, PerNode: g.upTo(2)}
		if g.one(4) {
			p.Tasks.Head = nodes.Vector{1, 0}
		}
		if g.one(4) {
			p.Tasks.Nodes = []int{2, g.rng.IntN(2)}
		}
		if g.one(4) {
			p.Tasks.Within = "rack"
		}
	}
	return p
}

// shape returns a shape of parts that may lie together.
func (g *giving) shape() Shape {
	if g.one(2) {
		return Shape{g.part(true)}
	}
	s := Shape{g.part(g.one(8))}
	for len(s) < 4 && g.one(2) {
		p := g.part(false)
		if g.one(2) {
			p.After = &Gap{Least: g.ticks(2)}
			p.After.Most = p.After.Least + g.ticks(6)
		} else {
			p.Offset = g.ticks(3)
		}
		s = append(s, p)
	}
	return s
}

func (g *giving) request() Request {
	now := g.d.Now()
	r := Request{Priority: g.upTo(3), Ready: now + bookahead.Time(g.upTo(6)), Shapes: []Shape{g.shape()}}
	if g.one(3) {
		r.Shapes = append(r.Shapes, g.shape())
	}
	if !g.one(4) {
		r.Deadline = r.Ready + bookahead.Time(3+g.upTo(7))
	}
	return r
}

func (g *giving) force() Force { return []Force{Nobody, Lower, Lower, Anybody}[g.rng.IntN(4)] }

// id returns the number of a booking, mostly of one that is there.
func (g *giving) id() BookingID { return 1 + BookingID(g.upTo(int(g.d.b.last))) }

// live returns a live booking, if there is one.
func (g *giving) live() *Booking {
	list := alive(g.d)
	if len(list) == 0 {
		return &Booking{ID: g.id()}
	}
	return list[g.rng.IntN(len(list))]
}

func (g *giving) command() Command {
	now := g.d.Now()
	switch g.rng.IntN(17 + g.strict) {
	case 17:
		return g.terms()
	case 0, 1, 2, 3, 4, 5:
		c := Book{Request: g.request(), Force: g.force()}
		if g.one(5) {
			c.Hold = now + 1 + bookahead.Time(g.upTo(15))
		}
		return c
	case 6:
		return Commit{g.live().ID}
	case 7, 8:
		return g.change()
	case 9:
		return Cancel{g.live().ID}
	case 10:
		k := g.live()
		return Overrun{ID: k.ID, Until: k.End + 1 + bookahead.Time(g.upTo(5)), Force: g.force()}
	case 11, 12:
		return g.close()
	case 13:
		if g.one(3) {
			w := ticks(now, now+1+bookahead.Time(g.upTo(20)))
			return Extend{On: []string{"p", "q", "s"}[g.rng.IntN(3)], Interval: w, Units: 1}
		}
		return Reopen{ID: OutageID(g.upTo(int(g.d.b.lastOutage))), At: now + bookahead.Time(g.upTo(10))}
	case 14:
		return Advance{now + bookahead.Time(g.upTo(5))}
	default:
		return Book{Request: g.request(), Force: Anybody}
	}
}

// change returns a Change of a booking; if the booking has begun, one that it can still have.
func (g *giving) change() Command {
	k := g.live()
	if len(k.Places) == 0 || k.Start > g.d.Now() || g.one(8) {
		return Change{ID: k.ID, To: g.request(), Force: g.force()}
	}
	to := k.Request.Clone()
	to.Shapes = []Shape{to.Shapes[k.Shape]}
	to.Deadline, to.Priority = 0, g.upTo(3)
	for i := range to.Shapes[0] {
		p := &to.Shapes[0][i]
		p.Duration = bookahead.Duration(k.Places[i].End - k.Places[i].Start)
		if k.Places[i].End > g.d.Now() {
			p.Duration += g.ticks(3)
			p.Units = max(1, p.Units-1+g.upTo(2))
			if p.Servers != nil {
				p.Units = 1
			}
		}
	}
	return Change{ID: k.ID, To: to, Force: g.force()}
}

// terms sets buffers most of the time, and now and then another rule.
func (g *giving) terms() Command {
	c := SetTerms{On: []string{"p", "q", "s", "n"}[g.rng.IntN(4)]}
	if g.one(4) {
		return c
	}
	c.Before, c.After = g.ticks(2), g.ticks(3)
	switch g.rng.IntN(8) {
	case 0:
		at := g.d.Now() + bookahead.Time(g.upTo(3))
		c.Open = []bookahead.Interval{{Start: at, End: at + 9}, {Start: at + 11, End: at + 60}}
	case 1:
		c.Notice = g.ticks(2)
	case 2:
		c.Ahead = 5 + g.ticks(9)
	case 3:
		c.Longest = 5 + g.ticks(3)
	}
	return c
}

func (g *giving) close() Command {
	now := g.d.Now()
	c := Close{On: []string{"p", "q", "s", "n"}[g.rng.IntN(4)], Force: g.force(), Priority: g.upTo(4)}
	c.Start = now + bookahead.Time(g.upTo(14)) - 2
	c.End = now + 1 + bookahead.Time(g.upTo(20))
	if g.one(10) {
		c.End = bookahead.MaxTime
	}
	switch c.On {
	case "p", "q":
		c.Units = 1 + g.upTo(3)
	default:
		c.Servers = [][]int{{0}, {1}, {2}, {0, 2}, {2, 1}}[g.rng.IntN(5)]
	}
	return c
}

// do does a command, which may be refused.
func (g *giving) do(c Command) {
	_, err := g.d.Do(c)
	require.True(g, err == nil || errors.Is(err, bookahead.ErrUnavailable) || errors.Is(err, bookahead.ErrNotFound) || errors.Is(err, bookahead.ErrInvalid))
}

// step does a command, and compares.
func (g *giving) step() {
	c := g.command()
	before := bytesOf(g, g.d)
	e, err := g.d.Decide(c)
	forced := g.compare(c, e, err)
	require.Equal(g, before, bytesOf(g, g.d), "Decide has changed something")
	again := g.d.Clone()
	twin, twinErr := again.Decide(c)
	require.Equal(g, e, twin)
	require.Equal(g, err, twinErr)
	out, doErr := g.d.Do(c)
	require.Equal(g, err, doErr, "%#v\n%+v", c, e.Decision)
	if err != nil {
		require.Equal(g, before, bytesOf(g, g.d))
		g.tally[fmt.Sprintf("%s refused", c.verb())]++
		return
	}
	replayed, err := again.Apply(e)
	require.NoError(g, err)
	require.Equal(g, out, replayed)
	require.Equal(g, bytesOf(g, g.d), bytesOf(g, again))
	checkBooks(g, g.d)
	require.NoError(g, g.d.Verify())
	g.checkEvents(out, e.Decision.Moved)
	g.tally[c.verb()]++
	if forced && len(e.Decision.Moved) > 0 {
		g.tally[fmt.Sprintf("%s forced", c.verb())]++
		for _, m := range e.Decision.Moved {
			if m.Places == nil {
				g.tally["displaced"]++
			} else {
				g.tally["moved"]++
			}
		}
	}
}

// compare compares a decision with that of the reference, and reports whether the command has Force.
func (g *giving) compare(c Command, e Entry, err error) bool {
	rule := Nobody
	switch c := c.(type) {
	case Book:
		rule = c.Force
	case Change:
		rule = c.Force
	case Overrun:
		rule = c.Force
	case Close:
		rule = c.Force
	}
	if rule == Nobody {
		return false
	}
	if err != nil && err != bookahead.ErrUnavailable {
		return true
	}
	by, out, wantErr := reference{g, g.d}.decide(c)
	require.Equal(g, wantErr, err, "%#v", c)
	if err != nil {
		return true
	}
	require.Equal(g, by, e.Decision, "%#v\n%s", c, g.state())
	if out > len(by.Moved) {
		g.tally["put back"] += out - len(by.Moved)
	}
	g.forced++
	return true
}

// TestGivingWay runs commands on small desks: a fiftieth of the operations.
func TestGivingWay(t *testing.T) {
	tally := map[string]int{}
	forced := 0
	for seed, left := uint64(0), scheduletest.Operations()/50; left > 0 && !t.Failed(); seed++ {
		g := newGiving(t, seed)
		for range min(left, 60) {
			g.step()
			left--
		}
		for what, n := range g.tally {
			tally[what] += n
		}
		forced += g.forced
	}
	t.Log(forced, tally)
}

// state describes the desk.
func (g *giving) state() string {
	s := fmt.Sprintf("now %d\n", g.d.Now())
	for _, k := range alive(g.d) {
		s += fmt.Sprintf("%v %d:", k, k.Priority)
		for i, p := range k.Places {
			s += fmt.Sprintf(" %v -%d +%d %+v;", p, p.Before, p.After, k.Shapes[k.Shape][i].Tasks)
		}
		s += "\n"
	}
	for _, x := range g.d.b.schedules {
		s += fmt.Sprintf("%s %+v tails %v\n", x.name, x.terms, x.Tails)
	}
	return s + fmt.Sprintf("%+v", g.d.b.outages)
}
