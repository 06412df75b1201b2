package plan

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
)

// kind is what jobs alike have in common: they ask for the same. What a search has found out about one holds for all.
type kind struct {
	key   string
	forms []form
	like  *family // of a kind of one part; nil for others
	jobs  int     // that are of the kind

	failed uint64 // the age of the plan at which no form fitted now; 0 for none
}

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
	moves  []found // of this pass
}

// ask is what a kind asks for.
type ask struct {
	units    int64
	duration bookahead.Duration
}

// within reports whether b asks for at least as much as a.
func (a ask) within(b ask) bool { return a.units <= b.units && a.duration <= b.duration }

func (k *kind) ask() ask {
	p := &k.forms[0].Shape[0]
	return ask{p.Units, p.Duration}
}

// hopeless reports whether it is known that a kind does not fit now.
func (k *kind) hopeless(age uint64) bool {
	if k.failed == age {
		return true
	}
	if k.like == nil || k.like.age != age {
		return false
	}
	for _, a := range k.like.failed {
		if a.within(k.ask()) {
			k.failed = age
			return true
		}
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
		if !k.ask().within(a) {
			kept = append(kept, a)
		}
	}
	k.like.failed = append(kept, k.ask())
}

// keyOf returns what tells shapes apart; without the units and the duration of their parts if alike is set.
func keyOf(shapes []Shape, alike bool) string {
	x := code.NewWriter(nil)
	for _, s := range shapes {
		if alike {
			s = slices.Clone(s)
			for i := range s {
				s[i].Units, s[i].Duration = 0, 0
			}
		}
		s.code(x)
	}
	return string(x.Bytes())
}
