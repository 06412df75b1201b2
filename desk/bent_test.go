package desk

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/volume"
)

// freeTicks returns how many units a request may have at each tick of a time, asked one by one.
func freeTicks(t *testing.T, d *Desk, r Request, on string, w bookahead.Interval, most int64) (list []bookahead.Step) {
	r.Volume, r.Pieces = nil, nil
	for tick := w.Start; tick < w.End; tick++ {
		n := int64(0)
		for ; n < most; n++ {
			r.Ready, r.Deadline, r.Shapes = tick, tick+1, []Shape{onePart(on, n+1, 1)}
			_, err := d.Search(r, bookahead.Effort{})
			if err != nil {
				require.ErrorIs(t, err, bookahead.ErrUnavailable)
				break
			}
		}
		list = append(list, bookahead.Step{Interval: ticks(tick, tick+1), Free: n})
	}
	return list
}

// before returns a desk as it would be without a booking, and without Notice, which does not bind those who give way, after a command.
func before(t *testing.T, d *Desk, k BookingID, c Command) *Desk {
	e := d.Clone()
	_, err := e.Do(Cancel{k})
	require.NoError(t, err)
	for _, s := range e.Schedules() {
		if _, broker := s.Kind.(Broker); !broker {
			terms := s.Terms
			terms.Notice = 0
			_, err = e.Do(SetTerms{s.Name, terms})
			require.NoError(t, err)
		}
	}
	_, err = e.Do(c)
	require.NoError(t, err)
	return e
}

// checkApplied checks that a replica that only applies is alike, that a snapshot is, and that the desk is well.
func checkApplied(t *testing.T, d, replica *Desk, c Command) Outcome {
	t.Helper()
	e, err := d.Decide(c)
	require.NoError(t, err)
	data, err := e.MarshalBinary()
	require.NoError(t, err)
	out, err := d.Do(c)
	require.NoError(t, err)
	var read Entry
	require.NoError(t, read.UnmarshalBinary(data))
	_, err = replica.Apply(read)
	require.NoError(t, err)
	require.NoError(t, alike(&d.b, &replica.b))
	require.NoError(t, d.Verify())
	require.Equal(t, written(t, d), written(t, replica))
	return out
}

// tooEarly reports whether a request is invalid, since its deadline comes too early for any plan.
func tooEarly(err error) bool {
	return errors.Is(err, bookahead.ErrInvalid) && strings.Contains(err.Error(), "is before Ready")
}

