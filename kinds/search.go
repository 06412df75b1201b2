package kinds

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// Search returns the earliest place for all kinds, and books nothing.
//
// A step of the Effort is a look at a node, or at a state or a pattern of the search for a place at one start; a search of the
// machine counts as 16 steps, a state that is kept as 32, and a pattern as 64: a state takes about 80 bytes, and a pattern 64. A
// start at which half of the steps that are left do not tell is passed over. Then the Bound of the answer is no later than this
// start.
//
// The error wraps bookahead.ErrUnavailable if there is no place: nodes.ErrNever and nodes.ErrClosed say more. It wraps
// bookahead.ErrStopped if the effort ends before a place is found, or if starts were passed over and no later one has a place;
// and bookahead.ErrInvalid if the request makes no sense for the machine. It is a query.
func Search(m *nodes.Machine, r Request, e bookahead.Effort) (Offer, error) {
	x, err := begin(m, r, e)
	if err != nil {
		return Offer{}, err
	}
	return x.earliest()
}

// search is a search under way.
type search struct {
	effort.Meter
	Request
	machine *nodes.Machine
	config  nodes.Config
	needs   []nodes.Request // each has a place wherever all kinds have one; those of the kinds come first
	order   []int           // the kinds, the largest tasks first
	matters []bool          // the resources of which a kind takes anything
	starts  bookahead.Interval
	store   store
}

// begin checks a request, and returns its search. The error is that of the first kind that alone has no place.
func begin(m *nodes.Machine, r Request, e bookahead.Effort) (*search, error) {
	err := r.Validate()
	if err != nil {
		return nil, err
	}
	meter, err := effort.New(e)
	if err != nil {
		return nil, err
	}
	x := &search{Meter: meter, Request: r, machine: m, config: m.Config()}
	if !known(x.config.Levels, r.Within) {
		return nil, limits.Invalid("Request.Within", r.Within, "is no level of the machine")
	}
	x.Kinds = slices.Clone(r.Kinds)
	for i := range x.Kinds {
		if !known(x.config.Levels, x.Kinds[i].Within) {
			return nil, limits.Invalid(fmt.Sprintf("Request.Kinds[%d].Within", i), x.Kinds[i].Within, "is no level of the machine")
		}
		x.narrow(&x.Kinds[i])
		_, err := m.Search(x.kind(i, r.Ready, r.Deadline))
		if err != nil {
			return nil, x.about(i, err)
		}
		x.needs = append(x.needs, x.kind(i, 0, 0))
		x.order = append(x.order, i)
	}
	w := m.Frame().Between(r.Ready, r.Deadline)
	x.starts = bookahead.Interval{Start: w.Start, End: w.End - bookahead.Time(r.Duration) + 1} // not empty: kinds have places
	x.volumes()
	slices.SortStableFunc(x.order, func(i, j int) int { return cmp.Compare(x.most(i), x.most(j)) })
	x.store = newStore(&x.Request, x.config)
	return x, nil
}

// narrow makes a kind lie in one group of its own level and of the request's: in one of the finer level, on nodes that are in a
// group of the other.
func (x *search) narrow(k *nodes.Request) {
	own := k.Within
	k.Within = finer(x.config.Levels, own, x.Within)
	for _, l := range x.config.Levels {
		in := slices.Concat(l.Groups...)
		if (l.Name == own || l.Name == x.Within) && l.Name != k.Within && len(in) < len(x.config.Nodes) {
			k.Nodes = both(k.Nodes, in)
		}
	}
}

// volumes adds to the needs the amount of each resource that all kinds take together, in units that divide what any task
// takes:
//
//	4 tasks of 6 cores, 2 tasks of 4 cores      16 units of 2 cores
func (x *search) volumes() {
	x.matters = make([]bool, len(x.config.Resources))
	for r := range x.matters {
		unit, takers := int64(0), 0
		for _, k := range x.Kinds {
			if k.Each[r] > 0 {
				unit, takers = gcd(unit, k.Each[r]), takers+1
			}
			x.matters[r] = x.matters[r] || k.Each[r] > 0 || k.Exclusive
		}
		if takers < 2 {
			continue
		}
		need := nodes.Request{Duration: x.Duration, Each: make(nodes.Vector, len(x.matters)), Within: x.Within}
		need.Each[r] = unit
		for _, k := range x.Kinds {
			n := k.Tasks * (k.Each[r] / unit) // no overflow: the kind has room alone
			need.Tasks += min(n, math.MaxInt64-need.Tasks)
		}
		x.needs = append(x.needs, need)
	}
}

func gcd(a, b int64) int64 {
	for a != 0 {
		a, b = b%a, a
	}
	return b
}

// most returns how many tasks of the size of a kind the empty node holds that holds the most.
func (x *search) most(i int) (n int64) {
	size := nodes.Request{Tasks: math.MaxInt64, Each: x.Kinds[i].Each}
	for _, given := range x.config.Nodes {
		n = max(n, fit(&size, given))
	}
	return n
}

