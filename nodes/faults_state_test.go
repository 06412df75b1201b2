package nodes

import (
	"iter"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

// cellsOf returns the oracle that stands in for a machine.
func cellsOf(b booker) *oracle { return b.(*ideal).oracle }

// anyOf returns the first reservation for which a function says yes, in the order of IDs.
func (o *oracle) anyOf(yes func(res Reservation) bool) (Reservation, bool) {
	for _, id := range slices.Sorted(maps.Keys(o.live)) {
		if yes(o.live[id]) {
			return o.live[id], true
		}
	}
	return Reservation{}, false
}

// headOnly is a reservation without its tasks.
func headOnly(res Reservation) Reservation {
	res.Tasks = nil
	return res
}

// The nodes and the lists part, at a change of a reservation.
var stateFaults = []fault{
	{name: "head forgotten at release", open: onCells(spoilt{release: func(b booker, id bookahead.ID) error {
		res := cellsOf(b).live[id]
		err := b.Release(id)
		if err == nil && res.Head >= 0 {
			cellsOf(b).add(headOnly(res), cellsOf(b).now, 1)
		}
		return err
	}})},
	{name: "head not booked", open: onCells(spoilt{reserve: func(b booker, r Request) (Reservation, error) {
		res, err := b.Reserve(r)
		if err == nil && res.Head >= 0 {
			cellsOf(b).add(headOnly(res), cellsOf(b).now, -1)
		}
		return res, err
	}})},
	{name: "last tick not given back", open: onCells(spoilt{release: func(b booker, id bookahead.ID) error {
		res := cellsOf(b).live[id]
		err := b.Release(id)
		if err == nil {
			cellsOf(b).add(res, res.End-1, 1)
		}
		return err
	}})},
	{name: "release opens a closed node", open: onCells(spoilt{release: func(b booker, id bookahead.ID) error {
		o := cellsOf(b)
		res := o.live[id]
		err := b.Release(id)
		for t := max(res.Start, o.now); err == nil && t < res.End; t++ {
			if slices.ContainsFunc(res.Tasks, func(s Share) bool { return !o.open(s.Node, t) }) {
				tick := res
				tick.Start, tick.End = t, t+1
				o.add(tick, t, -1)
			}
		}
		return err
	}})},
	{name: "error that uses up an ID", open: onCells(spoilt{reserve: func(b booker, r Request) (Reservation, error) {
		res, err := b.Reserve(r)
		if err != nil {
			cellsOf(b).last++
		}
		return res, err
	}})},
	{name: "Search that books", open: onMachine(spoilt{search: func(b booker, r Request) (Offer, error) {
		res, err := b.Reserve(r)
		return res.Offer, err
	}})},
	{name: "SearchFor that books", open: onMachine(spoilt{searchFor: func(b booker, id bookahead.ID, r Request) (Offer, error) {
		res, err := b.Rebook(id, r)
		return res.Offer, err
	}})},
	{name: "Rebook loses the ID", open: onCells(spoilt{rebook: func(b booker, id bookahead.ID, r Request) (Reservation, error) {
		o := cellsOf(b)
		old := o.live[id]
		res, err := b.Rebook(id, r)
		if err == nil && res.Start != old.Start {
			delete(o.live, id)
			o.last++
			moved := res
			moved.ID = o.last
			o.live[o.last] = moved
		}
		return res, err
	}})},
	{name: "Rebook swaps a running task", open: onCells(spoilt{rebook: func(b booker, id bookahead.ID, r Request) (Reservation, error) {
		o := cellsOf(b)
		old := o.live[id]
		res, err := b.Rebook(id, r)
		if err != bookahead.ErrUnavailable || old.Start > o.now || bookahead.Time(r.Duration) > o.end()-old.Start {
			return res, err
		}
		offer, ok := o.at(r, old.Start, id, false)
		if !ok {
			return res, err
		}
		o.drop(id)
		o.book(r.booked(id, offer))
		return o.live[id], nil
	}})},
	{name: "Rebook with its own use taken", open: onCells(spoilt{rebook: func(b booker, id bookahead.ID, r Request) (Reservation, error) {
		o := cellsOf(b)
		old, ok := o.live[id]
		if ok && old.Start > o.now {
			_, err := o.search(r, 0)
			if err != nil {
				return Reservation{}, err
			}
		}
		return b.Rebook(id, r)
	}})},
	{name: "Rebook keeps the old use", open: onCells(spoilt{rebook: func(b booker, id bookahead.ID, r Request) (Reservation, error) {
		o := cellsOf(b)
		old := o.live[id]
		res, err := b.Rebook(id, r)
		if err == nil && res.End < old.End {
			o.add(old, res.End, 1)
		}
		return res, err
	}})},
	{name: "Advance drops a running reservation", open: onMachine(spoilt{advance: func(b booker, now bookahead.Time) error {
		err := b.Advance(now)
		for res := range b.ReservationsOn(bookahead.Interval{Start: now, End: now + 1}, nil) {
			if err == nil && res.Start < now {
				return b.Release(res.ID)
			}
		}
		return err
	}})},
	{name: "Advance gives back a running reservation", open: onCells(spoilt{advance: func(b booker, now bookahead.Time) error {
		err := b.Advance(now)
		res, ok := cellsOf(b).anyOf(func(res Reservation) bool { return res.Start < now })
		if err == nil && ok {
			cellsOf(b).add(res, now, -1)
		}
		return err
	}})},
	{name: "Advance keeps what ends now", open: onCells(spoilt{advance: func(b booker, now bookahead.Time) error {
		ended, ok := cellsOf(b).anyOf(func(res Reservation) bool { return res.End == now })
		err := b.Advance(now)
		if err == nil && ok {
			cellsOf(b).live[ended.ID] = ended
		}
		return err
	}})},
	{name: "clone that is the original", open: onMachine(spoilt{copy: func(b booker) booker { return b }})},
	{name: "clone that shares the cells", open: onCells(spoilt{copy: func(b booker) booker {
		c := cellsOf(b).clone()
		c.cells.used = cellsOf(b).cells.used
		return &ideal{c}
	}})},
	{name: "clone that shares the reservations", open: onCells(spoilt{copy: func(b booker) booker {
		c := cellsOf(b).clone()
		c.live = cellsOf(b).live
		return &ideal{c}
	}})},
	{name: "clone that takes the closures along", open: onCells(spoilt{copy: func(b booker) booker {
		c := cellsOf(b).clone()
		cellsOf(b).closures = nil
		cellsOf(b).stretch()
		return &ideal{c}
	}})},
	{name: "snapshot without the next ID", open: onCells(spoilt{read: func(b booker) booker {
		c := cellsOf(b).clone()
		c.last = 0
		for id := range c.live {
			c.last = max(c.last, id)
		}
		return &ideal{c}
	}})},
	{name: "snapshot without the last closure", open: onCells(spoilt{read: func(b booker) booker {
		c := cellsOf(b).clone()
		c.closures = c.closures[:max(0, len(c.closures)-1)]
		c.stretch()
		return &ideal{c}
	}})},
	{name: "ReservationsOn without heads", open: onMachine(spoilt{on: func(b booker, w bookahead.Interval, nodes []int) iter.Seq[Reservation] {
		return func(yield func(Reservation) bool) {
			for res := range b.ReservationsOn(w, nodes) {
				held := slices.ContainsFunc(res.Tasks, func(s Share) bool { return slices.Contains(nodes, s.Node) })
				if (nodes == nil || held) && !yield(res) {
					return
				}
			}
		}
	}})},
}
