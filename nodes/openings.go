package nodes

import (
	"iter"

	"github.com/bookahead/bookahead"
)

// Openings yields the starts at which r fits, as half-open ranges in order that neither overlap nor touch: at
// each start in them a request with the same terms, such as one rack, has a place, possibly on other nodes at
// each start. Here two tasks of a whole node want 10 ticks in one rack of two nodes:
//
//	time      0    10   20   30   40   50
//	node 0    ░░░░░██████████████████████      █ free
//	node 1    ███████████████░░░░░██████
//	starts         ├────┤         ├────── ...
//
// Openings yields nothing if r is invalid. It is a query: nothing may be booked while the ranges are read. It
// takes a Search for each range, and another for each time at which the nodes that were found cease to be free.
func (m *Machine) Openings(r Request) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		if m.check(r) != nil {
			return
		}
		r.Patience = 0 // it is about which start is taken, and not about which there are
		first, last, err := m.bounds.Starts(r.times())
		if err == nil {
			m.openings(r, first, last, yield)
		}
	}
}

// openings is Openings for the starts from first to last.
func (m *Machine) openings(r Request, first, last bookahead.Time, yield func(bookahead.Interval) bool) {
	var open bookahead.Interval
	for first <= last {
		b, err := m.find(r.startingIn(first, last), false)
		if err != nil {
			break
		}
		if b.Start > open.End || open.Empty() {
			if !open.Empty() && !yield(open) {
				return
			}
			open.Start = b.Start
		}
		open.End = m.freeUntil(b, last+b.End-b.Start) - (b.End - b.Start) + 1
		first = open.End
	}
	if !open.Empty() {
		yield(open)
	}
}

// startingIn returns the request with the starts from first to last.
func (r Request) startingIn(first, last bookahead.Time) Request {
	r.Ready, r.Deadline = first, last+bookahead.Time(r.Duration)
	return r
}

// freeUntil returns until when the amounts of a booking that is only found stay free, but no later than to.
func (m *Machine) freeUntil(b *booking, to bookahead.Time) bookahead.Time {
	var need [MaxResources]uint64
	for k, v := range m.takes(b) {
		m.index.packing.need(1, v, nil, need[:])
		to = min(to, m.index.nodes[k].lasts(b.End, to, need[:]))
	}
	return to
}

// SearchLatest returns the place for r with the latest start, for a job that must be done just in time. It books
// nothing. It is a query, and errors are those of Search. Without a Deadline, the last start is the last that the
// horizon allows.
//
// It asks for any start in the last chunk of the index, then in the two before, the four before, and so on. Then
// it halves the chunks that have a start, and reads the openings of the last one:
//
//	chunks        0   1   2   3   4   5   6
//	any start?    no ─────────────┤
//	                      yes     no──┤no ─┤
//	halved                    yes
//
// So it takes O(log c) Searches for c chunks, and those of the Openings in one chunk.
func (m *Machine) SearchLatest(r Request) (Offer, error) {
	err := m.check(r)
	if err != nil {
		return Offer{}, err
	}
	first, last, err := m.bounds.Starts(r.times())
	if err != nil {
		return m.Search(r) // which says why
	}
	low, ok := m.lastStretch(r, first, &last)
	if !ok {
		return m.Search(r)
	}
	latest := low
	r.Patience = 0
	m.openings(r, low, last, func(open bookahead.Interval) bool {
		latest = open.End - 1
		return true
	})
	return m.Search(r.startingIn(latest, latest))
}

// lastStretch returns the begin of a stretch in one chunk that has the latest start, and moves last to its end.
// It returns false if there is no start from first to last.
func (m *Machine) lastStretch(r Request, first bookahead.Time, last *bookahead.Time) (low bookahead.Time, ok bool) {
	x := m.index
	from, to := x.chunkAt(first), x.chunkAt(*last)
	begin := func(c int) bookahead.Time { return max(first, x.starts[c]) }
	c := to
	for n := 1; !m.starts(r, begin(c), *last); n *= 2 {
		if c == from {
			return 0, false
		}
		*last = begin(c) - 1
		to = c - 1
		c = max(from, c-n)
	}
	for c < to {
		mid := (c + to + 1) / 2
		if m.starts(r, begin(mid), *last) {
			c = mid
		} else {
			*last = begin(mid) - 1
			to = mid - 1
		}
	}
	return begin(c), true
}

// starts reports whether a request that has been checked has a start from first to last.
func (m *Machine) starts(r Request, first, last bookahead.Time) bool {
	s := m.index.begin()
	defer s.done()
	err := m.ask(r.startingIn(first, last), &s.query)
	if err != nil {
		return false
	}
	_, ok := s.seek(first, last, false)
	return ok
}
