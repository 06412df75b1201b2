package oracle_test

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// A cell counts the units of a pool, or of a server, at a tick: those given, closed and booked,
// and those of own that are booked and yet count as free.
type cell [4]int64

const (
	given = iota
	closed
	booked
	own
)

func (c cell) open() int64 { return max(0, c[given]-c[closed]) }

// axis is the number of ticks that have cells. No reservation lies beyond.
const axis = 64

// naive is a schedule in one array of cells. It says what the comments of package bookahead say,
// and shares no code with the oracles, because the two kinds of oracle share most of theirs.
type naive struct {
	oracle.Rules
	now   bookahead.Time
	cells [][axis]cell // of each server, or of one pool
	list  map[bookahead.ID]bookahead.Reservation
}

// add adds the units or servers of an offer to a count. A booking takes up whole slots.
func (n *naive) add(count int, by int64, o bookahead.Offer) {
	if slot := bookahead.Time(n.Slot); count >= booked {
		o.Start, o.End = o.Start/slot*slot, (o.End+slot-1)/slot*slot
	}
	for t := o.Start; t < min(o.End, axis); t++ {
		if !n.Servers {
			n.cells[0][t][count] += by * o.Units
		}
		for _, k := range o.Servers {
			n.cells[k][t][count] += by
		}
	}
}

func (n *naive) book(res bookahead.Reservation) {
	n.list[res.ID] = res
	n.add(booked, 1, res.Offer)
}

func (n *naive) release(res bookahead.Reservation) {
	delete(n.list, res.ID)
	n.add(booked, -1, res.Offer)
}

// free returns the units, and the servers, that are free throughout a window and that r allows.
func (n *naive) free(r bookahead.Request, start, end bookahead.Time) (units int64, servers []int) {
	for k, lane := range n.cells {
		least := int64(math.MaxInt64)
		for _, c := range lane[start:end] {
			least = min(least, max(0, c.open()-c[booked])+c[own])
		}
		if r.Servers == nil || slices.Contains(r.Servers, k) {
			units += least
			servers = append(servers, slices.Repeat([]int{k}, int(least))...)
		}
	}
	if !n.Servers {
		return units, nil
	}
	return units, append([]int{}, servers...)
}

func (n *naive) inTime(r bookahead.Request, end bookahead.Time) bool {
	return end <= n.now+bookahead.Time(n.Horizon) && (r.Deadline == 0 || end <= r.Deadline)
}

// starts returns the starts at which a fixed request fits.
func (n *naive) starts(r bookahead.Request) (list []bookahead.Time) {
	for t := max(r.Ready, n.now); n.inTime(r, t+bookahead.Time(r.Duration)); t++ {
		if units, _ := n.free(r, t, t+bookahead.Time(r.Duration)); units >= r.Units {
			list = append(list, t)
		}
	}
	return list
}

func (n *naive) search(r bookahead.Request) (o bookahead.Offer, err error) {
	for _, t := range n.starts(r) {
		later := t - max(r.Ready, n.now)
		if later%bookahead.Time(n.Step) == 0 && later/bookahead.Time(n.Step) < bookahead.Time(n.Attempts) {
			o.Interval, o.Units = bookahead.Interval{Start: t, End: t + bookahead.Time(r.Duration)}, r.Units
			if _, servers := n.free(r, o.Start, o.End); n.Servers {
				o.Servers = servers[:r.Units]
			}
			return o, nil
		}
	}
	return o, bookahead.ErrUnavailable
}

func (n *naive) rangeQuery(w bookahead.Interval) (a bookahead.Availability) {
	w.Start, w.End = max(w.Start, n.now), min(w.End, n.now+bookahead.Time(n.Horizon))
	if w.Start < w.End {
		a.Window = w
		a.Free, a.Servers = n.free(bookahead.Request{}, w.Start, w.End)
	} else if n.Servers {
		a.Servers = []int{}
	}
	return a
}

// missing returns the units, and the servers, that are booked at a tick and not there.
func (n *naive) missing(t bookahead.Time) (units int64, servers []int) {
	for k := range n.cells {
		less := max(0, n.cells[k][t][booked]-n.cells[k][t].open())
		units += less
		if n.Servers && less > 0 {
			servers = append(servers, k)
		}
	}
	return units, servers
}

// searchFor returns what Rebook books in place of a reservation.
func (n *naive) searchFor(old bookahead.Reservation, r bookahead.Request) (o bookahead.Offer, err error) {
	n.add(own, 1, old.Offer)
	defer n.add(own, -1, old.Offer)
	running := old.Start <= n.now
	if o.Interval = (bookahead.Interval{Start: old.Start, End: old.Start + bookahead.Time(r.Duration)}); !running {
		o, err = n.search(r)
	} else if o.End <= n.now {
		err = bookahead.ErrInvalid
	} else if !n.inTime(r, o.End) {
		err = bookahead.ErrUnavailable
	}
	if err != nil {
		return bookahead.Offer{}, err
	}
	units, others := n.free(r, max(o.Start, n.now), o.End)
	var kept []int
	for _, k := range old.Servers {
		if i := slices.Index(others, k); i >= 0 {
			kept, others = append(kept, k), slices.Delete(others, i, i+1)
		}
	}
	if units < r.Units || n.Servers && running && int64(len(kept)) < min(r.Units, old.Units) {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	o.Units = r.Units
	if n.Servers {
		o.Servers = slices.Sorted(slices.Values(append(kept, others...)[:r.Units]))
	}
	return o, nil
}

// putBack books a lifted reservation again. The error is bookahead.ErrUnavailable if its units or servers are not
// free from now on.
func (n *naive) putBack(res bookahead.Reservation) error {
	units, _ := n.free(bookahead.Request{Servers: res.Servers}, max(res.Start, n.now), res.End)
	if units < res.Units {
		return bookahead.ErrUnavailable
	}
	n.book(res)
	return nil
}
