package scheduletest

import (
	"slices"
	"testing"

	"github.com/bookahead/bookahead"
)

// knownFault is a fault that was found in an existing planner, as a test. Times are multiples of
// unit, so that slots change nothing.
type knownFault struct {
	name string
	test func(t *testing.T, s bookahead.Schedule, unit bookahead.Time)
}

var known = []knownFault{
	{"A_fit_before_the_origin", func(t *testing.T, s bookahead.Schedule, unit bookahead.Time) {
		for _, ready := range []bookahead.Time{-1 << 63, -1, 0, knownOrigin*unit - 1} {
			starts(t, s, bookahead.Request{Ready: ready, Duration: 1, Units: 4}, knownOrigin*unit)
		}
	}},
	{"A_start_before_the_ready_time_of_an_empty_profile", func(t *testing.T, s bookahead.Schedule, unit bookahead.Time) {
		for _, ready := range []bookahead.Time{knownOrigin*unit + 1, (knownOrigin + 3) * unit} {
			starts(t, s, bookahead.Request{Ready: ready, Duration: 1, Units: 4}, ready)
		}
	}},
	{"A_tick_lost_at_each_end", func(t *testing.T, s bookahead.Schedule, unit bookahead.Time) {
		at := knownOrigin * unit
		for k := bookahead.Time(0); k < 5; k++ { // back to back, without a gap
			starts(t, s, bookahead.Request{Duration: bookahead.Duration(unit), Units: 4}, at+k*unit)
			mustReserve(t, s, bookahead.Request{Duration: bookahead.Duration(unit), Units: 4})
		}
	}},
	{"Two_equal_bookings_counted_once", func(t *testing.T, s bookahead.Schedule, unit bookahead.Time) {
		at := knownOrigin * unit
		r := bookahead.Request{Ready: at, Deadline: at + 2*unit, Duration: bookahead.Duration(2 * unit), Units: 2}
		first, second := mustReserve(t, s, r), mustReserve(t, s, r)
		free(t, s, bookahead.Interval{Start: at, End: at + 2*unit}, 0)
		sameError(t, s.Release(first.ID), nil)
		free(t, s, bookahead.Interval{Start: at, End: at + 2*unit}, 2)
		sameError(t, s.Release(second.ID), nil)
		free(t, s, bookahead.Interval{Start: at, End: at + 2*unit}, 4)
	}},
	{"A_stale_index_after_a_release", func(t *testing.T, s bookahead.Schedule, unit bookahead.Time) {
		at := knownOrigin * unit
		r := bookahead.Request{Duration: bookahead.Duration(3 * unit), Units: 4}
		first := mustReserve(t, s, r)
		second := mustReserve(t, s, r)
		starts(t, s, r, second.End)
		sameError(t, s.Release(first.ID), nil)
		starts(t, s, r, at)
		sameError(t, s.Release(second.ID), nil)
		starts(t, s, bookahead.Request{Duration: bookahead.Duration(6 * unit), Units: 4}, at)
	}},
	{"A_stale_index_after_growth", func(t *testing.T, s bookahead.Schedule, unit bookahead.Time) {
		at := knownOrigin * unit
		var made []bookahead.Reservation
		for k := bookahead.Time(20); k > 0; k -= 2 { // gaps, from the far end on
			ready := at + k*unit
			r := bookahead.Request{Ready: ready, Deadline: ready + unit, Duration: bookahead.Duration(unit), Units: 3}
			made = append(made, mustReserve(t, s, r))
		}
		starts(t, s, bookahead.Request{Ready: at + unit, Duration: bookahead.Duration(2 * unit), Units: 2}, at+21*unit)
		for _, res := range made {
			sameError(t, s.Release(res.ID), nil)
		}
		free(t, s, bookahead.Interval{Start: at, End: at + 30*unit}, 4)
	}},
	{"A_negative_amount_accepted", func(t *testing.T, s bookahead.Schedule, unit bookahead.Time) {
		at := knownOrigin * unit
		mustReserve(t, s, bookahead.Request{Duration: bookahead.Duration(unit), Units: 3})
		if _, err := s.Reserve(bookahead.Request{Duration: bookahead.Duration(unit), Units: -3}); err == nil {
			t.Fatal("accepted")
		}
		free(t, s, bookahead.Interval{Start: at, End: at + unit}, 1)
	}},
	{"An_intersection_that_starts_afresh_when_empty", func(t *testing.T, s bookahead.Schedule, unit bookahead.Time) {
		at := knownOrigin * unit
		// Full in the middle: nothing is free throughout, whatever comes after.
		mustReserve(t, s, bookahead.Request{Ready: at + unit, Duration: bookahead.Duration(unit), Units: 4})
		free(t, s, bookahead.Interval{Start: at, End: at + 3*unit}, 0)
		free(t, s, bookahead.Interval{Start: at + unit, End: at + 3*unit}, 0)
		starts(t, s, bookahead.Request{Duration: bookahead.Duration(2 * unit), Units: 1}, at+2*unit)
	}},
}

