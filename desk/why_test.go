package desk

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/scheduletest"
)

// roadworks is a street with a machine, on which the clock has moved, and units are closed. Laws are made before that.
func roadworks(t require.TestingT, rng *rand.Rand, laws func(w *world)) *world {
	w := street(t, rng)
	require.NoError(t, w.run(AddSchedule{"farm", Nodes{Resources: []string{"cores"}, Nodes: []nodes.Vector{{2}, {2}}}}, false))
	for range 7 {
		start := bookahead.Time(rng.IntN(24))
		r := at(start, "farm", 1+rng.Int64N(3), bookahead.Duration(1+rng.IntN(4)))
		r.Shapes[0][0].Tasks = drawTasks(rng)
		require.NoError(t, w.run(Book{Request: r}, false))
	}
	if laws != nil {
		laws(w)
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
	counts, err := tryWhy(t, whyCases(), false, ask)
	require.NoError(t, err)
	t.Log(counts)
	if whyCases() >= 500 {
		require.Len(t, counts, 8, "%v", counts)
	}
}

// amiss asks, and lets a fault change the answer.
func amiss(change func(d *Desk, r *Request, f *Refusal)) asker {
	return func(d *Desk, r Request) (Refusal, error) {
		f, err := d.Why(r, bookahead.Effort{})
		change(d, &r, &f)
		return f, err
	}
}

// TestFaultsOfWhyAreCaught: the comparison finds answers that are wrong on purpose.
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
			f, err := d.Why(r, bookahead.Effort{})
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
		_, err := tryWhy(t, 200, false, why)
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
			f, err := d.Why(r, bookahead.Effort{})
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
		f, err := d.Why(asks(c.part), bookahead.Effort{})
		require.NoError(t, err)
		if c.want == "" {
			require.Empty(t, f.Obstacles)
			continue
		}
		require.Len(t, f.Obstacles, 1, c.want)
		require.Equal(t, c.want, f.Obstacles[0].Text(clock, "15:04"))
	}
	f, err := d.Why(asks(Part{On: "gpus", Units: 3, Duration: 2}, Part{On: "gpus", Units: 3, Duration: 2}), bookahead.Effort{})
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
	f, err := d.Why(asks(Part{On: "any", Units: 2, Duration: 5}), bookahead.Effort{})
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
		_, err := d.Why(r, bookahead.Effort{})
		require.ErrorIs(t, err, bookahead.ErrInvalid, text)
		require.ErrorContains(t, err, text)
	}
}

// TestWhyBehindTheHorizon: units beyond the horizon are never free, and a clock past the deadline is nobody's fault.
func TestWhyBehindTheHorizon(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 8, Horizon: 10})
	f, err := d.Why(at(20, "gpus", 1, 4), bookahead.Effort{})
	require.NoError(t, err)
	require.Len(t, f.Obstacles, 1)
	require.Equal(t, `1 unit of "gpus" is never free`, f.Obstacles[0].String())
	do(t, d, Advance{8})
	f, err = d.Why(at(3, "gpus", 1, 6), bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, Refusal{Window: ticks(8, 9), Next: ticks(8, 14)}, f)
}
