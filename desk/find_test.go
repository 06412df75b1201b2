package desk

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

// street is a small desk on which much is booked, so that chains of steps have to leap.
func street(t require.TestingT, rng *rand.Rand) *world {
	w, err := newWorld(Config{}, (*Desk).Do)
	require.NoError(t, err)
	for _, c := range []Command{
		AddSchedule{"p", Pool{Units: 3}}, AddSchedule{"q", Pool{Units: 2}}, AddSchedule{"s", Servers{Count: 3}},
		AddSchedule{"pq", Broker{Of: []string{"q", "p"}}},
	} {
		require.NoError(t, w.run(c, false))
	}
	for range 22 {
		on := []string{"p", "q", "s"}[rng.IntN(3)]
		start, length := rng.IntN(24), 1+rng.IntN(4)
		r := asks(Part{On: on, Units: 1 + rng.Int64N(2), Duration: bookahead.Duration(length)})
		r.Ready, r.Deadline = bookahead.Time(start), bookahead.Time(start+length)
		require.NoError(t, w.run(Book{Request: r}, false))
	}
	return w
}

// chained draws a shape of up to 4 steps, of one or two parts each.
func chained(rng *rand.Rand) (s Shape) {
	for i := range 1 + rng.IntN(4) {
		p := Part{On: []string{"p", "q", "s", "pq"}[rng.IntN(4)], Units: 1 + rng.Int64N(2), Duration: bookahead.Duration(1 + rng.IntN(4))}
		if i > 0 {
			least := bookahead.Duration(rng.IntN(3))
			p.After = &Gap{least, least + bookahead.Duration(rng.IntN(4))}
		}
		s = append(s, p)
		if rng.IntN(3) == 0 {
			p.After, p.Offset, p.On = nil, bookahead.Duration(rng.IntN(3)), map[string]string{"p": "s", "q": "p", "s": "q", "pq": "s"}[p.On]
			s = append(s, p)
		}
	}
	return s
}

// allChains tries every start of every step, and returns the earliest start that each step has in any chain of
// starts that keeps the gaps.
func allChains(o *ideal, r *Request, shape Shape) (first []bookahead.Time) {
	eachChain(o, r, shape, nil, o.allowed(r, 0, nil), func(at []bookahead.Time) {
		if first == nil {
			first = append(first, at...)
		}
		for k, t := range at {
			first[k] = min(first[k], t)
		}
	})
	return first
}

// eachChain visits all chains of starts that keep the gaps, and that terms and quotas allow. Some parts need no units.
func eachChain(o *ideal, r *Request, shape Shape, eased []*Part, allowed func([]seat) bool, visit func(at []bookahead.Time)) {
	spells := spellsOf(shape)
	hi := o.settled()
	for _, x := range spells {
		hi += x.length + bookahead.Time(x.gap.Least)
	}
	if o.crossed(withoutEased(spells, eased)) {
		return
	}
	fits := make([][]bool, len(spells))
	for i, x := range spells {
		for t := range hi {
			ok := t >= r.Ready && (r.Deadline == 0 || t+x.length <= r.Deadline)
			fits[i] = append(fits[i], ok && o.fitsEased(&x, r, t, eased) && allowed(x.seats(t)))
		}
	}
	at := make([]bookahead.Time, len(spells))
	var try func(i int)
	try = func(i int) {
		if i == len(spells) {
			visit(at)
			return
		}
		from, to := bookahead.Time(0), hi-1
		if i > 0 {
			end := at[i-1] + spells[i-1].length
			from, to = end+bookahead.Time(spells[i].gap.Least), min(to, end+bookahead.Time(spells[i].gap.Most))
		}
		for at[i] = from; at[i] <= to; at[i]++ {
			if fits[i][at[i]] && o.farEnough(spells[:i+1], at, eased) {
				try(i + 1)
			}
		}
	}
	try(0)
}

