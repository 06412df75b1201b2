package window

import (
	"slices"

	"github.com/bookahead/bookahead/internal/effort"
)

// An enumeration keeps its memory within bounds however many steps it may take: a state is
// 24 bytes, and a change 8. Beyond mostStates a plain enumeration stops, and a thinned one
// keeps so many. A list has room for a state more than it holds, and merge fills another one,
// so that lists take five times as much at most. Changes that no state needs any more are
// swept out when they outnumber the states. 2^21 states are 240 MiB, 2^23 changes 64 MiB,
// and as many numbers while they are swept half of it: 340 MiB at most.
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
	// Each state that a list has had room for has left a change, so it suffices to look at
	// their room here.
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
	return t.count(first, last) / 2 // they have some changes each of their own
}

// sweepTrail keeps the changes that a state needs: its last one, and those before it. A
// change comes after the one before it, so one pass finds new places for all.
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
