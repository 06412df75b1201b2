package pool

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// always is all time.
var always = span(0, end)

// Of 4 units, 3 are booked in [10, 20), and 1 by others in [18, 30). At 5 the reservation
// waits, and at 12 it is running.
func TestRebook(t *testing.T) {
	at := bookahead.At
	within := func(ready, deadline bookahead.Time, d bookahead.Duration, units int64) bookahead.Request {
		return bookahead.Request{Ready: ready, Deadline: deadline, Duration: d, Units: units}
	}
	for _, c := range []struct {
		name string
		now  bookahead.Time
		r    bookahead.Request
		want bookahead.Interval // empty if it is unavailable
	}{
		{"as it is", 5, at(10, 10, 3), span(10, 20)},
		{"shorter", 5, at(10, 5, 3), span(10, 15)},
		{"longer, all that is left", 5, at(10, 20, 3), span(10, 30)},
		{"longer, and too many", 5, at(10, 20, 4), bookahead.Interval{}},
		{"more, before the others", 5, at(10, 8, 4), span(10, 18)},
		{"more, and one tick too long", 5, at(10, 9, 4), bookahead.Interval{}},
		{"fewer", 5, at(10, 10, 1), span(10, 20)},
		{"moved into its own time", 5, at(15, 10, 3), span(15, 25)},
		{"moved behind the others", 5, at(30, 10, 4), span(30, 40)},
		{"moved among the others", 5, at(22, 4, 4), bookahead.Interval{}},
		{"to the horizon", 5, at(50, 50, 4), span(50, 100)},
		{"beyond the horizon", 5, at(50, 51, 1), bookahead.Interval{}},
		{"more than the capacity", 5, at(50, 1, 5), bookahead.Interval{}},
		{"as soon as it can be", 5, within(0, 0, 10, 3), span(5, 15)},
		{"before its own time", 5, within(0, 0, 5, 4), span(5, 10)},
		{"across its own time", 5, within(0, 0, 13, 4), span(5, 18)},
		{"too long before the others", 5, within(0, 0, 14, 4), span(30, 44)},
		{"from its own time on, with a deadline", 5, within(12, 30, 10, 3), span(12, 22)},
		{"with a deadline that is too soon", 5, within(12, 35, 10, 4), bookahead.Interval{}},
		{"behind its own time", 5, within(19, 0, 9, 3), span(19, 28)},

		{"running, as it is", 12, at(10, 10, 3), span(10, 20)},
		{"running, Ready is not read", 12, within(90, 0, 10, 3), span(10, 20)},
		{"running, shorter", 12, at(10, 3, 3), span(10, 13)},
		{"running, longer", 12, at(10, 20, 3), span(10, 30)},
		{"running, longer, and too many", 12, at(10, 20, 4), bookahead.Interval{}},
		{"running, more, before the others", 12, at(10, 8, 4), span(10, 18)},
		{"running, more, and one tick too long", 12, at(10, 9, 4), bookahead.Interval{}},
		{"running, fewer", 12, at(10, 10, 1), span(10, 20)},
		{"running, to the horizon", 12, at(10, 90, 3), span(10, 100)},
		{"running, beyond the horizon", 12, at(10, 91, 3), bookahead.Interval{}},
		{"running, later than the deadline", 12, within(0, 24, 15, 3), bookahead.Interval{}},
		{"it begins now", 10, within(30, 0, 10, 3), span(10, 20)},
	} {
		f := newFlat(t, 4, 100, 1)
		id := f.book(span(10, 20), 3).ID
		f.book(span(18, 30), 1)
		require.NoError(t, f.Advance(c.now))
		f.End = 100
		before := slices.Clone(f.ticks.free)
		offer, offerErr := f.SearchFor(id, c.r)
		require.Equal(t, before, f.ticks.free, c.name)
		got, err := f.Rebook(id, c.r)
		require.Equal(t, offerErr, err, c.name)
		require.Equal(t, offer, got.Offer, c.name)
		if c.want.Empty() {
			require.Equal(t, bookahead.ErrUnavailable, err, c.name)
			require.Zero(t, got, c.name)
			require.Equal(t, before, f.ticks.free, c.name)
			continue
		}
		require.NoError(t, err, c.name)
		want := bookahead.Reservation{ID: id, Offer: bookahead.Offer{Interval: c.want, Units: c.r.Units}}
		require.Equal(t, want, got, c.name)
		require.Contains(t, slices.Collect(f.Reservations(always)), want, c.name)
		steps, err := Steps(4, c.now, f.Bookings())
		require.NoError(t, err, c.name)
		for i, s := range steps {
			for tick := s.Start; tick < min(until(steps, i), end); tick++ {
				require.Equal(t, s.Free, f.ticks.free[tick], "%s: free at %d", c.name, tick)
			}
		}
	}
}

