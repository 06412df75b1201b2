package pool

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

func span(start, end bookahead.Time) bookahead.Interval {
	return bookahead.Interval{Start: start, End: end}
}

// ticks is the simplest profile there is: the free units at each tick.
type ticks struct{ free []int64 }

func (p *ticks) Least(w bookahead.Interval) int64 { return slices.Min(p.free[w.Start:w.End]) }

func (p *ticks) Change(w bookahead.Interval, delta int64) {
	for t := w.Start; t < w.End; t++ {
		p.free[t] += delta
	}
}

func (p *ticks) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	for t := first; t <= last; t++ {
		if p.Least(span(t, t+d)) >= n {
			return t, true
		}
	}
	return 0, false
}

func (p *ticks) Book(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	t, ok := p.Search(first, last, d, n)
	if ok {
		p.Change(span(t, t+d), -n)
	}
	return t, ok
}

func (p *ticks) Forget(bookahead.Time) {}

// slots are ticks of which a reservation takes up whole slots.
type slots struct {
	ticks
	width bookahead.Time
}

func (p *slots) Round(w bookahead.Interval) bookahead.Interval {
	return span(w.Start/p.width*p.width, (w.End+p.width-1)/p.width*p.width)
}

// flat is a pool on ticks, or on slots.
type flat struct {
	Schedule
	ticks *ticks
}

func newFlat(t require.TestingT, capacity int64, horizon bookahead.Duration, slot bookahead.Time) *flat {
	p, err := New(capacity, 0, horizon)
	require.NoError(t, err)
	s := &slots{ticks{slices.Repeat([]int64{capacity}, 200)}, slot}
	if slot == 1 {
		return &flat{Schedule{p, &s.ticks}, &s.ticks}
	}
	return &flat{Schedule{p, s}, &s.ticks}
}

func (f *flat) book(w bookahead.Interval, units int64) bookahead.Reservation {
	f.Profile.Change(f.round(w), -units)
	return f.Enter(bookahead.Offer{Interval: w, Units: units})
}

// What is left of a reservation is given back, and only that: what has passed does
// not lie in any profile any more.
func TestStrikeGivesBackTheRest(t *testing.T) {
	p, err := New(4, 0, 100)
	require.NoError(t, err)
	for id, w := range []bookahead.Interval{span(0, 10), span(5, 20), span(30, 40)} {
		require.Equal(t, bookahead.ID(id+1), p.Enter(bookahead.Offer{Interval: w, Units: 2}).ID)
	}
	require.NoError(t, p.Advance(10))
	_, err = p.Strike(1)
	require.Equal(t, bookahead.ErrNotFound, err, "it ended at 10")
	b, err := p.Strike(2)
	require.NoError(t, err)
	require.Equal(t, booking(10, 20, 2), b)
	b, err = p.Strike(3)
	require.NoError(t, err)
	require.Equal(t, booking(30, 40, 2), b)
	_, err = p.Strike(3)
	require.Equal(t, bookahead.ErrNotFound, err)
}

func TestClonesAreApart(t *testing.T) {
	p, err := New(4, 0, 100)
	require.NoError(t, err)
	p.Enter(bookahead.Offer{Interval: span(0, 10), Units: 2})
	c := p.Clone()
	_, err = c.Strike(1)
	require.NoError(t, err)
	require.NoError(t, c.Advance(50))
	require.Equal(t, bookahead.ID(2), c.Enter(bookahead.Offer{Interval: span(60, 61), Units: 1}).ID)
	require.Equal(t, []Booking{booking(0, 10, 2)}, slices.Collect(p.Bookings()))
	require.Equal(t, bookahead.Time(0), p.Now)
	require.Equal(t, bookahead.Time(100), p.End)
}

func TestOfferAt(t *testing.T) {
	o := OfferAt(7, bookahead.Request{Ready: 3, Duration: 5, Units: 2, Deadline: 90})
	require.Equal(t, bookahead.Offer{Interval: span(7, 12), Units: 2}, o)
}

