package route

import "github.com/bookahead/bookahead/avail"

// label is a path from the source to a node.
type label struct {
	node, parent, link, hops int32 // parent and link are -1 at the source
	delay                    int64
	starts                   *avail.Vector // ⊕ of its links: slots in which the source may send
	weight                   int           // of starts, for lighter
	seen                     []uint64      // a bit for each node on it
}

// pruning says which paths to a node are dropped.
type pruning struct {
	// superfluous reports whether path a makes path b superfluous, where a has no greater
	// delay.
	superfluous func(a, b *label) bool
	weighs      bool // by label.weight, and not by the vectors
	delays      bool // by the delay first: no vectors are read if it differs
}

// exact drops a path only if every way on from it is a way on from another path, with the same
// times. A path with a smaller delay comes to the next link at another time, when the link may be
// taken. And a way on over a node of the path would close a loop:
//
//	a: S → V        delay 2, free in slots 0 and 1      V → T is free in slot 5 only: a burst
//	b: S → X → V    delay 5, free in slot 0             comes to T over b, and not over a
//
// So delays must be equal, and each node of a must be a node of b (see Deviations).
var exact = pruning{delays: true, superfluous: func(a, b *label) bool {
	return a.delay == b.delay && within(a.seen, b.seen) && a.starts.Covers(b.starts)
}}

// lighter is Eq. (6): the weight of a vector, its number of free slots, stands for the vector.
var lighter = pruning{superfluous: func(a, b *label) bool { return a.weight >= b.weight }, weighs: true}

// tree is phase 1 of the multi-cost algorithms (§4.4): Dijkstra's search from the
// source with several paths for each node.
type tree struct {
	n      *Network
	j      *job
	labels []label
	at     [][]int32 // by node: the paths that no other makes superfluous
	err    error
}

// grow finds all paths that are not superfluous, in the order of their delays, as far as the
// meter allows. It hands each path to meet at once, so that there is a best pair whenever the meter
// stops it.
func (t *tree) grow(by pruning, meet func(x int32) error) {
	n, j := t.n, t.j
	t.at = make([][]int32, n.nodes)
	slots := n.config.Slots
	words, row := int64(slots+63)/64, int64(n.nodes+63)/64
	t.labels = []label{{
		node: int32(j.Source), parent: -1, link: -1,
		starts: n.full.Mask(int(min(j.ready, int64(slots)))),
		seen:   make([]uint64, (n.nodes+63)/64),
	}}
	mark(t.labels[0].seen, j.Source)
	q := heap[int32]{less: t.before}
	q.grow(1)
	spare := n.full.Clone() // a label that is not in time leaves its vector to the next
	for q.push(0); q.len() > 0 && t.err == nil && !j.meter.Stopped(); {
		x := q.pop()
		if t.covered(x, by) {
			continue
		}
		node, delay := t.labels[x].node, t.labels[x].delay
		t.at[node] = append(t.at[node], x)
		t.err = meet(x)
		for _, i := range n.out.of(int(node)) {
			if !j.meter.Go(1) {
				return
			}
			l := &n.links[i]
			from := &t.labels[x]
			if !j.open(i) || marked(from.seen, l.To) {
				continue
			}
			j.effort.Labels++
			if !j.words(2*words) || !grant(&j.meter, row/wordsPerStep) {
				return
			}
			from.starts.ComposeTo(spare, n.vectors[i], n.slot(delay))
			y := label{node: int32(l.To), parent: x, link: i, hops: from.hops + 1, delay: delay + int64(l.Delay), starts: spare}
			if _, ok := t.sends(&y); !ok {
				continue
			}
			if by.weighs {
				y.weight = spare.Weight()
				j.words(words)
			}
			y.seen = append([]uint64(nil), from.seen...)
			mark(y.seen, l.To)
			spare = n.full.Clone()
			t.labels = append(t.labels, y)
			q.grow(len(t.labels))
			q.push(int32(len(t.labels) - 1))
		}
	}
}

// before is the order of the queue: by delay, so that the paths found before have no greater
// delay, as pruning needs it; then by links, and then by number.
func (t *tree) before(a, b int32) bool {
	x, y := &t.labels[a], &t.labels[b]
	if x.delay != y.delay {
		return x.delay < y.delay
	}
	if x.hops != y.hops {
		return x.hops < y.hops
	}
	return a < b
}

// covered reports whether a path to the same node makes path x superfluous. It asks for the steps
// of each comparison before it makes it: two vectors, and the rows of nodes, unless the delays
// decide at once.
func (t *tree) covered(x int32, by pruning) bool {
	words, row := int64(t.n.config.Slots+63)/64, int64(t.n.nodes+63)/64
	for _, y := range t.at[t.labels[x].node] {
		steps := int64(1)
		if !by.weighs {
			t.j.effort.Words += 2 * words
			if !by.delays || t.labels[y].delay == t.labels[x].delay {
				steps += (2*words + row) / wordsPerStep
			}
		}
		if !grant(&t.j.meter, steps) {
			return true // nothing counts any more
		}
		if by.superfluous(&t.labels[y], &t.labels[x]) {
			return true
		}
	}
	return false
}

// sends returns R(b), the first slot in which the source can send over the path; false if no
// slot is in time. With free slots 0, 1, 4, 5 and 6, a burst of 3 and a delay of 2:
//
//	R(3) = 4        the last bit is at the end of the path at 4 + 3 + 2 = 9
//	deadline 9      not in time, since the work takes at least a tick
func (t *tree) sends(x *label) (int64, bool) {
	if !t.j.words(int64(t.n.config.Slots+63) / 64) {
		return 0, false
	}
	from := min(t.n.floor(t.j, x.delay), int64(t.n.config.Slots))
	if t.j.burst > int64(t.n.config.Slots) {
		return 0, false
	}
	at, ok := x.starts.NextRun(int(from), int(t.j.burst))
	if !ok || int64(at)+t.j.burst+x.delay >= t.j.end {
		return 0, false
	}
	return int64(at), true
}

// links returns the path, from the source on.
func (t *tree) links(x int32) []int {
	path := make([]int, t.labels[x].hops)
	for i := len(path) - 1; i >= 0; i-- {
		path[i] = int(t.labels[x].link)
		x = t.labels[x].parent
	}
	return path
}
