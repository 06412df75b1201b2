package nodes

import (
	"iter"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// spoilt is a machine with some methods replaced. A nil field replaces nothing.
type spoilt struct {
	booker
	search    func(b booker, r Request) (Offer, error)
	reserve   func(b booker, r Request) (Reservation, error)
	release   func(b booker, id bookahead.ID) error
	searchFor func(b booker, id bookahead.ID, r Request) (Offer, error)
	rebook    func(b booker, id bookahead.ID, r Request) (Reservation, error)
	offered   func(b booker, o Offer, r Request) (Reservation, error)
	anew      func(b booker, id bookahead.ID, o Offer, r Request) (Reservation, error)
	swap      func(b booker, id bookahead.ID, node int) (Reservation, error)
	advance   func(b booker, now bookahead.Time) error
	close     func(b booker, c bookahead.Closure) (bookahead.Closure, error)
	end       func(b booker, id bookahead.ClosureID, at bookahead.Time) error
	extend    func(b booker, c bookahead.Closure, more []Added) (bookahead.Closure, error)
	displace  func(b booker, f Force) (Displacement, error)
	frame     func(b booker) bookahead.Frame
	on        func(b booker, w bookahead.Interval, nodes []int) iter.Seq[Reservation]
	over      func(b booker, w bookahead.Interval) iter.Seq[bookahead.Overbooking]
	openings  func(b booker, r Request) iter.Seq[bookahead.Interval]
	latest    func(b booker, r Request) (Offer, error)
	ending    func(b booker, w bookahead.Interval) iter.Seq[Reservation]
	explain   func(b booker, r Request) (Explanation, error)
	idle      func(b booker, node int, each Vector, w bookahead.Interval) iter.Seq[bookahead.Interval]
	ofTasks   func(b booker, each Vector, perNode int64) (bookahead.Frame, error)
	copy      func(b booker) booker
	read      func(b booker) booker
}

func (x *spoilt) Swap(id bookahead.ID, node int) (Reservation, error) {
	if x.swap != nil {
		return x.swap(x.booker, id, node)
	}
	return x.booker.Swap(id, node)
}

func (x *spoilt) Search(r Request) (Offer, error) {
	if x.search != nil {
		return x.search(x.booker, r)
	}
	return x.booker.Search(r)
}

func (x *spoilt) Reserve(r Request) (Reservation, error) {
	if x.reserve != nil {
		return x.reserve(x.booker, r)
	}
	return x.booker.Reserve(r)
}

func (x *spoilt) Release(id bookahead.ID) error {
	if x.release != nil {
		return x.release(x.booker, id)
	}
	return x.booker.Release(id)
}

func (x *spoilt) SearchFor(id bookahead.ID, r Request) (Offer, error) {
	if x.searchFor != nil {
		return x.searchFor(x.booker, id, r)
	}
	return x.booker.SearchFor(id, r)
}

func (x *spoilt) Rebook(id bookahead.ID, r Request) (Reservation, error) {
	if x.rebook != nil {
		return x.rebook(x.booker, id, r)
	}
	return x.booker.Rebook(id, r)
}

func (x *spoilt) ReserveOffer(o Offer, r Request) (Reservation, error) {
	if x.offered != nil {
		return x.offered(x.booker, o, r)
	}
	return x.booker.ReserveOffer(o, r)
}

func (x *spoilt) RebookOffer(id bookahead.ID, o Offer, r Request) (Reservation, error) {
	if x.anew != nil {
		return x.anew(x.booker, id, o, r)
	}
	return x.booker.RebookOffer(id, o, r)
}

func (x *spoilt) Advance(now bookahead.Time) error {
	if x.advance != nil {
		return x.advance(x.booker, now)
	}
	return x.booker.Advance(now)
}

func (x *spoilt) Close(c bookahead.Closure) (bookahead.Closure, error) {
	if x.close != nil {
		return x.close(x.booker, c)
	}
	return x.booker.Close(c)
}

func (x *spoilt) EndClosure(id bookahead.ClosureID, at bookahead.Time) error {
	if x.end != nil {
		return x.end(x.booker, id, at)
	}
	return x.booker.EndClosure(id, at)
}

func (x *spoilt) Extend(c bookahead.Closure, more []Added) (bookahead.Closure, error) {
	if x.extend != nil {
		return x.extend(x.booker, c, more)
	}
	return x.booker.Extend(c, more)
}

func (x *spoilt) Displace(f Force) (Displacement, error) {
	if x.displace != nil {
		return x.displace(x.booker, f)
	}
	return x.booker.Displace(f)
}

func (x *spoilt) Frame() bookahead.Frame {
	if x.frame != nil {
		return x.frame(x.booker)
	}
	return x.booker.Frame()
}

func (x *spoilt) ReservationsOn(w bookahead.Interval, nodes []int) iter.Seq[Reservation] {
	if x.on != nil {
		return x.on(x.booker, w, nodes)
	}
	return x.booker.ReservationsOn(w, nodes)
}

func (x *spoilt) Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	if x.over != nil {
		return x.over(x.booker, w)
	}
	return x.booker.Overbooked(w)
}

func (x *spoilt) Idle(node int, each Vector, w bookahead.Interval) iter.Seq[bookahead.Interval] {
	if x.idle != nil {
		return x.idle(x.booker, node, each, w)
	}
	return x.booker.Idle(node, each, w)
}

func (x *spoilt) Openings(r Request) iter.Seq[bookahead.Interval] {
	if x.openings != nil {
		return x.openings(x.booker, r)
	}
	return x.booker.Openings(r)
}

func (x *spoilt) SearchLatest(r Request) (Offer, error) {
	if x.latest != nil {
		return x.latest(x.booker, r)
	}
	return x.booker.SearchLatest(r)
}

func (x *spoilt) Ending(w bookahead.Interval) iter.Seq[Reservation] {
	if x.ending != nil {
		return x.ending(x.booker, w)
	}
	return x.booker.Ending(w)
}

func (x *spoilt) Explain(r Request) (Explanation, error) {
	if x.explain != nil {
		return x.explain(x.booker, r)
	}
	return x.booker.Explain(r)
}

func (x *spoilt) limits(each Vector, perNode int64) (bookahead.Frame, error) {
	if x.ofTasks != nil {
		return x.ofTasks(x.booker, each, perNode)
	}
	return x.booker.limits(each, perNode)
}

func (x *spoilt) copied() booker {
	c := *x
	if x.copy != nil {
		c.booker = x.copy(x.booker)
	} else {
		c.booker = x.booker.copied()
	}
	return &c
}

func (x *spoilt) reread(t require.TestingT, seed uint64) booker {
	c := *x
	if x.read != nil {
		c.booker = x.read(x.booker)
	} else {
		c.booker = x.booker.reread(t, seed)
	}
	return &c
}
