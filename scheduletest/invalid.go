package scheduletest

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bookahead/bookahead"
)

// badCall is a call that must fail, whatever is booked.
type badCall struct {
	name  string
	field string // the field that the error names; "" for a bare error
	want  error
	call  func(bookahead.Schedule) error
}

// badCalls lists every kind of misuse of a schedule with a past.
func badCalls(target Target, h history) []badCall {
	const least, most = math.MinInt64, math.MaxInt64
	good := bookahead.Request{Ready: h.now, Duration: 1, Units: 1}
	var calls []badCall

	// Search and Reserve must refuse the same requests, and so must SearchFor and Rebook of
	// a reservation that has not begun.
	waiting, waits := h.waiting()
	request := func(name, field string, want error, change func(*bookahead.Request)) {
		r := good
		change(&r)
		calls = append(calls,
			badCall{"Search with " + name, field, want, func(s bookahead.Schedule) error {
				_, err := s.Search(r)
				return err
			}},
			badCall{"Reserve with " + name, field, want, func(s bookahead.Schedule) error {
				_, err := s.Reserve(r)
				return err
			}})
		if waits {
			calls = append(calls, badAnew(name, field, want, waiting, r)...)
		}
	}
	wrong := func(name, field string, change func(*bookahead.Request)) {
		request(name, "Request."+field, bookahead.ErrInvalid, change)
	}
	noRoom := func(name string, change func(*bookahead.Request)) {
		request(name, "", bookahead.ErrUnavailable, change)
	}
	wrong("no units", "Units", func(r *bookahead.Request) { r.Units = 0 })
	wrong("negative units", "Units", func(r *bookahead.Request) { r.Units = -1 })
	wrong("the least units", "Units", func(r *bookahead.Request) { r.Units = least })
	if h.Capacity < most {
		noRoom("more units than there are", func(r *bookahead.Request) { r.Units = h.Capacity + 1 })
		noRoom("the most units", func(r *bookahead.Request) { r.Units = most })
	}
	wrong("no duration", "Duration", func(r *bookahead.Request) { r.Duration = 0 })
	wrong("a negative duration", "Duration", func(r *bookahead.Request) { r.Duration = -1 })
	wrong("the least duration", "Duration", func(r *bookahead.Request) { r.Duration = least })
	wrong("an end that overflows", "Duration", func(r *bookahead.Request) { r.Ready, r.Duration = 1, most })
	wrong("the last ready time", "Duration", func(r *bookahead.Request) { r.Ready = most })
	wrong("the least deadline", "Deadline", func(r *bookahead.Request) { r.Deadline = least })
	wrong("a negative deadline", "Deadline", func(r *bookahead.Request) { r.Deadline = -1 })
	wrong("a deadline that is too early", "Deadline", func(r *bookahead.Request) {
		r.Ready, r.Duration, r.Deadline = h.now+5, 10, h.now+14
	})
	noRoom("a deadline in the past", func(r *bookahead.Request) { r.Ready, r.Duration, r.Deadline = -5, 2, -3 })
	noRoom("the least ready time, fixed", func(r *bookahead.Request) { r.Ready, r.Deadline = least, least+1 })
	noRoom("a start that has passed", func(r *bookahead.Request) {
		r.Ready, r.Duration, r.Deadline = h.now-1, 3, h.now+2
	})
	if h.Horizon > 0 {
		noRoom("a ready time beyond the horizon", func(r *bookahead.Request) { r.Ready = h.end() })
		noRoom("an end beyond the horizon", func(r *bookahead.Request) { r.Ready, r.Duration = h.end()-1, 2 })
		noRoom("a duration beyond the horizon", func(r *bookahead.Request) { r.Duration = h.Horizon + 1 })
		noRoom("the last ready time that is valid", func(r *bookahead.Request) { r.Ready = most - 1 })
	}
	if target.Servers {
		wrong("fewer servers than units", "Servers", func(r *bookahead.Request) { r.Units, r.Servers = 1, []int{} })
		wrong("a negative server", "Servers", func(r *bookahead.Request) { r.Servers = []int{-1} })
		wrong("a server out of range", "Servers", func(r *bookahead.Request) { r.Servers = []int{int(h.Capacity)} })
		wrong("a server named twice", "Servers", func(r *bookahead.Request) { r.Servers = []int{0, 0} })
	} else {
		wrong("servers of a pool", "Servers", func(r *bookahead.Request) { r.Servers = []int{0} })
	}

	other := func(name, field string, want error, call func(bookahead.Schedule) error) {
		calls = append(calls, badCall{name, field, want, call})
	}
	for name, id := range map[string]bookahead.ID{"zero": 0, "next": bookahead.ID(h.made) + 1, "last": math.MaxUint64} {
		other("Release of the "+name+" ID", "", bookahead.ErrNotFound, func(s bookahead.Schedule) error { return s.Release(id) })
	}
	for name, w := range map[string]bookahead.Interval{
		"an empty window":     {Start: h.now, End: h.now},
		"a backward window":   {Start: h.now + 1, End: h.now},
		"the backward window": {Start: most, End: least},
	} {
		other("RangeQuery of "+name, "window", bookahead.ErrInvalid, func(s bookahead.Schedule) error {
			_, err := s.RangeQuery(w)
			return err
		})
	}
	for name, now := range map[string]bookahead.Time{"by one": h.now - 1, "to the least": least} {
		other("Advance back "+name, "now", bookahead.ErrInvalid, func(s bookahead.Schedule) error { return s.Advance(now) })
	}
	if _, ok := h.Schedule.(bookahead.Keeper); ok {
		calls = append(calls, badKeeping(target, h)...)
	}
	if h.Horizon > 0 {
		other("Advance to the end of the axis", "now", bookahead.ErrInvalid, func(s bookahead.Schedule) error { return s.Advance(most) })
	}
	return calls
}

