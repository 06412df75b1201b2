package nodes

import (
	"github.com/bookahead/bookahead"
)

// An offer is not booked as it is.
var offerFaults = []fault{
	{name: "offer searched for again", open: onMachine(spoilt{offered: func(b booker, o Offer, r Request) (Reservation, error) {
		_, err := b.copied().ReserveOffer(o, r)
		if err != nil {
			return Reservation{}, err
		}
		r.Ready, r.Deadline, r.Duration, r.Tasks = o.Start, 0, bookahead.Duration(o.End-o.Start), 0
		for _, s := range o.Tasks {
			r.Tasks += s.Tasks
		}
		return b.Reserve(r)
	}})},
	{name: "offer booked on the first node alone", open: onCells(spoilt{offered: func(b booker, o Offer, r Request) (Reservation, error) {
		res, err := b.ReserveOffer(o, r)
		if err == nil && len(res.Tasks) > 1 {
			rest := res
			rest.Tasks, rest.Head = res.Tasks[1:], -1
			x := cellsOf(b)
			x.add(rest, x.now, -1)
		}
		return res, err
	}})},
	{name: "offer that takes no ID", open: onCells(spoilt{offered: func(b booker, o Offer, r Request) (Reservation, error) {
		x := cellsOf(b)
		res, err := b.ReserveOffer(o, r)
		if err != nil {
			return res, err
		}
		x.drop(res.ID)
		x.last--
		res.ID--
		x.book(res)
		return res, nil
	}})},
	{name: "refused offer that uses an ID up", open: onCells(spoilt{offered: func(b booker, o Offer, r Request) (Reservation, error) {
		res, err := b.ReserveOffer(o, r)
		if err == bookahead.ErrUnavailable {
			cellsOf(b).last++
		}
		return res, err
	}})},
	{name: "offer booked on closed nodes", open: onCells(spoilt{offered: func(b booker, o Offer, r Request) (Reservation, error) {
		x := cellsOf(b)
		shut := x.shut
		x.shut = x.cells.clone().shut
		for k := range x.shut {
			clear(x.shut[k])
		}
		res, err := b.ReserveOffer(o, r)
		x.shut = shut
		return res, err
	}})},
	{name: "offer without its head", open: onMachine(spoilt{offered: func(b booker, o Offer, r Request) (Reservation, error) {
		if r.Head != nil && o.Head >= 0 {
			o.Head, r.Head = -1, nil
		}
		return b.ReserveOffer(o, r)
	}})},
	{name: "rebooked offer to which its own use is booked", open: onMachine(spoilt{anew: func(b booker, id bookahead.ID, o Offer, r Request) (Reservation, error) {
		old, err := b.Reservation(id)
		if err == nil && old.Start > b.Frame().Now {
			_, err = b.copied().ReserveOffer(o, r)
			if err == bookahead.ErrUnavailable {
				return Reservation{}, err
			}
		}
		return b.RebookOffer(id, o, r)
	}})},
	{name: "rebooked offer under a new ID", open: onMachine(spoilt{anew: func(b booker, id bookahead.ID, o Offer, r Request) (Reservation, error) {
		res, err := b.copied().RebookOffer(id, o, r)
		if err != nil || res.Start <= b.Frame().Now {
			return b.RebookOffer(id, o, r)
		}
		err = b.Release(id)
		if err != nil {
			return Reservation{}, err
		}
		return b.ReserveOffer(o, r)
	}})},
	{name: "running offer that swaps tasks", open: onCells(spoilt{anew: func(b booker, id bookahead.ID, o Offer, r Request) (Reservation, error) {
		x := cellsOf(b)
		old, ok := x.live[id]
		swapped := o
		swapped.Start = old.Start
		if !ok || old.Start > x.now || x.keeps(old, o) || !x.validOffer(swapped, r) || o.End <= x.now || o.End > x.end() || !x.holdsOffer(swapped, r, old) {
			return b.RebookOffer(id, o, r)
		}
		x.drop(id)
		x.book(r.booked(id, swapped.copied()))
		return x.live[id], nil
	}})},
	{name: "running offer that starts anew", open: onCells(spoilt{anew: func(b booker, id bookahead.ID, o Offer, r Request) (Reservation, error) {
		res, err := b.RebookOffer(id, o, r)
		if err == nil && res.Start != o.Start && o.Start < o.End {
			res.Start = o.Start
		}
		return res, err
	}})},
	{name: "swap that moves all tasks", open: onCells(spoilt{swap: func(b booker, id bookahead.ID, node int) (Reservation, error) {
		o := b.(*ideal).oracle
		old, ok := o.live[id]
		all := []int{old.Head}
		for _, s := range old.Tasks {
			all = append(all, s.Node)
		}
		if ok && onNode(old, node) && o.clone().swapped(old, all) {
			o.swapped(old, all)
			return o.live[id], nil
		}
		return o.swap(id, node)
	}})},
	{name: "swap that forgets its group", open: onCells(spoilt{swap: func(b booker, id bookahead.ID, node int) (Reservation, error) {
		o := b.(*ideal).oracle
		old, ok := o.live[id]
		if !ok || node < 0 || !onNode(old, node) || old.Terms == nil || old.Terms.Within == "" {
			return o.swap(id, node)
		}
		free := *old.Terms
		free.Within = ""
		anywhere := old
		anywhere.Terms = &free
		if !o.swapped(anywhere, []int{node}) {
			return Reservation{}, bookahead.ErrUnavailable
		}
		res := o.live[id]
		res.Terms = old.Terms
		o.live[id] = res
		return res, nil
	}})},
}
