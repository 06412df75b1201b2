package desk

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/scheduletest"
)

// tickDesk is the oracle of series: for each tick and unit whether it is free. It shares no code with the desk, and
// places an occurrence by trying every start.
type tickDesk map[string]*tickBoard

// tickBoard has the free amount of each cell at each tick: a pool is one cell, servers are cells of one unit, and nodes
// are cells of several tasks.
type tickBoard struct {
	kind string
	free [tickEnd][]int64
	of   []string // of a broker
}

// tickEnd is the horizon of the small desks.
const tickEnd = 64

func (x tickDesk) add(name, kind string, cells ...int64) {
	x[name] = &tickBoard{kind: kind}
	for t := range x[name].free {
		x[name].free[t] = slices.Clone(cells)
	}
}

// take returns the lowest cells that have room throughout as a place. It reports false if there are too few.
func (b *tickBoard) take(on string, p *Part, w bookahead.Interval) (Place, bool) {
	place := Place{On: on, Interval: w, Units: p.Units, Head: -1}
	if w.End > tickEnd {
		return place, false
	}
	left := p.Units
	for cell := range b.free[w.Start] {
		least := b.free[w.Start][cell]
		for t := w.Start; t < w.End; t++ {
			least = min(least, b.free[t][cell])
		}
		n := min(left, least/each1(p))
		if n == 0 || p.Servers != nil && !slices.Contains(p.Servers, cell) {
			continue
		}
		left -= n
		switch b.kind {
		case "servers":
			place.Servers = append(place.Servers, cell)
		case "nodes":
			place.Nodes = append(place.Nodes, nodes.Share{Node: cell, Tasks: n})
		}
	}
	return place, left == 0
}

// each1 is how much a unit of a part takes of a cell.
func each1(p *Part) int64 {
	if p.Tasks != nil {
		return p.Tasks.Each[0]
	}
	return 1
}

// put takes the units of some places, or gives them back.
func (x tickDesk) put(s Shape, places []Place, times int64) {
	for i, p := range places {
		b := x[p.On]
		for t := p.Start; t < p.End; t++ {
			switch b.kind {
			case "pool":
				b.free[t][0] -= times * p.Units
			case "servers":
				for _, k := range p.Servers {
					b.free[t][k] -= times
				}
			case "nodes":
				for _, n := range p.Nodes {
					b.free[t][n.Node] -= times * n.Tasks * each1(&s[i])
				}
			}
		}
	}
}

// at returns the places of a shape at a start; nil if it does not fit.
func (x tickDesk) at(s Shape, start, end bookahead.Time) []Place {
	var places []Place
	for i := range s {
		p := &s[i]
		w := bookahead.Interval{Start: start + bookahead.Time(p.Offset)}
		w.End = w.Start + bookahead.Time(p.Duration)
		on := []string{p.On}
		if len(x[p.On].of) > 0 {
			on = x[p.On].of
		}
		fits := false
		for _, name := range on {
			place, ok := x[name].take(name, p, w)
			if ok && w.End <= end {
				x.put(s[i:], []Place{place}, 1)
				places, fits = append(places, place), true
				break
			}
		}
		if !fits {
			x.put(s, places, -1)
			return nil
		}
	}
	x.put(s, places, -1)
	return places
}

// first returns the place in a window that ends first; of several the first shape.
func (x tickDesk) first(r *Request, w bookahead.Interval) (shape int, best []Place) {
	ends := bookahead.Time(0)
	for i, s := range r.Shapes {
		s = slices.Clone(s)
		for j := range s {
			if s[j].Duration == 0 {
				s[j].Duration = bookahead.Duration(w.End-w.Start) - s[j].Offset
			}
		}
		for start := w.Start; start < w.End; start++ {
			places := x.at(s, start, w.End)
			if places == nil {
				continue
			}
			end := bookahead.Time(0)
			for _, p := range places {
				end = max(end, p.End)
			}
			if best == nil || end < ends {
				shape, best, ends = i, places, end
			}
			break
		}
	}
	return shape, best
}

