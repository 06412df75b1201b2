package plan

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
)

// kind is what jobs alike have in common: they ask for the same. What a search has found out about one holds for all.
type kind struct {
	key    string
	forms  []form
	like   *family // of a kind of one part that neither bends nor has Patience; nil for others
	want   ask     // of such a kind
	shifts bool    // whether a part starts later than the job
	slides bool    // whether another shape may come into a horizon
	bends  bool    // whether a shape bends
	jobs   int     // that are of the kind
	line   []*job  // of these, that wait, in turn

	failed uint64 // the age of the plan at which no form fitted now; 0 for none
	barred uint64 // the age at which no volume would yield to a job without a place
	// No start before bound fits in the plan, but perhaps one in open, where something was given back. Both are kept for a
	// kind of one part.
	bound bookahead.Time
	open  bookahead.Interval
}

// single is a kind of one part with a copy of what it asks for, so that a long list is read without following pointers.
type single struct {
	ask
	*kind
}

// byUnits is the order of a list of kinds of one part: by units, and then by duration.
func byUnits(a single, k *kind) int {
	return cmp.Or(cmp.Compare(a.units, k.want.units), cmp.Compare(a.duration, k.want.duration))
}

// on returns the schedule of a kind of one part.
func (k *kind) on() int { return k.forms[0].on[0] }

// family is the kinds of one part that differ in units and duration alone. One that asks for more, for longer, fits nowhere
// where another does not fit:
//
//	duration
//	     │      ░░░░░░░░░     × has not fitted
//	     │      ░░░░░░░░░     ░ does not fit either
//	     │   ░░░×░░░░░░░░
//	     │   ░░░░░░░░░░░░
//	     │   ×░░░░░░░░░░░
//	     └──────────────── units
type family struct {
	key    string
	kinds  int
	failed []ask // have not fitted at the age, and none of them asks for more than another
	age    uint64
	near   [8]*kind // of the last searches for an earlier place
	next   int
}

// hopeless reports whether it is known that a kind does not fit now, and keeps the answer.
func (q *Queue) hopeless(k *kind) bool {
	if k.failed == q.age {
		return true
	}
	if k.like == nil {
		return false
	}
	if q.plan[k.on()].lacks(k.want, q.now) || k.like.age == q.age && slices.ContainsFunc(k.like.failed, func(a ask) bool { return a.within(k.want) }) {
		k.failed = q.age
		return true
	}
	return false
}

// fail notes that a kind does not fit now.
func (k *kind) fail(age uint64) {
	k.failed = age
	if k.like == nil {
		return
	}
	if k.like.age != age {
		k.like.age, k.like.failed = age, k.like.failed[:0]
	}
	kept := k.like.failed[:0]
	for _, a := range k.like.failed {
		if !k.want.within(a) {
			kept = append(kept, a)
		}
	}
	k.like.failed = append(kept, k.want)
}

// shut reports whether it is known that a kind has no start before a time in the plan. One that asks for no more has none
// either.
func (k *kind) shut(before bookahead.Time) bool {
	if k.bound >= before && (k.open.Empty() || k.open.Start >= before) {
		return true
	}
	for _, x := range k.like.near {
		if x != nil && x.bound >= before && (x.open.Empty() || x.open.Start >= before) && x.want.within(k.want) {
			return true
		}
	}
	return false
}

// shutBefore notes that a kind has no start before a time.
func (k *kind) shutBefore(t bookahead.Time) {
	k.shutBetween(min(k.bound, k.open.Start), t)
}

// shutBetween notes that a kind has no start from one time to another, the first of which is where it might have had one.
func (k *kind) shutBetween(from, to bookahead.Time) {
	if from <= k.open.Start {
		k.open.Start = max(k.open.Start, to)
	}
	if k.open.Empty() {
		k.open = bookahead.Interval{}
	}
	if from <= k.bound {
		k.bound = max(k.bound, to)
	}
	if k.like != nil && !slices.Contains(k.like.near[:], k) {
		k.like.near[k.like.next%len(k.like.near)] = k
		k.like.next++
	}
}

// reopen notes that something was given back in w, so that starts which touch it may fit.
func (k *kind) reopen(w bookahead.Interval) {
	w.Start -= bookahead.Time(k.forms[0].length) - 1
	k.open = cover(k.open, w)
}

// keyOf returns what tells shapes apart, in memory that the next call takes: what they ask for but for units and durations, up to
// alike, and then these.
func (q *Queue) keyOf(shapes []Shape) (key []byte, alike int) {
	x := code.NewWriter(q.key[:0])
	for _, s := range shapes {
		n := len(s)
		code.Number(x, "parts", &n)
		for _, p := range s {
			p.Units, p.Duration = 0, 0
			p.code(x)
		}
	}
	alike = len(x.Bytes())
	for _, s := range shapes {
		for i := range s {
			code.Number(x, "units", &s[i].Units)
			code.Number(x, "duration", &s[i].Duration)
		}
	}
	q.key = x.Bytes()
	return q.key, alike
}
