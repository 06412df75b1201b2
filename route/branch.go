package route

import (
	"cmp"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/volume"
)

// EarliestTransfer returns the transfer over one path that costs least; without a Price it arrives first. It is exact, unless
// the Effort ends it: then it returns the best plan that it knows, with a Bound. (Several paths at once may carry the data
// earlier. They are not searched for.)
//
// Paths are made from the source on. For each, the search knows the units that all its links have free, and the least time in
// which these suffice: no path that goes on from there arrives earlier. It follows the paths in the order of these times, so
// the first one that has come to the end is the best:
//
//	S → A    2 2 2 2 2 2        4 units from S to T, as early as can be
//	A → T    1 1 1 1 1 1        S A      not before 2
//	S → B    3 . 3 3 3 3        S B      not before 3
//	B → T    1 4 4 4 4 4        S A T    4
//	                            S B T    3, the best: 1 at 0, and 3 at 2
//
// A path is dropped for another one to the same node, with the same delay, at least as many free units at all times, and no
// other nodes. Where no link has a delay, the nodes need not be compared, and few paths are left; otherwise the number of paths
// may be exponential in that of the nodes. A path takes O(k) time and 24 bytes for each of the k steps of its units, and is compared
// with all others to its node.
//
// The error is bookahead.ErrUnavailable if no path can carry the data in time, wraps bookahead.ErrStopped if the effort
// ends before a plan is known, and wraps bookahead.ErrInvalid if the transfer makes no sense. It is a query.
func (n *Network) EarliestTransfer(t Transfer) (TransferPlan, error) {
	err := n.checkTransfer(&t)
	if err != nil {
		return TransferPlan{}, err
	}
	m, err := meter(t.Effort)
	if err != nil {
		return TransferPlan{}, err
	}
	x := transferring{Network: n, Transfer: t, Meter: &m, steps: make([][]bookahead.Step, len(n.links)), at: make([][]int32, n.nodes)}
	x.closed = n.closed(&t.Avoid)
	x.away = n.reachOf(t.To, x.closed, &m).away
	x.queue.less = x.less
	x.Ready = max(x.Ready, n.now)
	x.alike = !slices.ContainsFunc(n.links, func(l Link) bool { return l.Delay > 0 })
	return x.search()
}

// transferring is a search for a transfer.
type transferring struct {
	*Network
	Transfer
	*effort.Meter
	closed []uint64
	away   []int64            // the least delay from each node to the end
	steps  [][]bookahead.Step // of each link that was looked at, from now on
	alike  bool               // no link has a delay
	made   []branch
	at     [][]int32 // the paths to each node that were not dropped
	queue  heap[int32]
}

// branch is a path from the source, or the end of one.
type branch struct {
	node, link int
	before     int32 // the path without the last link; -1 for none
	links      int
	delay      bookahead.Duration
	free       []bookahead.Step // what all links have, when the source sends
	bound      bookahead.Time   // no transfer over this path arrives earlier
	least      volume.Cost      // no transfer over this path costs less
	plan       *volume.Plan     // of a path to the end, once it is known
}

// less orders branches by their least cost, then by links, and then by age.
func (x *transferring) less(a, b int32) bool {
	v, w := &x.made[a], &x.made[b]
	return cmp.Or(v.least.Compare(w.least), cmp.Compare(v.links, w.links), cmp.Compare(a, b)) < 0
}

func (x *transferring) search() (TransferPlan, error) {
	w := bookahead.Interval{Start: x.Ready, End: x.now + bookahead.Time(x.config.Slots)}
	if x.Deadline != 0 {
		w.End = min(w.End, x.Deadline)
	}
	most := x.Most // units that no transfer may have make no path better than another
	if most == 0 {
		most = math.MaxInt64
	}
	if x.away[x.From] == unreachable || w.Empty() {
		if x.Stopped() {
			return TransferPlan{}, x.Err()
		}
		return TransferPlan{}, bookahead.ErrUnavailable
	}
	x.add(branch{node: x.From, link: -1, before: -1, free: []bookahead.Step{{Interval: w, Free: most}}})
	best := int32(-1)
	for x.queue.len() > 0 {
		i := x.queue.pop()
		if x.made[i].plan != nil {
			return x.planOf(i, x.made[i].least.Time(), false), nil
		}
		var err error
		if x.made[i].node == x.To {
			err = x.arrive(i)
			if x.made[i].plan != nil && (best < 0 || x.less(i, best)) {
				best = i
			}
		} else {
			err = x.follow(i)
		}
		if err != nil && best >= 0 { // no path that is left costs less than this one
			bound := x.CostOf(x.made[i].bound, 0)
			return x.planOf(best, bound.Time(), bound.Compare(x.made[best].least) < 0), nil
		}
		if err != nil {
			return TransferPlan{}, err
		}
	}
	return TransferPlan{}, bookahead.ErrUnavailable
}

// follow adds the paths that are a link longer.
func (x *transferring) follow(i int32) error {
	for _, l := range x.out.of(x.made[i].node) {
		v, link := &x.made[i], &x.links[l]
		if !x.Spend(1 + int64(v.links)) {
			return x.Err()
		}
		if x.closed != nil && marked(x.closed, int(l)) || x.away[link.To] == unreachable || x.passes(i, link.To) {
			continue
		}
		free, err := x.meet(v, int(l))
		if err != nil {
			return err
		}
		w := branch{node: link.To, link: int(l), before: i, links: v.links + 1, delay: v.delay + link.Delay, free: free}
		r, ok := x.sent(w.delay + bookahead.Duration(x.away[w.node]))
		if !ok {
			continue
		}
		r.Price, r.Stretches = 0, 0
		p, err := x.plan(free, r)
		if err == bookahead.ErrUnavailable {
			continue
		}
		if err != nil {
			return err
		}
		w.bound = p.Completion() + bookahead.Time(w.delay) + bookahead.Time(x.away[w.node])
		w.least = r.CostOf(w.bound, 0)
		beaten, err := x.beaten(&w)
		if err != nil {
			return err
		}
		if !beaten {
			x.add(w)
		}
	}
	return nil
}

