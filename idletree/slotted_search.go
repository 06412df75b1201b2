package idletree

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

// Search takes O(log² q) for an attempt, with q idle periods in a slot, at most Attempts times,
// and O(n log n) for n servers. Named servers are looked up anew in each attempt. After each
// 65 536 attempts, starts at which nothing can have become free are left out, but count as
// tried.
func (s *slots) Search(first, last bookahead.Time, r bookahead.Request) (bookahead.Time, []int, bool) {
	t, periods := s.search(first, last, r, &Spent{})
	return t, s.serversOf(periods), periods != nil
}

// search returns the start, and the idle periods for r there; nil periods if there is no start.
func (s *slots) search(t, last bookahead.Time, r bookahead.Request, e *Spent) (bookahead.Time, []Period) {
	for tried := 1; e.Attempts < s.tries; tried++ {
		e.Attempts++
		periods := s.attempt(r, servers.Window(t, r), e)
		if periods != nil {
			return t, periods
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
	return 0, nil
}

// Tried returns the first start from t on that a search from first tries, and whether its
// Attempts reach so far.
func (s *slots) Tried(first, t bookahead.Time) (bookahead.Time, bool) {
	steps := (max(t, first) - first) / s.step
	tried := first + steps*s.step
	if tried < t {
		if tried > bookahead.MaxTime-s.step {
			return 0, false
		}
		tried, steps = tried+s.step, steps+1
	}
	return tried, int64(steps) < int64(s.tries)
}

// Stepless returns the calendars, in which a search finds the earliest start to the tick.
func (s *slots) Stepless() servers.Roster { return &s.fleet }

// inVain returns how many starts after t would be tried in vain, given that too few servers are
// idle at t: until the next idle period begins, idle periods only end. O(N log p) for N servers,
// or the servers named, of p idle periods.
//
//	           t    +step         next
//	server 0 ──┤    ┆     ┆     ┆  ├────
//	server 1 ────────────────┤  ┆             three starts in vain
func (s *slots) inVain(named []int, t, last bookahead.Time) int64 {
	next := last + 1
	for k := range s.all(named) {
		p, ok := s.idle[k].next(t)
		if ok {
			next = min(next, p.Start)
		}
	}
	return int64((next - 1 - t) / s.step)
}

// attempt returns the idle periods that r takes in w; nil if there are too few.
func (s *slots) attempt(r bookahead.Request, w bookahead.Interval, e *Spent) []Period {
	if r.Servers != nil {
		e.Visits += len(r.Servers)
	}
	n := int(r.Units)
	periods := s.chosen(w, n, n, r.Servers, e)
	if len(periods) < n {
		return nil
	}
	return periods
}

// chosen returns the n idle periods that a request for w takes. If there are fewer than n, it
// returns all; if there are fewer than least, it may return none.
func (s *slots) chosen(w bookahead.Interval, least, n int, named []int, e *Spent) []Period {
	var periods []Period
	if named != nil {
		periods = slices.Collect(s.covering(named, w))
	} else {
		for _, k := range s.throughout(w, least, n, e) {
			p, _ := s.around(k, w)
			periods = append(periods, p)
		}
	}
	if len(periods) > n {
		slices.SortFunc(periods, func(a, b Period) int { return byStart(b, a) })
		periods = periods[:n]
	}
	return periods
}

// Pick makes one attempt. For all servers it is the paper's range search (§4.2): O(log² q + k)
// for k free servers and q idle periods in a slot.
func (s *slots) Pick(w bookahead.Interval, n int, named []int) []int {
	if named == nil && n >= len(s.idle) {
		return s.ascending(s.throughout(w, 0, n, &Spent{}))
	}
	return s.serversOf(s.chosen(w, 0, n, named, &Spent{}))
}

// throughout returns servers that are idle throughout w: the first atMost of the slot's tree,
// and the first atMost of the servers that are idle for ever. If there are fewer than least, it
// may return none, so that phase 1 alone can end an attempt.
func (s *slots) throughout(w bookahead.Interval, least, atMost int, e *Spent) []int {
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
