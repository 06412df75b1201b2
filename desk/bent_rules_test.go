package desk

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/volume"
)

// setRules changes the terms of "link", but leaves its opening hours and its Notice.
func setRules(t *testing.T, d *Desk, change func(*Terms)) {
	for _, s := range d.Schedules() {
		if s.Name == "link" {
			change(&s.Terms)
			do(t, d, SetTerms{"link", s.Terms})
		}
	}
}

// setTicks sets one or two quotas of unit-ticks, whose periods stand still.
func setTicks(t *testing.T, rng *rand.Rand, d *Desk) (names []string) {
	for _, name := range []string{"ticks", "tocks"}[:1+rng.IntN(2)] {
		q := Quota{Ticks: 1 + rng.Int64N(12), Each: rng.IntN(2) == 0}
		if rng.IntN(2) == 0 {
			q.From, q.Every = bookahead.Time(rng.IntN(6)), bookahead.Duration(1+rng.IntN(9))
		} else {
			for at := bookahead.Time(rng.IntN(9)); at < roomTicks; at += bookahead.Time(rng.IntN(4)) {
				end := at + 1 + bookahead.Time(rng.IntN(9))
				q.Periods = append(q.Periods, bookahead.Interval{Start: at, End: end})
				at = end
			}
		}
		do(t, d, SetQuota{name, q})
		names = append(names, name)
	}
	return names
}

// thrift finds the end of a volume that may pause, under quotas of Ticks, by trying all units at each tick.
type thrift struct {
	d     *Desk
	asks  Request
	names []string
	free  []bookahead.Step // of each tick
}

// periodAt returns the period of a quota at a tick, and how many unit-ticks it still has.
func (x *thrift) periodAt(name string, tick bookahead.Time) (p bookahead.Interval, left int64, ok bool) {
	i, _ := x.d.b.ruleAt(name)
	q := x.d.b.rules[i]
	if !q.Counts(x.asks.Owner, x.asks.Labels) {
		return p, 0, false
	}
	for _, w := range q.Bounds.Periods {
		if w.Contains(tick) {
			p, ok = w, true
		}
	}
	if q.Bounds.Every > 0 && tick >= q.Bounds.From {
		start := tick - (tick-q.Bounds.From)%bookahead.Time(q.Bounds.Every)
		p, ok = bookahead.Interval{Start: start, End: start + bookahead.Time(q.Bounds.Every)}, true
	}
	left = q.Bounds.Ticks
	for k := range x.d.b.each() {
		if !q.Counts(k.Owner, k.Labels) || q.Key(k.Owner) != q.Key(x.asks.Owner) {
			continue
		}
		for _, had := range had(k) {
			left -= had.Units * int64(max(0, had.Intersect(p).Len()))
		}
	}
	return p, max(0, left), ok
}

// end returns the end; MaxTime if there is none.
func (x *thrift) end(v volume.Request) bookahead.Time {
	const any = 1 << 40
	states := map[[2]int64]int64{{any, any}: 0} // the most work that is done, by how many unit-ticks each quota still has
	for i, s := range x.free {
		next := map[[2]int64]int64{}
		for left, done := range states {
			for j, name := range x.names {
				p, has, ok := x.periodAt(name, s.Start)
				switch {
				case !ok:
					left[j] = any
				case i == 0 || p.Start == s.Start:
					left[j] = has
				}
			}
			units := min(s.Free, left[0], left[1])
			if v.Most > 0 {
				units = min(units, v.Most)
			}
			for n := range units + 1 {
				now := [2]int64{left[0] - n, left[1] - n}
				next[now] = max(next[now], done+n)
				if done+n >= v.Volume {
					return s.End
				}
			}
		}
		states = next
	}
	return bookahead.MaxTime
}