// A volume that gives way is planned anew: what has run stays, and the rest is the best plan on the ticks that are free without it.
func TestVolumeGivesWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 1))
	count := map[string]int{}
	cases := depth.Cases(3_000)
	for range cases {
		d := drawRoom(t, rng)
		r := drawAsker(rng)
		r.Priority = -1 // only the volume gives way
		v := volume.Request{Ready: d.Now() + bookahead.Time(rng.IntN(3)), Volume: 1 + rng.Int64N(25), Most: rng.Int64N(5)}
		if rng.IntN(3) == 0 {
			v.Deadline = v.Ready + 1 + bookahead.Time(rng.IntN(2*roomTicks))
		}
		if rng.IntN(3) == 0 {
			v.Stretches = 1 + rng.IntN(3)
		}
		if rng.IntN(3) == 0 {
			v.Least = min(1, v.Most)
		}
		if rng.IntN(4) == 0 {
			v.Price = bookahead.Duration(rng.IntN(4))
		}
		made, err := d.Do(Book{Request: r.OfVolume("link", v)})
		if err != nil {
			require.True(t, errors.Is(err, bookahead.ErrUnavailable) || tooEarly(err), "%v", err)
			count["refused"]++
			continue
		}
		replica := d.Clone()
		done, ready := int64(0), v.Ready
		k := made.Booking
		for range 1 + rng.IntN(2) {
			now := d.Now() + bookahead.Time(rng.IntN(8))
			if now >= k.End {
				count["over"]++
				break
			}
			checkApplied(t, d, replica, Advance{now})
			start := now + bookahead.Time(rng.IntN(10))
			shut := Close{On: "link", Interval: bookahead.Interval{Start: start, End: start + 1 + bookahead.Time(rng.IntN(6))}, Units: 1 + rng.Int64N(4), Force: Lower}
			was := of(t, d, k.ID)
			plain := shut
			plain.Force = Nobody
			e := before(t, d, k.ID, plain)
			out := checkApplied(t, d, replica, shut)
			k = of(t, d, k.ID)
			told := slices.ContainsFunc(out.Events, func(x Event) bool { return x.Booking == k.ID && (x.What == WasMoved || x.What == WasDisplaced) })
			if !told {
				count["stays"]++
				break
			}
			for _, p := range was.Places {
				if p.Start < now {
					done += p.Units * int64(min(p.End, now)-p.Start)
				}
			}
			rest := v
			rest.Volume, rest.Stretches = v.Volume-done, max(v.Stretches, 0)
			rest.Ready = max(ready, was.Places[0].Start)
			if was.begun(now) {
				rest.Ready = now
			}
			ready = rest.Ready
			w := bookahead.Interval{Start: now, End: now + 2*roomTicks}
			want, err := volume.Plan{}, error(bookahead.ErrUnavailable)
			if v.Deadline == 0 || v.Deadline > rest.Ready {
				want, err = volume.SearchSteps(slices.Values(freeTicks(t, e, r, "link", w, 4)), rest, bookahead.Effort{})
			}
			if err != nil {
				require.Equal(t, Displaced, k.State)
				count["displaced"]++
				break
			}
			require.True(t, k.State.Live(), "%v: %v", k, want)
			require.Equal(t, rest.CostOf(want.Completion(), len(want.Stretches)-1), rest.CostOf(k.Places[len(k.Places)-1].End, len(k.Places)-1))
			require.Equal(t, rest.Volume, k.Volume.Volume)
			sum := int64(0)
			for _, p := range k.Places {
				sum += p.Units * int64(p.Len())
			}
			last := k.Places[len(k.Places)-1]
			require.True(t, sum >= rest.Volume && sum-last.Units < rest.Volume, "%d for %d", sum, rest.Volume)
			for tick := was.Start; tick < now; tick++ {
				require.Equal(t, usedAt(&was, tick), usedAt(&k, tick))
			}
			count["moved"]++
			if done > 0 {
				count["begun"]++
			}
		}
	}
	t.Log(count)
	require.Greater(t, 40*count["begun"]+200, cases)
	require.Greater(t, 100*count["displaced"]+200, cases)
}

// drawPieces draws a desk with a schedule "x", a part on it, and bookings of others, which do not give way.
func drawPieces(t *testing.T, rng *rand.Rand) (*Desk, Part) {
	kinds := []Kind{Pool{Units: 3, Horizon: 60}, Pool{Units: 2, Horizon: 60}, Servers{Count: 3, Horizon: 60}, Nodes{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{2}, {2}, {2}}, Horizon: 60}}
	kind := kinds[rng.IntN(len(kinds))]
	d, err := New(Config{Keep: 100})
	require.NoError(t, err)
	_, err = d.Do(AddSchedule{"x", kind})
	require.NoError(t, err)
	part := Part{On: "x"}
	_, farm := kind.(Nodes)
	if farm {
		part.Tasks = &nodes.Request{Each: nodes.Vector{1}, PerNode: 1, Exclusive: rng.IntN(4) == 0}
	}
	if rng.IntN(3) == 0 {
		terms := Terms{}
		for at := bookahead.Time(0); at < 60; at += 1 + bookahead.Time(rng.IntN(3)) {
			end := at + 4 + bookahead.Time(rng.IntN(12))
			terms.Open = append(terms.Open, bookahead.Interval{Start: at, End: end})
			at = end
		}
		_, err = d.Do(SetTerms{"x", terms})
		require.NoError(t, err)
	}
	if rng.IntN(3) == 0 {
		_, err = d.Do(SetQuota{"q", Quota{Units: 1 + rng.Int64N(3)}})
		require.NoError(t, err)
	}
	for range rng.IntN(7) {
		p := part.clone()
		if farm {
			p.Tasks.Exclusive = false
		}
		p.Units, p.Duration = 1+rng.Int64N(3), bookahead.Duration(1+rng.IntN(5))
		r := Request{Priority: 5, Ready: bookahead.Time(rng.IntN(20)), Shapes: []Shape{{p}}}
		_, err = d.Do(Book{Request: r})
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrUnavailable)
		}
	}
	part.Units, part.Duration = 1+rng.Int64N(3), bookahead.Duration(1+rng.IntN(9))
	return d, part
}

