package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/internal/limits"
)

// Bounds of Terms.
const (
	MaxAllowed = 1 << 10 // Owners, and Labels
)

// Terms say who may book a schedule, and when. They hold for each place that is found after they are set, also for
// bookings that give way; earlier bookings stay, with the buffers that they have. A broker has the terms of its
// schedules, each its own. The zero Terms allow everything.
//
//	Open     ├──────────────┤         ├───
//	part          ▓▓██████▓▓                 ▓ is Before and After
//	         ▓▓██████▓▓                      the buffers may lie outside the opening hours
//
// A booking that has begun keeps its buffers. If a running part gets a later end, the part lies within the opening
// hours from the clock on, and is not longer than Longest. Terms do not bind a running part whose end is no later.
//
// Notice and Ahead bind places for which a caller asks, by a Book or a Change. They do not bind a booking that has
// begun, nor one that gives way by Force or leaves an outage, since its owner did not ask for that. Nor do they bind
// a Change to a part of the present place. Such a Change asks for the old schedules, for no more units, and for no
// servers beyond those of each part; and its first place from the present start on, without Notice and Ahead, lies
// within the old time of each part.
//
// A Change that leaves a booking in its place may not hand the place from an owner who may book there to an owner who
// may not.
//
// Steps of one booking keep the buffers between their parts on one schedule, even if there are units for both parts
// at once. A part on a broker keeps the largest buffers of any schedule that it may share with the other part.
type Terms struct {
	// Open is the opening hours, by start: each part lies within one of these intervals, which neither overlap nor
	// touch; at most Limits.Open. nil means always open. recur.Hours makes opening hours of a calendar.
	Open []bookahead.Interval
	// Needs is the tick at which more opening hours are needed: the Advance that reaches it tells so, once. 0
	// means that Open has them all.
	Needs bookahead.Time
	// Longest is the longest duration of a part; 0 sets no bound.
	Longest bookahead.Duration
	// Notice is how many ticks before its start a part must be booked, at the least. A waiting booking with a
	// Deadline may come too near to the Deadline for Notice. It waits on until it lapses, since later Terms may
	// give it a place.
	Notice bookahead.Duration
	// Ahead is how many ticks before its start a part may be booked, at the most; 0 sets no bound.
	Ahead bookahead.Duration
	// Before and After are buffers: for so many ticks around a part nobody else has its units, since somebody sets
	// them up and cleans them. Buffers of two bookings do not overlap either. A buffer may lie outside the opening
	// hours, before Ready and after the Deadline, but not before the clock or beyond the horizon. Place.Before and
	// Place.After are the buffers of a booking. A booking that is given up before it begins gives back everything.
	// When a running part ends, or moves away, its units stay taken for After ticks. A part that moves because its
	// schedule is closed gives everything back there, since nobody cleans a closed unit.
	Before, After bookahead.Duration
	// Owners and Labels say who may book: each of these owners, and a booking with one of these labels; at most
	// MaxAllowed of each. If both are empty, everybody may.
	Owners, Labels []string
}

// zero reports whether the terms allow everything.
func (t *Terms) zero() bool {
	return len(t.Open) == 0 && t.Needs == 0 && t.Longest == 0 && t.Notice == 0 && t.Ahead == 0 && t.Before == 0 && t.After == 0 &&
		len(t.Owners) == 0 && len(t.Labels) == 0
}

// clone returns a copy that shares nothing with the caller. Empty lists become nil, as they are after a snapshot: the
// same terms give the same bytes.
func (t *Terms) clone() Terms {
	c := *t
	c.Open, c.Owners, c.Labels = append([]bookahead.Interval(nil), t.Open...), append([]string(nil), t.Owners...), append([]string(nil), t.Labels...)
	return c
}

// SetTerms sets the Terms of a schedule that is no broker, in the place of its earlier Terms. Zero Terms end them.
type SetTerms struct {
	On string
	Terms
}

func (SetTerms) verb() string { return "setTerms" }

func (c SetTerms) check() error {
	t := &c.Terms
	for _, x := range []struct {
		name string
		n    int64
	}{
		{"Needs", int64(t.Needs)}, {"Longest", int64(t.Longest)}, {"Notice", int64(t.Notice)}, {"Ahead", int64(t.Ahead)},
		{"Before", int64(t.Before)}, {"After", int64(t.After)},
	} {
		if x.n < 0 {
			return limits.Invalid("SetTerms."+x.name, x.n, "is negative")
		}
	}
	for i, w := range t.Open {
		if w.Empty() || w.Start < 0 || i > 0 && w.Start <= t.Open[i-1].End {
			return limits.Invalid(fmt.Sprintf("SetTerms.Open[%d]", i), w, "is empty, or does not lie behind the last")
		}
	}
	err := checkTexts("SetTerms.Owners", t.Owners, MaxAllowed)
	if err == nil {
		err = checkTexts("SetTerms.Labels", t.Labels, MaxAllowed)
	}
	return err
}

func (c *SetTerms) code(x *code.Coder) {
	x.Text("on", &c.On)
	c.Terms.code(x)
}

func (t *Terms) code(x *code.Coder) {
	code.Intervals(x, "open", &t.Open)
	code.Number(x, "needs", &t.Needs)
	code.Number(x, "longest", &t.Longest)
	code.Number(x, "notice", &t.Notice)
	code.Number(x, "ahead", &t.Ahead)
	code.Number(x, "before", &t.Before)
	code.Number(x, "after", &t.After)
	code.Texts(x, "owners", &t.Owners)
	code.Texts(x, "labels", &t.Labels)
}
