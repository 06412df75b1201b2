package desk

import (
	"cmp"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/internal/limits"
)

// Quota bounds the joint use of some bookings: their units at once; or their units times ticks, in each of some
// periods or in any window of a length; or how many of them wait. A booking counts if its owner is one of the
// Owners and it has the Label; of a booking that counts, the parts on the schedules On count. The earliest place
// of a Request is the earliest at which no quota is broken, unless a quota of Ticks counts two of its steps (below).
// No Force breaks a quota. Several quotas of Ticks may agree on a start so late that the search gives up
// (Config.Effort).
//
//	units 3 │      ▒▒▒          at most 3 units at once,
//	      2 │▒▒▒▒▒▒▒▒▒          or 24 unit-ticks in [0, 10),
//	      1 │▒▒▒▒▒▒▒▒▒▒▒        or 20 in any 8 ticks
//	        0        10
//
// If a quota of Ticks counts two steps of a shape (Part.After), no place is the earliest for every step: a later
// start of one step may let another start earlier. Therefore the desk looks at two places. The first is the
// earliest place in which no step alone breaks a quota; it is booked if all steps together break none either.
// The other place is rigid: the steps lie at their least distances, as one shape, at the earliest start that
// schedules, terms and all quotas allow. Each gap is Least then, or as much longer as the buffers between parts on
// one schedule need. If no start allows a rigid place, the request has no place. With at most 4 unit-ticks in each
// 6 ticks, for steps of 3 and 2 ticks:
//
//	period    0     6     12
//	first     ▒▒▒░░               5 in the first period: too much
//	rigid       ▒▒▒░░             4 and 1: booked
//	wider     ▒▒▒   ░░            3 and 2: not searched for
//
// So a place with wider gaps may start earlier, or be the only one, and still not be found. The search for a rigid
// place begins at the start of the first place, so a later Ready may find a place where an earlier Ready finds none.
// When other bookings take the first place, the steps lie further apart, and the request may have a place that it
// had not before; a waiting booking gets that place.
type Quota struct {
	// Owners are the owners whose bookings count; nil stands for all.
	Owners []string
	// Label counts only bookings that have it; "" counts all.
	Label string
	// Each gives every owner a bound of his own; otherwise the owners share one.
	Each bool
	// On names the schedules whose parts count; nil stands for all. Of a broker all schedules are named, or none.
	On []string
	// Resource names the resource of the tasks on nodes that counts; nothing elsewhere counts then. "" counts
	// units, servers and tasks. A name is invalid if none of the schedules that count has the resource, since the
	// quota would set no bound at all.
	Resource string
	// Units is the most units at once; 0 sets no bound.
	Units int64
	// Ticks is the most unit-ticks in each period, and in any Window; 0 sets no bound.
	Ticks int64
	// Periods are the periods of Ticks, by start, without overlaps. Every sets periods too: each is Every ticks
	// long, the first begins at From, and there is no last.
	Periods []bookahead.Interval
	From    bookahead.Time
	Every   bookahead.Duration
	// Window is the length of windows for Ticks; a window may begin at any tick.
	Window bookahead.Duration
	// Waiting is how many of the bookings that count may wait at once. On and Resource make no difference here. One
	// more is refused with bookahead.ErrUnavailable, and Refusal.Waiting names the quota. 0 sets no bound.
	Waiting int64
	// None sets the bound 0: the bookings that count may have no units at all, as the quota counts units. Units, Ticks
	// and Waiting are 0 then. Earlier bookings stay, and may change to a part of their places, as beyond any
	// bound. A request that counts in each of its shapes cannot begin to wait. A booking that waits already waits
	// on, since the quota may be set anew.
	None bool
}

// SetQuota sets a quota, or replaces the quota of that name. Bookings beyond the quota stay, and OverQuota lists
// them. They may change to a part of their places, as Terms describes for Notice. Bookings that wait already wait
// on.
//
// A new quota counts the bookings that the desk has, and not those that it has forgotten (Config.Keep). A quota
// that replaces another keeps the use by forgotten bookings that the other has counted, if Label, Each, On and
// Resource are the same: with Each for the owners that both count, and otherwise if the new quota counts the same
// owners, or more.
type SetQuota struct {
	// Name is at most MaxText bytes, and not empty.
	Name string
	Quota
}

// DropQuota ends a quota.
type DropQuota struct{ Name string }

