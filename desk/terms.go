package desk

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Terms say who may book a schedule, and when. They hold for all that is placed after they are set, whoever gives way;
// bookings that were made before stay. Those of a broker are those of its schedules. The zero Terms allow
// everything.
type Terms struct {
	// Open is the opening hours: each part lies within one of these intervals, which are given by start, and neither
	// overlap nor touch. nil means always. A Rule makes them of a calendar.
	Open []bookahead.Interval
	// Needs is the tick at which more opening hours are needed: the Advance that reaches it tells so, once. 0 means that
	// these are all.
	Needs bookahead.Time
	// Longest is the longest duration of a part; 0 sets no bound.
	Longest bookahead.Duration
	// Notice is how many ticks before its start a part is booked at the latest.
	Notice bookahead.Duration
	// Ahead is how many ticks before its start a part is booked at the earliest; 0 sets no bound.
	Ahead bookahead.Duration
	// Before and After are buffers: for so many ticks around a part nobody else has its units, as they are set up and
	// cleaned. Buffers of two bookings do not overlap either. They may lie outside the opening hours, and not before the
	// clock. Place.Before and Place.After have those of a booking.
	Before, After bookahead.Duration
	// Owners and Labels say who may book: one of these owners, or a booking with one of these labels. If both are nil,
	// everybody may.
	Owners, Labels []string
}

// SetTerms sets the Terms of a schedule that is no broker.
type SetTerms struct {
	On string
	Terms
}

func (SetTerms) verb() string { return "setTerms" }
func (SetTerms) check() error { return nil }
func (SetTerms) decide(*books) (Decision, error) {
	return Decision{}, limits.Invalid("command", "setTerms", "is missing")
}
func (SetTerms) apply(*books, *Decision) error {
	return limits.Invalid("command", "setTerms", "is missing")
}

func (c *SetTerms) code(x coder) {
	x.text("on", &c.On)
	c.Terms.code(x)
}

func (t *Terms) code(x coder) {
	intervals(x, "open", &t.Open)
	number(x, "needs", &t.Needs)
	number(x, "longest", &t.Longest)
	number(x, "notice", &t.Notice)
	number(x, "ahead", &t.Ahead)
	number(x, "before", &t.Before)
	number(x, "after", &t.After)
	texts(x, "owners", &t.Owners)
	texts(x, "labels", &t.Labels)
}