// earliest tries one start after the other at which all needs have a place:
//
//	4 workers        ░░░░░██████████████████████████       start where each kind alone has room
//	2 servers        ██████████░░░░░░░░█████████████
//	both at 12       no: tried                              then where more is free on a node
//	both at 20       yes
func (x *search) earliest() (Offer, error) {
	t := x.starts.Start
	bound, passed := t, false
	for first := true; ; first = false {
		at, err := x.allNeeds(t)
		if err != nil {
			return Offer{}, x.none(passed, err)
		}
		t = at
		if !passed {
			bound = t
		}
		w := bookahead.Interval{Start: t, End: t + bookahead.Time(x.Duration)}
		tasks, sure := x.place(w)
		if tasks != nil {
			return Offer{Interval: w, Tasks: tasks, Bound: bound}, nil
		}
		passed = passed || !sure
		if first && x.never() {
			return Offer{}, nodes.ErrNever
		}
		next, ok := x.next(t)
		if !ok {
			return Offer{}, x.none(passed, bookahead.ErrUnavailable)
		}
		t = next
	}
}

// none returns the error of a search without a place, which is err unless a start was passed over or the effort has ended.
func (x *search) none(passed bool, err error) error {
	if passed || x.Stopped() {
		return x.Err()
	}
	return err
}

// allNeeds returns the first start from t on at which each need has a place. The error is that of the need that has none. A
// need that closures alone keep out from t on may be kept out by bookings before t, so that a Release may help after all.
func (x *search) allNeeds(t bookahead.Time) (bookahead.Time, error) {
	for agree, i := 0, 0; agree < len(x.needs); i = (i + 1) % len(x.needs) {
		if !x.Go(16) || !x.starts.Contains(t) {
			return 0, bookahead.ErrUnavailable
		}
		need := x.needs[i]
		need.Ready, need.Deadline = t, x.Deadline
		o, err := x.machine.Search(need)
		switch {
		case err == nodes.ErrClosed && t > x.starts.Start:
			return 0, bookahead.ErrUnavailable
		case err != nil:
			return 0, err
		case o.Start == t:
			agree++
		default:
			agree, t = 1, o.Start
		}
	}
	return t, nil
}

// next returns the first start after t at which more is free on a node than at t. Between them the windows leave nothing
// behind that was scarcer than what follows:
//
//	free      4   2      5        a window that starts between 4 and 2 has no more than one at 4
//	start     t          next
func (x *search) next(t bookahead.Time) (bookahead.Time, bool) {
	next := x.starts.End
	for k := range x.config.Nodes {
		if !x.Go(1) {
			return 0, false
		}
		var before nodes.Vector
		for w, free := range x.machine.Free(k, bookahead.Interval{Start: t, End: next}) {
			if before != nil && x.rises(before, free) {
				next = w.Start
				break
			}
			before = free
		}
	}
	return next, next < x.starts.End
}

// rises reports whether more of a resource is free than before, of which a kind takes anything.
func (x *search) rises(before, free nodes.Vector) bool {
	for r, matters := range x.matters {
		if matters && free[r] > before[r] {
			return true
		}
	}
	return false
}

// place returns a place for all kinds in a window, if there is one, and whether the answer is known.
func (x *search) place(w bookahead.Interval) (tasks [][]nodes.Share, known bool) {
	tasks, ok := x.inTurn(w)
	if ok {
		return tasks, true
	}
	free := make([]nodes.Vector, len(x.config.Nodes))
	for k := range free {
		if !x.Go(1) {
			return nil, false
		}
		for _, v := range x.machine.Free(k, w) {
			if free[k] == nil {
				free[k] = v
			}
			for r := range v {
				free[k][r] = min(free[k][r], v[r])
			}
		}
	}
	return x.pack(free)
}

// never reports whether all kinds have no room although all nodes are open and free.
func (x *search) never() bool {
	tasks, known := x.pack(x.config.Nodes)
	return tasks == nil && known
}

// pack looks for a place on nodes with some free amounts, with half of the steps that are left.
func (x *search) pack(free []nodes.Vector) ([][]nodes.Share, bool) {
	part := x.Part(x.Left() / 2)
	tasks, known := x.store.pack(free, &part)
	x.Add(&part)
	return tasks, known
}

// inTurn books one kind after the other on a clone, as the policy of the machine chooses, the largest tasks first. If it finds a
// place for all, no further search is needed; otherwise there may be one all the same.
func (x *search) inTurn(w bookahead.Interval) ([][]nodes.Share, bool) {
	if !x.Spend(int64(len(x.config.Nodes))) {
		return nil, false
	}
	m := x.machine.Clone()
	tasks := make([][]nodes.Share, len(x.Kinds))
	var group []int // of the request's level, in which the first kind lies
	for _, i := range x.order {
		r := x.kind(i, w.Start, w.End)
		if group != nil {
			r.Nodes = both(r.Nodes, group)
		}
		res, err := m.Reserve(r)
		if err != nil {
			return nil, false
		}
		tasks[i] = res.Tasks
		if x.Within != "" {
			group = x.store.groupOf(x.Within, res.Tasks[0].Node)
		}
	}
	return tasks, true
}

// both returns the nodes that are in both of two lists; nil stands for all in the first. O((a + b) log b) for a and b nodes.
func both(some, in []int) []int {
	list := append([]int{}, in...) // not nil, also if it is empty
	slices.Sort(list)
	if some == nil {
		return list
	}
	return slices.DeleteFunc(slices.Clone(some), func(k int) bool {
		_, ok := slices.BinarySearch(list, k)
		return !ok
	})
}