// waiting returns the ID of a reservation that has not begun, if a Keeper has one.
func (h *history) waiting() (bookahead.ID, bool) {
	if _, ok := h.Schedule.(bookahead.Keeper); !ok {
		return 0, false
	}
	for _, res := range h.live {
		if res.Start > h.now {
			return res.ID, true
		}
	}
	return 0, false
}

// badAnew lists the calls that book a reservation anew with a bad request.
func badAnew(name, field string, want error, id bookahead.ID, r bookahead.Request) []badCall {
	return []badCall{
		{"SearchFor with " + name, field, want, func(s bookahead.Schedule) error {
			_, err := s.(bookahead.Keeper).SearchFor(id, r)
			return err
		}},
		{"Rebook with " + name, field, want, func(s bookahead.Schedule) error {
			_, err := s.(bookahead.Keeper).Rebook(id, r)
			return err
		}},
	}
}

// badKeeping lists misuse of a Keeper: IDs that are not booked, and requests for a
// reservation that is running.
func badKeeping(target Target, h history) (calls []badCall) {
	good := bookahead.Request{Ready: h.now, Duration: 1, Units: 1}
	for name, id := range map[string]bookahead.ID{"zero": 0, "next": bookahead.ID(h.made) + 1, "last": math.MaxUint64} {
		calls = append(calls, badCall{"Reservation of the " + name + " ID", "", bookahead.ErrNotFound, func(s bookahead.Schedule) error {
			_, err := s.(bookahead.Keeper).Reservation(id)
			return err
		}})
		calls = append(calls, badAnew("the "+name+" ID", "", bookahead.ErrNotFound, id, good)...)
		calls = append(calls, badAnew("the "+name+" ID and no units", "", bookahead.ErrNotFound, id, bookahead.Request{Duration: 1})...)
	}
	i := slices.IndexFunc(h.live, func(res bookahead.Reservation) bool { return res.Start <= h.now })
	if i < 0 {
		return calls
	}
	running := h.live[i]
	anew := func(name, field string, want error, change func(*bookahead.Request)) {
		r := bookahead.Request{Ready: math.MaxInt64, Duration: running.Len(), Units: running.Units} // Ready is not read
		change(&r)
		calls = append(calls, badAnew(name+" of a running one", field, want, running.ID, r)...)
	}
	wrong := func(name, field string, change func(*bookahead.Request)) {
		anew(name, "Request."+field, bookahead.ErrInvalid, change)
	}
	wrong("no units", "Units", func(r *bookahead.Request) { r.Units = 0 })
	wrong("the least units", "Units", func(r *bookahead.Request) { r.Units = math.MinInt64 })
	wrong("no duration", "Duration", func(r *bookahead.Request) { r.Duration = 0 })
	wrong("the least duration", "Duration", func(r *bookahead.Request) { r.Duration = math.MinInt64 })
	gone := bookahead.Duration(h.now - running.Start)
	if gone > 0 {
		wrong("an end that is now", "Duration", func(r *bookahead.Request) { r.Duration = gone })
		wrong("an end that is now and too many units", "Duration", func(r *bookahead.Request) { r.Duration, r.Units = gone, math.MaxInt64 })
	}
	anew("a deadline in the past", "", bookahead.ErrUnavailable, func(r *bookahead.Request) { r.Deadline = -1 })
	anew("a deadline before its end", "", bookahead.ErrUnavailable, func(r *bookahead.Request) {
		r.Duration, r.Deadline = running.Len()+1, running.End
	})
	if h.Horizon > 0 {
		anew("an end beyond the horizon", "", bookahead.ErrUnavailable, func(r *bookahead.Request) {
			r.Duration = bookahead.Duration(h.end()-running.Start) + 1
		})
		anew("the longest duration", "", bookahead.ErrUnavailable, func(r *bookahead.Request) { r.Duration = math.MaxInt64 })
	}
	if h.Capacity < math.MaxInt64 {
		anew("more units than there are", "", bookahead.ErrUnavailable, func(r *bookahead.Request) { r.Units = h.Capacity + 1 })
	}
	if !target.Servers {
		wrong("servers of a pool", "Servers", func(r *bookahead.Request) { r.Units, r.Servers = 1, []int{0} })
		return calls
	}
	wrong("fewer servers than units", "Servers", func(r *bookahead.Request) { r.Servers = running.Servers[1:] })
	wrong("a server out of range", "Servers", func(r *bookahead.Request) { r.Servers = append(slices.Clone(running.Servers), int(h.Capacity)) })
	wrong("a server named twice", "Servers", func(r *bookahead.Request) { r.Servers = append(slices.Clone(running.Servers), running.Servers[0]) })
	return calls
}