func (x *transferring) add(w branch) {
	i := int32(len(x.made))
	x.made, x.at[w.node] = append(x.made, w), append(x.at[w.node], i)
	x.queue.grow(len(x.made))
	x.queue.push(i)
}

// arrive finds the plan of a path to the end, and puts the path back into the queue with its cost.
func (x *transferring) arrive(i int32) error {
	w := &x.made[i]
	r, _ := x.sent(w.delay)
	p, err := x.plan(w.free, r)
	if err == bookahead.ErrUnavailable {
		return nil
	}
	if err != nil {
		return err
	}
	w.plan, w.least = &p, r.CostOf(p.Completion()+bookahead.Time(w.delay), len(p.Stretches)-1)
	x.queue.push(i)
	if p.Bound < p.Cost {
		return x.Err()
	}
	return nil
}

// plan returns the plan for the units of a path, and counts its steps.
func (x *transferring) plan(free []bookahead.Step, r volume.Request) (volume.Plan, error) {
	if !x.Go(1) || x.Left() == 0 {
		return volume.Plan{}, x.Err()
	}
	p, err := volume.SearchSteps(slices.Values(free), r, x.Rest(1))
	if !x.Spend(p.Spent) && err == nil {
		err = x.Err()
	}
	return p, err
}

// sent returns the request of the source, if it sends over a path with a delay; false if that is too late.
func (x *transferring) sent(delay bookahead.Duration) (volume.Request, bool) {
	r := x.Transfer.Request
	if x.config.Wait {
		r.Ready += 2 * bookahead.Time(delay)
	}
	if r.Deadline != 0 {
		r.Deadline -= bookahead.Time(delay)
		return r, r.Deadline > r.Ready
	}
	return r, true
}

// passes reports whether a path comes by a node.
func (x *transferring) passes(i int32, node int) bool {
	for ; i >= 0; i = x.made[i].before {
		if x.made[i].node == node {
			return true
		}
	}
	return false
}

// meet returns the units that the links of a path and one more link have free, when the source sends.
func (x *transferring) meet(w *branch, link int) ([]bookahead.Step, error) {
	if x.steps[link] == nil {
		x.steps[link] = x.freeOn(link)
	}
	if !x.Spend(int64(len(x.steps[link]) + len(w.free))) {
		return nil, x.Err()
	}
	list := x.steps[link]
	if w.delay > 0 {
		list = slices.Clone(list)
		for k := range list {
			list[k].Start -= bookahead.Time(w.delay)
			list[k].End -= bookahead.Time(w.delay)
		}
	}
	return volume.Meet(w.free, list), nil
}

// freeOn returns the units that a link has free.
func (n *Network) freeOn(link int) []bookahead.Step {
	list := make([]bookahead.Step, 0)
	s := n.links[link].Schedule
	if s == nil {
		for r := range n.runs[link].All() {
			w := bookahead.Interval{Start: n.now + bookahead.Time(r.Start), End: n.now + bookahead.Time(r.End)}
			list = append(list, bookahead.Step{Interval: w, Free: 1})
		}
		return list
	}
	steps, _ := bookahead.Steps(s, bookahead.Interval{Start: n.now, End: n.now + bookahead.Time(n.config.Slots)}) // checked when it was adopted
	for x := range steps {
		if x.Free > 0 {
			list = append(list, x)
		}
	}
	return list
}

// beaten reports whether another path to the same node is as good as a new one, whatever comes behind.
func (x *transferring) beaten(w *branch) (bool, error) {
	for _, j := range x.at[w.node] {
		o := &x.made[j]
		if !x.Spend(int64(1 + len(o.free) + len(w.free))) {
			return false, x.Err()
		}
		if o.delay != w.delay || !coversUnits(o.free, w.free) {
			continue
		}
		if !x.alike && !x.Spend(int64(o.links)*int64(w.links)) {
			return false, x.Err()
		}
		if x.alike || x.addsNoNode(j, w) {
			return true, nil
		}
	}
	return false, nil
}

// addsNoNode reports whether a path has no other nodes than a new one.
func (x *transferring) addsNoNode(i int32, w *branch) bool {
	for ; i >= 0; i = x.made[i].before {
		if node := x.made[i].node; node != w.node && !x.passes(w.before, node) {
			return false
		}
	}
	return true
}

// coversUnits reports whether a has at least as many free units as b at all times.
func coversUnits(a, b []bookahead.Step) bool {
	for _, s := range b {
		for s.Start < s.End {
			for len(a) > 0 && a[0].End <= s.Start {
				a = a[1:]
			}
			if len(a) == 0 || a[0].Start > s.Start || a[0].Free < s.Free {
				return false
			}
			s.Start = a[0].End
		}
	}
	return true
}

// planOf returns the plan of a path, given a bound of all transfers.
func (x *transferring) planOf(i int32, bound bookahead.Time, cut bool) TransferPlan {
	w := &x.made[i]
	p := TransferPlan{Delay: w.delay, Send: *w.plan, Arrival: w.plan.Completion() + bookahead.Time(w.delay), Bound: min(bound, w.least.Time())}
	for v := w; v.link >= 0; v = &x.made[v.before] {
		p.Links = append(p.Links, v.link)
	}
	slices.Reverse(p.Links)
	p.Nodes = x.nodesOf(x.From, p.Links)
	p.Spent = Spent{Labels: int64(len(x.made)), Steps: x.Steps(), Cut: cut}
	return p
}