// Work in pieces ends as early as can be, when it is booked and each time that it gives way.
func TestPiecesGiveWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 2))
	count := map[string]int{}
	cases := depth.Cases(1_500)
	for range cases {
		d, part := drawPieces(t, rng)
		rule := pieces.Rule{Least: bookahead.Duration(rng.IntN(4)), Restart: bookahead.Duration(rng.IntN(3))}
		if rng.IntN(3) == 0 {
			rule.Gap = bookahead.Duration(1 + rng.IntN(6))
		}
		r := Request{Ready: bookahead.Time(rng.IntN(6))}
		if rng.IntN(3) == 0 {
			r.Deadline = 10 + bookahead.Time(rng.IntN(40))
		}
		want := endsOf(t, d, part, rule, r.Ready, 0, false)
		made, err := d.Do(Book{Request: r.InPieces(part, rule)})
		if err != nil {
			require.True(t, errors.Is(err, bookahead.ErrUnavailable) || tooEarly(err), "%v", err)
			require.True(t, want == bookahead.MaxTime || r.Deadline != 0 && want > r.Deadline, "%d", want)
			count["refused"]++
			continue
		}
		require.Equal(t, want, made.Booking.End)
		count["booked"]++
		k, replica := made.Booking, d.Clone()
		work, last := part.Duration, bookahead.Time(0) // what is left to do, and where the last piece has ended
		pool := part.Tasks == nil && k.Places[0].Servers == nil
		for range 3 {
			now := d.Now() + bookahead.Time(rng.IntN(6))
			if now >= k.End {
				break
			}
			checkApplied(t, d, replica, Advance{now})
			start := now + bookahead.Time(rng.IntN(6))
			shut := Close{On: "x", Interval: bookahead.Interval{Start: start, End: start + 1 + bookahead.Time(rng.IntN(6))}, Force: Lower, Priority: 1}
			if pool {
				shut.Units = 1 + rng.Int64N(3)
			} else {
				shut.Servers = []int{rng.IntN(3)}
			}
			was := of(t, d, k.ID)
			plain := shut
			plain.Force = Nobody
			e := before(t, d, k.ID, plain)
			checkApplied(t, d, replica, shut)
			k = of(t, d, k.ID)
			if k.Interval == was.Interval && len(k.Past) == len(was.Past) && k.State.Live() {
				count["stays"]++
				break
			}
			stopped := last
			for i, p := range was.Places {
				if p.Start >= now {
					continue
				}
				did := bookahead.Duration(min(p.End, now) - p.Start)
				if i > 0 || last != 0 && !(pool && p.Start == last) {
					did = max(0, did-rule.Restart)
				}
				work, stopped = work-did, min(p.End, now)
			}
			last = stopped
			ready := max(r.Ready, was.Places[0].Start)
			if was.begun(now) {
				ready = now
			}
			part.Duration = work
			want := endsOf(t, e, part, rule, ready, last, pool && last == now)
			if want == bookahead.MaxTime || r.Deadline != 0 && want > r.Deadline {
				require.Equal(t, Displaced, k.State, "%v %d", k, want)
				count["displaced"]++
				break
			}
			require.Equal(t, want, k.End, "%v of %d ticks, by %+v, stopped at %d", k.Places, work, rule, last)
			require.Equal(t, Pieces{work, rule, last}, *k.Pieces)
			for tick := was.Start; tick < now; tick++ {
				require.Equal(t, usedAt(&was, tick), usedAt(&k, tick))
			}
			count["moved"]++
			if last == now && pool && k.Places[0].Start == now {
				count["goes on"]++
			}
			if last != 0 {
				count["begun"]++
			}
		}
	}
	t.Log(count)
	for _, what := range []string{"booked", "begun", "displaced", "goes on"} {
		require.Greater(t, 60*count[what]+200, cases, what)
	}
}

