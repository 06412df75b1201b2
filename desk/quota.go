package desk

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Quota bounds what some bookings have together: units at once, or units times ticks in each of some periods, or in any
// window of a length. A booking counts if it is of one of the Owners and has the Label; of it, the parts on the
// schedules On count. The earliest place of a Request is the earliest at which no quota is broken; a quota
// gives way to no Force.
//
//	units 3 │      ▒▒▒          at most 3 units at once,
//	      2 │▒▒▒▒▒▒▒▒▒          or 24 unit-ticks in [0, 10),
//	      1 │▒▒▒▒▒▒▒▒▒▒▒        or 20 in any 8 ticks
//	        0        10
type Quota struct {
	// Owners are those whose bookings count; nil stands for all.
	Owners []string
	// Label counts only bookings that have it; "" counts all.
	Label string
	// Each gives every owner the quota for himself; otherwise they have it together.
	Each bool
	// On names the schedules whose parts count; nil stands for all. Of a broker all schedules are named, or none.
	On []string
	// Resource counts that resource of the tasks on nodes, and nothing elsewhere; "" counts units, servers and tasks.
	Resource string
	// Units is how much there may be at once; 0 sets no bound.
	Units int64
	// Ticks is how many unit-ticks there may be in each period, and in any Window; 0 sets no bound.
	Ticks int64
	// Periods are those of Ticks, by start, which do not overlap. Every, with From, is periods of that length without end.
	Periods []bookahead.Interval
	From    bookahead.Time
	Every   bookahead.Duration
	// Window is the length of any window for Ticks.
	Window bookahead.Duration
}

// SetQuota sets a quota, or another one under its name. What is booked beyond it stays, and OverQuota lists it.
type SetQuota struct {
	// Name is at most MaxText bytes, and not empty.
	Name string
	Quota
}

// DropQuota ends a quota.
type DropQuota struct{ Name string }

func (SetQuota) verb() string  { return "setQuota" }
func (DropQuota) verb() string { return "dropQuota" }
func (SetQuota) check() error  { return nil }
func (DropQuota) check() error { return nil }
func (SetQuota) decide(*books) (Decision, error) {
	return Decision{}, limits.Invalid("command", "setQuota", "is missing")
}
func (DropQuota) decide(*books) (Decision, error) {
	return Decision{}, limits.Invalid("command", "dropQuota", "is missing")
}
func (SetQuota) apply(*books, *Decision) error {
	return limits.Invalid("command", "setQuota", "is missing")
}
func (DropQuota) apply(*books, *Decision) error {
	return limits.Invalid("command", "dropQuota", "is missing")
}

func (c *SetQuota) code(x coder) {
	x.text("name", &c.Name)
	c.Quota.code(x)
}

func (c *DropQuota) code(x coder) { x.text("name", &c.Name) }

func (q *Quota) code(x coder) {
	texts(x, "owners", &q.Owners)
	x.text("label", &q.Label)
	flag(x, "each", &q.Each)
	texts(x, "on", &q.On)
	x.text("resource", &q.Resource)
	number(x, "units", &q.Units)
	number(x, "ticks", &q.Ticks)
	intervals(x, "periods", &q.Periods)
	number(x, "from", &q.From)
	number(x, "every", &q.Every)
	number(x, "window", &q.Window)
}
