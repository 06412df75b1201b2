package desk

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// oneByOne books the occurrences of a series as bookings of their own, late by some ticks. It returns the places of
// each, none for one that is refused, and how many are booked.
func oneByOne(t *testing.T, d *Desk, r *Request, at Occurrences, shift bookahead.Duration) (places [][]Place, booked int) {
	x := d.Clone()
	wish := wishOf(r)
	for _, w := range at {
		out, err := x.Do(Book{Request: wish.in(later(w, shift))})
		if err == nil {
			booked++
		} else {
			require.Equal(t, bookahead.ErrUnavailable, err)
		}
		places = append(places, out.Booking.Places)
	}
	return places, booked
}

// Random commands of all kinds, with many series, on a desk with terms, quotas, outages, buffers, brokers and bookings
// that wait: a series is the bookings of its windows, made one by one, at the least shift at which there is a place for all.
func TestASeriesIsItsBookings(t *testing.T) {
	same, some, shifted, refused := 0, 0, 0, 0
	for seed := range uint64(6) {
		p := newPlayer(t, 100+seed)
		for range runs() / 6 {
			c := p.crowded()
			if p.n > len(always) && p.rng.IntN(3) == 0 {
				c = p.bookSeries()
			}
			before := p.d.Clone()
			out, err := p.d.Do(c)
			var r *Request
			var at Occurrences
			partly, most := false, bookahead.Duration(0)
			switch c := c.(type) {
			case BookSeries:
				r, at, partly, most = &c.Request, c.At, c.Partly, c.Shift
			case Continue:
				s, err := before.Series(c.ID)
				if err != nil {
					continue
				}
				r, at, partly = &s.Request, c.At, c.Partly
			default:
				continue
			}
			if errors.Is(err, bookahead.ErrUnavailable) {
				refused++
				for shift := bookahead.Duration(0); shift <= most; shift++ {
					_, n := oneByOne(t, before, r, at, shift)
					require.False(t, n == len(at) || partly && n > 0, "%+v has a place at a shift of %d", c, shift)
				}
				continue
			}
			if err != nil || len(out.Events) == 0 {
				continue // it is invalid, or known
			}
			shift := bookahead.Duration(0)
			_, first := c.(BookSeries)
			if first { // a Continue that books nothing may be the end of its series
				s, err := p.d.Series(out.Series)
				require.NoError(t, err)
				shift = s.Shift
			}
			for k := range shift {
				_, n := oneByOne(t, before, r, at, k)
				require.Less(t, n, len(at), "%+v has a place at a shift of %d, and not only of %d", c, k, shift)
			}
			places, n := oneByOne(t, before, r, at, shift)
			for i, id := range out.Occurrences {
				k, err := p.d.Booking(id)
				if id == 0 {
					require.Empty(t, places[i], "%+v: window %d is refused", c, i)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, places[i], k.Places, "%+v: window %d", c, i)
			}
			same++
			if n < len(at) {
				some++
			}
			if shift > 0 {
				shifted++
			}
			require.NoError(t, p.d.Verify())
		}
		require.True(t, slices.IsSortedFunc(p.d.b.waiting, turn.compare))
	}
	t.Logf("%d series are their bookings, %d of them in part, %d late; %d refused", same, some, shifted, refused)
	require.True(t, same > 50 && some > 5 && shifted > 5 && refused > 50 || runs() < 5000)
}