func TestRebookRefuses(t *testing.T) {
	f := newFlat(t, 4, 100, 1)
	id := f.book(span(10, 20), 3).ID
	ended := f.book(span(0, 5), 1).ID
	require.NoError(t, f.Advance(12))
	for _, c := range []struct {
		id   bookahead.ID
		r    bookahead.Request
		want string
	}{
		{id, bookahead.Request{Duration: 2, Units: 1}, "bookahead: Request.Duration 2 after the Start 10 ends by now, 12"},
		{id, bookahead.Request{Duration: 5}, "bookahead: Request.Units 0 is less than 1"},
		{id, bookahead.Request{Duration: 5, Units: 5}, bookahead.ErrUnavailable.Error()},
		{id, bookahead.Request{Duration: 5, Units: 1, Servers: []int{1}}, "bookahead: Request.Servers [1] are named, but a pool has units only"},
		{7, bookahead.Request{Duration: 5, Units: 1}, bookahead.ErrNotFound.Error()},
		{7, bookahead.Request{}, bookahead.ErrNotFound.Error()},
		{ended, bookahead.Request{Duration: 5, Units: 1}, bookahead.ErrNotFound.Error()},
	} {
		before := slices.Clone(f.ticks.free)
		offer, err := f.SearchFor(c.id, c.r)
		require.EqualError(t, err, c.want)
		require.Zero(t, offer)
		res, err := f.Rebook(c.id, c.r)
		require.EqualError(t, err, c.want)
		require.Zero(t, res)
		require.Equal(t, before, f.ticks.free)
	}
}

// A Rebook is a Release and a Reserve in one, whether the structure rounds or not: it finds the
// first start that is free without the old place.
func TestRebookIsReleaseAndReserve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newFlat(t, 4, 120, bookahead.Time(rapid.SampledFrom([]int{1, 5}).Draw(t, "slot")))
		number := func(low, high int, label string) bookahead.Time {
			return bookahead.Time(rapid.IntRange(low, high).Draw(t, label))
		}
		for range rapid.IntRange(1, 8).Draw(t, "bookings") {
			start := number(0, 60, "start")
			w, n := span(start, start+number(1, 40, "length")), rapid.Int64Range(1, 3).Draw(t, "units")
			if f.Profile.Least(f.round(w)) >= n {
				f.book(w, n)
			}
		}
		now := number(0, 30, "now")
		require.NoError(t, f.Advance(now))
		for _, old := range slices.Collect(f.Reservations(always)) {
			r := bookahead.Request{
				Ready: number(0, 60, "ready"), Duration: bookahead.Duration(number(1, 40, "duration")), Units: rapid.Int64Range(1, 4).Draw(t, "units then"),
			}
			if slack := number(-1, 30, "slack"); slack >= 0 {
				r.Deadline = r.Ready + bookahead.Time(r.Duration) + slack
			}
			first, last, err := f.StartsAnew(old.Interval, r)
			if err != nil {
				continue
			}
			without := &ticks{slices.Clone(f.ticks.free)}
			without.Change(f.round(f.Ahead(old.Interval)), old.Units)
			place := func(start bookahead.Time) bookahead.Interval {
				return f.round(f.Ahead(span(start, start+bookahead.Time(r.Duration))))
			}
			for first <= last && without.Least(place(first)) < r.Units {
				first++
			}
			before := slices.Clone(f.ticks.free)
			got, err := f.Rebook(old.ID, r)
			if first > last {
				require.Equal(t, bookahead.ErrUnavailable, err)
				require.Equal(t, before, f.ticks.free)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, first, got.Start)
			without.Change(place(first), -r.Units)
			require.Equal(t, without.free, f.ticks.free)
		}
	})
}

// until returns where step i ends.
func until(steps []Step, i int) bookahead.Time {
	if i+1 < len(steps) {
		return steps[i+1].Start
	}
	return bookahead.MaxTime
}