// expected is what shall come of a series.
type expected struct {
	shift   bookahead.Duration
	shapes  []int
	places  [][]Place // nil where it is refused
	refused []bookahead.Interval
}

// book tries every shift, and every start in each window. It returns nil if there is no place.
func (x tickDesk) book(c BookSeries) *expected {
	for s := bookahead.Duration(0); s <= c.Shift; s++ {
		e := &expected{shift: s}
		for _, w := range c.At {
			w.Start, w.End = w.Start+bookahead.Time(s), w.End+bookahead.Time(s)
			shape, places := x.first(&c.Request, w)
			e.shapes, e.places = append(e.shapes, shape), append(e.places, places)
			x.put(c.Shapes[shape], places, 1)
			if places == nil {
				e.refused = append(e.refused, w)
			}
			if places == nil && !c.Partly {
				break
			}
		}
		if len(e.refused) == 0 || c.Partly && len(e.refused) < len(c.At) {
			return e
		}
		for i := range e.places {
			x.put(c.Shapes[e.shapes[i]], e.places[i], -1)
		}
	}
	return nil
}

// agrees compares what came of a series with what shall come of it.
func (e *expected) agrees(d *Desk, c BookSeries, out Outcome, err error) error {
	if e == nil || err != nil {
		if e == nil && errors.Is(err, bookahead.ErrUnavailable) {
			return nil
		}
		return fmt.Errorf("%v, and not %+v", err, e)
	}
	s, err := d.Series(out.Series)
	if err != nil || s.Shift != e.shift || len(out.Occurrences) != len(c.At) {
		return fmt.Errorf("a shift of %d, and not %d, with %d bookings of %d: %v", s.Shift, e.shift, len(out.Occurrences), len(c.At), err)
	}
	if !slices.Equal(out.Refused, e.refused) {
		return fmt.Errorf("%v are refused, and not %v", out.Refused, e.refused)
	}
	var list []BookingID
	var told []What
	for i, id := range out.Occurrences {
		if e.places[i] == nil {
			told = append(told, WasRefused)
			if id != 0 {
				return fmt.Errorf("window %d has booking %d", i, id)
			}
			continue
		}
		list = append(list, id)
		told = append(told, WasBooked)
		k, err := d.Booking(id)
		if err != nil || k.State != Booked && k.State != Running || k.Series != out.Series || k.Shape != e.shapes[i] || !reflect.DeepEqual(k.Places, e.places[i]) {
			return fmt.Errorf("window %d has %v of series %d, shape %d at %v, and not shape %d at %v: %v", i, k, k.Series, k.Shape, k.Places, e.shapes[i], e.places[i], err)
		}
		if k.State == Running {
			told = append(told, HasStarted)
		}
	}
	var got []What
	for _, x := range out.Events {
		got = append(got, x.What)
	}
	if out.Events != nil && !slices.Equal(got, told) {
		return fmt.Errorf("events %v, and not %v", got, told)
	}
	var of []BookingID
	for k := range d.Bookings(Filter{Series: out.Series}) {
		of = append(of, k.ID)
	}
	slices.Sort(of)
	if !slices.Equal(of, list) {
		return fmt.Errorf("the series has %v, and not %v", of, list)
	}
	return nil
}

// seriesCase is a small desk with some bookings, and the oracle beside it.
type seriesCase struct {
	rng *rand.Rand
	d   *Desk
	x   tickDesk
}

