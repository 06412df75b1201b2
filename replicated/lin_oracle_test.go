package replicated

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// verb is the kind of an operation.
type verb string

const (
	toBook     verb = "book"    // units for ticks, at or after ready, ended by the deadline
	toCancel   verb = "cancel"  // the booking with an id
	toAdvance  verb = "advance" // the clock to ready
	toRead     verb = "read"    // the booking with an id
	toReadFree verb = "free"    // units that are free throughout [ready, deadline)
	toReadAll  verb = "all"     // the whole state
)

// ask is the input of an operation.
type ask struct {
	verb            verb
	ready, deadline int
	units, ticks    int
	id              int
}

// told is the output of an operation.
type told struct {
	unknown bool // nobody knows whether the operation was or will be carried out
	refused bool // by the desk
	// forgotten is an ErrSession. All sessions have room here, so the model accepts no such answer.
	forgotten bool
	id, start int
	state     desk.State
	free, now int
	all       string
}

// Sizes of an oracle: units of the pool, ticks that a history reaches, and bookings that it makes.
const (
	linUnits    = 4
	linTicks    = 112
	linBookings = 120
)

// oracle is the expected desk with one pool: the units in use at each tick, and the bookings that use them. It is a
// value that == compares, as porcupine needs.
type oracle struct {
	now  int
	n    int // bookings
	used [linTicks]int8
	of   [linBookings]linBooking
}

type linBooking struct {
	start, end, units int8
	cancelled         bool
}

// book tries each start, tick by tick, and takes the first one from which the units are free for long enough.
func (o *oracle) book(a ask) told {
	for start := max(a.ready, o.now); start+a.ticks <= a.deadline; start++ {
		if o.free(start, start+a.ticks) < a.units {
			continue
		}
		for t := start; t < start+a.ticks; t++ {
			o.used[t] += int8(a.units)
		}
		o.of[o.n] = linBooking{start: int8(start), end: int8(start + a.ticks), units: int8(a.units)}
		o.n++
		return told{id: o.n, start: start}
	}
	return told{refused: true}
}

// free returns how many units are free throughout [from, to).
func (o *oracle) free(from, to int) int {
	free := linUnits
	for t := from; t < to; t++ {
		free = min(free, linUnits-int(o.used[t]))
	}
	return free
}

// cancel gives back the ticks that are left.
func (o *oracle) cancel(id int) told {
	switch o.state(id) {
	case desk.Booked, desk.Running:
	default:
		return told{refused: true}
	}
	b := &o.of[id-1]
	for t := max(int(b.start), o.now); t < int(b.end); t++ {
		o.used[t] -= b.units
	}
	b.cancelled = true
	return told{id: id}
}

// state returns the state of a booking; 0 if there is no booking.
func (o *oracle) state(id int) desk.State {
	if id < 1 || id > o.n {
		return 0
	}
	b := &o.of[id-1]
	switch {
	case b.cancelled:
		return desk.Cancelled
	case o.now < int(b.start):
		return desk.Booked
	case o.now < int(b.end):
		return desk.Running
	}
	return desk.Ended
}

// answer carries an operation out, and returns its answer.
func (o *oracle) answer(a ask) told {
	switch a.verb {
	case toBook:
		return o.book(a)
	case toCancel:
		return o.cancel(a.id)
	case toAdvance:
		if a.ready < o.now {
			return told{refused: true}
		}
		o.now = a.ready
		return told{}
	case toRead:
		out := told{state: o.state(a.id), now: o.now}
		if out.state == desk.Booked || out.state == desk.Running || out.state == desk.Ended {
			out.id, out.start = a.id, int(o.of[a.id-1].start)
		}
		return out
	case toReadFree:
		if a.deadline <= o.now {
			return told{free: -1, now: o.now}
		}
		return told{free: o.free(max(a.ready, o.now), a.deadline), now: o.now}
	}
	var all strings.Builder
	for id := 1; id <= o.n; id++ {
		fmt.Fprint(&all, o.state(id), " ")
		if !o.of[id-1].cancelled {
			fmt.Fprint(&all, o.of[id-1].start, " ")
		}
	}
	for t := o.now; t < linTicks; t++ {
		fmt.Fprint(&all, o.free(t, t+1))
	}
	return told{now: o.now, all: all.String()}
}

// asSeen returns the answer to a query in a state that was read.
func asSeen(a ask, v View) (told, error) {
	now := int(v.Now())
	switch a.verb {
	case toRead:
		k, err := v.Booking(desk.BookingID(a.id))
		if errors.Is(err, bookahead.ErrNotFound) {
			return told{now: now}, nil
		}
		out := told{state: k.State, now: now}
		if k.State != desk.Cancelled {
			out.id, out.start = int(k.ID), int(k.Start)
		}
		return out, err
	case toReadFree:
		free, err := freeOf(v, a.ready, a.deadline)
		return told{free: free, now: now}, err
	}
	var all strings.Builder
	list := slices.SortedFunc(slices.Values(collected(v.Bookings(desk.Filter{}, bookahead.Effort{}))), func(a, b desk.Booking) int { return cmp.Compare(a.ID, b.ID) })
	for _, k := range list {
		fmt.Fprint(&all, k.State, " ")
		if k.State != desk.Cancelled {
			fmt.Fprint(&all, int64(k.Start), " ")
		}
	}
	for t := now; t < linTicks; t++ {
		free, err := freeOf(v, t, t+1)
		if err != nil {
			return told{}, err
		}
		fmt.Fprint(&all, free)
	}
	return told{now: now, all: all.String()}, nil
}

// freeOf returns how many units are free throughout [from, to); -1 if the interval lies in the past.
func freeOf(v View, from, to int) (int, error) {
	free, err := v.Free(bookahead.Interval{Start: bookahead.Time(from), End: bookahead.Time(to)}, desk.Part{On: "line"})
	if free.Window == (bookahead.Interval{}) {
		return -1, err
	}
	return int(free.Free), err
}

// linModel is the oracle in the form of porcupine. An operation with an unknown answer may have any.
var linModel = porcupine.Model{
	Init: func() any { return oracle{} },
	Step: func(state, input, output any) (bool, any) {
		o, out := state.(oracle), output.(told)
		want := o.answer(input.(ask))
		return out.unknown || out == want, o
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v: %+v", input, output) },
}

// String has the fields that the verb reads.
func (a ask) String() string {
	switch a.verb {
	case toBook:
		return fmt.Sprintf("book %d units for %d ticks in [%d, %d)", a.units, a.ticks, a.ready, a.deadline)
	case toAdvance:
		return fmt.Sprintf("advance to %d", a.ready)
	case toReadFree:
		return fmt.Sprintf("free in [%d, %d)", a.ready, a.deadline)
	case toReadAll:
		return "all"
	}
	return fmt.Sprintf("%s %d", a.verb, a.id)
}