// invalidCalls runs the table on a schedule with two reservations, of which one is running.
func invalidCalls(t *testing.T, target Target) {
	c := Config{Capacity: 8, Origin: 100, Horizon: 64}
	s, err := target.New(c)
	if err != nil {
		t.Fatal(err)
	}
	h := history{Schedule: s, Config: c, now: c.Origin}
	for _, r := range []bookahead.Request{{Ready: 100, Duration: 10, Units: 3}, {Ready: 104, Duration: 10, Units: 2}} {
		res, err := s.Reserve(r)
		if err != nil {
			t.Fatal(err)
		}
		h.live = append(h.live, res)
		h.made++
	}
	h.now++ // the first is running
	sameError(t, s.Advance(h.now), nil)
	for _, bad := range badCalls(target, h) {
		t.Run(strings.ReplaceAll(bad.name, " ", "_"), func(t *testing.T) {
			err := bad.call(s)
			var invalid *bookahead.InvalidError
			switch {
			case !errors.Is(err, bad.want):
				t.Fatalf("got %v, want %v", err, bad.want)
			case bad.field == "" && err != bad.want:
				t.Fatalf("got %v, want it bare", err)
			case bad.field != "" && (!errors.As(err, &invalid) || invalid.Field != bad.field):
				t.Fatalf("%v does not name %s", err, bad.field)
			}
			if a, err := s.RangeQuery(bookahead.Interval{Start: 104, End: 110}); err != nil || a.Free != 3 {
				t.Fatalf("afterwards %+v is free, %v", a, err)
			}
			mustBeSound(t, s)
		})
	}
	t.Run("Release_twice", func(t *testing.T) {
		sameError(t, s.Release(h.live[0].ID), nil)
		sameError(t, s.Release(h.live[0].ID), bookahead.ErrNotFound)
	})
	t.Run("Release_after_the_end", func(t *testing.T) {
		sameError(t, s.Advance(h.live[1].End), nil)
		sameError(t, s.Release(h.live[1].ID), bookahead.ErrNotFound)
	})
	t.Run("Window_of_which_nothing_can_be_booked", func(t *testing.T) {
		for _, w := range []bookahead.Interval{{Start: math.MinInt64, End: 1}, {Start: 200, End: math.MaxInt64}} {
			a, err := s.RangeQuery(w)
			sameError(t, err, nil)
			if a.Free != 0 || len(a.Servers) != 0 || a.Window != (bookahead.Interval{}) {
				t.Fatalf("in %v %+v is free", w, a)
			}
		}
	})
	t.Run("Everything", func(t *testing.T) {
		a, err := s.RangeQuery(bookahead.Interval{Start: math.MinInt64, End: math.MaxInt64})
		sameError(t, err, nil)
		if whole := (bookahead.Interval{Start: 114, End: 178}); a.Window != whole || target.Slot <= 1 && a.Free != 8 {
			t.Fatalf("%+v is free", a)
		}
	})
	invalidConfigs(t, target)
}

// invalidConfigs tries arguments with which no schedule can be made.
func invalidConfigs(t *testing.T, target Target) {
	for name, c := range map[string]Config{
		"no_capacity":         {Horizon: 64},
		"a_negative_capacity": {Capacity: -1, Horizon: 64},
		"a_negative_origin":   {Capacity: 1, Origin: -1, Horizon: 64},
		"a_negative_horizon":  {Capacity: 1, Horizon: -1},
		"overflow":            {Capacity: 1, Origin: math.MaxInt64, Horizon: 64},
	} {
		t.Run("New_with_"+name, func(t *testing.T) {
			s, err := target.New(c)
			if !errors.Is(err, bookahead.ErrInvalid) {
				t.Fatalf("New(%+v) = %v, %v", c, s, err)
			}
		})
	}
	if target.Bounded {
		t.Run("New_with_no_horizon", func(t *testing.T) {
			_, err := target.New(Config{Capacity: 1})
			sameError(t, err, bookahead.ErrInvalid)
		})
	}
}