func newSeriesCase(t require.TestingT, seed uint64) *seriesCase {
	d, err := New(Config{Keep: 20})
	require.NoError(t, err)
	c := &seriesCase{rng: rand.New(rand.NewPCG(seed, 24)), d: d, x: tickDesk{}}
	units := int64(1 + c.rng.IntN(4))
	c.x.add("p", "pool", units)
	c.x.add("q", "pool", 2)
	c.x.add("r", "pool", 3)
	c.x.add("s", "servers", 1, 1, 1)
	c.x.add("n", "nodes", 2, 3)
	c.x["b"] = &tickBoard{of: []string{"q", "r"}}
	for _, one := range []AddSchedule{
		{"p", Pool{units, tickEnd}}, {"q", Pool{2, tickEnd}}, {"r", Pool{3, tickEnd}}, {"s", Servers{3, tickEnd, "lowest"}},
		{"n", Nodes{Horizon: tickEnd, Resources: []string{"gpus"}, Nodes: []nodes.Vector{{2}, {3}}, Policy: "lowest"}}, {"b", Broker{Of: []string{"q", "r"}}},
	} {
		_, err := d.Do(one)
		require.NoError(t, err)
	}
	for range 10 + c.rng.IntN(40) {
		w := c.window(1 + c.rng.IntN(9))
		p := c.part(c.on())
		p.Duration = bookahead.Duration(w.End - w.Start)
		r := Request{Ready: w.Start, Deadline: w.End, Shapes: []Shape{{p}}}
		_, places := c.x.first(&r, w)
		_, err := d.Do(Book{Request: r})
		require.Equal(t, places != nil, err == nil, "%v", err)
		c.x.put(r.Shapes[0], places, 1)
	}
	return c
}

func (c *seriesCase) on() string { return []string{"p", "s", "n", "b", "q"}[c.rng.IntN(5)] }

func (c *seriesCase) window(length int) bookahead.Interval {
	start := bookahead.Time(c.rng.IntN(tickEnd - length))
	return bookahead.Interval{Start: start, End: start + bookahead.Time(length)}
}

func (c *seriesCase) part(on string) Part {
	p := Part{On: on, Units: int64(1 + c.rng.IntN(2))}
	switch on {
	case "n":
		p.Tasks = &nodes.Request{Each: nodes.Vector{int64(1 + c.rng.IntN(2))}}
	case "s":
		if c.rng.IntN(3) == 0 {
			p.Servers = []int{0, 2}
		}
	}
	return p
}

// series draws a command: windows that are apart, overlap or are equal, as long as the parts or longer.
func (c *seriesCase) series() BookSeries {
	b := BookSeries{}
	least := 1
	for range 1 + c.rng.IntN(2) {
		var s Shape
		for _, i := range c.rng.Perm(4)[:1+c.rng.IntN(3)] {
			p := c.part([]string{"p", "s", "n", "b"}[i])
			p.Duration, p.Offset = bookahead.Duration(c.rng.IntN(4)), bookahead.Duration(c.rng.IntN(2)*c.rng.IntN(3))
			least = max(least, int(p.Offset+max(1, p.Duration)))
			s = append(s, p)
		}
		b.Shapes = append(b.Shapes, s)
	}
	for range 1 + c.rng.IntN(5) {
		b.At = append(b.At, c.window(least+c.rng.IntN(3)))
	}
	slices.SortFunc(b.At, func(v, w bookahead.Interval) int { return int((v.Start-w.Start)*1000 + v.End - w.End) })
	switch c.rng.IntN(5) {
	case 0:
		b.Partly = true
	case 1, 2, 3:
		b.Shift = bookahead.Duration(c.rng.IntN(tickEnd))
	}
	return b
}

// seriesTally counts what came of series.
type seriesTally struct{ whole, partly, shifted, none int }

// run books some series, and compares each with the oracle.
func (c *seriesCase) run(do doer, n *seriesTally) error {
	for range 3 {
		s := c.series()
		want := c.x.book(s)
		out, err := do(c.d, s)
		err = want.agrees(c.d, s, out, err)
		if err != nil {
			return fmt.Errorf("%+v: %w", s, err)
		}
		switch {
		case want == nil:
			n.none++
			continue
		case want.refused != nil:
			n.partly++
		case want.shift > 0:
			n.shifted++
		default:
			n.whole++
		}
	}
	return c.d.Verify()
}

