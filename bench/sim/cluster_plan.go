package sim

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// enqueue puts a batch gang into the queue, behind those of its rank that came before.
func (e *clusterEngine) enqueue(i int32) {
	turn := func(a, b int32) int {
		order := e.Local.order()
		return cmp.Or(
			cmp.Compare(order.Key(&e.Tasks[a], 0), order.Key(&e.Tasks[b], 0)),
			cmp.Compare(e.rank[a], e.rank[b]),
		)
	}
	at, _ := slices.BinarySearchFunc(e.queue, i, turn)
	e.queue = slices.Insert(e.queue, at, i)
}

// plan starts the gangs that may start now. Those at the head are booked on the machine itself.
// The others are planned on a clone, on which places are kept for those that may not be
// overtaken. A gang that overtakes must run on the very nodes that the plan gives it, or it might
// lie where a place is kept; no request says "these tasks on these nodes". So if one has started,
// the places are released, and the clone is the machine from then on.
func (e *clusterEngine) plan() {
	head := plan{clusterEngine: e, m: e.m}
	for len(e.queue) > 0 && head.place(e.queue[0], false) {
		e.queue = e.queue[1:]
	}
	promises, _ := e.promises()
	e.LongQueue = max(e.LongQueue, len(e.queue))
	if len(e.queue) == 0 || e.err != nil || e.Local.backfill() == Backfill(None{}) {
		return
	}
	p := plan{clusterEngine: e, m: e.m}
	if promises > 0 {
		e.Plans++
		p.m = e.m.clone()
	}
	kept := e.queue[:0]
	for k, i := range e.queue {
		if !p.place(i, k < promises) {
			kept = append(kept, i)
		}
	}
	e.queue = kept
	if !p.started || promises == 0 {
		return
	}
	for _, b := range p.places {
		e.fail(p.m.release(b))
	}
	e.m = p.m
	e.Kept++
}

// atOnce asks for a gang from now on, and not later.
func (e *clusterEngine) atOnce(i int32) nodes.Request {
	return e.gangs[i].request(e.now, e.now+bookahead.Time(e.Tasks[i].Estimate))
}

// plan is the plan of a queue.
type plan struct {
	*clusterEngine
	m       site      // a clone, if places are kept
	places  []booking // of those that wait
	started bool      // whether any has
}

// place starts a gang if it fits now beside the places that are kept, and reports whether it has
// started. With keep, the earliest place is kept for one that does not: on pools not before there are
// nodes beside the gangs that run, if there are none now.
func (p *plan) place(i int32, keep bool) bool {
	if p.err != nil {
		return false
	}
	r := p.atOnce(i)
	if keep {
		r.Deadline = 0
	}
	b, err := p.m.book(r)
	if err != nil {
		p.fail(err)
		return false
	}
	if b.Start == p.now {
		begun, err := p.m.begin(b, p.atOnce(i))
		if err == nil {
			p.begin(i, begun)
			p.started = true
			return true
		}
		p.fail(err)
		p.fail(p.m.release(b))
		if !keep {
			return false
		}
		// A place from now on would hold back the others, though this gang has no nodes now.
		r.Ready, err = p.m.room(r)
		if err == nil {
			b, err = p.m.book(r)
		}
		if err != nil {
			p.fail(err)
			return false
		}
	}
	p.places = append(p.places, b)
	o := &p.Outcomes[i]
	if o.Promised == Never {
		o.Promised = b.Start
	}
	return false
}
