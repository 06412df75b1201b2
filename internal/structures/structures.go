// Package structures lists the structures of the library, once for all code that compares,
// tests or describes every one of them. Enter a new structure here: a
// test in the root package finds any exported Schedule that is missing.
package structures

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bookahead/bookahead"
)

// Config holds the settings that are common to all structures.
type Config struct {
	Origin  bookahead.Time     // the time of the clock at first
	Horizon bookahead.Duration // how far ahead can be booked, in ticks; at least 1
	// Slot is the width of a slot, in ticks, for a structure that has slots; 0 means the
	// structure's own default.
	Slot bookahead.Duration
	// Step is how many ticks lie between the starts that idletree.Slotted tries; 0 means
	// Slot. All other structures try every start.
	Step bookahead.Duration
}

// Structure is a structure of the library, with settings of its own.
type Structure struct {
	// Name has the package and the form, such as "carts.Flat", and after a hyphen the setting:
	// how servers are chosen, or the width of a slot.
	Name string
	// Servers reports whether the structure knows which servers are free. A pool
	// counts units.
	Servers bool
	// Answers names a promise: structures with the same promise answer every call alike,
	// including IDs and the kind of error. An empty Answers promises nothing. The promise of a
	// structure with slots holds for slots of one tick.
	Answers string
	// Choice says who chooses servers, and when.
	Choice string
	// Widths are the widths of a slot, in ticks, at which the structure is compared with others;
	// none if it has no slots. A structure with slots needs a Horizon, as each slot takes room.
	Widths []bookahead.Duration
	// New makes an empty schedule of capacity units, or servers. A Broker has one provider of
	// that capacity, and a smaller one.
	New func(capacity int64, c Config) (bookahead.Keeper, error)
}

// Slotted reports whether the structure has slots, of Config.Slot ticks.
func (s Structure) Slotted() bool { return len(s.Widths) > 0 }

// Wide returns a structure that has slots as one whose slots are slot ticks wide, whatever
// Config.Slot says. Its name and its promise say so.
func (s Structure) Wide(slot bookahead.Duration) Structure {
	if s.Answers != "" && slot > 1 {
		kind := "pool"
		if s.Servers {
			kind = "servers"
		}
		s.Answers = fmt.Sprintf("%s in slots of %d", kind, slot)
	}
	open := s.New
	s.Name = fmt.Sprintf("%s-%d", s.Name, slot)
	s.Widths = []bookahead.Duration{slot}
	s.New = func(capacity int64, c Config) (bookahead.Keeper, error) {
		c.Slot = slot
		return open(capacity, c)
	}
	return s
}

// All returns every structure of the library, the default first: the simple ones, and
// those composed of others.
func All() []Structure { return append(Simple(), Composed()...) }

// Compared returns the simple structures in the order in which they are compared, the
// default first. A structure with slots stands there once for each of its Widths.
func Compared() []Structure {
	var all []Structure
	for _, s := range Simple() {
		if !s.Slotted() {
			all = append(all, s)
		}
		for _, slot := range s.Widths {
			all = append(all, s.Wide(slot))
		}
	}
	return all
}

// Named returns the structures of Compared with these names, which have commas between them.
func Named(names string) ([]Structure, error) {
	var named []Structure
	all := Compared()
	for name := range strings.SplitSeq(names, ",") {
		is := func(s Structure) bool { return s.Name == name }
		i := slices.IndexFunc(all, is)
		if i < 0 {
			known := ""
			for _, s := range all {
				known += ", " + s.Name
			}
			return nil, fmt.Errorf("%q is none of %s", name, known[2:])
		}
		if slices.ContainsFunc(named, is) {
			return nil, fmt.Errorf("%q is named twice", name)
		}
		named = append(named, all[i])
	}
	return named, nil
}
