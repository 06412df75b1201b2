package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/internal/limits"
)

// SeriesID is the number of a Series. IDs count up from 1.
type SeriesID uint64

// Occurrences are the windows of a series, which is booked once in each: 1 to Limits.Occurrences, by start, and at one
// start by end. None begins before 0. A recur.Rule makes them of a calendar, since a desk knows no time zone.
//
// The Request of the series is booked at its earliest place in each window. A part whose Duration is 0 lasts from its
// Offset to the end of the window:
//
//	window       8 ─────────────── 12      8 ───── 10
//	Duration 2   ██████                    ██████           anywhere in the window, the earliest first
//	Duration 0   █████████████████         ██████           the whole of it
//
// Windows may overlap, or be equal. The occurrences are booked in turn, each at the earliest place that the earlier
// ones leave; they fit if each finds a place in this way. In a window that has begun the place lies from now on, as
// for a Book whose Ready is over. So there is no place in a window that is over, or of which too little is left, and
// none for a part that takes the whole of a window that has begun.
type Occurrences []bookahead.Interval

// BookSeries books a Request once in each of several windows. Each occurrence is a booking of its own, which can be
// changed or cancelled alone: its Request has the window as Ready and Deadline, and the length of each part. A second
// BookSeries with the same key and otherwise the same, too, returns the same series: the bookings and the refused
// windows of the first time, even if the desk has forgotten a booking since. Another BookSeries with that key fails
// with ErrKey.
//
// If a window has no place, the error is an *OccurrenceError that names the first such window, and wraps
// bookahead.ErrUnavailable: test with errors.Is. The cost is that of a Book for each occurrence, and a Clone of each
// schedule of the Request. A Shift takes another Search for each occurrence, and for each shift at which some fit and
// others do not.
//
// A series has no Hold, Force or Wait. Use a Batch of Books for these, each with a window as its Ready and Deadline.
type BookSeries struct {
	// Key is the caller's name for the series; at most MaxText bytes. A booking may have the same key.
	Key string
	// Request is the request for each occurrence. Its Ready and Deadline are 0. It has no gaps (After), so that
	// the window gives the length of a part of Duration 0. One of its shapes is short enough for every window.
	Request
	At Occurrences
	// Partly books as many occurrences as fit, each in turn, and Outcome.Refused has the windows of the others.
	// If none fits, the command is refused. Without Partly all are booked, or none is.
	Partly bool
	// Shift is by how many ticks all occurrences may be late together; the desk takes the least shift at which
	// all fit. With Partly it is 0. Where each occurrence has a place alone, and all together have none, the next
	// shift is tried, so that windows that overlap may use up the steps of the command (Config.Effort).
	Shift bookahead.Duration
	// Needs is the tick, after now, at which the series needs more occurrences: the Advance that reaches it tells
	// so, once, and Continue adds them. 0 means that At has all occurrences.
	Needs bookahead.Time
}

// Continue adds occurrences to a series that needs more, with the Request of the series. They are booked in the
// windows of At: the Shift of the series is not added.
//
// A Continue is carried out once: it changes Series.Needs, so the same command fails with ErrNeeded afterwards. A
// caller who got no answer therefore sends it again. If the error is ErrNeeded, and Series.Needs is that of the
// command, and not 0, the command was carried out. Otherwise somebody has continued or cancelled the series, as its
// bookings show. The desk keeps a series that has ended as long as it keeps one of its bookings; later the error is
// bookahead.ErrNotFound.
type Continue struct {
	ID SeriesID
	// Needed is the Series.Needs that the caller has seen. It is not 0, since nobody can continue a series that
	// needs no more.
	Needed bookahead.Time
	At     Occurrences
	// Partly books as many as fit, even if none fits, so that the series goes on. Without Partly all are booked,
	// or none is.
	Partly bool
	// Needs is the next tick at which the series needs more, after now and after Needed; 0 ends the series with
	// these occurrences.
	Needs bookahead.Time
}

// CancelSeries gives up all occurrences that start at From or later and have not begun; the series needs no more
// occurrences then. Occurrences before From stay, also those that were changed to lie there. Each cancelled booking
// has an event, by ID, and the series has the last event.
type CancelSeries struct {
	ID   SeriesID
	From bookahead.Time
}

// Series is the bookings of one BookSeries and the Continues after it. The desk keeps a series as long as it keeps a
// booking of the series, or the series needs more.
type Series struct {
	ID  SeriesID
	Key string
	// Request is the request of each occurrence. Its slices belong to the desk, and must not be changed.
	Request
	// Needs is the tick at which the series needs more occurrences; 0 if it has all. Once the clock has reached
	// Needs, an event has told so, and the series waits for a Continue or a CancelSeries.
	Needs bookahead.Time
	// Shift is how many ticks late the occurrences of the BookSeries are.
	Shift bookahead.Duration
}

func (BookSeries) verb() string { return "bookSeries" }

func (CancelSeries) verb() string { return "cancelSeries" }

func (Continue) verb() string { return "continue" }

// The names that errors have for the windows of a command.
const (
	ofBookSeries = "BookSeries.At"
	ofContinue   = "Continue.At"
)

