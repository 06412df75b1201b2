package desk

import (
	"cmp"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/nodes"
)

// busyDesk is a desk with schedules of all kinds, to which random commands are given.
type busyDesk struct {
	*Desk
	rng  *rand.Rand
	last BookingID
}

func newBusyDesk(t testing.TB, rng *rand.Rand) *busyDesk {
	d, err := New(Config{Keep: bookahead.Duration(rng.IntN(60))})
	require.NoError(t, err)
	for _, c := range []Command{
		AddSchedule{"pool", Pool{Units: 9, Horizon: 200}},
		AddSchedule{"lab", Servers{Count: 5, Prefer: "lowest"}},
		AddSchedule{"farm", Nodes{Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{4, 16}, {4, 16}, {0, 32}}}},
		AddSchedule{"any", Broker{Of: []string{"pool", "lab"}, Policy: "least-loaded"}},
	} {
		_, err := d.Do(c)
		require.NoError(t, err)
	}
	return &busyDesk{Desk: d, rng: rng}
}

// step gives a random command. It may be refused.
func (d *busyDesk) step(t testing.TB) {
	rng, now := d.rng, d.Now()
	id := BookingID(1 + rng.IntN(int(d.last)+1))
	var c Command
	switch rng.IntN(12) {
	case 0:
		c = Cancel{id}
	case 1:
		c = End{id}
	case 2:
		c = Commit{id}
	case 3:
		c = Advance{now + bookahead.Time(rng.IntN(12))}
	case 4:
		c = Change{ID: id, To: d.request(), Force: []Force{Nobody, Nobody, Lower}[rng.IntN(3)]}
	case 5:
		w := bookahead.Interval{Start: now + bookahead.Time(rng.IntN(20)), End: now + 20 + bookahead.Time(rng.IntN(20))}
		c = Close{On: "lab", Interval: w, Servers: []int{rng.IntN(5)}, Force: Anybody}
	default:
		book := Book{Request: d.request(), Force: []Force{Nobody, Nobody, Lower}[rng.IntN(3)]}
		if rng.IntN(3) == 0 {
			book.Key = "key " + strconv.Itoa(rng.IntN(1000))
		}
		if rng.IntN(3) == 0 {
			book.Hold = now + bookahead.Time(1+rng.IntN(20))
		}
		c = book
	}
	out, err := d.Do(c)
	if err == nil {
		d.last = max(d.last, out.Booking.ID)
	} else {
		require.True(t, err == bookahead.ErrUnavailable || err == bookahead.ErrNotFound || errors.Is(err, bookahead.ErrInvalid), "%#v: %v", c, err)
	}
}

func (d *busyDesk) request() Request {
	rng := d.rng
	r := Request{
		Owner: []string{"", "ann", "bob", "eve"}[rng.IntN(4)], Priority: rng.Int64N(3), Ready: d.Now() + bookahead.Time(rng.IntN(40)),
	}
	for _, label := range []string{"red", "blue"} {
		if rng.IntN(3) == 0 {
			r.Labels = append(r.Labels, label)
		}
	}
	for range 1 + rng.IntN(2) {
		var shape Shape
		for i := range 1 + rng.IntN(3) {
			p := Part{
				On: []string{"pool", "lab", "farm", "any"}[rng.IntN(4)], Units: 1 + rng.Int64N(3),
				Duration: bookahead.Duration(1 + rng.IntN(15)), Offset: bookahead.Duration(rng.IntN(10)),
			}
			if i > 0 && p.On == "any" {
				p.On = "farm"
			}
			if p.On == "farm" {
				p.Tasks = &nodes.Request{Each: nodes.Vector{rng.Int64N(2), 1 + rng.Int64N(5)}}
				if rng.IntN(2) == 0 {
					p.Tasks.Head = nodes.Vector{0, 1 + rng.Int64N(5)}
				}
			}
			if i > 0 && rng.IntN(3) == 0 {
				p.After = &Gap{0, bookahead.Duration(rng.IntN(10))}
			}
			shape = append(shape, p)
		}
		r.Shapes = append(r.Shapes, shape)
	}
	return r
}

// filter draws one: each field is zero half of the time.
func (d *busyDesk) filter() (f Filter) {
	rng, now := d.rng, d.Now()
	if rng.IntN(2) == 0 {
		f.Window.Start = now + bookahead.Time(rng.IntN(120)-60)
		f.Window.End = f.Window.Start + bookahead.Time(rng.IntN(40))
	}
	if rng.IntN(2) == 0 {
		f.On = []string{"pool", "lab", "farm", "any", "none"}[rng.IntN(5)]
	}
	if rng.IntN(2) == 0 {
		f.Owner = []string{"ann", "bob", "eve", "kim"}[rng.IntN(4)]
	}
	if rng.IntN(2) == 0 {
		f.Label = []string{"red", "blue", "green"}[rng.IntN(3)]
	}
	for len(f.States) < 3 && rng.IntN(2) == 0 {
		f.States = append(f.States, Held+State(rng.IntN(int(Displaced))))
	}
	return f
}

