package route

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
)

// Candidate is a path with a cluster at its end, and when a task could use them
// at the earliest: an element of PM_n-d (Stevens et al., §4.4).
type Candidate struct {
	Cluster int
	Delay   bookahead.Duration // of the path, in ticks
	Hops    int                // links of the path
	// Path is the vector of the path, Eq. (2): the slots, from now on, in which
	// the source may send.
	Path *avail.Vector
	// Send, Arrival and Run are those of a Plan.
	Send    bookahead.Interval
	Arrival bookahead.Time
	Run     bookahead.Interval

	free  *avail.Runs        // when the cluster has the CPUs, for all paths to it
	from  int                // the tick of free at which the data can be there
	takes bookahead.Duration // for which the cluster works
	label int32
	value float64 // of the objective, if there is one
}

// Ready returns Ŵ(p, b): the ticks, from now on, in which the cluster has the CPUs and the data
// can be there. Ready has at most avail.MaxSlots ticks, and Run may lie behind them. The list is the
// caller's. O(k) for k runs.
func (c *Candidate) Ready() *avail.Runs { return c.free.Mask(c.from) }

// Covers implements Coverer by Eq. (5), as "at least as good": no greater delay, and all
// the slots of path and cluster. Besides, the work takes no longer, the data arrives no later,
// and the work ends no later. Behind the ticks of Ready the last three do not follow from
// Eq. (5) (see Deviations).
func (c *Candidate) Covers(o *Candidate) bool {
	return c.sooner(o) && c.Ready().Covers(o.Ready())
}

// sooner is Covers without Ready.
func (c *Candidate) sooner(o *Candidate) bool {
	return c.Delay <= o.Delay && c.takes <= o.takes && c.Arrival <= o.Arrival &&
		(o.late() || !c.late() && c.Run.End <= o.Run.End) && c.Path.Covers(o.Path)
}

// Objective is the function f of §4.4, whose least value is the best. It must be monotone: a
// candidate that Covers another has no greater value. It must not change the candidate. A value
// may be infinite. NaN cannot be compared, and the error wraps bookahead.ErrInvalid.
type Objective func(*Candidate) float64

// judge says which of two candidates is better, for phase 3.
type judge struct {
	value  func(*Candidate) error // writes Candidate.value; nil if it is not needed
	better func(a, b *Candidate) bool
}

var (
	byEnd = judge{better: inTime(func(a, b *Candidate) bool { return a.Run.End < b.Run.End })}
	// byArrival is the order of MC-B, which does not look at the end of the work.
	byArrival = judge{better: func(a, b *Candidate) bool { return a.Arrival < b.Arrival }}
)

// inTime puts late candidates behind all others.
func inTime(better func(a, b *Candidate) bool) func(a, b *Candidate) bool {
	return func(a, b *Candidate) bool {
		if a.late() || b.late() {
			return b.late() && !a.late()
		}
		return better(a, b)
	}
}

// judge returns the order by the objective.
func (f Objective) judge() judge {
	if f == nil {
		return byEnd
	}
	return judge{
		value: func(c *Candidate) error {
			if c.late() {
				return nil
			}
			c.value = f(c)
			if math.IsNaN(c.value) {
				return invalid("Objective", c.value, "is not a number")
			}
			return nil
		},
		better: inTime(func(a, b *Candidate) bool { return a.value < b.value }),
	}
}

// pick returns the better of two candidates: of equals the one with the smaller delay, then the
// one with fewer links, then a. a may be nil.
func (j judge) pick(a, b *Candidate) *Candidate {
	switch {
	case a == nil || j.better(b, a):
		return b
	case j.better(a, b):
		return a
	case b.Delay < a.Delay || b.Delay == a.Delay && b.Hops < a.Hops:
		return b
	}
	return a
}

// MCT returns the best plan for a task: the plan with the least f, or the least completion
// time if f is nil. Of equals it returns the plan with the smallest delay, then of the
// non-dominated paths that with the fewest links: a path with more links may dominate, since it
// is free at more times. It goes the way of the paper (§4.4): all non-dominated paths, all
// non-dominated pairs of path and cluster, and the best pair. MCT is exact over all paths without
// loops, and their number may be exponential in the number of nodes. Earliest finds the earliest
// completion without a list of paths.
//
// The error is bookahead.ErrUnavailable if no plan ends in time. A search that its Effort stops
// returns the best pair that it has seen, with Spent.Cut, or bookahead.ErrStopped if it has seen
// none. O(P·(d·S/64 + P·S/64)) for P paths, d links of a node and S slots, and a search in
// a pool for each pair of path and cluster.
func (n *Network) MCT(t Task, f Objective) (Plan, error) {
	p, err := n.list(t, exact, f.judge())
	if err == nil && f == nil && !p.Spent.Cut {
		p.Bound = p.Run.End
	}
	return p, err
}