// TestSeriesAgainstEveryStart compares series with an oracle that tries every start of every occurrence, and every
// shift: 500 of them, and 5 000 if BOOKAHEAD_OPS asks for a million.
func TestSeriesAgainstEveryStart(t *testing.T) {
	cases := uint64(scheduletest.Operations() / 200)
	var n seriesTally
	for seed := range cases {
		c := newSeriesCase(t, seed)
		require.NoError(t, c.run((*Desk).Do, &n), "seed %d", seed)
	}
	t.Logf("%d desks: %+v", cases, n)
	require.True(t, cases < 100 || min(n.whole, n.partly, n.shifted, n.none) > 10, "%+v", n)
}

// seriesFaults are desks that are wrong on purpose.
var seriesFaults = map[string]func(d *Desk, c BookSeries) (Outcome, error){
	"an occurrence lost": func(d *Desk, c BookSeries) (Outcome, error) {
		out, err := d.Do(c)
		if err == nil && out.Occurrences[0] != 0 {
			_, _ = d.Do(Cancel{out.Occurrences[0]})
		}
		return out, err
	},
	"the last window not booked": func(d *Desk, c BookSeries) (Outcome, error) {
		if len(c.At) > 1 {
			c.At = c.At[:len(c.At)-1]
		}
		return d.Do(c)
	},
	"a refused one not named": func(d *Desk, c BookSeries) (Outcome, error) {
		out, err := d.Do(c)
		out.Refused = out.Refused[:max(0, len(out.Refused)-1)]
		return out, err
	},
	"a refused one not told": func(d *Desk, c BookSeries) (Outcome, error) {
		out, err := d.Do(c)
		out.Events = slices.DeleteFunc(out.Events, func(e Event) bool { return e.What == WasRefused })
		return out, err
	},
	"a shift too late": func(d *Desk, c BookSeries) (Outcome, error) {
		out, err := d.Do(c)
		if err == nil && c.Shift > 0 {
			s, _ := d.b.seriesOf(out.Series)
			s.Shift++
		}
		return out, err
	},
	"a shift that is not the least": func(d *Desk, c BookSeries) (Outcome, error) {
		out, err := d.Clone().Do(c)
		if err == nil && c.Shift > 0 && out.Refused == nil {
			later := c
			later.At = slices.Clone(c.At)
			for i := range later.At {
				later.At[i].Start, later.At[i].End = c.At[i].Start+1, c.At[i].End+1
			}
			out, err = d.Do(later)
			if err == nil {
				return out, err
			}
		}
		return d.Do(c)
	},
	"none where some fit": func(d *Desk, c BookSeries) (Outcome, error) {
		c.Partly = false
		return d.Do(c)
	},
	"some where all or none": func(d *Desk, c BookSeries) (Outcome, error) {
		c.Partly = c.Shift == 0
		return d.Do(c)
	},
	"a place that is not the earliest": func(d *Desk, c BookSeries) (Outcome, error) {
		c.At = slices.Clone(c.At)
		last := &c.At[len(c.At)-1]
		last.Start = min(last.Start+1, last.End-1)
		return d.Do(c)
	},
	"windows that do not see each other": func(d *Desk, c BookSeries) (Outcome, error) {
		for i := range c.At {
			one := c
			one.At = c.At[i : i+1]
			_, err := d.Clone().Do(one)
			if err != nil && !c.Partly && c.Shift == 0 {
				return Outcome{}, err
			}
		}
		c.Partly = c.Shift == 0
		return d.Do(c)
	},
}

// TestSeriesFaultsAreCaught checks that the oracle finds each fault.
func TestSeriesFaultsAreCaught(t *testing.T) {
	for name, fault := range seriesFaults {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(300) {
				c := newSeriesCase(t, seed)
				err := c.run(func(d *Desk, c Command) (Outcome, error) { return fault(d, c.(BookSeries)) }, new(seriesTally))
				if err != nil {
					t.Logf("desk %d: %v", seed, err)
					return
				}
			}
			t.Fatal("is not found")
		})
	}
}
