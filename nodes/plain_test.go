package nodes

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// plain answers a query from the steps of the nodes alone: it reads no chunk, no row, no fact and no
// zone. The number of tasks that a node holds changes with the start of the window, and it changes
// only where a step begins, or where the end of the window reaches a step:
//
//	steps      4 ────┐ 0 ──┐ 4 ─────
//	start      0     10    15
//	d = 3      1     0 from 8 on     1 from 15 on
//
// So plain finds all changes of each node, sorts the changes of all nodes, and adds up.
type plain struct {
	*index
	q *query
}

// change is the number of tasks that a node holds from a start on: alone, and besides the head.
type plainChange struct {
	at            bookahead.Time
	node          int
	tasks, beside int64
}

// changes returns the changes of a node for the starts from first to last.
func (p plain) changes(k int, first, last bookahead.Time, into []plainChange) []plainChange {
	s := p.q.on(p.nodes, k)
	times := []bookahead.Time{first}
	for i := range s.len() {
		for _, t := range []bookahead.Time{s.start(i), s.start(i) - p.q.d + 1} {
			if first < t && t <= last {
				times = append(times, t)
			}
		}
	}
	slices.Sort(times)
	free := make(Vector, p.wide)
	for _, t := range slices.Compact(times) {
		for r := range free {
			free[r] = MaxAmount
		}
		for i := range s.len() {
			if s.end(i) > t && s.start(i) < t+p.q.d {
				for r := range free {
					free[r] = min(free[r], s.amountAt(i, r))
				}
			}
		}
		if p.q.exclusive && !enough(free, p.q.layout.given[k]) {
			clear(free)
		}
		x := plainChange{t, k, p.q.fit(free), -1}
		if p.q.head != nil {
			x.beside = p.q.beside(free)
		}
		into = append(into, x)
	}
	return into
}

// start returns the first start from first to last.
func (p plain) start(first, last bookahead.Time) (best bookahead.Time, found bool) {
	for _, part := range p.q.parts {
		t, ok := p.inPart(part, first, last)
		if ok {
			best, found, last = t, true, t-1
		}
		if last < first {
			break
		}
	}
	return best, found
}

func (p plain) inPart(part part, first, last bookahead.Time) (bookahead.Time, bool) {
	var list []plainChange
	for k := range part.in(p.q.allowed) {
		list = p.changes(k, first, last, list)
	}
	slices.SortFunc(list, func(a, b plainChange) int { return cmp.Compare(a.at, b.at) })
	now := make([]plainChange, len(p.nodes))
	for k := range now {
		now[k].beside = -1
	}
	sum := int64(0)
	cells := map[int]int64{}
	cell := func(k int) int {
		if p.q.bundled == nil {
			return 0
		}
		return p.q.bundled.of[k]
	}
	whole := func(n int64) int64 { return n - n%max(1, p.q.bundle) }
	for i, x := range list {
		c := cell(x.node)
		sum -= whole(cells[c])
		cells[c] += x.tasks - now[x.node].tasks
		sum += whole(cells[c])
		now[x.node] = x
		if i+1 < len(list) && list[i+1].at == x.at || sum < p.q.tasks {
			continue
		}
		besides := func(x plainChange) bool {
			room := cells[cell(x.node)]
			return x.beside >= 0 && sum-whole(room)+whole(room-x.tasks+x.beside) >= p.q.tasks
		}
		if p.q.head == nil || slices.ContainsFunc(now, besides) {
			return x.at, true
		}
	}
	return 0, false
}

// place returns the place at a start, by a look at all nodes.
func (p plain) place(m *Machine, t bookahead.Time) *choice {
	s := &search{index: p.index, query: *p.q, able: p.q.allowed}
	w := m.bounds.Ahead(bookahead.Interval{Start: t, End: t + p.q.d})
	var best *choice
	for _, part := range p.q.parts {
		c := p.q.choose(m.policy, s.seatsOf(m.policy, w, part))
		if c != nil && (best == nil || c.before(best)) {
			best = c
		}
	}
	return best
}

// plainSearch is Machine.Search, or SearchFor if an ID is given.
func (m *Machine) plainSearch(r Request, id bookahead.ID) (Offer, error) {
	var q query
	err := m.ask(r, &q)
	if err != nil {
		return Offer{}, err
	}
	first, last, err := m.bounds.Starts(r.times())
	if id != 0 {
		q.old, _ = m.booked.get(id, m.bounds.Now)
		q.running = q.old.Start <= m.bounds.Now
		q.borrow(m.lend(q.old))
		first, last, err = m.bounds.StartsAnew(q.old.Interval, r.times())
	}
	if err != nil {
		return Offer{}, err
	}
	if q.hopeless() {
		return Offer{}, bookahead.ErrUnavailable
	}
	p := plain{m.index, &q}
	t, ok := first, q.running
	if !ok {
		t, ok = p.start(first, last)
	}
	if !ok {
		return Offer{}, bookahead.ErrUnavailable
	}
	if r.Patience > 0 && !q.running {
		one := q
		one.inOneGroup()
		later, ok := plain{m.index, &one}.start(t, t+min(last-t, bookahead.Time(r.Patience)))
		if ok {
			t = later
		}
		if ok && id != 0 {
			p.q = &one
		}
	}
	best := p.place(m, t)
	if best == nil {
		return Offer{}, bookahead.ErrUnavailable
	}
	return Offer{Interval: bookahead.Interval{Start: t, End: t + q.d}, Tasks: best.shares, Head: best.head}, nil
}

// unpack returns the amounts that something packed needs.
func (p *packing) unpackNeed(need []uint64) Vector {
	v := make(Vector, len(p.fields))
	for r, f := range p.fields {
		x := int64(need[f.word] >> f.shift & f.mask)
		if x > 0 {
			v[r] = x - f.bias
		}
	}
	return v
}

// falseFact returns a start that fact i about a stretch says is none.
func (m *Machine) falseFact(p *proofs, stretch, i int) (start bookahead.Time, false bool) {
	need, d, few := m.index.fact(p.facts[stretch], i)
	q := query{each: m.index.unpackNeed(need), d: d, perNode: 1, tasks: int64(few), parts: m.index.whole}
	return m.startOf(&q, p.starts[stretch], p.end(stretch)-1)
}

// falseZone returns a start that a zone says is none.
func (m *Machine) falseZone(z zone) (start bookahead.Time, false bool) {
	q := query{each: m.index.unpackNeed(z.need[:]), d: z.d, perNode: z.perNode, tasks: z.tasks, parts: m.index.whole}
	if z.within != nil {
		q.parts = z.within.parts
	}
	return m.startOf(&q, z.first, z.end-1)
}

func (m *Machine) startOf(q *query, first, last bookahead.Time) (start bookahead.Time, ok bool) {
	q.layout, q.allowed = m.layout, m.index.all
	first, last = max(first, m.index.now), min(last, bookahead.MaxTime-q.d)
	if first > last {
		return 0, false
	}
	return plain{m.index, q}.start(first, last)
}