// checkEnd checks that a volume has the best end, or has no place, and that no part is longer than Longest.
func checkEnd(t *testing.T, want bookahead.Time, k Booking, err error, longest bookahead.Duration) bool {
	t.Helper()
	if want == bookahead.MaxTime {
		if err != nil {
			require.True(t, errors.Is(err, bookahead.ErrUnavailable) || tooEarly(err), "%v", err)
		} else {
			require.Equal(t, Displaced, k.State)
		}
		return false
	}
	require.NoError(t, err)
	require.Equal(t, want, k.Places[len(k.Places)-1].End, "%v", k.Places)
	for _, p := range k.Places {
		require.True(t, longest == 0 || p.Len() <= longest, "%v", p)
	}
	return true
}

// volumeDone returns how much the places of a booking have done before a tick.
func volumeDone(places []Place, now bookahead.Time) (done int64) {
	for _, p := range places {
		done += p.Units * int64(max(0, min(p.End, now)-p.Start))
	}
	return done
}

// A volume ends as early as quotas of Ticks and Longest allow, when it is booked and when it gives way.
func TestVolumesKeepTicks(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 3))
	count := map[string]int{}
	cases := depth.Cases(3_000)
	for range cases {
		d := drawRoom(t, rng)
		longest := bookahead.Duration(rng.IntN(4))
		setRules(t, d, func(terms *Terms) { terms.Longest = longest })
		names := setTicks(t, rng, d)
		r := drawAsker(rng)
		r.Priority = -1
		end := func(on *Desk, v volume.Request) bookahead.Time {
			bare := on.Clone()
			for _, name := range names {
				do(t, bare, DropQuota{name})
			}
			w := bookahead.Interval{Start: v.Ready, End: v.Deadline}
			x := thrift{on, r, names, freeTicks(t, bare, r, "link", w, 4)}
			return x.end(v)
		}
		v := volume.Request{Ready: d.Now() + bookahead.Time(rng.IntN(3)), Volume: 1 + rng.Int64N(25), Most: rng.Int64N(5)}
		v.Deadline = v.Ready + 1 + bookahead.Time(rng.IntN(roomTicks))
		want := end(d, v)
		made, err := d.Do(Book{Request: r.OfVolume("link", v)})
		if !checkEnd(t, want, made.Booking, err, longest) {
			count["refused"]++
			continue
		}
		count["booked"]++
		k, replica := made.Booking, d.Clone()
		shut, ok := drawClosing(t, rng, d, replica, k)
		if !ok {
			continue
		}
		plain := shut
		plain.Force = Nobody
		e := before(t, d, k.ID, plain)
		out := checkApplied(t, d, replica, shut)
		was, now := k, d.Now()
		k = of(t, d, k.ID)
		if len(out.Events) < 2 {
			count["stays"]++
			continue
		}
		rest := v
		rest.Volume -= volumeDone(was.Places, now)
		rest.Ready = max(v.Ready, was.Start)
		if was.begun(now) {
			rest.Ready = now
		}
		want = bookahead.MaxTime
		if rest.Ready < rest.Deadline {
			want = end(e, rest)
		}
		if checkEnd(t, want, k, nil, longest) {
			count["moved"]++
		}
	}
	t.Log(count)
	require.Greater(t, 10*count["booked"]+100, cases)
	require.Greater(t, 60*count["moved"]+200, cases)
}

// drawClosing lets some time pass on a desk and its replica, and draws a closing of some units that bookings give way to. It is
// false if the booking is over by then.
func drawClosing(t *testing.T, rng *rand.Rand, d, replica *Desk, k Booking) (shut Close, ok bool) {
	now := d.Now() + bookahead.Time(rng.IntN(8))
	if now >= k.End {
		return Close{}, false
	}
	checkApplied(t, d, replica, Advance{now})
	start := now + bookahead.Time(rng.IntN(9))
	w := bookahead.Interval{Start: start, End: start + 1 + bookahead.Time(rng.IntN(6))}
	return Close{On: "link", Interval: w, Units: 1 + rng.Int64N(4), Force: Lower}, true
}