// had returns all that a booking has and had.
func had(k *Booking) []Piece {
	list := slices.Clone(k.Past)
	for i, p := range k.Places {
		x := Piece{Place: p}
		tasks := k.Shapes[k.Shape][i].Tasks
		if tasks != nil {
			x.Each, x.HeadTakes = tasks.Each, tasks.Head
		}
		list = append(list, x)
	}
	return list
}

// byWalk is Bookings by a look at all bookings.
func (d *busyDesk) byWalk(f Filter) []Booking {
	list := []Booking{}
	for id := range d.last {
		k, err := d.Booking(id + 1)
		if err != nil {
			continue
		}
		lies := f.Window == (bookahead.Interval{}) && f.On == ""
		for _, p := range had(&k) {
			in := p.Interval
			if f.Window != (bookahead.Interval{}) {
				in = in.Intersect(f.Window)
			}
			on := f.On == "" || p.On == f.On || f.On == "any" && p.On != "farm"
			lies = lies || on && !in.Empty()
		}
		if lies && (f.Owner == "" || k.Owner == f.Owner) && (f.Label == "" || slices.Contains(k.Labels, f.Label)) &&
			(f.States == nil || slices.Contains(f.States, k.State)) {
			list = append(list, k)
		}
	}
	slices.SortStableFunc(list, func(a, b Booking) int { return cmp.Compare(a.Start, b.Start) })
	return list
}

// Bookings finds all bookings that a filter asks for, on desks of all states.
func TestBookingsAgainstAWalk(t *testing.T) {
	seen, kept := 0, 0
	steps := depth.Cases(3_000)
	for seed := range uint64(1 + steps/400) {
		d := newBusyDesk(t, rand.New(rand.NewPCG(seed, 4)))
		for i := range 400 {
			d.step(t)
			f := d.filter()
			got, want := append([]Booking{}, collected(d.Bookings(f, bookahead.Effort{}))...), d.byWalk(f)
			require.Equal(t, want, got, "seed %d, step %d: %+v", seed, i, f)
			seen += len(got)
			for _, k := range got {
				if !k.State.Live() {
					kept++
				}
			}
			d.checkUse(t)
		}
	}
	require.Greater(t, seen, steps/2)
	require.Greater(t, kept, steps/20)
}

// checkUse compares Use with a count tick by tick.
func (d *busyDesk) checkUse(t testing.TB) {
	start := max(0, d.Now()+bookahead.Time(d.rng.IntN(40)-30))
	w := bookahead.Interval{Start: start, End: start + bookahead.Time(d.rng.IntN(30))}
	on := []string{"pool", "lab", "farm"}[d.rng.IntN(3)]
	sums := map[string][]int64{}
	for _, k := range d.byWalk(Filter{}) {
		for _, p := range had(&k) {
			for at := w.Start; at < w.End; at++ {
				if p.On != on || !p.Contains(at) {
					continue
				}
				each := []int64{p.Units}
				if p.Nodes != nil {
					each = []int64{p.Units * p.Each[0], p.Units * p.Each[1]}
					if p.HeadTakes != nil {
						each[0], each[1] = each[0]+p.HeadTakes[0], each[1]+p.HeadTakes[1]
					}
				}
				if sums[k.Owner] == nil {
					sums[k.Owner] = make([]int64, len(each))
				}
				for r, n := range each {
					sums[k.Owner][r] += n
				}
			}
		}
	}
	got, err := d.Use(w, on, bookahead.Effort{})
	require.NoError(t, err)
	require.Len(t, got, len(sums))
	require.True(t, slices.IsSortedFunc(got, func(a, b Use) int { return cmp.Compare(a.Owner, b.Owner) }))
	for _, u := range got {
		for r, n := range sums[u.Owner] {
			require.Equal(t, big.NewInt(n).String(), u.Ticks[r].String(), "%q %v %v", u.Owner, on, w)
		}
		require.Len(t, u.Ticks, len(sums[u.Owner]))
	}
}

