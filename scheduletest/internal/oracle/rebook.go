package oracle

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead"
)

// Anew returns the offer that SearchFor must return and that Rebook must book. The rules say
// which of its servers a reservation keeps. A structure may choose the further servers as Reserve
// does: so Anew asks by, which is the structure, for a place on the other servers.
func (o *Oracle) Anew(by bookahead.Schedule, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	var none bookahead.Offer
	old, err := o.Reservation(id)
	if err != nil {
		return none, err
	}
	o = o.without(old)
	w, err := o.windowAnew(old, r)
	if err != nil {
		return none, err
	}
	running := old.Start <= o.Clock
	ahead := bookahead.Interval{Start: max(w.Start, o.Clock), End: w.End}
	servers, others, n := o.Share(r, ahead, old.Servers)
	swaps := running && old.Servers != nil && int64(len(servers)) < min(r.Units, old.Units)
	if swaps || n < r.Units {
		return none, bookahead.ErrUnavailable
	}
	servers = servers[:min(int64(len(servers)), r.Units)]
	more := r.Units - int64(len(servers))
	if more > 0 && others != nil {
		further := bookahead.At(ahead.Start, ahead.Len(), more)
		further.Servers = others
		offer, err := by.Search(further)
		if err != nil {
			return none, err
		}
		servers = slices.Concat(servers, offer.Servers)
		slices.Sort(servers)
	}
	return bookahead.Offer{Interval: w, Units: r.Units, Servers: servers}, nil
}

// without returns a copy in which a reservation has been released, and yet may keep its place:
// there it has its own units besides those that are free for others.
func (o *Oracle) without(res bookahead.Reservation) *Oracle {
	c := o.Copy()
	_ = c.Release(res.ID)
	c.own = res
	c.own.Interval = c.rounded(res.Interval)
	return c
}

// windowAnew returns the window to which r moves a reservation that has been released. A running
// reservation keeps its Start. It does not check that the units of a running one are free.
func (o *Oracle) windowAnew(old bookahead.Reservation, r bookahead.Request) (w bookahead.Interval, err error) {
	if old.Start > o.Clock {
		start, err := o.Place(r)
		if err != nil {
			return w, err
		}
		return bookahead.Interval{Start: start, End: start + bookahead.Time(r.Duration)}, nil
	}
	r.Ready = math.MinInt64 // not read for a running reservation
	if err := o.Check(r); err != nil {
		return w, err
	}
	end, err := old.Start.Add(r.Duration)
	if err == nil && end <= o.Clock {
		return w, invalid("Request.Duration", r.Duration)
	}
	if err != nil || end > o.Until() || r.Deadline != 0 && end > r.Deadline {
		return w, bookahead.ErrUnavailable
	}
	return bookahead.Interval{Start: old.Start, End: end}, nil
}

// SearchFor implements bookahead.Keeper.
func (o *Oracle) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	return o.Anew(o, id, r)
}

// Rebook implements bookahead.Keeper.
func (o *Oracle) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	offer, err := o.SearchFor(id, r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	res := bookahead.Reservation{ID: id, Offer: offer}
	o.Move(res)
	return res, nil
}

// Move moves a reservation to another place, which is not checked.
func (o *Oracle) Move(res bookahead.Reservation) {
	_ = o.Release(res.ID)
	o.Restore(res.ID, res.Offer)
}
