package desk

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/volume"
)

// drawBent draws a request for a volume, or for work in pieces, on "link".
func drawBent(rng *rand.Rand, now bookahead.Time) Request {
	r := drawAsker(rng)
	ready := now + bookahead.Time(rng.IntN(5))
	deadline := ready + 1 + bookahead.Time(rng.IntN(roomTicks))
	if rng.IntN(2) == 0 {
		r.Ready, r.Deadline = ready, deadline
		part := Part{On: "link", Units: 1 + rng.Int64N(3), Duration: 1 + bookahead.Duration(rng.Int64N(int64(deadline-ready)))}
		return r.InPieces(part, pieces.Rule{Least: bookahead.Duration(rng.IntN(3)), Restart: bookahead.Duration(rng.IntN(2)), Gap: bookahead.Duration(rng.IntN(6))})
	}
	v := volume.Request{Ready: ready, Deadline: deadline, Volume: 1 + rng.Int64N(4*int64(deadline-ready)), Least: int64(rng.IntN(2))}
	return r.OfVolume("link", v)
}

// No volume waits that has a plan, and none is called that has none.
func TestVolumesWait(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 6))
	count := map[string]int{}
	for range depth.Cases(1_000) {
		d := drawRoom(t, rng)
		if rng.IntN(3) == 0 {
			setRules(t, d, func(terms *Terms) { terms.Longest = 1 + bookahead.Duration(rng.IntN(4)) })
		}
		replica := d.Clone()
		for range 25 {
			var c Command = Advance{d.Now() + bookahead.Time(rng.IntN(3))}
			switch rng.IntN(8) {
			case 0:
			case 1, 2:
				c = Cancel{1 + BookingID(rng.IntN(int(d.b.last)+1))}
			case 3:
				start := d.Now() + bookahead.Time(rng.IntN(9))
				c = Close{On: "link", Interval: bookahead.Interval{Start: start, End: start + 3}, Units: 1 + rng.Int64N(3), Force: Anybody}
			case 4:
				c = Reopen{d.b.lastOutage, d.Now()}
			case 5:
				c = DropQuota{string(rune('a' + rng.IntN(3)))}
			default:
				c = Book{Request: drawBent(rng, d.Now()), Wait: d.Now() + 30}
			}
			_, err := d.Decide(c)
			if err != nil {
				continue
			}
			out := checkApplied(t, d, replica, c)
			for _, e := range out.Events {
				_, books := c.(Book)
				if e.What == WasBooked && !books {
					count["called"]++
				}
			}
			for _, x := range d.b.waiting {
				k := of(t, d, x.id)
				_, err := d.Search(k.Request, bookahead.Effort{})
				require.ErrorIs(t, err, bookahead.ErrUnavailable, "%v waits: %+v", k, k.Request)
				count["waits"]++
			}
		}
	}
	t.Log(count)
	require.Positive(t, count["called"]+200/depth.Cases(100))
}

// A waiting copy is called when a booking is cancelled that leaves it too little.
func TestAVolumeIsCalled(t *testing.T) {
	d := deskWith(t, "link", Pool{Units: 4})
	other := do(t, d, Book{Request: at(0, "link", 3, 10)}).Booking
	wish, plan, err := d.VolumeRequest(Request{Owner: "ann"}, "link", volume.Request{Volume: 24, Deadline: 10}, bookahead.Effort{})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	require.Empty(t, plan.Stretches)
	k := do(t, d, Book{Key: "copy", Request: wish, Wait: 10}).Booking
	require.Equal(t, Waiting, k.State)
	do(t, d, Advance{3})
	out := do(t, d, Cancel{other.ID})
	require.Equal(t, []What{WasCancelled, WasBooked, HasStarted}, happened(out.Events))
	require.Equal(t, ticks(3, 9), of(t, d, k.ID).Interval)
	require.Equal(t, k.ID, do(t, d, Book{Key: "copy", Request: wish, Wait: 10}).Booking.ID)
	require.NoError(t, d.Verify())
	late := do(t, d, Book{Request: Request{}.OfVolume("link", volume.Request{Volume: 24, Most: 4, Deadline: 12}), Wait: 30}).Booking
	require.Equal(t, bookahead.Time(7), of(t, d, late.ID).nextDue, "6 ticks at 4, by 12")
	do(t, d, Advance{7})
	require.Equal(t, Expired, of(t, d, late.ID).State)
}