// A volume on a pool with buffers has one stretch, which ends as early as any that an ordinary request may have.
func TestVolumesWithBuffers(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 4))
	count := map[string]int{}
	cases := depth.Cases(2_000)
	for range cases {
		d := drawRoom(t, rng)
		longest := bookahead.Duration(max(0, rng.IntN(8)-2))
		setRules(t, d, func(terms *Terms) {
			terms.Longest, terms.Before, terms.After = longest, bookahead.Duration(rng.IntN(3)), bookahead.Duration(1+rng.IntN(2))
		})
		r := drawAsker(rng)
		r.Priority = -1
		end := func(on *Desk, v volume.Request) bookahead.Time {
			best, most := bookahead.MaxTime, int64(4)
			if v.Most > 0 {
				most = v.Most
			}
			for start := v.Ready; start < v.Deadline; start++ {
				for units := max(1, v.Least); units <= most; units++ {
					length := bookahead.Duration((v.Volume-1)/units + 1)
					one := r
					one.Ready, one.Deadline, one.Shapes = start, start+bookahead.Time(length), []Shape{onePart("link", units, length)}
					_, err := on.Search(one, bookahead.Effort{})
					if err == nil && one.Deadline <= v.Deadline {
						best = min(best, one.Deadline)
					}
				}
			}
			return best
		}
		v := volume.Request{Ready: d.Now() + bookahead.Time(rng.IntN(3)), Volume: 1 + rng.Int64N(16), Most: rng.Int64N(5), Stretches: rng.IntN(4)}
		v.Deadline = v.Ready + 1 + bookahead.Time(rng.IntN(roomTicks))
		if rng.IntN(3) == 0 {
			v.Least = min(1+rng.Int64N(2), v.Most)
		}
		want := end(d, v)
		wish, plan, planned := d.VolumeRequest(r, "link", v, bookahead.Effort{})
		made, err := d.Do(Book{Request: wish})
		if !checkEnd(t, want, made.Booking, err, longest) {
			require.ErrorIs(t, planned, bookahead.ErrUnavailable)
			count["refused"]++
			continue
		}
		require.NoError(t, planned)
		require.Equal(t, want, plan.Completion())
		require.Len(t, made.Booking.Places, 1)
		count["booked"]++
		k, replica := made.Booking, d.Clone()
		shut, ok := drawClosing(t, rng, d, replica, k)
		if !ok {
			continue
		}
		out := checkApplied(t, d, replica, shut)
		if len(out.Events) > 1 {
			count["moved"]++
		}
	}
	t.Log(count)
	require.Greater(t, 10*count["booked"]+100, cases)
	require.Greater(t, 60*count["moved"]+200, cases)
}

// The alternatives of a volume have more units at once, one after the other, and each is done earlier than those before.
func TestAlternativesOfVolumes(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 5))
	several := 0
	for range depth.Cases(1_500) {
		d := drawRoom(t, rng)
		r := drawAsker(rng)
		v := volume.Request{Ready: d.Now() + bookahead.Time(rng.IntN(3)), Volume: 1 + rng.Int64N(25), Most: []int64{0, 4}[rng.IntN(2)], Least: int64(rng.IntN(2))}
		vary := Vary{Until: d.Now() + bookahead.Time(rng.IntN(2)*(5+rng.IntN(30)))}
		for n := int64(1); n < 4; n++ {
			if rng.IntN(3) > 0 {
				vary.Units = append(vary.Units, n)
			}
		}
		last := bookahead.MaxTime
		var want []bookahead.Time
		var at []int64
		for _, most := range append(vary.Units[:len(vary.Units):len(vary.Units)], v.Most) {
			one := v
			one.Most = most
			if vary.Until > 0 {
				one.Deadline = vary.Until
			}
			if one.Deadline != 0 && one.Deadline <= one.Ready {
				continue
			}
			_, plan, err := d.VolumeRequest(r, "link", one, bookahead.Effort{})
			if err == nil && plan.Completion() < last {
				last = plan.Completion()
				want, at = append(want, last), append(at, most)
			}
		}
		var got []bookahead.Time
		var by []int64
		wish := r.OfVolume("link", v)
		wish.Shapes[0][0].Duration = 1 + bookahead.Duration(rng.IntN(2)*7) // not read
		for k, err := range d.Alternatives(wish, vary, bookahead.Effort{}) {
			require.NoError(t, err)
			got, by = append(got, k.End), append(by, k.Volume.Most)
			out := do(t, d.Clone(), Book{Request: k.Request})
			require.Equal(t, k.Places, out.Booking.Places)
		}
		require.Equal(t, want, got, "%+v %+v", v, vary)
		require.Equal(t, at, by)
		if len(got) > 1 {
			several++
		}
	}
	t.Logf("%d with several", several)
	require.Positive(t, several)
}