// knownOrigin is the origin of the schedules of these tests, in units.
const knownOrigin = 5

// knownFaults runs each test on an empty schedule of capacity 4.
func knownFaults(t *testing.T, target Target) {
	t.Run("A_fault_in_a_schedule_at_the_end_of_the_axis", func(t *testing.T) { endOfAxis(t, target) })
	unit := bookahead.Time(max(target.Slot, target.Step, 1))
	for _, k := range slices.Concat(known, knownOfChange) {
		t.Run(k.name, func(t *testing.T) {
			s, err := target.New(Config{Capacity: 4, Origin: knownOrigin * unit, Horizon: bookahead.Duration(100 * unit)})
			if err != nil {
				t.Fatal(err)
			}
			k.test(t, s, unit)
			mustBeSound(t, s)
		})
	}
}

// endOfAxis makes a schedule with no time left, which can book nothing and must still be without
// faults. A schedule that needs a horizon has one unit of time left.
func endOfAxis(t *testing.T, target Target) {
	c := Config{Capacity: 4, Origin: bookahead.MaxTime}
	if target.Bounded {
		unit := max(target.Slot, target.Step, 1)
		c.Origin, c.Horizon = bookahead.MaxTime-bookahead.Time(unit), unit
	}
	s, err := target.New(c)
	if err != nil {
		t.Fatal(err)
	}
	check := func(s bookahead.Schedule) {
		mustBeSound(t, s)
		_, err := s.Reserve(bookahead.Request{Duration: 1 + c.Horizon, Units: 1})
		sameError(t, err, bookahead.ErrUnavailable)
	}
	check(s)
	if has[bookahead.Snapshotter](s) {
		read, err := target.New(Config{Capacity: 2, Horizon: 40})
		sameError(t, err, nil)
		sameError(t, bookahead.Restore(read, write(t, s)), nil)
		check(read)
	}
	if c, ok := bookahead.Clone(s); ok {
		check(c)
	}
	free(t, s, bookahead.Interval{Start: bookahead.MaxTime - 1, End: bookahead.MaxTime}, 4*min(1, int64(c.Horizon)))
}

// starts checks that a request is offered a given start.
func starts(t *testing.T, s bookahead.Schedule, r bookahead.Request, want bookahead.Time) {
	t.Helper()
	if o, err := s.Search(r); err != nil || o.Start != want {
		t.Fatalf("Search(%+v) = %v, %v; want a start at %d", r, o, err, want)
	}
}

// free checks how many units are free throughout a window.
func free(t *testing.T, s bookahead.Schedule, w bookahead.Interval, want int64) {
	t.Helper()
	if a, err := s.RangeQuery(w); err != nil || a.Free != want {
		t.Fatalf("RangeQuery(%v) = %+v, %v; want %d", w, a, err, want)
	}
}

func mustReserve(t *testing.T, s bookahead.Schedule, r bookahead.Request) bookahead.Reservation {
	t.Helper()
	res, err := s.Reserve(r)
	if err != nil {
		t.Fatalf("Reserve(%+v): %v", r, err)
	}
	return res
}

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
