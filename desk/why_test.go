package desk

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/scheduletest"
)

// wondering is a request of which the oracle knows why it is refused: it takes the units of parts out of its
// boards, and tries all starts.
type wondering struct {
	o *ideal
	d *Desk
	r Request // with the deadline that is not met
}

// naivePlace is a shape with the times of its parts.
type naivePlace struct {
	shape int
	times []bookahead.Interval
}

func (x *naivePlace) end() bookahead.Time { return spanned(x.times).End }

// place returns the place without the units of some parts, of one shape or of all (-1).
func (w *wondering) place(deadline bookahead.Time, eased []*Part, only int) (best *naivePlace) {
	r := w.r
	r.Deadline = deadline
	for i, s := range r.Shapes {
		if only >= 0 && i != only {
			continue
		}
		first := earliestChain(w.o, &r, s, eased)
		if first == nil {
			continue
		}
		x := naivePlace{shape: i}
		for k, spell := range spellsOf(s) {
			for _, at := range spell.seats(first[k]) {
				x.times = append(x.times, at.Interval)
			}
		}
		if best == nil || x.end() < best.end() {
			best = &x
		}
	}
	return best
}

// why answers as Why does, by trying everything.
func (w *wondering) why() (f Refusal) {
	var parts []*Part
	var all []Obstacle
	for i, s := range w.r.Shapes {
		for k := range s {
			parts = append(parts, &s[k])
			all = append(all, Obstacle{Shape: i, Part: k, On: s[k].On, Units: s[k].Units})
		}
	}
	next := w.place(0, nil, -1)
	if next != nil {
		f.Next = spanned(next.times)
	}
	f.Window = bookahead.Interval{Start: max(w.r.Ready, w.o.now), End: cmp.Or(w.r.Deadline, bookahead.MaxTime)}
	if w.place(w.r.Deadline, nil, -1) != nil {
		ideal := w.place(0, parts, -1)
		w.r.Deadline = ideal.end()
		f.Window.End = ideal.end()
		if next.end() == ideal.end() {
			return f
		}
	}
	var blamed []int
	for i := range parts {
		if w.place(w.r.Deadline, parts[i:i+1], -1) != nil {
			blamed = append(blamed, i)
		}
	}
	if blamed == nil {
		f.Together = true
		n := 0
		for n <= len(parts) && w.place(w.r.Deadline, parts[:n], -1) == nil {
			n++
		}
		if n > len(parts) {
			f.Together = false
			return f
		}
		out := slices.Clone(parts[:n])
		for _, p := range parts[:n] {
			fewer := slices.DeleteFunc(slices.Clone(out), func(q *Part) bool { return p == q })
			if w.place(w.r.Deadline, fewer, -1) != nil {
				out = fewer
			}
		}
		for _, p := range out {
			blamed = append(blamed, slices.Index(parts, p))
		}
	}
	for _, i := range blamed {
		o := all[i]
		var others []*Part
		if f.Together {
			for _, k := range blamed {
				if k != i {
					others = append(others, parts[k])
				}
			}
		}
		o.Until = bookahead.MaxTime
		x := w.place(0, others, o.Shape)
		if x != nil {
			o.Until = x.times[o.Part].Start
		}
		w.name(&o, parts)
		f.Obstacles = append(f.Obstacles, o)
	}
	return f
}

