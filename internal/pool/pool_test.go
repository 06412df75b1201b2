package pool

import (
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

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

// Steps yields each tick as a step of its own: neighbours need not differ.
func (p *ticks) Steps(t bookahead.Time) iter.Seq2[bookahead.Time, int64] {
	return func(yield func(bookahead.Time, int64) bool) {
		for ; t < bookahead.Time(len(p.free)); t++ {
			if !yield(t+1, p.free[t]) {
				return
			}
		}
	}
}

// slots are ticks in which a reservation takes up whole slots.
type slots struct {
	ticks
	width bookahead.Time
}

func (p *slots) Round(w bookahead.Interval) bookahead.Interval {
	return span(w.Start/p.width*p.width, (w.End+p.width-1)/p.width*p.width)
}

func (p *slots) Change(w bookahead.Interval, delta int64) { p.ticks.Change(p.Round(w), delta) }

// jumps are ticks with the methods of a Leaper.
type jumps struct{ ticks }

func (p *jumps) Until(t bookahead.Time, n int64, limit bookahead.Time) bookahead.Time {
	for t < limit && p.free[t] >= n {
		t++
	}
	return t
}

func (p *jumps) Latest(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	for t := last; t >= first; t-- {
		if p.Least(span(t, t+d)) >= n {
			return t, true
		}
	}
	return 0, false
}

// flat is a pool on ticks, or on slots.
type flat struct {
	Schedule
	ticks *ticks
}

// end is where the ticks of a flat end.
const end = 200

func newFlat(t require.TestingT, capacity int64, horizon bookahead.Duration, slot bookahead.Time) *flat {
	p, err := New(capacity, 0, horizon)
	require.NoError(t, err)
	s := &slots{ticks{slices.Repeat([]int64{capacity}, end)}, slot}
	if slot == 1 {
		return &flat{Schedule{p, &s.ticks}, &s.ticks}
	}
	return &flat{Schedule{p, s}, &s.ticks}
}

func (f *flat) book(w bookahead.Interval, units int64) bookahead.Reservation {
	f.Profile.Change(w, -units)
	return f.Enter(bookahead.Offer{Interval: w, Units: units})
}

// Only the rest of a reservation is given back: no profile has the time that has passed any more.
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
