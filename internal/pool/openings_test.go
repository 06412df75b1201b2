package pool

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// Of 4 units, 2 are booked in [10, 20), and 3 in [25, 30); the clock is at 5, and the
// horizon at 60.
func TestOpenings(t *testing.T) {
	for _, c := range []struct {
		r    bookahead.Request
		want []bookahead.Interval
	}{
		{bookahead.Request{Duration: 5, Units: 1}, []bookahead.Interval{span(5, 56)}},
		{bookahead.Request{Duration: 5, Units: 2}, []bookahead.Interval{span(5, 21), span(30, 56)}},
		{bookahead.Request{Duration: 5, Units: 4}, []bookahead.Interval{span(5, 6), span(20, 21), span(30, 56)}},
		{bookahead.Request{Duration: 6, Units: 4}, []bookahead.Interval{span(30, 55)}},
		{bookahead.Request{Ready: 8, Deadline: 30, Duration: 5, Units: 2}, []bookahead.Interval{span(8, 21)}},
		{bookahead.Request{Ready: 8, Deadline: 24, Duration: 5, Units: 2}, []bookahead.Interval{span(8, 20)}},
		{bookahead.At(20, 5, 4), []bookahead.Interval{span(20, 21)}},
		{bookahead.At(21, 5, 4), nil},
		{bookahead.Request{Duration: 5, Units: 5}, nil},
		{bookahead.Request{Duration: 56, Units: 1}, nil},
		{bookahead.Request{Duration: 5}, nil},
	} {
		f := newFlat(t, 4, 55, 1)
		f.book(span(10, 20), 2)
		f.book(span(25, 30), 3)
		require.NoError(t, f.Advance(5))
		for range 2 { // the second time with a Leaper
			require.Equal(t, c.want, slices.Collect(f.Openings(c.r)), "%+v", c.r)
			for w := range f.Openings(c.r) {
				require.Equal(t, c.want[0], w, "the first alone")
				break
			}
			last, err := f.SearchLatest(c.r)
			if k := len(c.want) - 1; k < 0 {
				require.Error(t, err)
			} else {
				require.NoError(t, err)
				require.Equal(t, c.want[k].End-1, last.Start)
			}
			f.Profile = &jumps{*f.ticks}
		}
	}
}

// The ranges hold each start at which a fixed request fits, and no other.
func TestOpeningsAreFixedFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newFlat(t, 4, 100, 1)
		number := func(low, high int, label string) bookahead.Time {
			return bookahead.Time(rapid.IntRange(low, high).Draw(t, label))
		}
		for range rapid.IntRange(0, 8).Draw(t, "bookings") {
			start := number(0, 60, "start")
			w, n := span(start, start+number(1, 20, "length")), rapid.Int64Range(1, 4).Draw(t, "units")
			if f.Profile.Least(w) >= n {
				f.book(w, n)
			}
		}
		require.NoError(t, f.Advance(number(0, 30, "now")))
		r := bookahead.Request{Ready: number(-5, 70, "ready"), Duration: bookahead.Duration(number(1, 30, "duration")), Units: rapid.Int64Range(1, 5).Draw(t, "units")}
		if slack := number(-1, 60, "slack"); slack >= 0 {
			r.Deadline = r.Ready + bookahead.Time(r.Duration) + slack
		}
		if rapid.Bool().Draw(t, "leaps") {
			f.Profile = &jumps{*f.ticks}
		}
		var want []bookahead.Interval
		latest := bookahead.Time(-1)
		for t := max(r.Ready, f.Now); t < 130; t++ {
			if r.Deadline != 0 && t+bookahead.Time(r.Duration) > r.Deadline {
				break
			}
			if _, err := f.Search(bookahead.At(t, r.Duration, r.Units)); err != nil {
				continue
			}
			latest = t
			if k := len(want) - 1; k >= 0 && want[k].End == t {
				want[k].End++
			} else {
				want = append(want, span(t, t+1))
			}
		}
		require.Equal(t, want, slices.Collect(f.Openings(r)))
		last, err := f.SearchLatest(r)
		if latest < 0 {
			require.Equal(t, bookahead.ErrUnavailable, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, OfferAt(latest, r), last)
	})
}

// A block is a stretch of time with the same number of free units, whatever the steps.
func TestBlocks(t *testing.T) {
	f := newFlat(t, 4, 55, 1)
	f.book(span(10, 20), 2)
	f.book(span(25, 30), 4)
	require.NoError(t, f.Advance(5))
	block := func(start, end bookahead.Time, units int64) bookahead.Block {
		return bookahead.Block{Interval: span(start, end), Units: units}
	}
	for w, want := range map[bookahead.Interval][]bookahead.Block{
		span(-9, 99): {block(5, 10, 4), block(10, 20, 2), block(20, 25, 4), block(30, 60, 4)},
		span(12, 15): {block(12, 15, 2)},
		span(19, 31): {block(19, 20, 2), block(20, 25, 4), block(30, 31, 4)},
		span(26, 29): nil,
		span(0, 5):   nil,
		span(7, 7):   nil,
	} {
		require.Equal(t, want, slices.Collect(f.Blocks(w)), "%v", w)
		for b := range f.Blocks(w) {
			require.Equal(t, want[0], b)
			break
		}
	}
}