// name finds out in which ticks a part can lie, and who is there.
func (w *wondering) name(o *Obstacle, parts []*Part) {
	shape := w.r.Shapes[o.Shape]
	p := &shape[o.Part]
	o.Window = bookahead.Interval{Start: bookahead.MaxTime}
	eachChain(w.o, &w.r, shape, parts, func(at []bookahead.Time) {
		i := 0
		for k, x := range spellsOf(shape) {
			for _, s := range x.seats(at[k]) {
				if i == o.Part {
					o.Window.Start, o.Window.End = min(o.Window.Start, s.Start), max(o.Window.End, s.End)
				}
				i++
			}
		}
	})
	if w.r.Deadline == 0 {
		o.Window.End = bookahead.MaxTime
	}
	on := []string{p.On}
	if w.o.boards[p.On].of != nil {
		on = w.o.boards[p.On].of
	}
	first := map[BookingID]bookahead.Time{}
	for _, e := range w.o.kept {
		for _, at := range e.Places {
			named := p.Servers == nil || slices.ContainsFunc(p.Servers, func(k int) bool { return slices.Contains(at.Servers, k) })
			if p.Tasks != nil && p.Tasks.Nodes != nil {
				named = slices.ContainsFunc(at.Nodes, func(x nodes.Share) bool { return x.Node == p.Tasks.Nodes[0] })
			}
			if e.State.Live() && slices.Contains(on, at.On) && at.Overlaps(o.Window) && named {
				start, ok := first[e.ID]
				if !ok || at.Start < start {
					first[e.ID] = at.Start
				}
			}
		}
	}
	o.Bookings = slices.SortedFunc(maps.Keys(first), func(k, q BookingID) int { return cmp.Or(cmp.Compare(first[k], first[q]), cmp.Compare(k, q)) })
	if len(o.Bookings) > MaxNamed {
		o.Bookings, o.More = o.Bookings[:MaxNamed], true
	}
	for _, out := range w.d.Outages("") {
		named := p.Servers == nil || slices.ContainsFunc(p.Servers, func(k int) bool { return slices.Contains(out.Servers, k) })
		if slices.Contains(on, out.On) && out.Overlaps(o.Window) && named {
			o.Outages = append(o.Outages, out.ID)
		}
	}
}

// roadworks is a street with a machine, on which the clock has moved, and units are closed.
func roadworks(t require.TestingT, rng *rand.Rand) *world {
	w := street(t, rng)
	require.NoError(t, w.run(AddSchedule{"farm", Nodes{Resources: []string{"cores"}, Nodes: []nodes.Vector{{2}, {2}}}}, false))
	for range 7 {
		start := bookahead.Time(rng.IntN(24))
		r := at(start, "farm", 1+rng.Int64N(3), bookahead.Duration(1+rng.IntN(4)))
		r.Shapes[0][0].Tasks = drawTasks(rng)
		require.NoError(t, w.run(Book{Request: r}, false))
	}
	require.NoError(t, w.run(Advance{bookahead.Time(rng.IntN(5))}, false))
	for _, on := range []string{"p", "q", "s"} {
		if rng.IntN(2) == 0 {
			continue
		}
		start := w.o.now + bookahead.Time(rng.IntN(12))
		c := Close{On: on, Interval: ticks(start, start+bookahead.Time(1+rng.IntN(8)))}
		if on == "s" {
			c.Servers = []int{rng.IntN(3)}
		} else {
			c.Units = 1
		}
		_, err := w.d.Do(c)
		require.NoError(t, err)
		w.o.boards[on].put(Place{Interval: c.Interval, Units: c.Units, Servers: c.Servers}, nil, w.o.now, 1)
	}
	return w
}

// drawTasks draws tasks of one core, on any node or on one.
func drawTasks(rng *rand.Rand) *nodes.Request {
	r := &nodes.Request{Each: nodes.Vector{1}}
	if rng.IntN(2) == 0 {
		r.Nodes = []int{rng.IntN(2)}
	}
	return r
}

// whyCases is 500 by default.
func whyCases() int { return scheduletest.Operations() / 200 }

// plain is a Refusal without the fields that only a text needs.
func plain(f Refusal) Refusal {
	f.Obstacles = slices.Clone(f.Obstacles)
	for i := range f.Obstacles {
		o := &f.Obstacles[i]
		o.kind, o.servers = "", nil
		if len(o.Bookings) == 0 {
			o.Bookings = nil
		}
		if len(o.Outages) == 0 {
			o.Outages = nil
		}
	}
	return f
}

// asker is Why, or a fault.
type asker func(d *Desk, r Request) (Refusal, error)