// Bounds of quotas.
const (
	MaxQuotas = 1 << 10
	// MaxQuotaList is how many Owners, how many schedules and how many Periods a quota may name.
	MaxQuotaList = 1 << 10
)

func (SetQuota) verb() string { return "setQuota" }

func (DropQuota) verb() string { return "dropQuota" }

func (c SetQuota) check() error {
	err := checkName(c.Name)
	if err == nil {
		err = c.Quota.check()
	}
	return err
}

func (c DropQuota) check() error { return checkName(c.Name) }

func checkName(name string) error {
	if name == "" {
		return limits.Invalid("Quota.Name", name, "is empty")
	}
	return checkText("Quota.Name", name)
}

func (q *Quota) check() error {
	err := checkTexts("Quota.Owners", q.Owners, MaxQuotaList)
	if err == nil {
		err = checkTexts("Quota.On", q.On, MaxQuotaList)
	}
	if err == nil {
		err = checkText("Quota.Label", q.Label)
	}
	if err == nil {
		err = checkText("Quota.Resource", q.Resource)
	}
	if err != nil {
		return err
	}
	if q.None && (q.Units != 0 || q.Ticks != 0 || q.Waiting != 0) {
		return limits.Invalid("Quota.None", q.None, "is given with Units, Ticks or Waiting")
	}
	given := len(q.Periods) > 0 || q.Every != 0 || q.Window != 0
	switch {
	case q.Units < 0:
		return limits.Invalid("Quota.Units", q.Units, "is negative")
	case q.Ticks < 0:
		return limits.Invalid("Quota.Ticks", q.Ticks, "is negative")
	case q.From < 0:
		return limits.Invalid("Quota.From", q.From, "is negative")
	case q.Every < 0:
		return limits.Invalid("Quota.Every", q.Every, "is negative")
	case q.Window < 0:
		return limits.Invalid("Quota.Window", q.Window, "is negative")
	case q.Waiting < 0:
		return limits.Invalid("Quota.Waiting", q.Waiting, "is negative")
	case q.From > 0 && q.Every == 0:
		return limits.Invalid("Quota.From", q.From, "is given without Every")
	case q.Ticks > 0 && !given:
		return limits.Invalid("Quota.Ticks", q.Ticks, "are given without Periods, Every or Window")
	case q.Ticks == 0 && given:
		return limits.Invalid("Quota.Ticks", q.Ticks, "sets no bound, but Periods, Every or Window are given")
	case len(q.Periods) > MaxQuotaList:
		return limits.Invalid("Quota.Periods", len(q.Periods), fmt.Sprintf("are more than %d", MaxQuotaList))
	}
	end := bookahead.Time(0)
	for i, p := range q.Periods {
		if p.Empty() || p.Start < end {
			return limits.Invalid(fmt.Sprintf("Quota.Periods[%d]", i), p, fmt.Sprintf("is empty, or begins before %d", end))
		}
		end = p.End
	}
	return nil
}

// checkTexts checks that a list of texts is not too long, and has each text once.
func checkTexts(field string, list []string, most int) error {
	if len(list) > most {
		return limits.Invalid(field, len(list), fmt.Sprintf("are more than %d", most))
	}
	seen := map[string]bool{}
	for i, text := range list {
		if len(text) <= MaxText && !seen[text] {
			seen[text] = true
			continue
		}
		at := fmt.Sprintf("%s[%d]", field, i)
		return cmp.Or(checkText(at, text), limits.Invalid(at, text, "is given twice"))
	}
	return nil
}

func (c *SetQuota) code(x *code.Coder) {
	x.Text("name", &c.Name)
	c.Quota.code(x)
}

func (c *DropQuota) code(x *code.Coder) { x.Text("name", &c.Name) }

func (q *Quota) code(x *code.Coder) {
	code.Texts(x, "owners", &q.Owners)
	x.Text("label", &q.Label)
	code.Flag(x, "each", &q.Each)
	code.Texts(x, "on", &q.On)
	x.Text("resource", &q.Resource)
	code.Number(x, "units", &q.Units)
	code.Number(x, "ticks", &q.Ticks)
	code.Intervals(x, "periods", &q.Periods)
	code.Number(x, "from", &q.From)
	code.Number(x, "every", &q.Every)
	code.Number(x, "window", &q.Window)
	code.Number(x, "waiting", &q.Waiting)
	code.Flag(x, "none", &q.None)
}