func (c BookSeries) check() error {
	err := checkText("BookSeries.Key", c.Key)
	if err == nil {
		err = c.Request.checkSeries()
	}
	if err == nil {
		err = c.At.check(ofBookSeries)
	}
	switch {
	case err != nil:
		return err
	case c.Shift < 0:
		return limits.Invalid("BookSeries.Shift", c.Shift, "is negative")
	case c.Shift > 0 && c.Partly:
		return limits.Invalid("BookSeries.Shift", c.Shift, "is asked for with Partly, which moves no window")
	case c.Needs < 0:
		return limits.Invalid("BookSeries.Needs", c.Needs, "is negative")
	}
	for i, w := range c.At {
		if w.End > bookahead.MaxTime-bookahead.Time(c.Shift) {
			return limits.Invalid(fmt.Sprintf("%s[%d]", ofBookSeries, i), w, fmt.Sprintf("overflows when it is %d ticks late", c.Shift))
		}
	}
	return c.At.hold(ofBookSeries, &c.Request)
}

func (c Continue) check() error {
	switch {
	case c.Needed < 1:
		return limits.Invalid("Continue.Needed", c.Needed, "is no tick at which a series needs more")
	case c.Needs < 0:
		return limits.Invalid("Continue.Needs", c.Needs, "is negative")
	case c.Needs != 0 && c.Needs <= c.Needed:
		return limits.Invalid("Continue.Needs", c.Needs, fmt.Sprintf("is not after Needed, %d", c.Needed))
	}
	return c.At.check(ofContinue)
}

func (CancelSeries) check() error { return nil }

// checkSeries checks the request of a series, which has no times of its own.
func (r *Request) checkSeries() error {
	switch {
	case r.Ready != 0:
		return limits.Invalid("Request.Ready", r.Ready, "is not 0, but the occurrences say when")
	case r.Deadline != 0:
		return limits.Invalid("Request.Deadline", r.Deadline, "is not 0, but the occurrences say when")
	}
	one := *r
	if len(r.Shapes) <= MaxShapes {
		one.Shapes = lasting(r.Shapes, 0)
	}
	err := one.check()
	if err != nil {
		return err
	}
	for i, shape := range r.Shapes {
		for j := range shape {
			if shape[j].After != nil {
				return limits.Invalid(partOf{i, j}.field(".After"), *shape[j].After, "is a gap, but a series has none")
			}
		}
	}
	return nil
}

// lasting returns shapes in which each part of Duration 0 lasts to the end of a window of some length, and for one
// tick at least.
func lasting(shapes []Shape, window bookahead.Duration) []Shape {
	list := make([]Shape, len(shapes))
	for i, shape := range shapes {
		list[i] = append(Shape(nil), shape...)
		for j := range list[i] {
			p := &list[i][j]
			if p.Duration == 0 {
				p.Duration = max(1, window-max(0, p.Offset))
			}
		}
	}
	return list
}

// check checks that the windows are in order, and not too many.
func (at Occurrences) check(field string) error {
	if len(at) == 0 {
		return limits.Invalid(field, len(at), "are too few")
	}
	for i, w := range at {
		if w.Empty() || w.Start < 0 {
			return limits.Invalid(fmt.Sprintf("%s[%d]", field, i), w, "is empty, or begins before 0")
		}
		if i > 0 && (w.Start < at[i-1].Start || w.Start == at[i-1].Start && w.End < at[i-1].End) {
			return limits.Invalid(fmt.Sprintf("%s[%d]", field, i), w, fmt.Sprintf("comes behind %v", at[i-1]))
		}
	}
	return nil
}

// hold checks that some shape of a request is short enough for every window.
func (at Occurrences) hold(field string, r *Request) error {
	least := bookahead.Duration(bookahead.MaxTime)
	for _, shape := range r.Shapes {
		length := bookahead.Duration(1)
		if r.bent() {
			least = r.leastOf(shape)
			break
		}
		for i := range shape {
			length = max(length, addUp(shape[i].Offset, max(1, shape[i].Duration)))
		}
		least = min(least, length)
	}
	for i, w := range at {
		if lengthOf(w) < least {
			return limits.Invalid(fmt.Sprintf("%s[%d]", field, i), w, fmt.Sprintf("is shorter than the %d ticks of Request.Shapes", least))
		}
	}
	return nil
}

// lengthOf returns the length of an interval, or the greatest Duration if the length is greater.
func lengthOf(w bookahead.Interval) bookahead.Duration {
	if w.Start < 0 && w.End > bookahead.MaxTime+w.Start {
		return bookahead.Duration(bookahead.MaxTime)
	}
	return bookahead.Duration(w.End - w.Start)
}

func (c *BookSeries) code(x *code.Coder) {
	x.Text("key", &c.Key)
	c.Request.code(x)
	c.At.code(x)
	code.Flag(x, "partly", &c.Partly)
	code.Number(x, "shift", &c.Shift)
	code.Number(x, "needs", &c.Needs)
}

func (c *CancelSeries) code(x *code.Coder) {
	code.Counter(x, "id", &c.ID)
	code.Number(x, "from", &c.From)
}

func (at *Occurrences) code(x *code.Coder) { code.Intervals(x, "at", (*[]bookahead.Interval)(at)) }

func (c *Continue) code(x *code.Coder) {
	code.Counter(x, "id", &c.ID)
	code.Number(x, "needed", &c.Needed)
	c.At.code(x)
	code.Flag(x, "partly", &c.Partly)
	code.Number(x, "needs", &c.Needs)
}
