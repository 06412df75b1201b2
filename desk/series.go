package desk

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// SeriesID is the number of a Series. IDs count up from 1.
type SeriesID uint64

// MaxOccurrences is how many occurrences one command may have.
const MaxOccurrences = 1 << 10

// Occurrences are the intervals in which a series is booked, once in each: 1 to MaxOccurrences, by start, and of
// one start by end. A Rule makes them of a calendar, since a desk knows no time zone.
//
// An occurrence is a window. The Request of the series is booked at its earliest place there, and a part whose
// Duration is 0 lasts from its Offset to the end of the window:
//
//	window       8 ─────────────── 12      8 ───── 10
//	Duration 2   ██████                    ██████           anywhere in the window, the earliest first
//	Duration 0   █████████████████         ██████           the whole of it
type Occurrences []bookahead.Interval

// BookSeries books a Request once in each of several occurrences, each as a booking of its own, which can be changed
// or cancelled alone. The key of the series stands for it as that of a Book does for a booking: the same key with
// the same command is the same series.
type BookSeries struct {
	// Key is the caller's name for the series; at most MaxText bytes. It is not among the keys of bookings.
	Key string
	// Request is what is booked in each occurrence. Its Ready and Deadline are 0, and it has no gaps (After), so
	// that a part of Duration 0 knows its length.
	Request
	At Occurrences
	// Partly books as many as fit, each in turn, and Outcome.Refused has the others. Otherwise all are booked, or none is.
	Partly bool
	// Shift is by how many ticks all occurrences may be late together: they come by the least shift at which all fit.
	// With Partly it is 0.
	Shift bookahead.Duration
	// Needs is the tick at which the series needs more occurrences: the Advance that reaches it tells so, once, and Continue adds
	// them. 0 means that it has all.
	Needs bookahead.Time
}

// Continue adds occurrences to a series, for the Request that it was booked by.
type Continue struct {
	ID     SeriesID
	At     Occurrences
	Partly bool
	// Needs is the next tick at which it needs occurrences; 0 ends the series with these.
	Needs bookahead.Time
}

// CancelSeries gives up all occurrences that start at From or later and have not begun, and the series needs no
// more. Those before From stay, and so do those that have been changed to lie there.
type CancelSeries struct {
	ID   SeriesID
	From bookahead.Time
}

// Series is bookings that were made by one wish. It is kept as long as one of its bookings is, or as it needs more.
type Series struct {
	ID  SeriesID
	Key string
	// Request is that of each occurrence. Its slices belong to the desk, and must not be changed.
	Request
	// Needs is the tick at which it needs more occurrences; 0 if it has all, or has told so already.
	Needs bookahead.Time
	// Shift is by how many ticks its occurrences are late.
	Shift bookahead.Duration
}

func (BookSeries) verb() string   { return "bookSeries" }
func (Continue) verb() string     { return "continue" }
func (CancelSeries) verb() string { return "cancelSeries" }

func (BookSeries) check() error   { return nil }
func (Continue) check() error     { return nil }
func (CancelSeries) check() error { return nil }

func (BookSeries) decide(*books) (Decision, error) {
	return Decision{}, limits.Invalid("command", "bookSeries", "is missing")
}
func (Continue) decide(*books) (Decision, error) {
	return Decision{}, limits.Invalid("command", "continue", "is missing")
}
func (CancelSeries) decide(*books) (Decision, error) {
	return Decision{}, limits.Invalid("command", "cancelSeries", "is missing")
}

func (BookSeries) apply(*books, *Decision) error {
	return limits.Invalid("command", "bookSeries", "is missing")
}
func (Continue) apply(*books, *Decision) error {
	return limits.Invalid("command", "continue", "is missing")
}
func (CancelSeries) apply(*books, *Decision) error {
	return limits.Invalid("command", "cancelSeries", "is missing")
}

func (c *BookSeries) code(x coder) {
	x.text("key", &c.Key)
	c.Request.code(x)
	c.At.code(x)
	flag(x, "partly", &c.Partly)
	number(x, "shift", &c.Shift)
	number(x, "needs", &c.Needs)
}

func (c *Continue) code(x coder) {
	counter(x, "id", &c.ID)
	c.At.code(x)
	flag(x, "partly", &c.Partly)
	number(x, "needs", &c.Needs)
}

func (c *CancelSeries) code(x coder) {
	counter(x, "id", &c.ID)
	number(x, "from", &c.From)
}

func (at *Occurrences) code(x coder) { intervals(x, "at", (*[]bookahead.Interval)(at)) }
