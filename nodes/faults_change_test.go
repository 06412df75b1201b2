package nodes

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// shutFor closes or opens nodes for a time in the cells alone.
func (o *oracle) shutFor(list []int, w bookahead.Interval, closed bool) {
	for _, k := range list {
		for t := max(w.Start, o.now); t < min(w.End, o.cells.base+o.ticks()); t++ {
			o.shut[k][t-o.cells.base] = closed
		}
	}
}

// A node is open when it should not be, or closed, or the wrong reservations give way.
var changeFaults = []fault{
	{name: "closure a tick too long", open: onCells(spoilt{close: func(b booker, c bookahead.Closure) (bookahead.Closure, error) {
		c, err := b.Close(c)
		if err == nil && c.End < bookahead.MaxTime {
			cellsOf(b).shutFor(c.Servers, bookahead.Interval{Start: c.End, End: c.End + 1}, true)
		}
		return c, err
	}})},
	{name: "closure of all but the last node", open: onCells(spoilt{close: func(b booker, c bookahead.Closure) (bookahead.Closure, error) {
		c, err := b.Close(c)
		if err == nil && len(c.Servers) > 1 {
			cellsOf(b).shutFor(c.Servers[len(c.Servers)-1:], c.Interval, false)
		}
		return c, err
	}})},
	{name: "closure that ends and stays", open: onCells(spoilt{end: func(b booker, id bookahead.ClosureID, at bookahead.Time) error {
		o := cellsOf(b)
		i := slices.IndexFunc(o.closures, func(c bookahead.Closure) bool { return c.ID == id })
		if i < 0 || o.closures[i].Added {
			return b.EndClosure(id, at)
		}
		old := o.closures[i]
		err := b.EndClosure(id, at)
		if err == nil {
			o.shutFor(old.Servers, bookahead.Interval{Start: max(at, old.Start), End: old.End}, true)
		}
		return err
	}})},
	{name: "closure that ends for others too", open: onCells(spoilt{end: func(b booker, id bookahead.ClosureID, at bookahead.Time) error {
		o := cellsOf(b)
		i := slices.IndexFunc(o.closures, func(c bookahead.Closure) bool { return c.ID == id })
		if i < 0 || o.closures[i].Added {
			return b.EndClosure(id, at)
		}
		old := o.closures[i]
		err := b.EndClosure(id, at)
		if err == nil {
			o.shutFor(old.Servers, bookahead.Interval{Start: max(at, old.Start), End: old.End}, false)
		}
		return err
	}})},
	{name: "added node that is there at once", open: onCells(spoilt{extend: func(b booker, c bookahead.Closure, more []Added) (bookahead.Closure, error) {
		c, err := b.Extend(c, more)
		if err == nil {
			cellsOf(b).shutFor(c.Servers, bookahead.Interval{Start: 0, End: c.Start}, false)
		}
		return c, err
	}})},
	{name: "added node in no group", open: onMachine(spoilt{extend: func(b booker, c bookahead.Closure, more []Added) (bookahead.Closure, error) {
		_, err := b.copied().Extend(c, more)
		if err != nil {
			return bookahead.Closure{}, err
		}
		more = slices.Clone(more)
		for i := range more {
			more[i].Groups = nil
		}
		return b.Extend(c, more)
	}})},
	{name: "added node in no set", open: onMachine(spoilt{extend: func(b booker, c bookahead.Closure, more []Added) (bookahead.Closure, error) {
		more = slices.Clone(more)
		for i := range more {
			more[i].Sets = nil
		}
		return b.Extend(c, more)
	}})},
	{name: "Frame counts closed nodes", open: onMachine(spoilt{frame: func(b booker) bookahead.Frame {
		f := b.Frame()
		f.Capacity = int64(f.Servers)
		return f
	}})},
	{name: "Overbooked cut where a node joins", open: onMachine(spoilt{over: func(b booker, w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
		return func(yield func(bookahead.Overbooking) bool) {
			for o := range b.Overbooked(w) {
				o.Servers = o.Servers[:1]
				o.Units = 1
				if !yield(o) {
					return
				}
			}
		}
	}})},
	{name: "Displace drops one that would fit", open: onMachine(spoilt{displace: func(b booker, f Force) (Displacement, error) {
		done, err := b.Displace(f)
		last := len(done.Moved) - 1
		if err == nil && last >= 0 {
			gone := done.Moved[last]
			done.Moved, done.Dropped = done.Moved[:last], append(done.Dropped, gone.From)
			return done, b.Release(gone.To.ID)
		}
		return done, err
	}})},
	{name: "Displace takes those that are spared", open: onMachine(spoilt{displace: func(b booker, f Force) (Displacement, error) {
		f.Spare = nil
		return b.Displace(f)
	}})},
	{name: "Displace puts nothing back", open: onCells(spoilt{displace: func(b booker, f Force) (Displacement, error) {
		o := cellsOf(b)
		before := o.clone()
		done, err := b.Displace(f)
		for _, move := range done.Moved {
			if err == nil && move.From.Start > o.now && o.holds(move.From) {
				return done, err
			}
		}
		res, ok := o.anyOf(func(res Reservation) bool {
			_, was := before.live[res.ID]
			return was && len(done.Dropped) > 0 && res.Start > o.now
		})
		if err == nil && ok {
			o.drop(res.ID)
		}
		return done, err
	}})},
}

// The fault shows on many nodes only, or with many reservations, or where a search goes far.
var sizeFaults = []fault{
	{name: "node 64 is node 0", late: true, open: asks(func(r Request) Request {
		r.Except = slices.Clone(r.Except)
		for i, k := range r.Except {
			if k >= 64 && !slices.Contains(r.Except, k-64) {
				r.Except[i] = k - 64
			}
		}
		return r
	})},
	{name: "last node of a word not used", late: true, open: places(func(o *oracle, r Request) (Offer, error) {
		if len(o.c.Nodes) > 64 && !slices.Contains(r.Except, 63) {
			r.Except = append(slices.Clone(r.Except), 63)
		}
		return o.search(r, 0)
	})},
	{name: "amounts in 47 bits", late: true, open: func(c Config, deal string) (booker, error) {
		c = c.clone()
		for _, v := range c.Nodes {
			for r := range v {
				v[r] = min(v[r], 1<<47-1)
			}
		}
		return newReal(c, deal)
	}},
	{name: "release when full loses a tick", late: true, open: onCells(spoilt{release: func(b booker, id bookahead.ID) error {
		o := cellsOf(b)
		res, many := o.live[id], len(o.live) > 250
		err := b.Release(id)
		if err == nil && many {
			o.add(res, res.End-1, 1)
		}
		return err
	}})},
	{name: "search that gives up", late: true, open: places(func(o *oracle, r Request) (Offer, error) {
		offer, err := o.search(r, 0)
		if err == nil && offer.Start > max(r.Ready, o.now)+120 {
			return Offer{}, bookahead.ErrUnavailable
		}
		return offer, err
	})},
	{name: "search that passes over a step of many", late: true, open: places(func(o *oracle, r Request) (Offer, error) {
		offer, err := o.search(r, 0)
		if err == nil && offer.Start > max(r.Ready, o.now)+40 && offer.Start%64 == 63 {
			r.Ready = offer.Start + 1
			return o.search(r, 0)
		}
		return offer, err
	})},
}