// MCTPrinted is MCT with the domination of Eq. (3) in phase 1, as printed. It
// finds fewer paths, and may miss the best (see Deviations). Its cost is that of MCT for
// these paths.
func (n *Network) MCTPrinted(t Task, f Objective) (Plan, error) {
	return n.list(t, printed, f.judge())
}

// Candidates returns PM_n-d, the non-dominated pairs of path and cluster on which
// the task ends in time, by cluster and then by delay. MCT chooses one of these pairs.
// The cost is that of MCT: the paths may be exponentially many. The error is
// bookahead.ErrStopped if Task.Effort does not suffice for all pairs.
func (n *Network) Candidates(t Task) ([]*Candidate, error) {
	j, err := n.job(t)
	if err != nil {
		return nil, err
	}
	pairs, err := n.grow(j, exact, judge{better: byEnd.better}).front()
	switch {
	case err != nil:
		return nil, err
	case j.meter.Stopped():
		return nil, j.meter.Err()
	}
	return slices.DeleteFunc(pairs, (*Candidate).late), nil
}

// late reports whether the task does not end in time.
func (c *Candidate) late() bool { return c.Run.Empty() }

// list is a multi-cost algorithm, by its pruning and its order.
func (n *Network) list(t Task, by pruning, order judge) (Plan, error) {
	j, err := n.job(t)
	if err != nil {
		return Plan{}, err
	}
	return n.listed(j, by, order)
}

// listed is list for a job.
func (n *Network) listed(j *job, by pruning, order judge) (Plan, error) {
	p, ok, err := n.multicost(j, by, order)
	switch {
	case err != nil:
		return Plan{}, err
	case !ok:
		return j.none()
	}
	return n.found(j, p), nil
}

// multicost is the three phases. If the meter stops it, the plan is that of the best pair so far.
func (n *Network) multicost(j *job, by pruning, order judge) (p Plan, ok bool, err error) {
	tree := n.grow(j, by, order)
	pairs, err := tree.front()
	if err != nil {
		return p, false, err
	}
	best := tree.best
	if !j.meter.Stopped() {
		best = nil
		for _, c := range pairs {
			best = order.pick(best, c)
		}
	}
	if best == nil || best.late() {
		return p, false, nil
	}
	p = n.plan(j, best.Cluster, best.Hops > 0, int64(best.Delay), int64(best.Send.Start-n.now), best.Run)
	p.Links = tree.links(best.label)
	return p, true, nil
}

// meet begins phase 2: it pairs a path that has come to its node with the clusters there.
func (t *tree) meet(x int32) error {
	n, j := t.n, t.j
	for _, m := range t.clusters[t.labels[x].node] {
		free, err := t.ready.of(n, j, m)
		if err != nil {
			return err
		}
		c, err := t.pair(m, free, x)
		if err != nil {
			return err
		}
		if c == nil {
			continue
		}
		if t.order.value != nil {
			if err := t.order.value(c); err != nil {
				return err
			}
		}
		t.pairs[m] = append(t.pairs[m], c)
		t.best = t.order.pick(t.best, c)
	}
	return nil
}

// front is the rest of phase 2: the pairs that no other pair makes superfluous. If the meter
// stops it, the list is incomplete, and nobody reads it.
func (t *tree) front() ([]*Candidate, error) {
	var front Frontier[*Candidate, struct{}]
	words := int64(t.n.config.Slots+63) / 64
	covers := func(a, b *Candidate) bool { return a.sooner(b) && t.ready.covers(t.j, a, b) }
	for _, pairs := range t.pairs {
		for _, c := range pairs {
			t.j.effort.Words += int64(front.Len()) * words
			covered := slices.ContainsFunc(front.costs, func(have *Candidate) bool {
				return !grant(&t.j.meter, 1+words/wordsPerStep) || covers(have, c)
			})
			if covered {
				continue
			}
			front.prune(func(have *Candidate, _ struct{}) bool {
				return !grant(&t.j.meter, 1+words/wordsPerStep) || !covers(c, have)
			})
			front.costs, front.values = append(front.costs, c), append(front.values, struct{}{})
		}
	}
	return front.costs, t.err
}

// pair returns path x with cluster m, or nil if the data does not arrive in time.
// The Run of the pair is empty if the task does not end in time.
func (t *tree) pair(m int, free *avail.Runs, x int32) (*Candidate, error) {
	n, j, l := t.n, t.j, &t.labels[x]
	start, arrival := j.ready, j.ready
	if l.hops > 0 {
		first, ok := t.sends(l)
		if !ok {
			return nil, nil
		}
		start, arrival = first, first+j.burst+l.delay
	}
	run, _, err := n.offer(j, m, arrival)
	if err != nil {
		return nil, err
	}
	p := n.plan(j, m, l.hops > 0, l.delay, start, run)
	return &Candidate{
		Cluster: m, Delay: p.Delay, Hops: int(l.hops), Path: l.starts,
		free: free, from: int(min(arrival, int64(free.Len()))), takes: bookahead.Duration(j.takes[m]), Send: p.Send, Arrival: p.Arrival, Run: run, label: x,
	}, nil
}
