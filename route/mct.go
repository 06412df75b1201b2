package route

import "slices"

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