// tryWhy compares answers with those that the oracle finds by trying all starts.
func tryWhy(t require.TestingT, cases int, why asker) (counts map[string]int, err error) {
	rng := rand.New(rand.NewPCG(5, 24))
	counts = map[string]int{}
	for n := 0; n < cases; {
		w := roadworks(t, rng)
		for range 25 {
			r := Request{Ready: bookahead.Time(rng.IntN(10))}
			for range 1 + rng.IntN(2) {
				r.Shapes = append(r.Shapes, chained(rng))
			}
			for _, s := range r.Shapes {
				p := &s[rng.IntN(len(s))]
				switch {
				case rng.IntN(3) == 0:
					p.On, p.Tasks = "farm", drawTasks(rng)
				case p.On == "s" && rng.IntN(3) == 0:
					p.Servers = []int{2, 0}
				case rng.IntN(8) == 0:
					p.Units = 4
				}
			}
			if rng.IntN(3) > 0 {
				r.Deadline = r.Ready + bookahead.Time(1+rng.IntN(16))
			}
			if w.o.senseless(&r) || w.o.unfit(&r) || w.o.unsearchable(&r) {
				continue
			}
			n++
			x := wondering{w.o, w.d, r.clone()}
			want := x.why()
			got, err := why(w.d, r)
			if err != nil {
				return counts, fmt.Errorf("%+v: %w", r, err)
			}
			if !reflect.DeepEqual(plain(want), plain(got)) {
				return counts, fmt.Errorf("%+v at %d:\nwhy %+v\nand not %+v", r, w.o.now, plain(got), plain(want))
			}
			counts[caseOf(&r, &got)]++
		}
	}
	return counts, nil
}

func caseOf(r *Request, f *Refusal) string {
	late := "no place"
	if !f.Next.Empty() && (r.Deadline == 0 || f.Next.End <= r.Deadline) {
		late = "late"
	}
	switch {
	case f.Together:
		return late + ", together"
	case len(f.Obstacles) > 1:
		return late + ", several alone"
	case len(f.Obstacles) == 1:
		return late + ", one alone"
	}
	return late + ", nothing"
}

// TestWhyAgainstAllStarts takes each obstacle out of a model by ticks, and tries all starts.
func TestWhyAgainstAllStarts(t *testing.T) {
	counts, err := tryWhy(t, whyCases(), (*Desk).Why)
	require.NoError(t, err)
	t.Log(counts)
	if whyCases() >= 500 {
		require.Len(t, counts, 8, "%v", counts)
	}
}

// amiss asks, and lets a fault change the answer.
func amiss(change func(d *Desk, r *Request, f *Refusal)) asker {
	return func(d *Desk, r Request) (Refusal, error) {
		f, err := d.Why(r)
		change(d, &r, &f)
		return f, err
	}
}

// TestFaultsOfWhyAreCaught: the comparison finds out answers that are wrong on purpose.
func TestFaultsOfWhyAreCaught(t *testing.T) {
	for name, why := range map[string]asker{
		"an obstacle is missing": amiss(func(_ *Desk, _ *Request, f *Refusal) {
			f.Obstacles = f.Obstacles[:max(0, len(f.Obstacles)-1)]
		}),
		"all parts are blamed": amiss(func(_ *Desk, r *Request, f *Refusal) {
			if f.Together && len(f.Obstacles) < len(r.Shapes[f.Obstacles[0].Shape]) {
				for k, p := range r.Shapes[f.Obstacles[0].Shape] {
					if !slices.ContainsFunc(f.Obstacles, func(o Obstacle) bool { return o.Part == k }) {
						f.Obstacles = append(f.Obstacles, Obstacle{Shape: f.Obstacles[0].Shape, Part: k, On: p.On})
					}
				}
			}
		}),
		"a booking is not named": amiss(func(_ *Desk, _ *Request, f *Refusal) {
			for i := range f.Obstacles {
				f.Obstacles[i].Bookings = f.Obstacles[i].Bookings[:max(0, len(f.Obstacles[i].Bookings)-1)]
			}
		}),
		"outages are not named": amiss(func(_ *Desk, _ *Request, f *Refusal) {
			for i := range f.Obstacles {
				f.Obstacles[i].Outages = nil
			}
		}),
		"until the end of the last booking": amiss(func(d *Desk, _ *Request, f *Refusal) {
			for i := range f.Obstacles {
				o := &f.Obstacles[i]
				for _, id := range o.Bookings {
					k, _ := d.Booking(id)
					o.Until = k.End
				}
			}
		}),
		"the deadline stays": func(d *Desk, r Request) (Refusal, error) {
			f, err := d.Why(r)
			if r.Deadline != 0 && f.Next.End > r.Deadline {
				f.Next = bookahead.Interval{}
			}
			return f, err
		},
		"a late place is as good": amiss(func(_ *Desk, r *Request, f *Refusal) {
			if r.Deadline == 0 && !f.Next.Empty() {
				f.Obstacles = nil
			}
		}),
	} {
		_, err := tryWhy(t, 200, why)
		require.Error(t, err, name)
	}
}

