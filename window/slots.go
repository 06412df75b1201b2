package window

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Slots returns the idle time within w of a schedule that knows its servers, each
// span as long as possible, in non-decreasing order of the starts and for each
// start of the servers. Server k is node k. A schedule without servers has no
// slots, nor has one that is no bookahead.Profiler: the error wraps bookahead.ErrInvalid.
// O(b + s log s) for blocks with b servers in all, and s slots.
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
	slices.SortFunc(slots, func(a, b Slot) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Node, b.Node))
	})
	return slots, nil
}
