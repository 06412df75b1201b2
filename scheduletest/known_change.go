package scheduletest

import (
	"testing"

	"github.com/bookahead/bookahead"
)

// knownOfChange are faults of planners whose capacity shrinks and grows.
var knownOfChange = []knownFault{
	{"Overbooking_after_the_capacity_shrinks_and_grows_again", func(t *testing.T, s bookahead.Schedule, unit bookahead.Time) {
		c := closableOf(t, s)
		at := knownOrigin * unit
		w := bookahead.Interval{Start: at, End: at + 4*unit}
		mustReserve(t, s, bookahead.At(at, 4*bookahead.Duration(unit), 3))
		closed := mustClose(t, c, all(s, w))
		free(t, s, w, 0)
		sameError(t, c.End(closed.ID, at), nil)
		free(t, s, w, 1)
		_, err := s.Reserve(bookahead.At(at, 4*bookahead.Duration(unit), 2))
		sameError(t, err, bookahead.ErrUnavailable)
		mustReserve(t, s, bookahead.At(at, 4*bookahead.Duration(unit), 1))
		isOverbooked(t, s, 0)
	}},
	{"A_stale_index_after_the_capacity_shrinks_and_grows", func(t *testing.T, s bookahead.Schedule, unit bookahead.Time) {
		c := closableOf(t, s)
		at := knownOrigin * unit
		r := bookahead.Request{Duration: bookahead.Duration(2 * unit), Units: 3}
		starts(t, s, r, at)
		closed := mustClose(t, c, all(s, bookahead.Interval{Start: at, End: at + 10*unit}))
		starts(t, s, r, at+10*unit)
		sameError(t, c.End(closed.ID, at+5*unit), nil)
		starts(t, s, r, at+5*unit)
		sameError(t, c.End(closed.ID, at), nil)
		starts(t, s, r, at)
	}},
	{"A_stale_index_after_an_extension", func(t *testing.T, s bookahead.Schedule, unit bookahead.Time) {
		c := closableOf(t, s)
		at := knownOrigin * unit
		r := bookahead.Request{Duration: bookahead.Duration(2 * unit), Units: 6}
		refused := func() {
			t.Helper()
			_, err := s.Search(r)
			sameError(t, err, bookahead.ErrUnavailable)
		}
		refused()
		added := mustClose(t, c, bookahead.Closure{Interval: bookahead.Interval{Start: at + 3*unit, End: at + 9*unit}, Units: 2, Added: true})
		starts(t, s, r, at+3*unit)
		first := mustReserve(t, s, r)
		starts(t, s, r, at+5*unit)
		sameError(t, c.End(added.ID, at+4*unit), nil)
		refused()
		isOverbooked(t, s, 2)
		sameError(t, s.Release(first.ID), nil)
		isOverbooked(t, s, 0)
		refused()
		free(t, s, bookahead.Interval{Start: at, End: at + 9*unit}, 4)
		starts(t, s, bookahead.Request{Duration: bookahead.Duration(unit), Units: 6}, at+3*unit)
	}},
	{"A_closure_that_overlaps_another_and_is_ended_first", func(t *testing.T, s bookahead.Schedule, unit bookahead.Time) {
		c := closableOf(t, s)
		at := knownOrigin * unit
		one := mustClose(t, c, all(s, bookahead.Interval{Start: at, End: at + 6*unit}))
		two := mustClose(t, c, all(s, bookahead.Interval{Start: at + 2*unit, End: at + 8*unit}))
		r := bookahead.Request{Duration: bookahead.Duration(unit), Units: 1}
		starts(t, s, r, at+8*unit)
		sameError(t, c.End(one.ID, at), nil)
		starts(t, s, r, at)
		free(t, s, bookahead.Interval{Start: at + 2*unit, End: at + 8*unit}, 0)
		free(t, s, bookahead.Interval{Start: at, End: at + 2*unit}, 4)
		sameError(t, c.End(two.ID, at), nil)
		free(t, s, bookahead.Interval{Start: at, End: at + 8*unit}, 4)
	}},
}

// closableOf returns a schedule as a Closable, or skips the test.
func closableOf(t *testing.T, s bookahead.Schedule) bookahead.Closable {
	c, ok := s.(bookahead.Closable)
	if !ok {
		t.Skip("its capacity does not change")
	}
	return c
}

// all returns the closure of the whole capacity of 4.
func all(s bookahead.Schedule, w bookahead.Interval) bookahead.Closure {
	return everything(history{Schedule: s, Config: Config{Capacity: 4}}, w)
}

// isOverbooked checks how many units are missing on the first overbooked stretch.
func isOverbooked(t *testing.T, s bookahead.Schedule, want int64) {
	t.Helper()
	over := overbookedIn(s, always)
	if len(over) == 0 && want == 0 || len(over) > 0 && over[0].Units == want {
		return
	}
	t.Fatalf("the overbooked stretches are %s; want %d units missing", inWords(over), want)
}
