package scheduletest

import (
	"cmp"
	"errors"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// force is a bookahead.Force whose functions are given by numbers, so that the log can show them.
type force struct {
	Request *bookahead.Request
	Order   int // 0 is nil: the highest ID goes first; 1: the fewest units, 2: the lowest ID
	Spare   int // 0 is nil; otherwise the multiples of Spare are spared, by ID
	Again   int // 0 is nil; 1: drops all, 2: at any time later, 3: an invalid number of units
}

func (f force) full() bookahead.Force {
	full := bookahead.Force{Request: f.Request}
	switch f.Order {
	case 1:
		full.Order = func(a, b bookahead.Reservation) int { return cmp.Compare(a.Units, b.Units) }
	case 2:
		full.Order = func(a, b bookahead.Reservation) int { return cmp.Compare(a.ID, b.ID) }
	}
	if f.Spare > 0 {
		full.Spare = func(res bookahead.Reservation) bool { return res.ID%bookahead.ID(f.Spare) == 0 }
	}
	switch f.Again {
	case 1:
		full.Again = func(bookahead.Reservation) (r bookahead.Request, ok bool) { return r, false }
	case 2:
		full.Again = func(old bookahead.Reservation) (bookahead.Request, bool) {
			return bookahead.Request{Ready: old.Start, Duration: old.Len(), Units: old.Units, Deadline: later(old.End, span)}, old.ID%3 > 0
		}
	case 3:
		full.Again = func(old bookahead.Reservation) (bookahead.Request, bool) {
			return bookahead.Request{Duration: 1, Units: -1}, true
		}
	}
	return full
}

// drawForce draws a request to make room for, or none, and the functions.
func (m *machine) drawForce(t *rapid.T, w world) (f force) {
	if rapid.IntRange(0, 3).Draw(t, "request") > 0 {
		r := m.request(t, w)
		if rapid.IntRange(0, 11).Draw(t, "bad request") == 11 {
			r.Units = 0
		}
		f.Request = &r
	}
	f.Order = rapid.IntRange(0, 2).Draw(t, "order")
	f.Spare = rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2, 3}).Draw(t, "spare")
	f.Again = rapid.SampledFrom([]int{0, 0, 0, 1, 2, 2, 2, 3}).Draw(t, "again")
	return f
}

// displace books by force, and compares the outcome with the rules of Displace.
func (m *machine) displace(t *rapid.T) {
	w := m.pickWorld(t)
	m.displaceBy(t, w, m.drawForce(t, *w))
}

func (m *machine) displaceBy(t rapid.TB, w *world, f force) {
	got, err := bookahead.Displace(w.s, f.full())
	request := "nothing"
	if f.Request != nil {
		request = inWords(*f.Request)
	}
	m.did(t, "Displace(%s, order %d, spare %d, again %d) = %+v, %v", request, f.Order, f.Spare, f.Again, got, err)
	o := w.o.Copy()
	displaced(t, o, f, got, err)
	if err == nil {
		w.o = o
	}
}

// displaced checks an outcome of Displace against its rules. If there is no error, it brings the
// oracle into the state that the schedule must have. Where the structure is free to choose
// servers, the oracle takes the servers of the outcome.
func displaced(t rapid.TB, o *oracle.Oracle, f force, got bookahead.Displacement, err error) {
	full := f.full()
	out, want := o.TakeOut(full)
	if want != nil {
		sameError(t, err, want)
		return
	}
	if f.Again == 3 && len(out) > 0 && errors.Is(err, bookahead.ErrInvalid) {
		return // one of them does not fit where it was
	}
	sameError(t, err, nil)
	if full.Request != nil {
		judge(t, o, *full.Request, got.Booked.Offer, nil)
		enter(t, o, got.Booked)
	}
	var others, dropped []bookahead.Reservation
	for _, old := range slices.Backward(out) {
		if o.PutBack(old) != nil {
			others = append(others, old)
		}
	}
	moved := got.Moved
	for _, old := range others {
		r, ok := placedAgain(o, full, old)
		if ok {
			_, want := o.Place(r)
			if want != nil && want != bookahead.ErrUnavailable {
				t.Fatalf("%+v is accepted in place of %v, which gives %v", r, old, want)
			}
			ok = want == nil
		}
		if !ok {
			dropped = append(dropped, old)
			continue
		}
		if len(moved) == 0 || !sameReservation(moved[0].From, old) || moved[0].To.ID != old.ID {
			t.Fatalf("%v were moved, but %v is next", got.Moved, old)
		}
		judge(t, o, r, moved[0].To.Offer, nil)
		o.Restore(old.ID, moved[0].To.Offer)
		moved = moved[1:]
	}
	if len(moved) > 0 || !slices.EqualFunc(got.Dropped, dropped, sameReservation) {
		t.Fatalf("%v were moved, of which %v are too many, and %v were dropped, not %v", got.Moved, moved, got.Dropped, dropped)
	}
}

// placedAgain returns the request by which a reservation is placed anew.
func placedAgain(o *oracle.Oracle, f bookahead.Force, old bookahead.Reservation) (bookahead.Request, bool) {
	if f.Again != nil {
		return f.Again(old)
	}
	start := max(old.Start, o.Now())
	return bookahead.Request{Ready: start, Duration: bookahead.Duration(old.End - start), Units: old.Units}, true
}
