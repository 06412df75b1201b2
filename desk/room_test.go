package desk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/volume"
)

const roomTicks = 20

// drawRoom draws a desk with a pool, its terms, quotas and outages, and bookings of several owners.
func drawRoom(t *testing.T, rng *rand.Rand) *Desk {
	d, err := New(Config{Keep: 9 * roomTicks})
	require.NoError(t, err)
	do(t, d, AddSchedule{"link", Pool{Units: 4, Horizon: 2 * roomTicks}})
	do(t, d, AddSchedule{"other", Pool{Units: 4, Horizon: 2 * roomTicks}})
	terms := Terms{Notice: bookahead.Duration(rng.IntN(3))}
	for at := bookahead.Time(rng.IntN(6)); at < roomTicks && rng.IntN(4) > 0; at += 1 + bookahead.Time(rng.IntN(3)) {
		end := at + 1 + bookahead.Time(rng.IntN(8))
		terms.Open = append(terms.Open, bookahead.Interval{Start: at, End: end})
		at = end
	}
	if rng.IntN(2) == 0 {
		do(t, d, SetTerms{On: "link", Terms: terms})
	}
	for i := range rng.IntN(4) {
		q := Quota{Units: 1 + rng.Int64N(4), Each: rng.IntN(2) == 0}
		if rng.IntN(3) == 0 {
			q.Owners = []string{"ann"}
		}
		if rng.IntN(3) == 0 {
			q.Label = "blue"
		}
		if rng.IntN(3) == 0 {
			q.On = []string{"link"}
		}
		if rng.IntN(20) == 0 {
			q.Units, q.None = 0, true
		}
		do(t, d, SetQuota{Name: string(rune('a' + i)), Quota: q})
	}
	for range rng.IntN(8) {
		r := drawAsker(rng)
		at := d.Now() + bookahead.Time(rng.IntN(roomTicks))
		on := []string{"link", "link", "other"}[rng.IntN(3)]
		r.Ready, r.Shapes = at, []Shape{{{On: on, Units: 1 + rng.Int64N(3), Duration: bookahead.Duration(1 + rng.IntN(6))}}}
		_, _ = d.Do(Book{Request: r})
		if rng.IntN(6) == 0 {
			_, _ = d.Do(Close{On: "link", Interval: bookahead.Interval{Start: at, End: at + 3}, Units: 1 + rng.Int64N(4)})
		}
		if rng.IntN(6) == 0 {
			do(t, d, Advance{d.Now() + bookahead.Time(rng.IntN(4))})
		}
	}
	return d
}

func drawAsker(rng *rand.Rand) Request {
	r := Request{Owner: []string{"ann", "bob"}[rng.IntN(2)]}
	if rng.IntN(2) == 0 {
		r.Labels = []string{"blue"}
	}
	return r
}

