package route

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
)

// pairing is phase 2: the paths of a tree, with the clusters at their ends.
type pairing struct {
	tree
	order    judge
	clusters map[int32][]int // by node: those that the task may take
	ready    readiness
	pairs    [][]*Candidate // by cluster
	best     *Candidate     // of all pairs
}

// grow finds the paths (phase 1) and pairs them with clusters, as far as the meter allows.
func (n *Network) grow(j *job, by pruning, order judge) *pairing {
	t := &pairing{
		tree: tree{n: n, j: j}, order: order, clusters: map[int32][]int{},
		ready: newReadiness(len(n.clusters)),
		pairs: make([][]*Candidate, len(n.clusters)),
	}
	for m := range n.clusters {
		if node := int32(n.clusters[m].Node); j.takes[m] > 0 {
			t.clusters[node] = append(t.clusters[node], m)
		}
	}
	t.tree.grow(by, t.meet)
	return t
}

// meet begins phase 2: it pairs a path that has come to its node with the clusters there.
func (t *pairing) meet(x int32) error {
	n, j := t.n, t.j
	for _, m := range t.clusters[t.labels[x].node] {
		free, err := t.ready.of(n, j, m)
		if err != nil {
			return err
		}
		c, err := t.pair(m, free, x)
		if err != nil {
			return err
		}
		if c == nil {
			continue
		}
		if t.order.value != nil {
			if err := t.order.value(c); err != nil {
				return err
			}
		}
		t.pairs[m] = append(t.pairs[m], c)
		t.best = t.order.pick(t.best, c)
	}
	return nil
}

// front is the rest of phase 2: the pairs that no other pair makes superfluous. If the meter
// stops it, the list is incomplete, and nobody reads it.
func (t *pairing) front() ([]*Candidate, error) {
	var front []*Candidate
	words := int64(t.n.config.Slots+63) / 64
	covers := func(a, b *Candidate) bool { return a.sooner(b) && t.ready.covers(t.j, a, b) }
	for _, pairs := range t.pairs {
		for _, c := range pairs {
			t.j.effort.Words += int64(len(front)) * words
			covered := slices.ContainsFunc(front, func(have *Candidate) bool {
				return !grant(&t.j.meter, 1+words/wordsPerStep) || covers(have, c)
			})
			if covered {
				continue
			}
			front = slices.DeleteFunc(front, func(have *Candidate) bool {
				return grant(&t.j.meter, 1+words/wordsPerStep) && covers(c, have)
			})
			front = append(front, c)
		}
	}
	return front, t.err
}

// pair returns path x with cluster m, or nil if the data does not arrive in time.
// The Run of the pair is empty if the task does not end in time.
func (t *pairing) pair(m int, free *avail.Runs, x int32) (*Candidate, error) {
	n, j, l := t.n, t.j, &t.labels[x]
	start, arrival := j.ready, j.ready
	if l.hops > 0 {
		first, ok := t.sends(l)
		if !ok {
			return nil, nil
		}
		start, arrival = first, first+j.burst+l.delay
	}
	run, _, err := n.offer(j, m, arrival)
	if err != nil {
		return nil, err
	}
	p := n.plan(j, m, l.hops > 0, l.delay, start, run)
	return &Candidate{
		Cluster: m, Delay: p.Delay, Hops: int(l.hops), Path: l.starts,
		free: free, from: int(min(arrival, int64(free.Len()))), takes: bookahead.Duration(j.takes[m]), Send: p.Send, Arrival: p.Arrival, Run: run, label: x,
	}, nil
}
