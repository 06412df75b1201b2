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
// The nodes leap in the same way; see poolGroup.
type leapfrog struct {
	now    bookahead.Time
	wide   int                          // resources
	pools  []carts.Flat                 // by node, then by resource
	clock  []bookahead.Time             // of the pools of each node, which advance when they are next booked
	parts  map[string][][]int           // the groups of each level; all nodes under ""
	booked map[bookahead.ID]poolBooking // the reservations of the Machine

	// The rest is memory of the search under way, so that it allocates nothing.
	poolRequest
	groups []poolGroup
	queue  poolOpenings
}

// poolRequest is a request as the pools are asked for it.
type poolRequest struct {
	wanted   []int // resources
	each     Vector
	duration bookahead.Duration
	last     bookahead.Time // the last start that the deadline allows
}

// poolBooking says where a reservation lies, and its IDs in the pools: of each node, in the order of
// the resources that it takes.
type poolBooking struct {
	each   Vector
	shares []Share
	ids    []bookahead.ID
}

// poolOpening is the first start of a node, or of a group.
type poolOpening struct {
	at    bookahead.Time
	who   int32
	bound bool // it may start later, and must be asked
}

// noOpening is the start of a node that has none.
const noOpening = bookahead.Time(math.MaxInt64)

// newLeapfrog returns the pools of a machine, with the reservations that it holds. Each pool is
// built from its own reservations at once.
func newLeapfrog(c Config, m *Machine) (*leapfrog, error) {
	l := &leapfrog{
		now: m.Frame().Now, wide: len(c.Resources), parts: map[string][][]int{},
		booked: map[bookahead.ID]poolBooking{},
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
		b := poolBooking{each: r.Each, shares: r.Tasks}
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
func (l *leapfrog) uses(b poolBooking) func(yield func(int, int64) bool) {
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
	b := poolBooking{each: r.Each, shares: r.Tasks}
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
func (l *leapfrog) catchUp(b poolBooking) error {
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
	l.queue = l.queue[:0]
	for i, part := range parts {
		if n > len(part) {
			continue
		}
		if i >= len(l.groups) {
			l.groups = append(l.groups, make([]poolGroup, len(parts)-i)...)
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
		l.queue = append(l.queue, poolOpening{at: g.t, who: int32(i)})
	}
	if len(parts) == 1 || len(l.queue) == 0 {
		return 0, false
	}
	return l.race()
}

// race lets the groups leap in turn: the group that is furthest behind leaps until it has passed another,
// or found a start.
func (l *leapfrog) race() (bookahead.Time, bool) {
	l.queue.order()
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
		l.queue.sink(0)
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

// first returns the first start of a node from t to last; noOpening if it has none.
func (l *leapfrog) first(k int32, t, last bookahead.Time) bookahead.Time {
	pools := l.pools[int(k)*l.wide : int(k+1)*l.wide]
	r := bookahead.Request{Ready: t, Deadline: last + bookahead.Time(l.duration), Duration: l.duration}
	agreed, i := 0, 0
	for r.Ready <= last {
		r.Units = l.each[l.wanted[i]]
		o, err := pools[l.wanted[i]].Search(r)
		if err != nil {
			return noOpening
		}
		if o.Start > r.Ready {
			r.Ready, agreed = o.Start, 0
		}
		agreed++
		if agreed == len(l.wanted) {
			return r.Ready
		}
		i++
		if i == len(l.wanted) {
			i = 0
		}
	}
	return noOpening
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
