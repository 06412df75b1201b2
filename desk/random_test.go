package desk

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/volume"
)

// keepsNine is the Config of a player's desk.
var keepsNine = Config{Keep: 9}

// player makes random commands of all kinds.
type player struct {
	rng *rand.Rand
	d   *Desk
	n   int

	impatient bool // no booking waits
}

func newPlayer(t require.TestingT, seed uint64) *player {
	d, err := New(keepsNine)
	require.NoError(t, err)
	return &player{rng: rand.New(rand.NewPCG(seed, 7)), d: d}
}

// always are the commands that come first.
var always = []Command{
	AddSchedule{"gpus", Pool{Units: 8}},
	AddSchedule{"lab", Servers{Count: 4, Prefer: "lowest"}},
	AddSchedule{"farm", Nodes{Horizon: 60, Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{4, 16}, {4, 16}, {8, 8}},
		Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2}}}}, Sets: map[string][]int{"big": {2}}, Policy: "best"}},
	AddSchedule{"flat\xff", Pool{Units: 4, Horizon: 50}},
	AddSchedule{"any", Broker{Of: []string{"gpus", "lab", "flat\xff"}, Policy: "least-loaded"}},
}

// next returns a command, of which many are refused.
func (p *player) next() Command {
	p.n++
	if p.n <= len(always) {
		return always[p.n-1]
	}
	id := BookingID(1 + p.rng.IntN(int(p.d.b.last)+1))
	if p.rng.IntN(3) > 0 {
		id = max(1, p.d.b.last-BookingID(p.rng.IntN(12)))
	}
	switch p.rng.IntN(42) {
	default:
		return p.book()
	case 0, 1, 2, 3:
		return Advance{p.d.b.now + bookahead.Time(p.rng.IntN(9))}
	case 4, 5, 6:
		return Commit{id}
	case 7, 8, 9:
		return Change{id, p.request(), p.force()}
	case 10, 11, 12:
		return p.like(id)
	case 13, 14:
		return Cancel{id}
	case 15:
		return End{id}
	case 16, 17:
		k, _ := p.d.b.booking(id)
		if k == nil {
			return End{id}
		}
		return Overrun{id, k.End + bookahead.Time(p.rng.IntN(9)), p.force()}
	case 18:
		return p.close()
	case 19, 20:
		return Reopen{max(4, p.d.b.lastOutage) - OutageID(p.rng.IntN(4)), p.time() - 9}
	case 21:
		c := Extend{On: p.on(), Interval: p.span(), Title: p.text()}
		if c.On != "farm" || p.rng.IntN(8) == 0 {
			c.Units = int64(1 + p.rng.IntN(3))
			return c
		}
		c.Nodes = []nodes.Added{{Has: nodes.Vector{2, 8}, Groups: map[string]int{"rack": p.rng.IntN(4)}}, {Has: nodes.Vector{1, 1}, Sets: []string{"big"}}}
		return c
	case 23:
		var c Batch
		for range 1 + p.rng.IntN(4) {
			one := p.next()
			if one.verb() != "batch" && one.verb() != "given" {
				c.Commands = append(c.Commands, one)
			}
		}
		return c
	case 24, 25:
		return p.bookSeries()
	case 26:
		return p.goOn()
	case 27:
		return CancelSeries{p.series(), p.time() - 5}
	case 28:
		return p.quota()
	case 29:
		if p.rng.IntN(3) > 0 {
			return p.quota()
		}
		return DropQuota{[]string{"at once", "week", "any", "none"}[p.rng.IntN(4)]}
	case 30:
		return SetTerms{p.on(), p.terms()}
	case 31:
		return p.given(id)
	case 22:
		return AddSchedule{fmt.Sprintf("more %d", p.rng.IntN(4)), Pool{2, 30}}
	}
}

