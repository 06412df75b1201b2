package nodes

import (
	"cmp"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

// oracle is a machine with a cell for each node, resource and tick. An answer is read off the cells,
// tick by tick.
type oracle struct {
	c    Config
	deal string // the policy
	now  bookahead.Time
	last bookahead.ID
	live map[bookahead.ID]Reservation
	// naive makes it try each start, also where the cells say that it is not possible.
	naive bool
	cells
	changes
}

func newOracle(c Config, deal string) *oracle {
	o := &oracle{c: c.clone(), deal: deal, now: c.Origin, live: map[bookahead.ID]Reservation{}}
	o.born = len(c.Nodes)
	o.cells.base, o.cells.wide = c.Origin, len(c.Resources)
	o.stretch()
	return o
}

func (o *oracle) end() bookahead.Time {
	if o.c.Horizon == 0 {
		return bookahead.MaxTime
	}
	return o.now + bookahead.Time(o.c.Horizon)
}

// uses returns how much of a resource a reservation takes of a node: all of it if the reservation is exclusive.
func (o *oracle) uses(res Reservation, k, r int) int64 {
	n := int64(0)
	if res.Terms != nil && res.Terms.Exclusive {
		if onNode(res, k) {
			n = o.c.Nodes[k][r]
		}
		return n
	}
	for _, s := range res.Tasks {
		if s.Node == k {
			n += s.Tasks * res.Each[r]
		}
	}
	if res.Head == k {
		n += res.HeadTakes[r]
	}
	return n
}

// least is the least that is free of each resource on a node throughout w. The use of one reservation
// counts as free.
func (o *oracle) least(k int, w bookahead.Interval, own Reservation) Vector {
	v, cell := slices.Clone(o.c.Nodes[k]), make(Vector, len(o.c.Resources))
	for t := max(w.Start, o.now); t < w.End; t++ {
		o.row(k, t, own, cell)
		for r := range v {
			v[r] = min(v[r], cell[r])
		}
	}
	return v
}

// leastFor is least, but nothing is free for an exclusive request on a node that is not free as a whole.
func (o *oracle) leastFor(req Request, k int, w bookahead.Interval, own Reservation) Vector {
	v := o.least(k, w, own)
	if req.Exclusive && !slices.Equal(v, o.c.Nodes[k]) {
		clear(v)
	}
	return v
}

// fit returns how many tasks a vector holds, one after the other.
func (r Request) fit(v Vector) int64 {
	v = slices.Clone(v)
	n := int64(0)
	for r.PerNode == 0 || n < r.PerNode {
		if !takeOff(v, r.Each) {
			break
		}
		n++
	}
	return n
}

// takeOff takes a vector off another, if it has so much of each resource that is wanted.
func takeOff(v, want Vector) bool {
	for i := range v {
		if want[i] > 0 && v[i] < want[i] {
			return false
		}
	}
	for i := range v {
		v[i] -= want[i]
	}
	return true
}

// level returns a level by name, and whether there is one.
func (o *oracle) level(name string) (Level, bool) {
	i := slices.IndexFunc(o.c.Levels, func(l Level) bool { return l.Name == name })
	if i < 0 {
		return Level{}, false
	}
	return o.c.Levels[i], true
}

// valid reports whether the machine can make sense of a request.
func (o *oracle) valid(r Request) bool {
	_, within := o.level(r.Within)
	_, together := o.level(r.Together)
	_, bundled := o.level(r.Bundled)
	rank := func(name string) int {
		return slices.IndexFunc(o.c.Levels, func(l Level) bool { return l.Name == name })
	}
	_, set := o.c.Sets[r.Set]
	there := func(list []int) bool {
		return !slices.ContainsFunc(list, func(k int) bool { return k >= len(o.c.Nodes) })
	}
	return r.Validate() == nil && len(r.Each) == len(o.c.Resources) && (r.Head == nil || len(r.Head) == len(o.c.Resources)) &&
		(r.Within == "" || within) && (r.Together == "" || together) && (r.Bundled == "" || bundled) &&
		(r.Bundle == 0 || r.Together == "" || rank(r.Together) >= rank(r.Bundled)) && (r.Set == "" || set) && there(r.Nodes) && there(r.Except)
}

// allows reports whether a node may get tasks.
func (o *oracle) allows(r Request, k int) bool {
	return (r.Nodes == nil || slices.Contains(r.Nodes, k)) && (r.Set == "" || slices.Contains(o.c.Sets[r.Set], k)) && !slices.Contains(r.Except, k)
}

// parts are the lists of nodes, one of which takes all tasks.
func (o *oracle) parts(r Request) [][]int {
	all := []int{}
	for k := range o.c.Nodes {
		all = append(all, k)
	}
	parts := [][]int{all}
	if r.Within != "" {
		l, _ := o.level(r.Within)
		parts = l.Groups
	}
	var list [][]int
	for _, part := range parts {
		var allowed []int
		for _, k := range slices.Sorted(slices.Values(part)) {
			if o.allows(r, k) {
				allowed = append(allowed, k)
			}
		}
		list = append(list, allowed)
	}
	return list
}

// search tries one start after the other.
func (o *oracle) search(r Request, own bookahead.ID) (Offer, error) {
	if !o.valid(r) {
		return Offer{}, bookahead.ErrInvalid
	}
	d := bookahead.Time(r.Duration)
	last := o.end() - d
	if r.Deadline != 0 {
		last = min(last, r.Deadline-d)
	}
	parts := o.parts(r)
	ever := o.holdsEver(r, parts)
	if !ever && own == 0 { // a Rebook may keep its nodes, also those whose extension is over
		return Offer{}, ErrNever
	}
	from := max(r.Ready, o.now)
	for left := last - from + 1; left > 0; from, left = from+block, left-block {
		for i, ok := range o.possible(parts, r, from, int(min(block, left)), o.live[own]) {
			if !ok && !o.naive {
				continue
			}
			offer, found := o.at(r, from+bookahead.Time(i), own, false)
			if found && !ok {
				panic("the oracle passes over a start that will do")
			}
			if found {
				return o.patient(r, offer, last, own), nil
			}
		}
	}
	if !ever {
		return Offer{}, ErrNever
	}
	if !o.holdsWhileOpen(r, parts, max(r.Ready, o.now), last) {
		return Offer{}, ErrClosed
	}
	return Offer{}, bookahead.ErrUnavailable
}

// searchFor is SearchFor.
func (o *oracle) searchFor(id bookahead.ID, r Request) (Offer, error) {
	old, ok := o.live[id]
	if !ok {
		return Offer{}, bookahead.ErrNotFound
	}
	if old.Start > o.now {
		return o.search(r, id)
	}
	timeless := r
	timeless.Ready, timeless.Patience = -1<<63, 0
	d := bookahead.Time(r.Duration)
	if !o.valid(timeless) || d <= o.now-old.Start {
		return Offer{}, bookahead.ErrInvalid
	}
	if d > o.end()-old.Start || r.Deadline != 0 && r.Deadline-d < old.Start {
		return Offer{}, bookahead.ErrUnavailable
	}
	offer, ok := o.at(r, old.Start, id, true)
	if !ok {
		return Offer{}, bookahead.ErrUnavailable
	}
	return offer, nil
}

// booked is the reservation of an offer for a request: all that was asked for is remembered, but the times.
func (r Request) booked(id bookahead.ID, x Offer) Reservation {
	res := Reservation{ID: id, Offer: x, Each: slices.Clone(r.Each), HeadTakes: slices.Clone(r.Head)}
	if r.PerNode == 0 && r.Nodes == nil && r.Set == "" && len(r.Except) == 0 && r.Within == "" && r.Together == "" && !r.Exclusive && r.Bundle == 0 {
		return res
	}
	ascending := func(list []int) []int {
		list = slices.Clone(list)
		slices.Sort(list)
		return list
	}
	res.Terms = &Terms{PerNode: r.PerNode, Nodes: ascending(r.Nodes), Set: r.Set, Within: r.Within, Together: r.Together, Exclusive: r.Exclusive, Bundle: r.Bundle, Bundled: r.Bundled}
	if len(r.Except) > 0 {
		res.Terms.Except = ascending(r.Except)
	}
	return res
}

func (o *oracle) reserve(r Request) (Reservation, error) {
	offer, err := o.search(r, 0)
	if err != nil {
		return Reservation{}, err
	}
	o.last++
	o.book(r.booked(o.last, offer))
	return o.live[o.last], nil
}

func (o *oracle) rebook(id bookahead.ID, r Request) (Reservation, error) {
	offer, err := o.searchFor(id, r)
	if err != nil {
		return Reservation{}, err
	}
	o.drop(id)
	o.book(r.booked(id, offer))
	return o.live[id], nil
}

// swap places the tasks of a node anew at the same time, and counts the others as running.
func (o *oracle) swap(id bookahead.ID, node int) (Reservation, error) {
	old, ok := o.live[id]
	switch {
	case !ok:
		return Reservation{}, bookahead.ErrNotFound
	case node < 0 || !onNode(old, node):
		return Reservation{}, bookahead.ErrInvalid
	}
	if !o.swapped(old, []int{node}) {
		return Reservation{}, bookahead.ErrUnavailable
	}
	return o.live[id], nil
}

// swapped books a reservation, which may be booked, with nothing on some nodes and its other tasks where they are.
func (o *oracle) swapped(old Reservation, gone []int) bool {
	was := o.drop(old.ID)
	stay := staying(old, gone)
	r := anew(old, old.Start)
	r.Except = slices.Concat(r.Except, gone)
	slices.Sort(r.Except)
	r.Except = slices.Compact(r.Except)
	o.book(stay)
	offer, ok := o.at(r, old.Start, old.ID, true)
	o.drop(old.ID)
	if ok {
		res := old
		res.Offer = offer
		o.book(res)
	} else if was {
		o.book(old)
	}
	return ok
}

// staying returns a reservation without its tasks on some nodes.
func staying(old Reservation, gone []int) Reservation {
	stay := old
	stay.Tasks = slices.DeleteFunc(slices.Clone(old.Tasks), func(s Share) bool { return slices.Contains(gone, s.Node) })
	if slices.Contains(gone, stay.Head) {
		stay.Head = -1
	}
	return stay
}

func (o *oracle) advance(now bookahead.Time) error {
	if now < o.now || now > bookahead.MaxTime-bookahead.Time(o.c.Horizon) {
		return bookahead.ErrInvalid
	}
	o.now = now
	maps.DeleteFunc(o.live, func(_ bookahead.ID, res Reservation) bool { return res.End <= now })
	o.closures = slices.DeleteFunc(o.closures, func(c bookahead.Closure) bool { return c.End <= now })
	o.stretch()
	return nil
}

func (o *oracle) on(w bookahead.Interval, nodes []int) []Reservation {
	var list []Reservation
	for _, res := range o.live {
		held := nodes == nil || slices.ContainsFunc(nodes, func(k int) bool {
			return k >= 0 && k < len(o.c.Nodes) && slices.ContainsFunc(o.c.Resources, func(name string) bool {
				return o.uses(res, k, slices.Index(o.c.Resources, name)) > 0
			})
		})
		if held && res.Overlaps(w) {
			list = append(list, res)
		}
	}
	slices.SortFunc(list, func(a, b Reservation) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID)) })
	return list
}