// An outage hits a transfer of 20 that runs: 10 are done, and the rest goes on with what is left.
//
//	2 │██████████            2 │██████xxxxxx        units 2 and 3 are closed
//	1 │██████████            1 │██████████████
//	  0    3    5              0    3         7
func TestVolumeGoesOnWithLess(t *testing.T) {
	d := deskWith(t, "link", Pool{Units: 4})
	k := do(t, d, Book{Key: "copy", Request: Request{Owner: "ann"}.OfVolume("link", volume.Request{Volume: 20})}).Booking
	require.Equal(t, ticks(0, 5), k.Interval)
	do(t, d, Advance{3})
	out := do(t, d, Close{On: "link", Interval: ticks(3, 9), Units: 2, Force: Anybody})
	require.Equal(t, []What{WasClosed, WasMoved}, happened(out.Events))
	now := of(t, d, k.ID)
	require.Equal(t, Running, now.State)
	require.Equal(t, ticks(0, 7), now.Interval)
	require.Equal(t, []Place{{On: "link", Interval: ticks(3, 7), Units: 2, Head: -1}}, now.Places)
	require.Equal(t, int64(8), now.Volume.Volume)
	again := do(t, d, Book{Key: "copy", Request: Request{Owner: "ann"}.OfVolume("link", volume.Request{Volume: 20})})
	require.Equal(t, k.ID, again.Booking.ID, "the key stands for the first request")
	_, err := d.Do(Book{Key: "copy", Request: Request{Owner: "ann"}.OfVolume("link", volume.Request{Volume: 21})})
	require.ErrorIs(t, err, ErrKey)
	longer := do(t, d, Overrun{ID: k.ID, Until: 12}).Booking
	require.Nil(t, longer.Volume, "nobody knows how much is left")
	require.NoError(t, d.Verify())
}

// The second piece of work in pieces is cut: its restart was no work, and the rest has a restart again.
//
//	lane   ██████████ xxxxx r███│xxx r██       15 ticks: 10 and 3 are done at 19, and 2 are left
//	       0          10    15  19   22
func TestTheSecondPieceIsCut(t *testing.T) {
	d := deskWith(t, "lane", Servers{Count: 1})
	do(t, d, Book{Request: at(10, "lane", 1, 5)})
	k := do(t, d, Book{Request: Request{Priority: -1}.InPieces(Part{On: "lane", Units: 1, Duration: 15}, pieces.Rule{Restart: 1})}).Booking
	require.Equal(t, []bookahead.Interval{ticks(0, 10), ticks(15, 21)}, times(k))
	do(t, d, Advance{19})
	do(t, d, Close{On: "lane", Interval: ticks(19, 22), Servers: []int{0}, Force: Lower})
	k = of(t, d, k.ID)
	require.Equal(t, []bookahead.Interval{ticks(22, 25)}, times(k))
	require.Equal(t, Pieces{2, pieces.Rule{Restart: 1}, 19}, *k.Pieces)
	require.Equal(t, ticks(0, 25), k.Interval)
	do(t, d, Advance{22})
	do(t, d, Close{On: "lane", Interval: ticks(23, 30), Servers: []int{0}, Force: Lower})
	k = of(t, d, k.ID)
	require.Equal(t, []bookahead.Interval{ticks(30, 33)}, times(k), "nothing but a restart of it has run")
	require.NoError(t, d.Verify())
}