// An owner with many bookings in a quiet hour, and one with few in a busy one, are both found, whichever
// index is the longer way.
func TestBookingsOfAnOwnerInAWindow(t *testing.T) {
	d, err := New(Config{})
	require.NoError(t, err)
	_, err = d.Do(AddSchedule{"pool", Pool{Units: 10_000}})
	require.NoError(t, err)
	book := func(owner string, ready bookahead.Time) BookingID {
		out, err := d.Do(Book{Request: Request{Owner: owner, Ready: ready, Shapes: []Shape{{{On: "pool", Units: 1, Duration: 10}}}}})
		require.NoError(t, err)
		return out.Booking.ID
	}
	first := book("few", 5)
	for i := range 2000 {
		book("many", bookahead.Time(20*i))
		book("others", 0)
	}
	quiet := book("many", 50_000)
	book("others", 50_000)
	few := collected(d.Bookings(Filter{Owner: "few", Window: bookahead.Interval{Start: 0, End: 8}}, bookahead.Effort{}))
	require.Len(t, few, 1)
	require.Equal(t, first, few[0].ID)
	many := collected(d.Bookings(Filter{Owner: "many", Window: bookahead.Interval{Start: 49_999, End: 50_001}}, bookahead.Effort{}))
	require.Len(t, many, 1)
	require.Equal(t, quiet, many[0].ID)
	require.Len(t, collected(d.Bookings(Filter{Owner: "many", Window: bookahead.Interval{Start: 0, End: 60_000}}, bookahead.Effort{})), 2001)
	require.Len(t, collected(d.Bookings(Filter{Owner: "many", On: "pool"}, bookahead.Effort{})), 2001)
}

// Use is exact where 64 bits are too few.
func TestUseBeyond64Bits(t *testing.T) {
	d, err := New(Config{})
	require.NoError(t, err)
	const units, ticks = 1<<60 - 1, 1<<61 - 1
	do(t, d, AddSchedule{"pool", Pool{Units: 3 * units}})
	for range 3 {
		do(t, d, Book{Request: Request{Owner: "a", Shapes: []Shape{{{On: "pool", Units: units, Duration: ticks}}}}})
	}
	got, err := d.Use(bookahead.Interval{Start: 0, End: bookahead.MaxTime}, "pool", bookahead.Effort{})
	require.NoError(t, err)
	want := new(big.Int).Mul(big.NewInt(units), big.NewInt(ticks))
	want.Mul(want, big.NewInt(3))
	require.Equal(t, []Use{{"a", []*big.Int{want}}}, got)
}

// Names that the desk does not have are refused, and a broker's use is that of its schedules.
func TestBadQueries(t *testing.T) {
	d := newBusyDesk(t, rand.New(rand.NewPCG(1, 1)))
	w := bookahead.Interval{Start: 0, End: 10}
	for on, want := range map[string]string{"none": "is no schedule", "any": `is a broker: ask for ["pool" "lab"]`} {
		_, err := d.Use(w, on, bookahead.Effort{})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
	_, err := d.Booking(1)
	require.Equal(t, bookahead.ErrNotFound, err)
	_, err = d.ByKey("")
	require.Equal(t, bookahead.ErrNotFound, err)
	got, err := d.Use(bookahead.Interval{}, "pool", bookahead.Effort{})
	require.NoError(t, err)
	require.Empty(t, got)
}

// A key leads to its booking for as long as that is kept.
func TestByKey(t *testing.T) {
	d, err := New(Config{Keep: 10})
	require.NoError(t, err)
	do(t, d, AddSchedule{"pool", Pool{Units: 4}})
	want := do(t, d, Book{Key: "k", Request: Request{Shapes: []Shape{{{On: "pool", Units: 1, Duration: 5}}}}}).Booking
	got, err := d.ByKey("k")
	require.NoError(t, err)
	require.Equal(t, want, got)
	do(t, d, Advance{14})
	got, err = d.ByKey("k")
	require.NoError(t, err)
	require.Equal(t, Ended, got.State)
	do(t, d, Advance{15})
	_, err = d.ByKey("k")
	require.Equal(t, bookahead.ErrNotFound, err)
}

// Schedules are listed as they were added, a broker with the largest of the limits.
func TestSchedules(t *testing.T) {
	d := newBusyDesk(t, rand.New(rand.NewPCG(1, 1)))
	do(t, d.Desk, Advance{7})
	var names []string
	for _, s := range d.Schedules() {
		names = append(names, s.Name)
		require.Equal(t, bookahead.Time(7), s.Frame.Now)
	}
	require.Equal(t, []string{"pool", "lab", "farm", "any"}, names)
	require.Equal(t, bookahead.Frame{Now: 7, Horizon: 207, Capacity: 9}, d.Schedules()[0].Frame)
	require.Equal(t, 5, d.Schedules()[1].Frame.Servers)
	require.Equal(t, 3, d.Schedules()[2].Frame.Servers)
	require.Equal(t, bookahead.Frame{Now: 7, Horizon: bookahead.MaxTime, Capacity: 9}, d.Schedules()[3].Frame)
	require.Equal(t, Pool{Units: 9, Horizon: 200}, d.Schedules()[0].Kind)
}