// The room at a tick is the most units with which a Book of that tick is not refused. A volume is planned as it is at these
// ticks, and booked to the letter.
func TestRoomAgainstSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 8))
	booked, bent := 0, 0
	for range depth.Cases(3_000) {
		d := drawRoom(t, rng)
		r := drawAsker(rng)
		buffered := rng.IntN(4) == 0
		if buffered {
			setRules(t, d, func(terms *Terms) {
				terms.Before, terms.After = bookahead.Duration(rng.IntN(4)), 1+bookahead.Duration(rng.IntN(5))
			})
		}
		w := bookahead.Interval{Start: bookahead.Time(rng.IntN(5)), End: roomTicks}
		room, err := d.Room(r, "link", w)
		require.NoError(t, err)
		free := make([]int64, roomTicks)
		for _, s := range room {
			require.True(t, s.Start >= max(w.Start, d.Now()) && s.End <= w.End && s.Free > 0 && !s.Empty())
			for tick := s.Start; tick < s.End; tick++ {
				free[tick] = s.Free
			}
		}
		var ticks []bookahead.Step
		for tick := max(w.Start, d.Now()); tick < w.End; tick++ {
			most := int64(0)
			for ; most < 4; most++ {
				one := r
				one.Ready, one.Deadline, one.Shapes = tick, tick+1, []Shape{onePart("link", most+1, 1)}
				_, err := d.Search(one, bookahead.Effort{})
				if err != nil {
					require.ErrorIs(t, err, bookahead.ErrUnavailable)
					break
				}
			}
			require.Equal(t, most, free[tick], "at %d", tick)
			ticks = append(ticks, bookahead.Step{Interval: bookahead.Interval{Start: tick, End: tick + 1}, Free: most})
		}

		v := volume.Request{Ready: w.Start, Deadline: w.End, Volume: 1 + rng.Int64N(20), Most: rng.Int64N(5)}
		if rng.IntN(3) == 0 {
			v.Stretches = 1 + rng.IntN(3)
		}
		if rng.IntN(3) == 0 {
			v.Least = min(1, v.Most)
		}
		one := v
		if buffered {
			one.Stretches = 1
		}
		want, wantErr := volume.SearchSteps(slices.Values(ticks), one, bookahead.Effort{})
		asked, plan, err := d.VolumeRequest(r, "link", v, bookahead.Effort{})
		if wantErr != nil {
			require.Equal(t, wantErr, err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want.Cost, plan.Cost)
		require.Equal(t, want.Bound, plan.Bound)
		out := do(t, d, Book{Request: asked})
		require.Equal(t, r.Owner, out.Booking.Owner)
		require.Len(t, out.Booking.Places, len(plan.Stretches))
		for i, s := range plan.Stretches {
			p := out.Booking.Places[i]
			require.Equal(t, s, volume.Stretch{Interval: p.Interval, Units: p.Units})
		}
		require.NoError(t, d.Verify())
		booked++
		if len(plan.Stretches) > 1 {
			bent++
		}
	}
	require.Greater(t, 10*bent+100, booked, "few draws may have none")
	t.Logf("%d booked, %d of several stretches", booked, bent)
}

// The use of a quota may be more than 2^62 units.
func TestRoomOfMany(t *testing.T) {
	d, err := New(Config{})
	require.NoError(t, err)
	do(t, d, AddSchedule{"link", Pool{Units: math.MaxInt64}})
	do(t, d, SetQuota{Name: "all", Quota: Quota{Units: math.MaxInt64}})
	do(t, d, Book{Request: Request{Deadline: 10, Shapes: []Shape{onePart("link", 1<<62, 10)}}})
	room, err := d.Room(Request{}, "link", bookahead.Interval{Start: 0, End: 10})
	require.NoError(t, err)
	require.Equal(t, []bookahead.Step{{Interval: bookahead.Interval{Start: 0, End: 10}, Free: math.MaxInt64 - 1<<62}}, room)
}

// A plan that a rule refuses is none, although Room does not know the rule.
func TestRoomIsNotAll(t *testing.T) {
	d, err := New(Config{})
	require.NoError(t, err)
	do(t, d, AddSchedule{"link", Pool{Units: 4}})
	v := volume.Request{Ready: 5, Volume: 60}
	for name, c := range map[string]Command{
		"Ahead":  SetTerms{On: "link", Terms: Terms{Ahead: 1}},
		"Owners": SetTerms{On: "link", Terms: Terms{Owners: []string{"bob"}}},
		"Window": SetQuota{Name: "q", Quota: Quota{Ticks: 5, Window: 10}},
	} {
		e := d.Clone()
		do(t, e, c)
		room, err := e.Room(Request{Owner: "ann"}, "link", ticks(5, 15))
		require.NoError(t, err)
		require.Equal(t, []bookahead.Step{{Interval: ticks(5, 15), Free: 4}}, room, name)
		r, plan, err := e.VolumeRequest(Request{Owner: "ann"}, "link", v, bookahead.Effort{})
		require.ErrorIs(t, err, bookahead.ErrUnavailable, name)
		require.Empty(t, plan.Stretches)
		_, err = e.Do(Book{Request: r})
		require.ErrorIs(t, err, bookahead.ErrUnavailable, name)
	}
	do(t, d, SetTerms{On: "link", Terms: Terms{Longest: 4}})
	do(t, d, SetQuota{Name: "q", Quota: Quota{Ticks: 32, Every: 10}})
	r, plan, err := d.VolumeRequest(Request{}, "link", v, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, []volume.Stretch{{Interval: ticks(5, 18), Units: 4}, {Interval: ticks(20, 22), Units: 4}}, plan.Stretches)
	out := do(t, d, Book{Request: r})
	require.Equal(t, []bookahead.Interval{ticks(5, 9), ticks(9, 13), ticks(13, 17), ticks(17, 18), ticks(20, 22)}, times(out.Booking))
}

