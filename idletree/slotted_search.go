package idletree

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

// Effort is what a search cost.
type Effort struct {
	// Attempts is the number of starts tried (Castillo et al., Table 2).
	Attempts int
	// Visits is the number of tree nodes read, or of servers if they were
	// named: the operations of Fig. 7(b).
	Visits int
}

// Search implements bookahead.Schedule. An attempt takes O(log² q) for q idle
// periods in a slot, and there are at most Attempts of them; the servers are
// found in O(n log n) for n of them. Servers that are named are looked up anew
// in each attempt. Of the starts at which nothing can have become free, at most 65 536
// in a row are tried; the others count as tried.
func (s *Slotted) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, _, err := s.search(r, &Effort{})
	return o, err
}

// Trace is Search, and tells what it cost, whether it found a place or not. It takes
// as long as Search.
func (s *Slotted) Trace(r bookahead.Request) (bookahead.Offer, Effort, error) {
	e := Effort{}
	o, _, err := s.search(r, &e)
	return o, e, err
}

// search also returns the idle periods of the offer.
func (s *Slotted) search(r bookahead.Request, e *Effort) (bookahead.Offer, []Period, error) {
	t, last, err := s.fleet.Starts(r)
	if err != nil {
		return bookahead.Offer{}, nil, err
	}
	for tried := 1; e.Attempts < s.tries; tried++ {
		e.Attempts++
		if periods := s.attempt(r, window(t, r), e); periods != nil {
			return s.fleet.offer(r, t, periods), periods, nil
		}
		if tried%s.patience == 0 {
			vain := min(s.inVain(r.Servers, t, last), int64(s.tries-e.Attempts))
			e.Attempts += int(vain)
			t += bookahead.Time(vain) * s.step
		}
		if t > last-s.step {
			break
		}
		t += s.step
	}
	return bookahead.Offer{}, nil, bookahead.ErrUnavailable
}

// patience is the number of starts that Search tries before it looks for starts that it can
// leave out. A search in the paper's settings never tries so many, and so visits the nodes
// that the paper counts; a search tick by tick over centuries ends.
const patience = 1 << 16

// inVain returns how many of the starts after t, at which there are too few idle
// periods, cannot have more: until another period begins, periods only end. They count
// as tried. O(N log p) for N servers, or those named, of p idle periods.
//
//	           t    +step         next
//	server 0 ──┤    ┆     ┆     ┆  ├────
//	server 1 ────────────────┤  ┆             three starts in vain
func (s *Slotted) inVain(named []int, t, last bookahead.Time) int64 {
	next := last + 1
	for k := range s.fleet.all(named) {
		if p, ok := s.fleet.idle[k].next(t); ok {
			next = min(next, p.Start)
		}
	}
	return int64((next - 1 - t) / s.step)
}

// attempt returns the idle periods to take if r is booked in w, or nil if there
// are too few.
func (s *Slotted) attempt(r bookahead.Request, w bookahead.Interval, e *Effort) []Period {
	n := int(r.Units)
	var periods []Period
	if r.Servers != nil {
		e.Visits += len(r.Servers)
		periods = slices.Collect(s.fleet.covering(r.Servers, w))
	} else {
		periods = s.idle(w, n, n, e)
	}
	if len(periods) < n {
		return nil
	}
	if len(periods) > n {
		slices.SortFunc(periods, func(a, b Period) int { return byStart(b, a) })
	}
	return periods[:n]
}

// idle is throughout, with the idle period of each server.
func (s *Slotted) idle(w bookahead.Interval, least, atMost int, e *Effort) []Period {
	var periods []Period
	for _, k := range s.throughout(w, least, atMost, e) {
		p, _ := s.fleet.around(k, w)
		periods = append(periods, p)
	}
	return periods
}

// throughout returns servers that are idle throughout w: if there are least or
// more, the first atMost of the slot's tree, and the first atMost of those that
// are idle for ever; else perhaps none.
func (s *Slotted) throughout(w bookahead.Interval, least, atMost int, e *Effort) []int {
	var kept [maxMarks]mark
	marks, n := kept[:0], s.endless.count(s.root, -w.Start, e)
	endless := n
	slot := *s.at(s.slotOf(w.Start))
	if slot != nil {
		candidates := 0
		marks, candidates = slot.candidates(w.Start, marks, e)
		n += candidates
	}
	if n < least {
		return nil
	}
	found := make([]int, 0, min(n, 2*atMost))
	if slot != nil {
		found = slot.feasible(marks, w.End, found, atMost, e)
	}
	if len(found)+endless < least {
		return nil
	}
	return s.endless.servers(s.root, -w.Start, found, len(found)+atMost, e)
}

// RangeQuery implements bookahead.Schedule: the paper's range search (§4.2). It
// is one attempt for all servers that are free, O(log² q + k) for k of them and q
// idle periods in a slot, and sorts them.
func (s *Slotted) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := s.fleet.Window(w)
	if err != nil {
		return bookahead.Availability{}, err
	}
	var free []int
	if !w.Empty() {
		free = s.fleet.ascending(s.throughout(w, 0, len(s.fleet.idle), &Effort{}))
	}
	return servers.Available(free), nil
}