// A nightly copy is done in each window as early as there is room.
func TestSeriesOfVolumes(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 7))
	refused, booked := 0, 0
	for range depth.Cases(600) {
		d := drawRoom(t, rng)
		replica := d.Clone()
		asker := drawAsker(rng)
		v := volume.Request{Volume: 1 + rng.Int64N(12), Stretches: rng.IntN(3)}
		var windows Occurrences
		var want []bookahead.Time
		for start := d.Now(); start < d.Now()+20; {
			w := bookahead.Interval{Start: start + bookahead.Time(rng.IntN(3))}
			w.End = w.Start + 3 + bookahead.Time(rng.IntN(6))
			one := v
			one.Ready, one.Deadline = w.Start, w.End
			plan, err := volume.SearchSteps(slices.Values(freeTicks(t, d, asker, "link", w, 4)), one, bookahead.Effort{})
			if err != nil {
				refused++
				want = append(want, 0)
			} else {
				want = append(want, plan.Completion())
			}
			windows, start = append(windows, w), w.End
		}
		c := BookSeries{Key: "copy", Request: asker.OfVolume("link", v), At: windows, Partly: true}
		_, err := d.Decide(c)
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrUnavailable)
			require.Zero(t, slices.Max(want))
			continue
		}
		out := checkApplied(t, d, replica, c)
		for i, id := range out.Occurrences {
			if want[i] == 0 {
				require.Zero(t, id)
				continue
			}
			k := of(t, d, id)
			require.Equal(t, want[i], k.End)
			require.Equal(t, windows[i], bookahead.Interval{Start: k.Ready, End: k.Deadline})
			booked++
		}
		require.Equal(t, out.Series, do(t, d, c).Series)
	}
	t.Logf("%d booked, and %d refused", booked, refused)
	require.Greater(t, booked, refused/20)
}

// The cheapest plan of a copy ends too late for its window, and a dearer one in time: the series needs no shift.
//
//	free       4222        at one rate it is done at 4, and with a change at 3
//	window     ├─┤
func TestAShiftKnowsNoPrice(t *testing.T) {
	d := deskWith(t, "link", Pool{Units: 4})
	do(t, d, Book{Request: at(1, "link", 2, 30)})
	wish := Request{}.OfVolume("link", volume.Request{Volume: 8, Price: 5})
	out := do(t, d, BookSeries{Request: wish, At: Occurrences{ticks(0, 3)}, Shift: 9})
	require.Equal(t, ticks(0, 3), of(t, d, out.Occurrences[0]).Interval)
}

// An obstacle is in the way of work that bends if the work has a plan without it, and only then.
func TestWhyNotAVolume(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 8))
	count := map[string]int{}
	for range depth.Cases(1_500) {
		d := drawRoom(t, rng)
		r := drawBent(rng, d.Now())
		if r.Volume != nil && rng.IntN(3) == 0 {
			setTicks(t, rng, d)
			r.Volume.Stretches = rng.IntN(3)
		}
		_, err := d.Search(r, bookahead.Effort{})
		f, whyErr := d.Why(r, bookahead.Effort{})
		if err == nil || whyErr != nil {
			if whyErr != nil { // only if the times of the request are over
				require.ErrorIs(t, whyErr, bookahead.ErrInvalid)
			}
			continue
		}
		named := map[string]bool{}
		for _, o := range f.Obstacles {
			named[o.Rule+o.Quota] = true
			count[o.Rule]++
			require.NotEmpty(t, o.String())
		}
		without := func(name string, c Command) {
			e := d.Clone()
			_, err := e.Do(c)
			require.NoError(t, err)
			_, err = e.Search(r, bookahead.Effort{})
			require.Equal(t, named[name] && !f.Together, err == nil, "%q, of %v", name, f.Obstacles)
		}
		for _, s := range d.Schedules() {
			if s.Name != "link" {
				continue
			}
			if terms := s.Terms; len(terms.Open) > 0 {
				terms.Open = nil
				without("Open", SetTerms{"link", terms})
			}
			if terms := s.Terms; terms.Notice > 0 {
				terms.Notice = 0
				without("Notice", SetTerms{"link", terms})
			}
		}
		for _, q := range d.Quotas() {
			without(q.Name, DropQuota{q.Name})
		}
		if f.Together {
			count["together"]++
		}
	}
	t.Log(count)
}

// A copy is refused by the quota alone, and then by the link alone.
func TestWhyNotACopy(t *testing.T) {
	d := deskWith(t, "link", Pool{Units: 4})
	do(t, d, SetQuota{"team", Quota{Units: 2}})
	wish := Request{Owner: "ann"}.OfVolume("link", volume.Request{Volume: 24, Deadline: 10})
	f, err := d.Why(wish, bookahead.Effort{})
	require.NoError(t, err)
	require.Len(t, f.Obstacles, 1)
	require.Equal(t, `quota "team" has 0 of 2 units in use, and room for 4 at 0`, f.Obstacles[0].String())
	require.Equal(t, ticks(0, 12), f.Next)
	do(t, d, DropQuota{"team"})
	do(t, d, Book{Request: at(0, "link", 3, 10)})
	f, err = d.Why(wish, bookahead.Effort{})
	require.NoError(t, err)
	require.Len(t, f.Obstacles, 1)
	require.Equal(t, `24 unit-ticks of "link" are taken by #1, and free at 0`, f.Obstacles[0].String())
	require.Equal(t, ticks(0, 10), f.Obstacles[0].Window)
	require.Equal(t, ticks(0, 14), f.Next)
}
