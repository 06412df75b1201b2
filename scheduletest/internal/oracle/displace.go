package oracle

import (
	"cmp"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// Overbooked implements bookahead.Closable. It joins neighbouring marks at which the same units,
// or servers, are missing.
func (o *Oracle) Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	return func(yield func(bookahead.Overbooking) bool) {
		w := bookahead.Interval{Start: max(w.Start, o.Clock), End: w.End}
		if w.Start >= w.End {
			return
		}
		var run bookahead.Overbooking // up to the next mark at which something else is missing
		for t := range o.timeline.marks(o, w.Start, w.End-1, 1) {
			n, servers := o.timeline.missing(o, t)
			if n == run.Units && slices.Equal(servers, run.Servers) {
				continue
			}
			run.End = t
			if run.Units > 0 && !yield(run) {
				return
			}
			run = bookahead.Overbooking{Interval: bookahead.Interval{Start: t, End: w.End}, Units: n, Servers: servers}
		}
		if run.Units > 0 {
			yield(run)
		}
	}
}

// Overbooks reports whether a reservation lies on an overbooked stretch.
func (o *Oracle) Overbooks(id bookahead.ID) bool {
	res, err := o.Reservation(id)
	if err != nil {
		return false
	}
	for x := range o.Overbooked(res.Interval) {
		if x.Servers == nil || common(res.Servers, x.Servers) {
			return true
		}
	}
	return false
}

// Lift takes a reservation out, as bookahead.Displacer says.
func (o *Oracle) Lift(id bookahead.ID) (back func() error, err error) {
	res, err := o.Reservation(id)
	if err != nil {
		return nil, err
	}
	return func() error { return o.PutBack(res) }, o.Release(id)
}

// PutBack enters a reservation as it was before its Release, if its time from now on is free.
func (o *Oracle) PutBack(res bookahead.Reservation) error {
	ahead := bookahead.Interval{Start: max(res.Start, o.Clock), End: res.End}
	_, _, n := o.Share(bookahead.Request{Servers: res.Servers}, ahead, nil)
	if n < res.Units {
		return bookahead.ErrUnavailable
	}
	o.Restore(res.ID, res.Offer)
	return nil
}

// ReserveAs reserves under an ID that was lifted, as bookahead.Displacer says.
func (o *Oracle) ReserveAs(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	offer, err := o.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	o.Restore(id, offer)
	return bookahead.Reservation{ID: id, Offer: offer}, nil
}

// TakeOut releases the reservations that Displace takes out, one by one, and returns them in that
// order.
func (o *Oracle) TakeOut(f bookahead.Force) (out []bookahead.Reservation, err error) {
	all := o.List()
	slices.SortFunc(all, func(a, b bookahead.Reservation) int {
		first := 0
		if f.Order != nil {
			first = f.Order(a, b)
		}
		return cmp.Or(first, cmp.Compare(b.ID, a.ID))
	})
	fits := func() bool {
		if f.Request == nil {
			return true
		}
		_, err := o.Place(*f.Request)
		return err == nil
	}
	if f.Request != nil {
		if err := o.Check(*f.Request); err != nil {
			return nil, err
		}
	}
	for _, res := range all {
		if f.Spare != nil && f.Spare(res) || !o.Overbooks(res.ID) && (fits() || !o.competes(*f.Request, res)) {
			continue
		}
		if err := o.Release(res.ID); err != nil {
			return nil, err
		}
		out = append(out, res)
	}
	over := slices.Collect(o.Overbooked(bookahead.Interval{End: bookahead.MaxTime}))
	if !fits() || len(over) > 0 {
		return nil, bookahead.ErrUnavailable
	}
	return out, nil
}

// competes reports whether a reservation lies where a request could be booked.
func (o *Oracle) competes(r bookahead.Request, res bookahead.Reservation) bool {
	w := bookahead.Interval{Start: max(o.Clock, r.Ready), End: o.Until()}
	if r.Deadline != 0 {
		w.End = min(w.End, r.Deadline)
	}
	return w.Overlaps(res.Interval) && (r.Servers == nil || common(r.Servers, res.Servers))
}