// The rest of work on a broker begins with a restart, also where it goes on at once on a pool, and the restart is no work.
//
//	a   ████│xxxxxxxxxxxxxxxxrr███        10 ticks: 4 are done at 4, and 3 more at 9
//	b       │rr███│xxxxxxxxxxxxxx
//	        4     9          20
func TestARestartOnABrokerIsNoWork(t *testing.T) {
	d := deskWith(t, "a", Pool{Units: 1}, "b", Pool{Units: 1}, "any", Broker{Of: []string{"a", "b"}})
	k := do(t, d, Book{Request: Request{Priority: -1}.InPieces(Part{On: "any", Units: 1, Duration: 10}, pieces.Rule{Restart: 2})}).Booking
	require.Equal(t, "a", k.Places[0].On)
	do(t, d, Advance{4})
	do(t, d, Close{On: "a", Interval: ticks(4, 20), Units: 1, Force: Lower})
	require.Equal(t, []bookahead.Interval{ticks(4, 12)}, times(of(t, d, k.ID)))
	do(t, d, Advance{9})
	do(t, d, Close{On: "b", Interval: ticks(9, 30), Units: 1, Force: Lower})
	k = of(t, d, k.ID)
	require.Equal(t, []bookahead.Interval{ticks(20, 25)}, times(k))
	require.Equal(t, bookahead.Duration(3), k.Pieces.Ticks)
}

// Work that was stopped goes on where it was stopped, although it is ready earlier.
func TestWorkGoesOnWhereItWasStopped(t *testing.T) {
	d := deskWith(t, "lane", Pool{Units: 1})
	r := Request{Priority: -1}.InPieces(Part{On: "lane", Units: 1, Duration: 10}, pieces.Rule{Restart: 2})
	r.Pieces.Stopped = 5
	k := do(t, d, Book{Request: r}).Booking
	require.Equal(t, []bookahead.Interval{ticks(5, 15)}, times(k))
	do(t, d, Advance{9})
	do(t, d, Close{On: "lane", Interval: ticks(9, 20), Units: 1, Force: Lower})
	require.Equal(t, []bookahead.Interval{ticks(20, 28)}, times(of(t, d, k.ID)))
}

// A volume that runs cannot become another one, since its places would stay as they are.
func TestChangeOfARunningVolume(t *testing.T) {
	d := deskWith(t, "link", Pool{Units: 4})
	k := do(t, d, Book{Request: Request{}.OfVolume("link", volume.Request{Volume: 20})}).Booking
	to := k.Request.Clone()
	to.Volume.Volume = 30
	_, err := d.Do(Change{ID: k.ID, To: to})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "Change.To the volume {Ready:0 Deadline:0 Volume:30")
	to.Volume.Volume, to.Deadline, to.Title = 20, 9, "by nine"
	require.Equal(t, bookahead.Time(9), do(t, d, Change{ID: k.ID, To: to}).Booking.Deadline)
	to.Pieces, to.Volume = &Pieces{Ticks: 5}, nil
	_, err = d.Do(Change{ID: k.ID, To: to})
	require.ErrorContains(t, err, "is not the volume")
	to.Pieces = nil
	to.Shapes[0][0].Duration = 7
	k = do(t, d, Change{ID: k.ID, To: to}).Booking
	require.Nil(t, k.Volume)
	require.Equal(t, ticks(0, 7), k.Interval)
}

// A Change of a volume plans it anew, with its own place free.
func TestChangeOfAVolume(t *testing.T) {
	d := deskWith(t, "link", Pool{Units: 4})
	k := do(t, d, Book{Request: Request{}.OfVolume("link", volume.Request{Ready: 2, Volume: 20})}).Booking
	to := Request{}.OfVolume("link", volume.Request{Ready: 2, Volume: 22, Most: 3})
	out := do(t, d, Change{ID: k.ID, To: to})
	require.Equal(t, ticks(2, 10), out.Booking.Interval)
	require.Equal(t, int64(22), out.Booking.Volume.Volume)
	require.NoError(t, d.Verify())
	urgent := Book{Force: Lower, Request: Request{Priority: 1}.OfVolume("link", volume.Request{Ready: 2, Volume: 16, Deadline: 6})}
	out = do(t, d, urgent)
	require.Equal(t, ticks(2, 6), out.Booking.Interval)
	require.Equal(t, ticks(6, 14), of(t, d, k.ID).Interval)
}

