package servers_test

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// ticks is how long the axis of an oracle is.
const ticks = 400

// oracle knows for each tick which servers are taken, and tries one start after the other.
type oracle struct {
	limits.Limits
	width, step bookahead.Time // of slots, and between starts
	tries       int
	taken       [ticks][]bool // by server, for a reservation
	shut        [ticks][]int  // by server, by how many closures
	closures    []bookahead.Closure
	lastClosure bookahead.ClosureID
	booked      map[bookahead.ID]bookahead.Offer
	last        bookahead.ID
}

func newOracle(f form, capacity int64, origin bookahead.Time, horizon bookahead.Duration) *oracle {
	l, err := limits.New(capacity, origin, horizon)
	if err != nil {
		panic(err)
	}
	l.Servers = int(capacity)
	o := &oracle{Limits: l, width: max(f.width, 1), step: max(f.step, 1), tries: f.tries, booked: map[bookahead.ID]bookahead.Offer{}}
	for t := range o.taken {
		o.taken[t], o.shut[t] = make([]bool, capacity), make([]int, capacity)
	}
	return o
}

// span returns the time that a booking of w takes up, from now on.
func (o *oracle) span(w bookahead.Interval) bookahead.Interval {
	w = o.Ahead(w)
	return bookahead.Interval{Start: w.Start / o.width * o.width, End: (w.End + o.width - 1) / o.width * o.width}
}

func (o *oracle) set(x bookahead.Offer, taken bool) {
	w := o.span(x.Interval)
	for t := w.Start; t < w.End; t++ {
		for _, k := range x.Servers {
			if o.taken[t][k] == taken {
				panic("twice")
			}
			o.taken[t][k] = taken
		}
	}
}

// fits reports whether all servers of an offer are free, apart from the reservation old.
func (o *oracle) fits(x, old bookahead.Offer) bool {
	w, held := o.span(x.Interval), o.span(old.Interval)
	for t := w.Start; t < w.End; t++ {
		for _, k := range x.Servers {
			own := slices.Contains(old.Servers, k) && held.Start <= t && t < held.End
			if (o.taken[t][k] || o.shut[t][k] > 0) && !own {
				return false
			}
		}
	}
	return true
}

// idle returns the servers that r may have throughout w, with the servers of old counted as idle.
func (o *oracle) idle(r bookahead.Request, w bookahead.Interval, old bookahead.Offer) (list []int) {
	for k := range o.Limits.Servers {
		if (r.Servers == nil || slices.Contains(r.Servers, k)) && o.fits(bookahead.Offer{Interval: w, Servers: []int{k}}, old) {
			list = append(list, k)
		}
	}
	return list
}

func during(t bookahead.Time, r bookahead.Request) bookahead.Interval {
	return bookahead.Interval{Start: t, End: t + bookahead.Time(r.Duration)}
}

// search returns the first start, and the servers that are idle then.
func (o *oracle) search(first, last bookahead.Time, r bookahead.Request, old bookahead.Offer) (bookahead.Time, []int, error) {
	tried := 0
	for t := first; t <= last; t++ {
		switch {
		case o.width > 1 && t != first && t%o.width != 0, (t-first)%o.step != 0:
			continue
		case o.tries > 0 && tried == o.tries:
			return 0, nil, bookahead.ErrUnavailable
		}
		tried++
		list := o.idle(r, during(t, r), old)
		if int64(len(list)) >= r.Units {
			return t, list, nil
		}
	}
	return 0, nil, bookahead.ErrUnavailable
}

// openings returns the ranges of starts at which a fixed request finds its servers.
func (o *oracle) openings(r bookahead.Request) (list []bookahead.Interval) {
	first, last, err := o.Starts(r)
	if err != nil {
		return nil
	}
	open := false
	for t := first; t <= last+1; t++ {
		fits := t <= last && int64(len(o.idle(r, during(t, r), bookahead.Offer{}))) >= r.Units
		switch {
		case fits && !open:
			list = append(list, bookahead.Interval{Start: t, End: t + 1})
		case fits:
			list[len(list)-1].End = t + 1
		}
		open = fits
	}
	return list
}

// searchFor returns the place that Rebook gives a reservation, the servers that it keeps,
// and those from which it chooses the others.
func (o *oracle) searchFor(id bookahead.ID, r bookahead.Request) (w bookahead.Interval, kept, others []int, err error) {
	old, ok := o.booked[id]
	if !ok || old.End <= o.Now {
		return w, nil, nil, bookahead.ErrNotFound
	}
	first, last, err := o.StartsAnew(old.Interval, r)
	if err != nil {
		return w, nil, nil, err
	}
	t, list, err := o.search(first, last, r, old)
	if err != nil {
		return w, nil, nil, err
	}
	for _, k := range list {
		if !slices.Contains(old.Servers, k) {
			others = append(others, k)
		} else if int64(len(kept)) < r.Units {
			kept = append(kept, k)
		}
	}
	if old.Start <= o.Now && len(kept) < min(int(r.Units), len(old.Servers)) {
		return w, nil, nil, bookahead.ErrUnavailable
	}
	return during(t, r), kept, others, nil
}

// live returns the reservations that overlap w, as Keeper.Reservations does.
func (o *oracle) live(w bookahead.Interval) (list []bookahead.Reservation) {
	for id := bookahead.ID(1); id <= o.last; id++ {
		if x, ok := o.booked[id]; ok && x.End > o.Now && x.Overlaps(w) {
			list = append(list, bookahead.Reservation{ID: id, Offer: x})
		}
	}
	slices.SortStableFunc(list, func(a, b bookahead.Reservation) int { return int(a.Start - b.Start) })
	return list
}

func (o *oracle) add(x bookahead.Offer) bookahead.ID {
	o.set(x, true)
	o.last++
	o.booked[o.last] = x
	return o.last
}
