package window

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Slots returns the idle time within w of a schedule that knows its servers. Each
// slot is as long as possible. They are in order of their starts, and of equal starts in order of
// the servers. Server k is node k. The error wraps bookahead.ErrInvalid if the schedule has no
// servers, or is no bookahead.Profiler. O(b + s log s) for blocks with b servers in all, and
// s slots.
func Slots(s bookahead.Schedule, w bookahead.Interval) ([]Slot, error) {
	if err := limits.CheckNil("schedule", s); err != nil {
		return nil, err
	}
	blocks, ok := bookahead.Blocks(s, w)
	if !ok {
		return nil, limits.Invalid("schedule", fmt.Sprintf("%T", s), "is no bookahead.Profiler")
	}
	var slots []Slot
	latest := map[int]int{} // by server, its latest slot
	for b := range blocks {
		if b.Servers == nil {
			return nil, limits.Invalid("schedule", fmt.Sprintf("%T", s), "does not know its servers")
		}
		for _, server := range b.Servers {
			if i, ok := latest[server]; ok && slots[i].End == b.Start {
				slots[i].End = b.End
				continue
			}
			latest[server] = len(slots)
			slots = append(slots, Slot{server, b.Interval})
		}
	}
	slices.SortFunc(slots, byStart)
	return slots, nil
}

// byStart puts slots in the order that New asks for, and those that start together in order of
// their nodes.
func byStart(a, b Slot) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Node, b.Node))
}