// given returns a command by somebody who may have seen a booking, as it is or as it was.
func (p *player) given(id BookingID) Command {
	g := Given{By: p.text(), Command: p.next()}
	k, ok := p.d.b.booking(id)
	if ok && p.rng.IntN(2) == 0 {
		g.ID, g.Sum = id, k.Sum()+uint64(p.rng.IntN(4)/3)
	}
	if g.Command.verb() == "given" || p.rng.IntN(9) == 0 {
		g.Command = nil
	}
	return g
}

func (p *player) time() bookahead.Time { return p.d.b.now + bookahead.Time(p.rng.IntN(30)) }

func (p *player) span() bookahead.Interval {
	start := p.time()
	return bookahead.Interval{Start: start, End: start + 1 + bookahead.Time(p.rng.IntN(20))}
}

func (p *player) text() string {
	return []string{"", "ann", "bob", "\xff\x00", "a \"title\" <ü>"}[p.rng.IntN(5)]
}

func (p *player) on() string {
	return []string{"gpus", "lab", "farm", "flat\xff", "any", "more 1"}[p.rng.IntN(6)]
}

func (p *player) force() Force {
	return []Force{Nobody, Nobody, Lower, Anybody}[p.rng.IntN(4)]
}

func (p *player) book() Command {
	c := Book{Request: p.request(), Force: p.force()}
	switch p.rng.IntN(4) {
	case 0:
		c.Key = fmt.Sprintf("key %d", p.rng.IntN(p.n))
	case 1:
		c.Hold = p.time()
	case 2:
		if p.impatient {
			break
		}
		c.Wait = p.time()
		if p.rng.IntN(3) > 0 { // there is no place, as a rule
			part := p.part(false)
			part.Units = min(4, part.Units+2)
			c.Shapes = []Shape{{part}}
			if part.Servers != nil {
				c.Shapes[0][0].Units = 3
			}
			c.Ready = max(c.Ready, 0)
			c.Deadline = c.Ready + bookahead.Time(part.Offset+part.Duration) + bookahead.Time(p.rng.IntN(9))
		}
	}
	return c
}

// like returns a Change of a booking to one that differs little.
func (p *player) like(id BookingID) Command {
	k, _ := p.d.b.booking(id)
	if k == nil {
		return Cancel{id}
	}
	to := k.Request.Clone()
	to.Shapes = []Shape{to.Shapes[min(k.Shape, len(to.Shapes)-1)]}
	part := &to.Shapes[0][p.rng.IntN(len(to.Shapes[0]))]
	switch p.rng.IntN(4) {
	case 0:
		to.Owner = p.text()
	case 1:
		part.Units = max(1, part.Units+int64(p.rng.IntN(3)-1))
	default:
		part.Duration = max(1, part.Duration+bookahead.Duration(p.rng.IntN(7)-3))
	}
	return &Change{id, to, p.force()}
}

// bookSeries returns a series whose windows may overlap, and may be too short for its request.
func (p *player) bookSeries() Command {
	c := BookSeries{Request: p.request(), At: p.windows(), Needs: p.needs()}
	c.Ready, c.Deadline, c.Shapes = 0, 0, c.Shapes[:1]
	for i := range c.Shapes[0] {
		c.Shapes[0][i].After = nil
		if p.rng.IntN(2) == 0 {
			c.Shapes[0][i].Duration = 0
		}
	}
	switch p.rng.IntN(4) {
	case 0:
		c.Partly = true
	case 1:
		c.Shift = bookahead.Duration(p.rng.IntN(30))
	}
	if p.rng.IntN(3) == 0 {
		c.Key = fmt.Sprintf("series %d", p.rng.IntN(p.n))
	}
	return c
}

// windows returns some that are mostly ahead, and mostly apart.
func (p *player) windows() (at Occurrences) {
	from := p.time() - 1
	for range 1 + p.rng.IntN(4) {
		w := bookahead.Interval{Start: from, End: from + 6 + bookahead.Time(p.rng.IntN(12))}
		at = append(at, w)
		from += 1 + bookahead.Time(p.rng.IntN(20))
	}
	return at
}

