package nodes

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// leapfrog is the baseline of this package: a pool for each resource of each node, asked in turn. An
// engineer would build it from the pools of this module, and for a hundred nodes it is enough. It
// finds the earliest start for requests with PerNode 1, all over the machine or Within a group, and
// leaves the choice of nodes to the Machine beside it.
//
// The pools of one node leap first. Each is asked for its first start from the answer of the other,
// until they agree. Here a node is wanted for 5 ticks:
//
//	GPUs     ░░░░░░████████████      from 0 at 6, from 9 at 9
//	cores    █████░░░░████████       from 6 at 9: both agree on 9
//
// The nodes leap in the same way; see group.
type leapfrog struct {
	now    bookahead.Time
	wide   int                          // resources
	pools  []carts.Flat                 // by node, then by resource
	clock  []bookahead.Time             // of the pools of each node, which advance when they are next booked
	parts  map[string][][]int           // the groups of each level; all nodes under ""
	booked map[bookahead.ID]reservation // the reservations of the Machine

	// The rest is memory of the search under way, so that it allocates nothing.
	request
	groups []group
	queue  []opening
}

// request is what the pools are asked.
type request struct {
	wanted   []int // resources
	each     Vector
	duration bookahead.Duration
	last     bookahead.Time // the last start that the deadline allows
}

// reservation says where a reservation lies, and its IDs in the pools: of each node, in the order of
// the resources that it takes.
type reservation struct {
	each   Vector
	shares []Share
	ids    []bookahead.ID
}

// opening is the first start of a node, or of a group.
type opening struct {
	at  bookahead.Time
	who int32
}

// none is the start of a node that has none.
const none = bookahead.Time(math.MaxInt64)

// newLeapfrog returns the pools of a machine, with the reservations that it holds. Each pool is
// built from its own reservations at once.
func newLeapfrog(c Config, m *Machine) (*leapfrog, error) {
	l := &leapfrog{
		now: m.Frame().Now, wide: len(c.Resources), parts: map[string][][]int{},
		booked: map[bookahead.ID]reservation{},
	}
	all := make([]int, len(c.Nodes))
	for k := range all {
		all[k] = k
		l.clock = append(l.clock, l.now)
	}
	l.parts[""] = [][]int{all}
	for _, level := range c.Levels {
		l.parts[level.Name] = level.Groups
	}
	held := make([][]bookahead.Offer, len(c.Nodes)*l.wide)
	for r := range m.Reservations(bookahead.Interval{Start: math.MinInt64, End: bookahead.MaxTime}) {
		b := reservation{each: r.Each, shares: r.Tasks}
		for pool, units := range l.uses(b) {
			held[pool] = append(held[pool], bookahead.Offer{Interval: r.Interval, Units: units})
			b.ids = append(b.ids, bookahead.ID(len(held[pool])))
		}
		l.booked[r.ID] = b
	}
	for k, v := range c.Nodes {
		for r, amount := range v {
			pool, err := carts.NewFlat(amount, carts.Config{Origin: l.now, Booked: held[k*l.wide+r]})
			if err != nil {
				return nil, err
			}
			l.pools = append(l.pools, *pool)
		}
	}
	return l, nil
}

// uses yields the pools that a reservation takes from, and how much it takes.
func (l *leapfrog) uses(b reservation) func(yield func(int, int64) bool) {
	return func(yield func(int, int64) bool) {
		for _, s := range b.shares {
			for r, amount := range b.each {
				if amount > 0 && !yield(s.Node*l.wide+r, s.Tasks*amount) {
					return
				}
			}
		}
	}
}

// book takes the place of a reservation that the Machine has made.
func (l *leapfrog) book(r Reservation) error {
	b := reservation{each: r.Each, shares: r.Tasks}
	err := l.catchUp(b)
	if err != nil {
		return err
	}
	for pool, units := range l.uses(b) {
		booked, err := l.pools[pool].Reserve(bookahead.At(r.Start, bookahead.Duration(r.End-r.Start), units))
		if err != nil {
			return err
		}
		b.ids = append(b.ids, booked.ID)
	}
	l.booked[r.ID] = b
	return nil
}

// release gives the place of a reservation back.
func (l *leapfrog) release(id bookahead.ID) error {
	b := l.booked[id]
	delete(l.booked, id)
	err := l.catchUp(b)
	if err != nil {
		return err
	}
	i := 0
	for pool := range l.uses(b) {
		err = l.pools[pool].Release(b.ids[i])
		if err != nil {
			return err
		}
		i++
	}
	return nil
}

// ended forgets a reservation that has run to its end.
func (l *leapfrog) ended(id bookahead.ID) { delete(l.booked, id) }

// advance moves the clock.
func (l *leapfrog) advance(now bookahead.Time) { l.now = now }

