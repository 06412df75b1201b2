package nodes

import (
	"iter"
	"math/bits"

	"github.com/bookahead/bookahead"
)

// abreast finds the steps of several nodes that contain a time, all at once. The steps of thousands of nodes lie in no
// cache, so that each look of a binary search waits for memory. Looks at different nodes need not wait for each other:
//
//	one by one    node 0  ▒▒▒▒▒ ▒▒▒▒▒ ▒▒▒▒▒                        three looks each
//	              node 1                    ▒▒▒▒▒ ▒▒▒▒▒ ▒▒▒▒▒
//	abreast       node 0  ▒▒▒▒▒  ▒▒▒▒▒  ▒▒▒▒▒
//	              node 1   ▒▒▒▒▒  ▒▒▒▒▒  ▒▒▒▒▒
//
// The zero value has no nodes.
type abreast struct {
	n    int
	node [side]int
	of   [side]*steps
	step [side]int // the one that contains the time
}

// side is how many nodes go side by side. In a backlog of 2 000 nodes a job takes a few percent longer with 8, and with 32 no
// change can be told from noise. A search that needs few nodes looks at up to side - 1 in vain.
const side = 16

// add adds a node. There is room for it.
func (x *abreast) add(k int, s *steps) {
	x.node[x.n], x.of[x.n] = k, s
	x.n++
}

// find finds the step of each node that contains t, which is not in the past. Each round halves the steps that are left on
// all nodes. No branch depends on a time: the processor would guess which way it goes, be wrong half of the time, and throw
// away what it has begun on the nodes behind. O(log v) for each node of v steps at most.
func (x *abreast) find(t bookahead.Time) {
	longest := 0
	for i, s := range x.of[:x.n] {
		x.step[i], longest = 0, max(longest, s.len())
	}
	for by := 1 << bits.Len(uint(longest)) / 2; by > 0; by /= 2 {
		for i, s := range x.of[:x.n] {
			next := x.step[i] + by
			at := next * s.packing.step
			if at < len(s.data) {
				later := int64(t) - int64(s.data[at]) // negative if the next step begins after t
				x.step[i] += by &^ int(later>>63)
			}
		}
	}
}

// inTurn yields the nodes of a part that are able, in order, and start is asked for each of them from a on. Among many nodes, those
// that this search has not looked at have a hint by then, which says where the step is that contains a. The steps of few
// nodes are in the caches, where a search abreast takes up to a tenth longer.
func (s *search) inTurn(p part, a bookahead.Time) iter.Seq[int] {
	return func(yield func(k int) bool) {
		if len(s.nodes) < s.crowd {
			p.in(s.able)(yield)
			return
		}
		var list [side]int
		var fresh abreast
		n := 0
		for k := range p.in(s.able) {
			list[n] = k
			n++
			if n < side {
				continue
			}
			s.locate(&fresh, list[:], a)
			for _, k := range list {
				if !yield(k) {
					return
				}
			}
			n = 0
		}
		s.locate(&fresh, list[:n], a)
		for _, k := range list[:n] {
			if !yield(k) {
				return
			}
		}
	}
}

// locate gives hints to those nodes of a list that have none and are not sure: they say where the step is that contains t, and
// no more.
func (s *search) locate(fresh *abreast, list []int, t bookahead.Time) {
	fresh.n = 0
	for _, k := range list {
		if s.hints[k].epoch != s.epoch && s.sure[k/64]>>(k%64)&1 == 0 {
			fresh.add(k, s.on(s.nodes, k))
		}
	}
	fresh.find(t)
	for i, k := range fresh.node[:fresh.n] {
		s.hints[k] = hint{bookahead.Interval{Start: t, End: t}, t, int32(fresh.step[i]), s.epoch}
	}
}
