package window

import (
	"slices"

	"github.com/bookahead/bookahead/internal/effort"
)

// An enumeration keeps its memory within bounds however many steps it may take. A state is
// 24 bytes, and a change 8. Beyond mostStates a plain enumeration stops, and a thinned
// enumeration keeps so many states. Lists may have more room than states, and merge fills one
// more list. So the lists take five times as much as their states at most, which hold watches
// over. The changes that no state needs any more are swept out when there are many:
//
//	2^21 states of 24 bytes, five times    240 MiB
//	2^23 changes of 8 bytes                 64 MiB
//	2^23 places of 4 bytes, in a sweep      32 MiB
//	                                       336 MiB, that is 340 at most
const (
	mostStates  = 1 << 21
	mostChanges = 1 << 23
)

// hold keeps the memory of an enumeration within its bounds, and returns how many states
// may go on.
func (k *knapsack) hold(first, last int) int {
	t := &k.core
	if len(t.trail) <= mostChanges/2 {
		return mostStates
	}
	k.sweepTrail(first, last)
	// Each state for which a list has had to grow has left a change. So lists grow large only
	// if the trail does, and their room need not be looked at more often than here.
	room := 0
	for _, list := range t.lists {
		room += cap(list)
	}
	if room > 4*mostStates {
		for d := range t.lists {
			t.lists[d] = slices.Clone(t.lists[d])
		}
	}
	if len(t.trail) <= mostChanges/2 {
		return mostStates
	}
	return t.count(first, last) / 2 // states have changes of their own, which go with them
}

// sweepTrail keeps the changes that some state needs: its last change, and all before. A
// change lies behind the change before it, so one pass finds new places for all:
//
//	change    0    1    2    3    4      a state ends at change 3
//	before   -1    0    0    2    1
//	place     1         2    3           3 needs 2, and 2 needs 0; places count from 1
func (k *knapsack) sweepTrail(first, last int) {
	t := &k.core
	place := make([]int32, len(t.trail)) // -1 if a state needs the change, and then its new place, from 1
	for _, list := range t.lists[first : last+1] {
		for _, s := range list {
			for at := s.trail; at >= 0 && place[at] == 0; at = t.trail[at].before {
				place[at] = -1
			}
		}
	}
	kept := t.trail[:0]
	for at, c := range t.trail {
		if at%effort.Chunk == 0 && !k.more(min(effort.Chunk, len(t.trail)-at)) {
			return // the states do not matter any more
		}
		if place[at] == 0 {
			continue
		}
		if c.before >= 0 {
			c.before = place[c.before] - 1
		}
		kept = append(kept, c)
		place[at] = int32(len(kept))
	}
	t.trail = kept
	for _, list := range t.lists[first : last+1] {
		for i := range list {
			if at := list[i].trail; at >= 0 {
				list[i].trail = place[at] - 1
			}
		}
	}
}