// goOn returns a Continue, as a rule of a series that needs more.
func (p *player) goOn() Command {
	c := Continue{p.series(), p.time(), p.windows(), p.rng.IntN(2) == 0, p.needs()}
	s, err := p.d.b.seriesOf(c.ID)
	if err == nil && s.Needs != 0 && p.rng.IntN(8) > 0 {
		c.Needed = s.Needs
	}
	if c.Needs != 0 {
		c.Needs = max(c.Needs, c.Needed+1)
	}
	return c
}

func (p *player) needs() bookahead.Time { return bookahead.Time(p.rng.IntN(2)) * p.time() }

func (p *player) series() SeriesID {
	last := p.d.b.series.last
	return max(1, last-SeriesID(p.rng.IntN(4)))
}

func (p *player) request() Request {
	r := Request{Owner: p.text(), Title: p.text(), Priority: int64(p.rng.IntN(4)), Ready: p.time() - 5}
	if p.rng.IntN(3) == 0 {
		r.Labels = []string{"team=blue", p.text()}
	}
	if p.rng.IntN(2) == 0 {
		r.Deadline = r.Ready + bookahead.Time(5+p.rng.IntN(60))
	}
	for range 1 + p.rng.IntN(2) {
		s := Shape{}
		for i := range 1 + p.rng.IntN(3)*p.rng.IntN(2) {
			s = append(s, p.part(i > 0))
		}
		r.Shapes = append(r.Shapes, s)
	}
	if p.rng.IntN(5) == 0 {
		return p.bent(r)
	}
	return r
}

// bent returns a request for work that bends, with the owner and the times of another.
func (p *player) bent(r Request) Request {
	part := p.part(false)
	if part.On == "gpus" || part.On == "flat\xff" && p.rng.IntN(3) > 0 {
		v := volume.Request{Ready: r.Ready, Deadline: r.Deadline, Volume: 1 + p.rng.Int64N(60), Most: p.rng.Int64N(6), Stretches: p.rng.IntN(4), Price: bookahead.Duration(p.rng.IntN(2))}
		v.Least = min(v.Most, p.rng.Int64N(2))
		return r.OfVolume(part.On, v)
	}
	r = r.InPieces(part, pieces.Rule{Least: bookahead.Duration(p.rng.IntN(3)), Restart: bookahead.Duration(p.rng.IntN(3)), Gap: bookahead.Duration(p.rng.IntN(9))})
	r.Pieces.Stopped = max(0, bookahead.Time(p.rng.IntN(2))*r.Ready)
	return r
}

func (p *player) part(later bool) Part {
	x := Part{On: p.on(), Units: int64(1 + p.rng.IntN(4)), Duration: bookahead.Duration(1 + p.rng.IntN(12))}
	if later && p.rng.IntN(2) == 0 {
		x.After = &Gap{0, bookahead.Duration(p.rng.IntN(20))}
	} else {
		x.Offset = bookahead.Duration(p.rng.IntN(3))
	}
	switch {
	case x.On == "farm":
		x.Tasks = &nodes.Request{Each: nodes.Vector{int64(p.rng.IntN(3)), 1 + int64(p.rng.IntN(4))}, PerNode: int64(p.rng.IntN(3))}
		if p.rng.IntN(4) == 0 {
			x.Tasks.Bundle, x.Tasks.Bundled = 1+int64(p.rng.IntN(2)), "rack"
			x.Units *= x.Tasks.Bundle
		}
		x.Swap = p.rng.IntN(4) == 0
		switch p.rng.IntN(4) {
		case 0:
			x.Tasks.Head = nodes.Vector{0, 2}
		case 1:
			x.Tasks.Set = "big"
		case 2:
			x.Tasks.Within = "rack"
		}
	case x.On == "lab" && p.rng.IntN(3) == 0:
		x.Servers = []int{3, 1, 0}
		x.Units = min(x.Units, 3)
	}
	return x
}

