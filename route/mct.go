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
	// Ready is Ŵ(p, b): the ticks, from now on, in which the cluster has the
	// CPUs, and the data can be there. There are no more than avail.MaxSlots; Run
	// may lie behind them.
	Ready *avail.Runs
	// Send, Arrival and Run are those of a Plan.
	Send    bookahead.Interval
	Arrival bookahead.Time
	Run     bookahead.Interval

	takes bookahead.Duration // for which the cluster works
	label int32
	value float64 // of the objective, if there is one
}

// Covers implements Coverer by Eq. (5), of which it is the "at least as good":
// the smaller delay, and all the slots of path and cluster; and neither must the
// work take longer, nor the data arrive later, nor the work end later, which beyond
// the ticks of Ready does not follow (see Deviations).
func (c *Candidate) Covers(o *Candidate) bool {
	return c.Delay <= o.Delay && c.takes <= o.takes && c.Arrival <= o.Arrival &&
		(o.late() || !c.late() && c.Run.End <= o.Run.End) &&
		c.Path.Covers(o.Path) && c.Ready.Covers(o.Ready)
}

// Objective is what to minimise, f of §4.4. It must be monotone: a candidate that
// Covers another has no greater value. It must not change the candidate. A value may be
// infinite; NaN cannot be compared, and the error then wraps bookahead.ErrInvalid.
type Objective func(*Candidate) float64

// less is an order of candidates, for phase 3.
type less func(a, b *Candidate) bool

// order values the candidates, and returns their order by the objective: those that are
// late are behind all others.
func (f Objective) order(pairs []*Candidate) (less, error) {
	better := func(a, b *Candidate) bool { return a.Run.End < b.Run.End }
	if f != nil {
		better = func(a, b *Candidate) bool { return a.value < b.value }
		for _, c := range pairs {
			if c.late() {
				continue
			}
			c.value = f(c)
			if math.IsNaN(c.value) {
				return nil, invalid("Objective", c.value, "is not a number")
			}
		}
	}
	return func(a, b *Candidate) bool {
		if a.late() || b.late() {
			return b.late() && !a.late()
		}
		return better(a, b)
	}, nil
}

// MCT returns the best plan for a task: the least of f, or of the completion time
// if f is nil; of equals the one with the smallest delay, then with the fewest
// links. It goes the way of the paper (§4.4): all non-dominated paths, all
// non-dominated pairs of path and cluster, the best of them. It is exact over all
// paths without loops, and their number may be exponential in that of the nodes;
// Earliest finds the earliest completion without listing them.
// It returns bookahead.ErrUnavailable if no plan ends in time.
// O(P·(d·S/64 + P·S/64)) for P paths, d links of a node and S slots, and a search in
// a pool for each pair of path and cluster.
func (n *Network) MCT(t Task, f Objective) (Plan, error) {
	return n.multicost(t, exact, f.order)
}

// MCTPrinted is MCT with the domination of Eq. (3) in phase 1, as printed. It
// finds fewer paths, and may miss the best (see Deviations). Its cost is that of MCT,
// with these paths.
func (n *Network) MCTPrinted(t Task, f Objective) (Plan, error) {
	return n.multicost(t, printed, f.order)
}

// Candidates returns PM_n-d, the non-dominated pairs of path and cluster on which
// the task ends in time, by cluster and then by delay: what MCT chooses from.
// Its cost is that of MCT: the paths may be exponentially many.
func (n *Network) Candidates(t Task) ([]*Candidate, error) {
	j, err := n.job(t)
	if err != nil {
		return nil, err
	}
	pairs, err := n.grow(&j, exact).pairs()
	return slices.DeleteFunc(pairs, (*Candidate).late), err
}

// late reports whether the task does not end in time.
func (c *Candidate) late() bool { return c.Run.Empty() }

// multicost is the three phases.
func (n *Network) multicost(t Task, superfluous pruning, order func([]*Candidate) (less, error)) (Plan, error) {
	j, err := n.job(t)
	if err != nil {
		return Plan{}, err
	}
	tree := n.grow(&j, superfluous)
	pairs, err := tree.pairs()
	if err != nil {
		return Plan{}, err
	}
	better, err := order(pairs)
	if err != nil {
		return Plan{}, err
	}
	best := choose(pairs, better)
	if best == nil || best.late() {
		return tree.effort.none()
	}
	p := n.plan(&j, best.Cluster, tree.links(best.label), int64(best.Delay), int64(best.Send.Start-n.now), best.Run)
	p.Effort = tree.effort
	return p, nil
}

// choose is phase 3.
func choose(pairs []*Candidate, better less) *Candidate {
	var best *Candidate
	for _, c := range pairs {
		switch {
		case best == nil || better(c, best):
			best = c
		case better(best, c):
		case c.Delay < best.Delay || c.Delay == best.Delay && c.Hops < best.Hops:
			best = c
		}
	}
	return best
}

// pairs is phase 2.
func (t *tree) pairs() ([]*Candidate, error) {
	n, j := t.n, t.j
	var front Frontier[*Candidate, struct{}]
	for m := range n.clusters {
		if j.takes[m] == 0 {
			continue
		}
		free, err := n.ready(m, j)
		if err != nil {
			return nil, err
		}
		for _, x := range t.at[n.clusters[m].Node] {
			c, err := t.pair(m, free, x)
			if err != nil {
				return nil, err
			}
			if c != nil {
				t.effort.Words += int64(front.Len()) * int64(n.config.Slots+63) / 64
				front.Insert(c, struct{}{})
			}
		}
	}
	return front.costs, nil
}

// pair returns path x with cluster m, or nil if the data does not arrive in time.
// Its Run is empty if the task does not end in time.
func (t *tree) pair(m int, free *avail.Runs, x int32) (*Candidate, error) {
	n, j, l := t.n, t.j, &t.labels[x]
	start, arrival := j.ready, j.ready
	if l.hops > 0 {
		var ok bool
		if start, ok = t.sends(l); !ok {
			return nil, nil
		}
		arrival = start + j.burst + l.delay
	}
	run, _, err := n.offer(j, m, arrival)
	if err != nil {
		return nil, err
	}
	p := n.plan(j, m, make([]int, l.hops), l.delay, start, run)
	return &Candidate{
		Cluster: m, Delay: p.Delay, Hops: int(l.hops), Path: l.starts, Ready: free.Mask(int(min(arrival, int64(free.Len())))),
		takes: bookahead.Duration(j.takes[m]), Send: p.Send, Arrival: p.Arrival, Run: run, label: x,
	}, nil
}

// ready returns Ŵ of a cluster till the deadline, or as far as a list of runs goes:
// it is what candidates are compared by, and no limit to when the task runs.
func (n *Network) ready(m int, j *job) (*avail.Runs, error) {
	axis := avail.Axis{Origin: n.now, Width: 1, Slots: int(min(max(j.end, 0), avail.MaxSlots))}
	if axis.Slots == 0 {
		return &avail.Runs{}, nil
	}
	w, err := axis.Window()
	if err != nil {
		return nil, err
	}
	blocks, _ := bookahead.Blocks(n.clusters[m].Pool, w) // checked when it was adopted
	return avail.DiscretiseRuns(blocks, axis, j.CPUs)
}