// TestPictureOfWhy has the obstacles of the comment.
func TestPictureOfWhy(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 8}, "line", Pool{Units: 1})
	must(t, d, Book{Request: at(0, "gpus", 4, 4)})
	must(t, d, Book{Request: at(0, "line", 1, 8)})
	for units, want := range map[int64][]string{
		4: {`1 unit of "line" is taken by #2, and free at 8`},
		6: {`6 units of "gpus" are taken by #1, and free at 4`, `1 unit of "line" is taken by #2, and free at 8`},
	} {
		r := asks(Part{On: "gpus", Units: units, Duration: 4}, Part{On: "line", Units: 1, Duration: 4})
		for _, r.Deadline = range []bookahead.Time{0, 4} {
			f, err := d.Why(r)
			require.NoError(t, err)
			var got []string
			for _, o := range f.Obstacles {
				got = append(got, o.String())
			}
			require.Equal(t, want, got)
			require.Equal(t, units == 6, f.Together)
			require.Equal(t, ticks(8, 12), f.Next)
			require.Equal(t, ticks(0, 4), f.Window)
		}
	}
}

// TestObstacleTexts has one line for each kind of schedule, and for each that is in the way.
func TestObstacleTexts(t *testing.T) {
	d := all(t)
	for _, c := range []Command{
		AddSchedule{"few", Pool{Units: 12}},
		Book{Request: at(0, "gpus", 4, 10)},
		Book{Request: at(0, "lab", 3, 20)},
		Book{Request: Request{Deadline: 5, Shapes: []Shape{{{On: "farm", Units: 2, Duration: 5, Tasks: &nodes.Request{Each: nodes.Vector{4}}}}}}},
		Close{On: "gpus", Interval: ticks(10, 14), Units: 1},
		Close{On: "lab", Interval: ticks(15, 25), Servers: []int{1}},
		Advance{2},
	} {
		_, err := d.Do(c)
		require.NoError(t, err)
	}
	for range MaxNamed + 2 {
		must(t, d, Book{Request: at(2, "few", 1, 4)})
	}
	task := &nodes.Request{Each: nodes.Vector{4}}
	clock := bookahead.Clock{Epoch: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC), Tick: time.Hour}
	for _, c := range []struct {
		part Part
		want string
	}{
		{Part{On: "gpus", Units: 4, Duration: 2}, `4 units of "gpus" are taken by #1, and free at 22:00`},
		{Part{On: "gpus", Units: 4, Duration: 9}, `4 units of "gpus" are taken by #1 or closed by outage 1, and free at 22:00`},
		{Part{On: "gpus", Units: 9, Duration: 2}, `9 units of "gpus" are never free`},
		{Part{On: "lab", Units: 2, Duration: 2}, `2 servers of "lab" are taken by #2, and free at 04:00`},
		{Part{On: "lab", Units: 1, Duration: 2, Servers: []int{1}}, `1 of the servers [1] of "lab" is taken by #2, and free at 09:00`},
		{Part{On: "lab", Units: 1, Duration: 15, Servers: []int{1, 3}}, ``},
		{Part{On: "farm", Units: 1, Duration: 2, Tasks: task}, `1 task of "farm" is taken by #3, and free at 13:00`},
		{Part{On: "few", Units: 12, Duration: 2}, `12 units of "few" are taken by #4, #5, #6, #7, #8, #9, #10, #11 and others, and free at 14:00`},
	} {
		f, err := d.Why(asks(c.part))
		require.NoError(t, err)
		if c.want == "" {
			require.Empty(t, f.Obstacles)
			continue
		}
		require.Len(t, f.Obstacles, 1, c.want)
		require.Equal(t, c.want, f.Obstacles[0].Text(clock, "15:04"))
	}
	f, err := d.Why(asks(Part{On: "gpus", Units: 3, Duration: 2}, Part{On: "gpus", Units: 3, Duration: 2}))
	require.NoError(t, err)
	require.Len(t, f.Obstacles, 2, "each alone: the parts are in each other's way")
	require.Equal(t, `3 units of "gpus" are never free`, f.Obstacles[0].String())
	far := Obstacle{On: "x", Units: 2, kind: "unit", Until: bookahead.MaxTime - 1}
	require.Equal(t, `2 units of "x" are not free, and free at tick 9223372036854775806`, far.Text(clock, "15:04"))
}

