package plan

import (
	"encoding/binary"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
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

// appendShape appends what tells two shapes apart; without the units and the duration of its only part if alike is set.
func appendShape(b []byte, s Shape, alike bool) []byte {
	number := func(n int64) { b = binary.AppendVarint(b, n) }
	text := func(s string) { number(int64(len(s))); b = append(b, s...) }
	list := func(l []int) {
		if l == nil {
			number(-1)
			return
		}
		number(int64(len(l)))
		for _, n := range l {
			number(int64(n))
		}
	}
	vector := func(v nodes.Vector) {
		number(int64(len(v)))
		for _, n := range v {
			number(n)
		}
	}
	number(int64(len(s)))
	for i := range s {
		p := &s[i]
		text(p.On)
		if !alike {
			number(p.Units)
			number(int64(p.Duration))
		}
		number(int64(p.Offset))
		list(p.Servers)
		t := p.Tasks
		if t == nil {
			number(0)
			continue
		}
		number(1)
		vector(t.Each)
		number(t.PerNode)
		vector(t.Head)
		list(t.Nodes)
		text(t.Set)
		list(t.Except)
		text(t.Within)
		text(t.Together)
	}
	return b
}
