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
	for len(e.queue) > 0 && e.startHead() {
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
		p.m = e.m.Clone()
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
	for _, id := range p.places {
		e.fail(p.m.Release(id))
	}
	e.m = p.m
	e.Kept++
}

// startHead starts the first gang of the queue if it fits now.
func (e *clusterEngine) startHead() bool {
	if e.err != nil {
		return false
	}
	i := e.queue[0]
	res, err := e.m.Reserve(e.atOnce(i))
	if err != nil {
		e.fail(err)
		return false
	}
	e.begin(i, res)
	return true
}

// atOnce asks for a gang from now on, and not later.
func (e *clusterEngine) atOnce(i int32) nodes.Request {
	return e.gangs[i].request(e.now, e.now+bookahead.Time(e.Tasks[i].Estimate))
}

// plan is the plan of a queue.
type plan struct {
	*clusterEngine
	m       *nodes.Machine // a clone, if places are kept
	places  []bookahead.ID // of those that wait
	started bool           // whether any has
}

// place starts a gang if it fits now beside the places that are kept, and reports whether it has
// started. With keep, the earliest place is kept for one that does not.
func (p *plan) place(i int32, keep bool) bool {
	if p.err != nil {
		return false
	}
	r := p.atOnce(i)
	if keep {
		r.Deadline = 0
	}
	res, err := p.m.Reserve(r)
	switch {
	case err != nil:
		p.fail(err)
		return false
	case res.Start > p.now:
		p.places = append(p.places, res.ID)
		o := &p.Outcomes[i]
		if o.Promised == Never {
			o.Promised = res.Start
		}
		return false
	}
	p.begin(i, res)
	p.started = true
	return true
}