// TestObstacleNamesEachOnce: a booking of several parts is named once, and an extension closes nothing.
func TestObstacleNamesEachOnce(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 4}, "lab", Servers{Count: 2}, "any", Broker{Of: []string{"gpus", "lab"}})
	for _, c := range []Command{
		Book{Request: asks(Part{On: "gpus", Units: 4, Duration: 3}, Part{On: "gpus", Units: 4, Duration: 3, Offset: 3}, Part{On: "lab", Units: 2, Duration: 5})},
		Extend{On: "gpus", Interval: ticks(2, 4), Units: 1},
		Close{On: "lab", Interval: ticks(4, 9), Servers: []int{0}},
	} {
		_, err := d.Do(c)
		require.NoError(t, err)
	}
	f, err := d.Why(asks(Part{On: "any", Units: 2, Duration: 5}))
	require.NoError(t, err)
	require.Len(t, f.Obstacles, 1)
	require.Equal(t, []BookingID{1}, f.Obstacles[0].Bookings)
	require.Equal(t, []OutageID{2}, f.Obstacles[0].Outages)
	require.Equal(t, `2 units of "any" are taken by #1 or closed by outage 2, and free at 6`, f.Obstacles[0].String())
}

// TestBadWhy: a request that makes no sense is no refusal.
func TestBadWhy(t *testing.T) {
	d := all(t)
	for text, r := range map[string]Request{
		"Request.Shapes 0":         {},
		"is no schedule":           asks(Part{On: "none", Units: 1, Duration: 1}),
		"desk: Request.Shapes[0]":  asks(Part{On: "farm", Units: 1, Duration: 1, Tasks: &nodes.Request{Each: nodes.Vector{1, 1, 1, 1}}}),
		"Request.Deadline 3 is be": {Ready: 1, Deadline: 3, Shapes: []Shape{onePart("gpus", 1, 3)}},
	} {
		_, err := d.Why(r)
		require.ErrorIs(t, err, bookahead.ErrInvalid, text)
		require.ErrorContains(t, err, text)
	}
}

// TestWhyBehindTheHorizon: what lies too far ahead is never free, and a clock that is past the deadline is nobody's fault.
func TestWhyBehindTheHorizon(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 8, Horizon: 10})
	f, err := d.Why(at(20, "gpus", 1, 4))
	require.NoError(t, err)
	require.Len(t, f.Obstacles, 1)
	require.Equal(t, `1 unit of "gpus" is never free`, f.Obstacles[0].String())
	do(t, d, Advance{8})
	f, err = d.Why(at(3, "gpus", 1, 6))
	require.NoError(t, err)
	require.Equal(t, Refusal{Window: ticks(8, 9), Next: ticks(8, 14)}, f)
}