// catchUp advances the pools of the nodes of a reservation.
func (l *leapfrog) catchUp(b reservation) error {
	for _, s := range b.shares {
		if l.clock[s.Node] == l.now {
			continue
		}
		l.clock[s.Node] = l.now
		for r := range l.wide {
			err := l.pools[s.Node*l.wide+r].Advance(l.now)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// search returns the earliest start for r.
func (l *leapfrog) search(r Request) (bookahead.Time, bool) {
	first, parts, n := max(r.Ready, l.now), l.parts[r.Within], int(r.Tasks)
	l.ask(r)
	cntSearch++
	l.queue = l.queue[:0]
	for i, part := range parts {
		if n > len(part) {
			continue
		}
		if i >= len(l.groups) {
			l.groups = append(l.groups, make([]group, len(parts)-i)...)
		}
		g := &l.groups[i]
		g.begin(part, n, first)
		limit := first
		if len(parts) == 1 {
			limit = l.last
		}
		if g.leap(l, limit) {
			return g.t, true
		}
		l.queue = append(l.queue, opening{g.t, int32(i)})
	}
	if len(parts) == 1 || len(l.queue) == 0 {
		return 0, false
	}
	return l.race()
}

// race lets the groups leap in turn: always the one that is the furthest behind, until it has passed
// another, or found a start.
func (l *leapfrog) race() (bookahead.Time, bool) {
	order(l.queue)
	for l.queue[0].at <= l.last {
		limit := l.last
		for i := 1; i < min(3, len(l.queue)); i++ {
			limit = min(limit, l.queue[i].at)
		}
		g := &l.groups[l.queue[0].who]
		if g.leap(l, limit) {
			return g.t, true
		}
		l.queue[0].at = g.t
		sink(l.queue, 0)
	}
	return 0, false
}

// ask takes over a request.
func (l *leapfrog) ask(r Request) {
	l.each, l.duration, l.last = r.Each, r.Duration, bookahead.MaxTime-bookahead.Time(r.Duration)
	if r.Deadline != 0 {
		l.last = r.Deadline - bookahead.Time(r.Duration)
	}
	l.wanted = l.wanted[:0]
	for i, amount := range r.Each {
		if amount > 0 {
			l.wanted = append(l.wanted, i)
		}
	}
}

// first returns the first start of a node from t on; none if it has none.
var cntAsk, cntPool, cntSearch int

func (l *leapfrog) first(k int32, t bookahead.Time) bookahead.Time {
	pools := l.pools[int(k)*l.wide : int(k+1)*l.wide]
	agreed, i := 0, 0
	cntAsk++
	for t <= l.last {
		r := l.wanted[i]
		cntPool++
		o, err := pools[r].Search(bookahead.Request{Ready: t, Duration: l.duration, Units: l.each[r]})
		if err != nil {
			return none
		}
		if o.Start > t {
			t, agreed = o.Start, 0
		}
		agreed++
		if agreed == len(l.wanted) && t <= l.last {
			return t
		}
		i++
		if i == len(l.wanted) {
			i = 0
		}
	}
	return none
}

// group looks for the earliest start that n of its nodes have in common. It keeps n of them in a
// ring: those whose next starts are the earliest. No start before the latest of these will do,
// so that is t, from which the others are asked, one after the other. Here 3 nodes of 5 are wanted:
//
//	          a   b   c      others
//	starts    0  10  30      40 d, 70 e      t = 30
//	ask a     50                             later than d, and changes places with it
//	          40  10  30     50 a, 70 e      t = 40
//	ask b         45                         not later than a: it stays
//	          40  45  30     50 a, 70 e      t = 45
//	ask c             45                     it agrees with b on 45
//	ask d     45                             so does d: 45 is the start
//
// A node whose start is t or later is not asked again. Nodes that have not been asked at all stand in
// for the first nodes that have no start at t, so if n nodes are free at once, no others are
// looked at.
type group struct {
	t      bookahead.Time
	ring   []int32 // n nodes
	next   int     // the one to be asked
	agreed int     // how many before it are known to have a start at t
	rest   []int   // the nodes that have not been asked, and are not in the ring
	others []opening
}

// begin starts a search for n nodes from t on.
func (g *group) begin(nodes []int, n int, t bookahead.Time) {
	g.t, g.next, g.agreed, g.rest = t, 0, 0, nodes[n:]
	g.ring, g.others = g.ring[:0], g.others[:0]
	for _, k := range nodes[:n] {
		g.ring = append(g.ring, int32(k))
	}
}

// leap reports whether n nodes agree on a start up to limit, which is t then. If not, t lies behind
// limit, and no start before it will do.
func (g *group) leap(l *leapfrog, limit bookahead.Time) bool {
	for g.t <= limit {
		if g.agreed == len(g.ring) {
			return true
		}
		k := g.ring[g.next]
		at := l.first(k, g.t)
		switch {
		case at == g.t:
			g.agreed++
		case len(g.rest) > 0:
			g.ring[g.next] = int32(g.rest[0])
			g.rest = g.rest[1:]
			g.others = append(g.others, opening{at, k})
			if len(g.rest) == 0 {
				order(g.others)
			}
			continue // the stand-in is asked
		case len(g.others) == 0 || at <= g.others[0].at:
			g.t, g.agreed = at, 1
		default:
			other := g.others[0]
			g.others[0] = opening{at, k}
			sink(g.others, 0)
			g.ring[g.next] = other.who
			if other.at > g.t {
				g.t, g.agreed = other.at, 0
			}
			g.agreed++
		}
		g.next++
		if g.next == len(g.ring) {
			g.next = 0
		}
	}
	return false
}

// order makes a heap of a list, so that the earliest comes first.
func order(list []opening) {
	for i := len(list)/2 - 1; i >= 0; i-- {
		sink(list, i)
	}
}

// sink moves an opening down to its place in a heap.
func sink(list []opening, i int) {
	x := list[i]
	for child := 2*i + 1; child < len(list); child = 2*i + 1 {
		if child+1 < len(list) && list[child+1].at < list[child].at {
			child++
		}
		if list[child].at >= x.at {
			break
		}
		list[i] = list[child]
		i = child
	}
	list[i] = x
}

// verify looks for faults in the pools.
func (l *leapfrog) verify() error {
	for i := range l.pools {
		err := l.pools[i].Verify()
		if err != nil {
			return err
		}
	}
	return nil
}

// live returns the reservations that the pools hold.
func (l *leapfrog) live() []bookahead.ID {
	ids := []bookahead.ID{}
	for id := range l.booked {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