func (p *player) quota() Command {
	c := SetQuota{Name: []string{"at once", "week", "any"}[p.rng.IntN(3)]}
	if p.rng.IntN(3) == 0 {
		c.Owners = []string{"ann", p.text() + "x"}
	}
	if p.rng.IntN(4) == 0 {
		c.Label = "team=blue"
	}
	c.Each = p.rng.IntN(2) == 0
	switch p.rng.IntN(4) {
	case 0:
		c.On = []string{p.on()}
	case 1:
		c.On = []string{"any", "farm"}
	case 2:
		c.Resource = "cores"
	}
	switch p.rng.IntN(6) {
	case 5:
		c.None = p.rng.IntN(2) == 0
		return c
	case 0:
		c.Units = 2 + p.rng.Int64N(12)
	case 1:
		c.Ticks, c.Window = 20+p.rng.Int64N(150), bookahead.Duration(1+p.rng.IntN(40))
	case 2:
		c.Ticks, c.Every = 20+p.rng.Int64N(150), bookahead.Duration(1+p.rng.IntN(40))
		c.From = p.time()
	case 3:
		c.Ticks, c.Periods = 20+p.rng.Int64N(150), []bookahead.Interval{p.span()}
	case 4:
		c.Units, c.Ticks, c.Window, c.Every = 12, 200, 20, 10
	}
	if p.rng.IntN(6) == 0 {
		c.Waiting = 2 + p.rng.Int64N(6)
	}
	return c
}

// terms returns terms of which each rule is there now and then.
func (p *player) terms() (t Terms) {
	one := func() bool { return p.rng.IntN(4) == 0 }
	if one() {
		for at := p.time(); len(t.Open) < 6; {
			w := bookahead.Interval{Start: at, End: at + 1 + bookahead.Time(p.rng.IntN(30))}
			t.Open, at = append(t.Open, w), w.End+1+bookahead.Time(p.rng.IntN(9))
		}
		t.Needs = p.time() // now and then by now
	}
	if one() {
		t.Longest = bookahead.Duration(4 + p.rng.IntN(9))
	}
	if one() {
		t.Notice = bookahead.Duration(p.rng.IntN(5))
	}
	if one() {
		t.Ahead = bookahead.Duration(20 + p.rng.IntN(20))
	}
	if p.rng.IntN(2) == 0 {
		t.Before, t.After = bookahead.Duration(p.rng.IntN(4)), bookahead.Duration(p.rng.IntN(4))
	}
	if one() {
		t.Owners, t.Labels = []string{"ann", "bob"}, []string{"team=blue"}
	}
	return t
}

func (p *player) close() Command {
	c := Close{On: p.on(), Interval: p.span(), Title: p.text(), Force: p.force(), Priority: int64(p.rng.IntN(4))}
	if c.On == "lab" || c.On == "farm" {
		c.Servers = []int{p.rng.IntN(3)}
	} else {
		c.Units = int64(1 + p.rng.IntN(4))
	}
	return c
}

// written returns the bytes of a desk.
func written(t require.TestingT, d *Desk) []byte {
	var b bytes.Buffer
	n, err := d.WriteTo(&b)
	require.NoError(t, err)
	require.Equal(t, int64(b.Len()), n)
	return b.Bytes()
}

// tally counts the commands that were accepted and refused, by verb.
type tally map[string][2]int

func (x tally) add(c Command, err error) {
	n := x[c.verb()]
	if err == nil {
		n[0]++
	} else {
		n[1]++
	}
	x[c.verb()] = n
}

// check fails if some verb was never accepted, or never refused.
func (x tally) check(t *testing.T) {
	for _, verb := range verbs[1:] {
		require.NotZero(t, x[verb][0], "%s was never accepted: %v", verb, x)
		if verb != "advance" {
			require.NotZero(t, x[verb][1], "%s was never refused: %v", verb, x)
		}
	}
}
