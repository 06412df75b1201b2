package nodes

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// forgets is a machine that displaces reservations by the terms that change leaves of them.
func forgets(change func(t *Terms)) maker {
	return onMachine(spoilt{displace: func(b booker, f Force) (Displacement, error) {
		again := f.Again
		now := b.Frame().Now
		f.Again = func(old Reservation) (Request, bool) {
			if old.Terms != nil {
				t := *old.Terms
				change(&t)
				old.Terms = &t
			}
			if again != nil {
				return again(old)
			}
			return old.Again(now), true
		}
		return b.Displace(f)
	}})
}

// Terms are forgotten, a spared reservation is not listed, or a reason or a query is wrong.
var termFaults = []fault{
	{name: "Displace forgets the rack", late: true, open: forgets(func(t *Terms) { t.Within = "" })},
	{name: "Displace forgets which nodes", late: true, open: forgets(func(t *Terms) { t.Set, t.Nodes, t.Except = "", nil, nil })},
	{name: "Displace forgets the tasks a node", late: true, open: forgets(func(t *Terms) { t.PerNode = 0 })},
	{name: "Displace forgets the bundles", late: true, open: forgets(func(t *Terms) { t.Bundle, t.Bundled = 0, "" })},
	{name: "offer that is booked without its terms", open: onMachine(spoilt{offered: func(b booker, o Offer, r Request) (Reservation, error) {
		_, err := b.copied().ReserveOffer(o, r)
		if err != nil {
			return Reservation{}, err
		}
		return b.ReserveOffer(o, Request{Each: r.Each, Head: r.Head})
	}})},
	{name: "Rebook keeps the old terms", open: onCells(spoilt{rebook: func(b booker, id bookahead.ID, r Request) (Reservation, error) {
		o := cellsOf(b)
		old := o.live[id]
		res, err := b.Rebook(id, r)
		if err == nil {
			res.Terms = old.Terms
			o.live[id] = res
		}
		return res, err
	}})},
	{name: "spared reservation that is not listed", open: onMachine(spoilt{displace: func(b booker, f Force) (Displacement, error) {
		done, err := b.Displace(f)
		done.Spared = nil
		return done, err
	}})},
	{name: "never as not now", open: places(func(o *oracle, r Request) (Offer, error) {
		offer, err := o.search(r, 0)
		if err == ErrNever {
			err = bookahead.ErrUnavailable
		}
		return offer, err
	})},
	{name: "closed as booked", open: places(func(o *oracle, r Request) (Offer, error) {
		offer, err := o.search(r, 0)
		if err == ErrClosed {
			err = bookahead.ErrUnavailable
		}
		return offer, err
	})},
	{name: "ends that miss the first tick", open: onMachine(spoilt{ending: func(b booker, w bookahead.Interval) iter.Seq[Reservation] {
		return func(yield func(Reservation) bool) {
			for res := range b.Ending(w) {
				if res.End > w.Start && !yield(res) {
					return
				}
			}
		}
	}})},
	{name: "openings that lack their last start", open: onMachine(spoilt{openings: func(b booker, r Request) iter.Seq[bookahead.Interval] {
		list := slices.Collect(b.Openings(r))
		for i := range list {
			list[i].End--
		}
		return slices.Values(slices.DeleteFunc(list, func(w bookahead.Interval) bool { return w.Empty() }))
	}})},
	{name: "latest start that is the first", open: onMachine(spoilt{latest: func(b booker, r Request) (Offer, error) { return b.Search(r) }})},
	{name: "explanation without its closures", open: onMachine(spoilt{explain: func(b booker, r Request) (Explanation, error) {
		e, err := b.Explain(r)
		for i := range e.Short {
			e.Short[i].Closures = nil
		}
		return e, err
	}})},
	{name: "best fit beside a head that takes nothing", open: func(c Config, deal string) (booker, error) {
		m, err := newReal(c, deal)
		if deal != "best" || err != nil {
			return m, err
		}
		return &spoilt{booker: m, search: func(b booker, r Request) (Offer, error) {
			o, err := b.Search(r)
			if err == nil && r.Head != nil && len(o.Tasks) > 1 { // the fullest node is full without the head
				r.Except = append(slices.Clone(r.Except), o.Head)
				other, failed := b.Search(r)
				if failed == nil && other.Start == o.Start {
					return other, nil
				}
			}
			return o, err
		}}, nil
	}},
}