func TestRoomRefusals(t *testing.T) {
	d, err := New(Config{})
	require.NoError(t, err)
	do(t, d, AddSchedule{"link", Pool{Units: 4}})
	do(t, d, AddSchedule{"lab", Servers{Count: 4}})
	do(t, d, AddSchedule{"any", Broker{Of: []string{"link"}}})
	for on, why := range map[string]string{"": "is no schedule", "lab": "and no pool", "any": "is a broker"} {
		_, err := d.Room(Request{}, on, bookahead.Interval{Start: 0, End: 9})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, why)
		_, _, err = d.VolumeRequest(Request{}, on, volume.Request{Volume: 1}, bookahead.Effort{})
		require.ErrorContains(t, err, why)
	}
	for field, v := range map[string]volume.Request{
		"Request.Volume": {}, "Request.Volume.Stretches": {Volume: 1, Stretches: 65}, "Request.Deadline": {Volume: 1, Ready: 5, Deadline: 5},
	} {
		_, _, err = d.VolumeRequest(Request{}, "link", v, bookahead.Effort{})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, field)
	}
	_, _, err = d.VolumeRequest(Request{}, "link", volume.Request{Volume: math.MaxInt64, Deadline: 9}, bookahead.Effort{})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	_, plan, err := d.VolumeRequest(Request{Ready: -5, Deadline: 1}, "link", volume.Request{Ready: math.MinInt64, Volume: math.MaxInt64}, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, bookahead.MaxTime/4+1, plan.Completion())
	room, err := d.Room(Request{}, "link", bookahead.Interval{Start: 9, End: 3})
	require.NoError(t, err)
	require.Empty(t, room)
}

// A search finds volumes that are done late, with and without a price. If it is stopped, it returns a bound or an error.
func TestVolumeFarAhead(t *testing.T) {
	d, err := New(Config{})
	require.NoError(t, err)
	do(t, d, AddSchedule{"link", Pool{Units: 4}})
	do(t, d, Book{Request: Request{Shapes: []Shape{onePart("link", 4, 100_000)}}})
	for i := range bookahead.Time(200) {
		do(t, d, Book{Request: Request{Ready: 100_000 + 20*i, Deadline: 100_010 + 20*i, Shapes: []Shape{onePart("link", 1+int64(i)%3, 10)}}})
	}
	whole := func() []bookahead.Step {
		room, err := d.Room(Request{}, "link", bookahead.Interval{Start: 0, End: 200_000})
		require.NoError(t, err)
		return room
	}()
	for _, v := range []volume.Request{{Volume: 9_000}, {Volume: 9_000, Stretches: 7}, {Volume: 9_000, Price: 3}, {Volume: 900, Price: 1_000}} {
		want, err := volume.SearchSteps(slices.Values(whole), v, bookahead.Effort{})
		require.NoError(t, err)
		_, plan, err := d.VolumeRequest(Request{}, "link", v, bookahead.Effort{})
		require.NoError(t, err)
		if len(want.Stretches) <= MaxParts {
			require.Equal(t, want.Cost, plan.Cost)
		}
		require.Equal(t, plan.Cost, plan.Bound)
		known := false
		for steps := int64(1); ; steps += 1 + steps/8 {
			p, err := func() (volume.Plan, error) {
				_, p, err := d.VolumeRequest(Request{}, "link", v, bookahead.Effort{Steps: steps})
				return p, err
			}()
			if err != nil {
				require.ErrorIs(t, err, bookahead.ErrStopped)
				require.False(t, known, "more steps know no less")
				continue
			}
			known = true
			require.LessOrEqual(t, p.Spent, steps)
			require.LessOrEqual(t, p.Bound, plan.Cost)
			require.GreaterOrEqual(t, p.Cost, plan.Cost)
			if p.Bound == p.Cost {
				break
			}
		}
	}
}