func TestBentRefusals(t *testing.T) {
	d := deskWith(t, "link", Pool{Units: 4}, "lab", Servers{Count: 4}, "any", Broker{Of: []string{"link"}}, "farm", Nodes{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{8}}})
	wish := Request{}.OfVolume("link", volume.Request{Volume: 20})
	inPieces := Request{}.InPieces(Part{On: "lab", Units: 1, Duration: 9}, pieces.Rule{Least: 2})
	with := func(r Request, change func(r *Request)) Request {
		r = r.Clone()
		change(&r)
		return r
	}
	for why, r := range map[string]Request{
		"Request.Pieces":                 with(wish, func(r *Request) { r.Pieces = inPieces.Pieces }),
		"Request.Shapes 2":               with(wish, func(r *Request) { r.Shapes = append(r.Shapes, r.Shapes[0]) }),
		"has times of its own":           with(wish, func(r *Request) { r.Volume.Ready = 3 }),
		"Request.Volume 0 is less":       with(wish, func(r *Request) { r.Volume.Volume = 0 }),
		"Stretches 65":                   with(wish, func(r *Request) { r.Volume.Stretches = 65 }),
		"names servers":                  with(wish, func(r *Request) { r.Shapes[0][0].Servers = []int{1} }),
		"On lab is no pool":              with(wish, func(r *Request) { r.Shapes[0][0].On = "lab" }),
		"On any is no pool":              with(wish, func(r *Request) { r.Shapes[0][0].On = "any" }),
		"is before Ready + the 20 ticks": with(wish, func(r *Request) { r.Deadline, r.Volume.Most = 19, 1 }),
		"Pieces.Ticks 0":                 with(inPieces, func(r *Request) { r.Pieces.Ticks = 0 }),
		"Rule.Least -1":                  with(inPieces, func(r *Request) { r.Pieces.Least = -1 }),
		"Stopped -1":                     with(inPieces, func(r *Request) { r.Pieces.Stopped = -1 }),
		"differs from the first part": with(inPieces, func(r *Request) {
			p := r.Shapes[0][0]
			p.Units, p.Offset = 2, 20
			r.Shapes[0] = append(r.Shapes[0], p)
		}),
		"is not behind the part before": with(inPieces, func(r *Request) { r.Shapes[0] = append(r.Shapes[0], r.Shapes[0][0]) }),
		"waits for no group": with(inPieces, func(r *Request) {
			r.Shapes[0][0] = Part{On: "farm", Units: 1, Duration: 1, Tasks: &nodes.Request{Each: nodes.Vector{1}, Together: "rack", Patience: 2}}
		}),
	} {
		_, err := d.Do(Book{Request: r})
		require.ErrorIs(t, err, bookahead.ErrInvalid, why)
		require.ErrorContains(t, err, why)
	}
	_, err := d.Do(Book{Request: wish})
	require.NoError(t, err)
	for _, err := range d.Alternatives(inPieces, Vary{Units: []int64{1}}, bookahead.Effort{}) {
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
	for k, err := range d.Alternatives(wish, Vary{}, bookahead.Effort{}) {
		require.NoError(t, err)
		require.Equal(t, ticks(5, 10), k.Interval)
	}
	many := Request{}.InPieces(Part{On: "lab", Units: 1, Duration: 66}, pieces.Rule{})
	for i := range bookahead.Time(70) {
		do(t, d, Book{Request: at(2*i+1, "lab", 4, 1)})
	}
	_, err = d.Do(Book{Request: many})
	require.True(t, errors.Is(err, bookahead.ErrUnavailable), "more than MaxParts pieces: %v", err)
}