// fitsEased reports whether there is room for a step at a start, some parts of which need no units.
func (o *ideal) fitsEased(x *spell, r *Request, t bookahead.Time, eased []*Part) bool {
	ok := true
	var seats []seat
	for _, s := range x.seatsFor(r, t) {
		ok = ok && s.Start >= o.now
		if slices.Contains(eased, s.part) {
			ok = ok && o.allowedAnywhere(s)
		} else {
			seats = append(seats, s)
		}
	}
	return ok && o.fits(seats)
}

// TestChainAgainstAllStarts compares the places of shapes in several steps with those found by trying all
// starts: the earliest end, then the order of the shapes, and each step as early as it can be.
func TestChainAgainstAllStarts(t *testing.T) {
	shapes, found, leaps, chosen := 0, 0, 0, [3]int{}
	rng := rand.New(rand.NewPCG(7, 7))
	for shapes < scheduletest.Operations()/5 {
		w := street(t, rng)
		for range 25 {
			r := Request{Ready: bookahead.Time(rng.IntN(8))}
			for range 1 + rng.IntN(3) {
				r.Shapes = append(r.Shapes, chained(rng))
			}
			if rng.IntN(3) == 0 {
				r.Deadline = bookahead.Time(30 + rng.IntN(20))
			}
			if w.o.senseless(&r) || w.o.unfit(&r) || w.o.unsearchable(&r) {
				continue
			}
			best, end := -1, bookahead.Time(0)
			var starts []bookahead.Time
			for i, s := range r.Shapes {
				first := allChains(w.o, &r, s)
				if first == nil {
					continue
				}
				e := bookahead.Time(0)
				for k, x := range spellsOf(s) {
					e = max(e, first[k]+x.length)
				}
				if best < 0 || e < end {
					best, end, starts = i, e, first
				}
			}
			shapes += len(r.Shapes)
			e, err := w.d.Decide(Book{Request: r})
			if best < 0 {
				require.Equal(t, bookahead.ErrUnavailable, err)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, best, e.Decision.Shape)
			i := 0
			for k, x := range spellsOf(r.Shapes[best]) {
				for _, s := range x.seats(starts[k]) {
					require.Equal(t, s.Interval, e.Decision.Places[i].Interval, "part %d of %+v from %d on", i, r.Shapes[best], r.Ready)
					i++
				}
				if k > 0 && starts[k] > starts[k-1]+bookahead.Time(x.gap.Least) {
					leaps++
				}
			}
			found++
			chosen[best]++
		}
	}
	t.Logf("%d shapes, %d requests with a place, of shapes %v; %d steps that had to wait", shapes, found, chosen, leaps)
}

// backlog returns a desk with two pools that are booked at so many even ticks, and 63 steps on the first pool, of a tick each.
func backlog(t *testing.T, booked bookahead.Time) (*Desk, Shape) {
	d := deskWith(t, "a", Pool{Units: 1})
	must(t, d, AddSchedule{"b", Pool{Units: 1}})
	for i := range booked {
		for _, on := range []string{"a", "b"} {
			r := asks(Part{On: on, Units: 1, Duration: 1})
			r.Ready = 2 * i
			_, err := d.Do(Book{Request: r})
			require.NoError(t, err)
		}
	}
	shape := Shape{{On: "a", Units: 1, Duration: 1}}
	for len(shape) < MaxParts-1 {
		shape = append(shape, Part{On: "a", Units: 1, Duration: 1, After: &Gap{1, 1}})
	}
	return d, shape
}

// Steps that go from gap to gap of a backlog, and never fit, use up their Effort, and the error says how far they came.
func TestLeapsAreBounded(t *testing.T) {
	d, shape := backlog(t, 1_100)
	shape = append(shape, Part{On: "b", Units: 1, Duration: 1, After: &Gap{}}) // when all of b is booked
	_, err := d.Search(Request{Shapes: []Shape{shape}}, bookahead.Effort{Steps: 1 << 20})
	require.ErrorContains(t, err, "desk: search: given up after 1048")
	require.ErrorContains(t, err, "desk: Request.Shapes[0]: no place starts before 2")
	require.ErrorIs(t, err, bookahead.ErrStopped)
	_, err = d.Search(Request{Shapes: []Shape{shape}, Ready: 2_100}, bookahead.Effort{})
	require.NoError(t, err)
}