// Work in pieces is planned on a machine, and booked as one.
func TestInPieces(t *testing.T) {
	d, err := New(Config{})
	require.NoError(t, err)
	do(t, d, AddSchedule{"farm", Nodes{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{8}, {8}, {8}}}})
	one := func(node int, ready, end bookahead.Time) Command {
		tasks := &nodes.Request{Each: nodes.Vector{8}, Nodes: []int{node}}
		return Book{Request: Request{Ready: ready, Deadline: end, Shapes: []Shape{{{On: "farm", Units: 1, Duration: bookahead.Duration(end - ready), Tasks: tasks}}}}}
	}
	do(t, d, one(0, 4, 8))
	do(t, d, one(1, 12, 20))
	do(t, d, one(2, 6, 8))
	do(t, d, one(2, 12, 20))
	part := Part{On: "farm", Units: 2, Duration: 9, Tasks: &nodes.Request{Each: nodes.Vector{8}}}
	out := do(t, d, Book{Request: Request{Owner: "ann"}.InPieces(part, pieces.Rule{Restart: 1})})
	require.Equal(t, bookahead.Interval{Start: 0, End: 12}, out.Booking.Interval)
	m, err := d.Machine("farm", bookahead.Interval{Start: 0, End: 100})
	require.NoError(t, err)
	task := nodes.Request{Duration: 1, Tasks: 2, Each: nodes.Vector{8}}
	for i, p := range out.Booking.Places {
		require.Equal(t, part.Units, p.Units)
		task.Ready, task.Deadline = p.Start, p.End
		_, err = m.Search(task)
		require.ErrorIs(t, err, bookahead.ErrUnavailable, "piece %d has its nodes", i)
	}
	require.NoError(t, d.Verify())
	_, err = d.Do(Book{Request: Request{}.InPieces(Part{On: "farm"}, pieces.Rule{})})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// BenchmarkVolume books a volume, of ten to twenty stretches, on a pool with live bookings, and cancels it. impl=one books
// these stretches one by one, each at its place.
func BenchmarkVolume(b *testing.B) {
	for _, live := range []int{1_000, 100_000} {
		d, err := New(Config{})
		require.NoError(b, err)
		_, err = d.Do(AddSchedule{"pool", Pool{Units: 128}})
		require.NoError(b, err)
		next := steady(live)
		for range live {
			r := next()
			_, err = d.Do(Book{Request: Request{Owner: "ann", Ready: r.Ready, Shapes: []Shape{{{On: "pool", Units: r.Units, Duration: r.Duration}}}}})
			require.NoError(b, err)
		}
		var asked []Request
		var plans []volume.Plan
		ask := func() (Request, volume.Plan) {
			v := volume.Request{Ready: next().Ready, Volume: 20_000, Most: 64, Stretches: 20}
			r, plan, err := d.VolumeRequest(Request{Owner: "bob"}, "pool", v, bookahead.Effort{})
			if err != nil {
				b.Fatal(err)
			}
			return r, plan
		}
		for range 256 {
			r, plan := ask()
			asked, plans = append(asked, r), append(plans, plan)
		}
		run := func(b *testing.B, c Command) {
			out, err := d.Do(c)
			if err != nil {
				b.Fatal(err)
			}
			_, err = d.Do(Cancel{out.Booking.ID})
			if err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprintf("impl=plan/live=%d", live), func(b *testing.B) {
			for b.Loop() {
				ask()
			}
		})
		b.Run(fmt.Sprintf("impl=volume/live=%d", live), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				run(b, Book{Request: asked[i%len(asked)]})
			}
		})
		b.Run(fmt.Sprintf("impl=one/live=%d", live), func(b *testing.B) {
			n := 0
			for i := 0; b.Loop(); i++ {
				for _, x := range plans[i%len(plans)].Stretches {
					one := Request{Owner: "bob", Ready: x.Start, Deadline: x.End, Shapes: []Shape{{{On: "pool", Units: x.Units, Duration: x.Len()}}}}
					run(b, Book{Request: one})
					n++
				}
			}
			b.ReportMetric(float64(n)/float64(b.N), "stretches")
		})
	}
}
