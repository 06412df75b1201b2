package grid

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// writeClosings writes the runs of servers in the order of their numbers, each as a provider and a
// number of servers, and then each closing with its provider and its ID there. Closings that are over
// at their provider are left out.
func (b *Broker) writeClosings(w *snapshot.Writer) {
	type run struct{ provider, first, n int }
	var runs []run
	for k, p := range b.providers {
		for _, x := range p.numbers {
			runs = append(runs, run{k, x.first, x.n})
		}
	}
	slices.SortFunc(runs, func(x, y run) int { return cmp.Compare(x.first, y.first) })
	w.Uint(uint64(len(runs)))
	for _, x := range runs {
		w.Uint(uint64(x.provider))
		w.Uint(uint64(x.n))
	}
	w.Uint(uint64(b.closings.last))
	before := bookahead.ClosureID(0)
	for _, c := range b.closings.live {
		if b.lists(c) {
			w.Uint(uint64(c.id - before))
			w.Uint(uint64(c.provider))
			w.Uint(uint64(c.own))
			before = c.id
		}
	}
	w.Uint(0) // no more
}

// readClosings reads the output of writeClosings, when the broker has its providers already.
func (b *Broker) readClosings(r *snapshot.Reader) {
	b.readNumbers(r)
	b.closings.last = bookahead.ClosureID(r.Uint("last closure", snapshot.MaxID))
	if b.closings.last == 0 {
		r.Fail("last closure", 0, "is less than 1, but the snapshot is of the kind with closures")
	}
	there := make([]map[bookahead.ClosureID]bookahead.Closure, len(b.providers))
	id := bookahead.ClosureID(0)
	for {
		step := r.Uint("closure", uint64(b.closings.last-id))
		if step == 0 {
			break
		}
		id += bookahead.ClosureID(step)
		k := int(r.Uint("provider of a closure", uint64(len(b.providers)-1)))
		own := bookahead.ClosureID(r.Uint("closure at the provider", math.MaxUint64))
		if there[k] == nil {
			there[k] = b.closuresAt(k)
		}
		c, ok := there[k][own]
		if !ok {
			r.Fail("closure at the provider", own, fmt.Sprintf("is no closure of provider %d", k))
		}
		b.closings.live = append(b.closings.live, closing{id, k, own, c.End})
	}
	if r.Err() == nil {
		err := b.closings.verify(len(b.providers), b.limits.Now)
		if err != nil {
			r.Fail("closures", len(b.closings.live), "are wrong: "+err.Error())
		}
	}
}

// readNumbers numbers the servers anew. The first runs are the servers that the providers had from the
// start, by provider. In the end all servers of each provider must have numbers.
func (b *Broker) readNumbers(r *snapshot.Reader) {
	for k := range b.providers {
		b.providers[k].numbers = nil
	}
	b.limits.Servers = 0
	last := -1
	for i := range r.Uint("runs of servers", uint64(r.Left())) {
		k := int(r.Uint("provider of servers", uint64(len(b.providers)-1)))
		all := b.providers[k].schedule.Frame().Servers
		n := int(r.Uint("servers", uint64(all-b.known(k))))
		if n == 0 || k == last || i < uint64(len(b.providers)) && uint64(k) != i {
			r.Fail("servers", n, fmt.Sprintf("of provider %d are not the next ones", k))
		}
		if r.Err() != nil {
			return
		}
		b.number(k, n)
		last = k
	}
	for k := range b.providers {
		r.Check(b.knowsAll(k))
	}
}