func TestVaryOfAVolume(t *testing.T) {
	d := deskWith(t, "link", Pool{Units: 8}, "lab", Servers{Count: 8}, "other", Pool{Units: 9})
	do(t, d, Book{Request: at(0, "link", 2, 4)})
	wish := Request{}.OfVolume("link", volume.Request{Volume: 48, Least: 2, Most: 8})
	var ends []string
	for k, err := range d.Alternatives(wish, Vary{Units: []int64{6, 4}, On: []string{"other"}}, bookahead.Effort{}) {
		require.NoError(t, err)
		ends = append(ends, k.Interval.String()+k.Places[0].On)
	}
	require.Equal(t, []string{"[0, 12)link", "[0, 8)link", "[0, 7)link", "[0, 6)other"}, ends)
	for why, v := range map[string]Vary{
		"Vary.Units[0] 9": {Units: []int64{9}}, "Vary.Units[0] 1": {Units: []int64{1}}, "no Duration": {Durations: []bookahead.Duration{1}}, "is no pool": {On: []string{"lab"}},
	} {
		for _, err := range d.Alternatives(wish, v, bookahead.Effort{}) {
			require.ErrorIs(t, err, bookahead.ErrInvalid, why)
			require.ErrorContains(t, err, why)
		}
	}
}

// A volume of one stretch leaves units alone that come too early, and a quota allows it, although it would not allow these units too.
//
//	free      1111114444        the quota has 14 left until 10
//	volume    ......444.        12, in one stretch
func TestAVolumeOfOneStretchUnderTicks(t *testing.T) {
	d := deskWith(t, "link", Pool{Units: 4})
	do(t, d, Book{Request: Request{Owner: "bob", Deadline: 6, Shapes: []Shape{onePart("link", 3, 6)}}})
	do(t, d, SetQuota{"q", Quota{Owners: []string{"ann"}, Ticks: 14, Every: 10}})
	out := do(t, d, Book{Request: Request{Owner: "ann"}.OfVolume("link", volume.Request{Volume: 12, Stretches: 1, Deadline: 10})})
	require.Equal(t, []bookahead.Interval{ticks(6, 9)}, times(out.Booking))
	none := Request{Owner: "ann"}.OfVolume("link", volume.Request{Volume: 8, Deadline: 10})
	_, err := d.Do(Book{Request: none})
	require.ErrorIs(t, err, bookahead.ErrUnavailable, "2 are left")
	f, err := d.Why(none, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, `quota "q" has 12 of 14 unit-ticks in use by #2, and room for 8 at 0`, f.Obstacles[0].String())
	_, plan, err := d.VolumeRequest(Request{Owner: "ann"}, "link", volume.Request{Volume: 8, Price: 1}, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(11), plan.Bound, "without the quota it would be done at 11, in one stretch from 9 on")
	require.Greater(t, plan.Cost, plan.Bound)
	next := do(t, d, Book{Request: Request{Owner: "ann"}.OfVolume("link", volume.Request{Volume: 8})})
	require.Equal(t, []bookahead.Interval{ticks(0, 2), ticks(10, 12)}, times(next.Booking))
}
