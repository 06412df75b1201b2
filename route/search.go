package route

import "github.com/bookahead/bookahead/internal/effort"

// search is the memory of a query. Later queries use the same memory, one at a time, so that
// its lists need not be made anew. Its times count from now, except for completions.
type search struct {
	// Input. begin sets it.
	n     *Network
	j     *job
	known value // of the plan of ECT; only a better plan is of interest

	// Output. begin clears it.
	err      error
	cut      bool  // steps 2 and 3 have had their share of the steps
	floor    int64 // in step 3, the earliest end of a plan over a way that still waits; else 0
	spare    int64 // how many steps are left to AWMC-T
	complete int32 // the best way of step 3 that begins at the source; -1 if there is none

	// Scratch.
	memo    memo    // begin makes it forget the last query
	places  []place // by node; arrivals resets them
	ways    ways    // ends resets them
	scratch scratch // whoever uses a list clears it first
	job     job     // where j lies, unless it is a test's
}

// value is the merit of a plan: the earlier end is better, of equals the smaller delay.
type value struct {
	end   int64 // on the clock, not from now
	delay int64
}

func valueOf(p Plan) value { return value{int64(p.Run.End), int64(p.Delay)} }

func (v value) better(o value) bool {
	return v.end < o.end || v.end == o.end && v.delay < o.delay
}

// memo keeps answers that several paths ask for.
type memo struct {
	query  uint64    // counts the queries
	fits   []fit     // by link
	offers []offered // by cluster
}

// fit lists the starts of a burst on a link, for one query. Queries that end in step 1 look
// at no list, so lists are not cleared for each query. Instead a list has the number of its
// query, and is made anew for another.
type fit struct {
	query  uint64
	starts []span
}

// offered is the last answer of a pool: all data that arrives in [from, to] runs then.
type offered struct {
	from, to int64
	end      int64
	ok       bool
}

// scratch are lists that nobody needs for longer than a call.
type scratch struct {
	spans, union []span
	wave, after  []int32
}

// place is a node in steps 2 and 3.
type place struct {
	arrive   []span  // the slots before latest in which a burst can be at the node (P2)
	near     int64   // no path by which a burst comes there in time has a smaller delay (P2)
	latest   int64   // a burst that is at the node in this slot or later is too late
	pending  bool    // the node takes part in the next round
	followed []int32 // the ways from the node that step 3 has made longer
}

// way is the end of a path, from a node to a cluster. A longer way shares the links of
// the shorter way that it was made from.
type way struct {
	node    int32
	link    int32 // from node to that of rest; -1 at the cluster
	rest    int32 // the way behind the link; -1 at the cluster
	hops    int32
	cluster int32
	lo, hi  int32 // in ways.slots: the slots in which a burst that is at node passes
	delay   int64
	least   value // P3
}

// ways are the ways of a query, by number. Rows and slots of all ways lie in two long
// lists, so that a way allocates nothing.
type ways struct {
	list  []way
	nodes []uint64 // a row for each way: a bit for each node that it visits
	row   int      // words of a row
	slots []span
	queue heap[int32]
}

func (a *ways) nodesOf(x int32) []uint64 { return a.nodes[int(x)*a.row : int(x+1)*a.row] }

func (a *ways) slotsOf(w *way) []span { return a.slots[w.lo:w.hi] }

// memory returns a search that no query uses.
func (n *Network) memory() *search {
	s, _ := n.searches.Get().(*search)
	if s == nil {
		s = &search{n: n, places: make([]place, n.nodes)}
		s.memo.fits = make([]fit, len(n.links))
		s.memo.offers = make([]offered, len(n.clusters))
		s.ways.row = (n.nodes + 63) / 64
		s.ways.queue.less = s.before
	}
	return s
}

// begin starts a query, with the plan of ECT as the known plan if ECT has found one.
func (s *search) begin(j *job, ect Plan, found bool) {
	s.j = j
	s.known = value{never, never}
	if found {
		s.known = valueOf(ect)
	}
	s.err, s.cut, s.floor, s.complete = nil, false, 0, -1
	s.spare = j.meter.Left() / 2
	s.memo.query++
	for m := range s.memo.offers {
		s.memo.offers[m] = offered{from: -1, to: -1}
	}
}

// close hands the memory on to later queries.
func (s *search) close() {
	s.j, s.job = nil, job{takes: s.job.takes}
	s.n.searches.Put(s)
}

// offer is Network.offer with the last answer of each pool at hand, since many ways to a
// cluster wait for the same gap.
//
//	tick       8 9 10 11 12 13 14 15
//	idle       1 0  0  0  1  1  1  1    the task takes 4 ticks, its data is there at 9
//	answer                ■  ■  ■  ■    [12, 16), and so for arrivals at 10, 11 and 12
func (s *search) offer(m int, arrival int64) offered {
	o := &s.memo.offers[m]
	if o.from <= arrival && arrival <= o.to {
		return *o
	}
	run, ok, err := s.n.offer(s.j, m, arrival)
	if err != nil {
		s.err = err
	}
	*o = offered{arrival, never, int64(run.End), ok} // if this arrival is too late, so are all later ones
	if ok {
		o.to = int64(run.Start - s.n.now)
	}
	return *o
}

// starts returns the slots in which the burst can start on a link: a run of 5 free
// slots, [2, 7), has room for a burst of 3 in slots 2, 3 and 4, so it becomes [2, 5).
func (s *search) starts(link int32) []span {
	f := &s.memo.fits[link]
	if f.query == s.memo.query {
		return f.starts
	}
	list := f.starts[:0]
	if s.j.open(link) {
		runs := int64(0)
		for run := range s.n.runs[link].All() {
			runs++
			if int64(run.Len()) >= s.j.burst {
				list = append(list, span{int64(run.Start), int64(run.End) - s.j.burst + 1})
			}
		}
		s.words(2 * runs)
	}
	*f = fit{s.memo.query, list}
	return list
}

// may asks the meter for so many steps of steps 2 and 3 of Earliest. It leaves spare steps to
// AWMC-T.
func (s *search) may(steps int64) bool {
	m := &s.j.meter
	switch {
	case m.Left()-steps < s.spare:
		s.cut = true
		return false
	case steps > effort.Chunk:
		return grant(m, steps)
	}
	return m.Go(int(steps))
}

// words counts words that are about to be read, and reports whether they may be.
func (s *search) words(words int64) bool {
	s.j.effort.Words += words
	return s.may(1 + words/wordsPerStep)
}

// ended reports whether steps 2 and 3 of Earliest must end.
func (s *search) ended() bool { return s.cut || s.j.meter.Stopped() }

// before is the order of the queue (P5): the best least goes first. Of equals the way
// with more links goes first, since it is nearer to the source and the first answer is found
// soon. Then the way that was made first goes first, so that answers do not depend on the heap.
func (s *search) before(a, b int32) bool {
	x, y := &s.ways.list[a], &s.ways.list[b]
	switch {
	case x.least.end != y.least.end:
		return x.least.end < y.least.end
	case x.least.delay != y.least.delay:
		return x.least.delay < y.least.delay
	case x.hops != y.hops:
		return x.hops > y.hops
	}
	return a < b
}