// Of 4 units, 3 are booked in [10, 20), and 1 by others in [18, 30); the clock is at 12.
func TestResize(t *testing.T) {
	for _, c := range []struct {
		name  string
		to    bookahead.Interval
		units int64
		want  bookahead.Interval // empty if it is unavailable
	}{
		{"as it is", span(10, 20), 3, span(10, 20)},
		{"shorter", span(10, 15), 3, span(10, 15)},
		{"longer, all that is left", span(10, 30), 3, span(10, 30)},
		{"longer, and too many", span(10, 30), 4, bookahead.Interval{}},
		{"more, before the others", span(10, 18), 4, span(10, 18)},
		{"more, and one tick too long", span(10, 19), 4, bookahead.Interval{}},
		{"fewer", span(10, 20), 1, span(10, 20)},
		{"begins in the past", span(3, 20), 3, span(10, 20)},
		{"begins now", span(12, 20), 3, span(10, 20)},
		{"moved into its own time", span(15, 25), 3, span(15, 25)},
		{"moved behind the others", span(30, 40), 4, span(30, 40)},
		{"moved among the others", span(22, 26), 4, bookahead.Interval{}},
		{"to the horizon", span(50, 100), 4, span(50, 100)},
		{"beyond the horizon", span(50, 101), 1, bookahead.Interval{}},
	} {
		f := newFlat(t, 4, 100, 1)
		id := f.book(span(10, 20), 3).ID
		f.book(span(18, 30), 1)
		require.NoError(t, f.Advance(12))
		f.End = 100
		before := slices.Clone(f.ticks.free)
		got, err := f.Resize(id, c.to, c.units)
		if c.want.Empty() {
			require.Equal(t, bookahead.ErrUnavailable, err, c.name)
			require.Equal(t, before, f.ticks.free, c.name)
			got, err = f.Resize(id, span(10, 20), 3)
			c.want, c.units = span(10, 20), 3
		}
		require.NoError(t, err, c.name)
		want := bookahead.Reservation{ID: id, Offer: bookahead.Offer{Interval: c.want, Units: c.units}}
		require.Equal(t, want, got, c.name)
		require.Contains(t, slices.Collect(f.Reservations()), want, c.name)
		steps, err := Steps(4, 12, f.Bookings())
		require.NoError(t, err, c.name)
		for i, s := range steps {
			for tick := s.Start; tick < until(steps, i); tick++ {
				require.Equal(t, s.Free, f.ticks.free[tick], "%s: free at %d", c.name, tick)
			}
		}
	}
}

// until returns where step i ends, as far as a flat goes.
func until(steps []Step, i int) bookahead.Time {
	if i+1 < len(steps) {
		return steps[i+1].Start
	}
	return 200
}

func TestResizeRefuses(t *testing.T) {
	f := newFlat(t, 4, 100, 1)
	id := f.book(span(10, 20), 3).ID
	ended := f.book(span(0, 5), 1).ID
	require.NoError(t, f.Advance(12))
	for _, c := range []struct {
		id    bookahead.ID
		to    bookahead.Interval
		units int64
		want  string
	}{
		{id, span(15, 15), 1, "bookahead: to [15, 15) is empty"},
		{id, span(5, 12), 1, "bookahead: to [5, 12) ends by now, 12"},
		{id, span(15, 16), 0, "bookahead: units 0 is less than 1"},
		{id, span(15, 16), 5, "bookahead: units 5 is more than the capacity 4"},
		{7, span(15, 16), 1, bookahead.ErrNotFound.Error()},
		{ended, span(15, 16), 1, bookahead.ErrNotFound.Error()},
	} {
		before := slices.Clone(f.ticks.free)
		res, err := f.Resize(c.id, c.to, c.units)
		require.EqualError(t, err, c.want)
		require.Zero(t, res)
		require.Equal(t, before, f.ticks.free)
	}
}

// A resize is a release and a booking that are one, whether the structure rounds or
// not: it succeeds if the new place is free without the old one.
func TestResizeIsReleaseAndBook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newFlat(t, 4, 120, bookahead.Time(rapid.SampledFrom([]int{1, 5}).Draw(t, "slot")))
		window := func(label string) bookahead.Interval {
			start := bookahead.Time(rapid.IntRange(0, 60).Draw(t, label))
			return span(start, start+bookahead.Time(rapid.IntRange(1, 40).Draw(t, "length")))
		}
		for range rapid.IntRange(1, 8).Draw(t, "bookings") {
			if w, n := window("start"), rapid.Int64Range(1, 3).Draw(t, "units"); f.Profile.Least(f.round(w)) >= n {
				f.book(w, n)
			}
		}
		now := bookahead.Time(rapid.IntRange(0, 30).Draw(t, "now"))
		require.NoError(t, f.Advance(now))
		for _, old := range slices.Collect(f.Reservations()) {
			to, units := window("to"), rapid.Int64Range(1, 4).Draw(t, "units then")
			if to.End <= now {
				continue
			}
			without := slices.Clone(f.ticks.free)
			held := f.round(span(max(old.Start, now), old.End))
			for tick := held.Start; tick < held.End; tick++ {
				without[tick] += old.Units
			}
			place := f.round(span(max(to.Start, now), to.End))
			fits := slices.Min(without[place.Start:place.End]) >= units && to.End <= f.End
			before := slices.Clone(f.ticks.free)
			_, err := f.Resize(old.ID, to, units)
			if !fits {
				require.Equal(t, bookahead.ErrUnavailable, err)
				require.Equal(t, before, f.ticks.free)
				continue
			}
			require.NoError(t, err)
			for tick := place.Start; tick < place.End; tick++ {
				without[tick] -= units
			}
			require.Equal(t, without, f.ticks.free)
		}
	})
}
