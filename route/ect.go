package route

// ECT considers the computation only (ECT; Stevens et al., §5.1): to each cluster it
// knows one path, that with the smallest delay, and takes the cluster on which the task
// ends earliest, with what is booked of the links of that path. Of equals it takes the
// smallest delay. It returns bookahead.ErrUnavailable if the task does not end in time
// on any. O(C·h·k) for C clusters, h links of a path, and k runs of free slots of a
// link, and a search in each pool.
func (n *Network) ECT(t Task) (Plan, error) {
	j, err := n.job(t)
	if err != nil {
		return Plan{}, err
	}
	p, ok, err := n.ect(&j)
	if err != nil {
		return Plan{}, err
	}
	if !ok {
		return p.Effort.none()
	}
	return p, nil
}

// ect is ECT. Without a plan it says what it took.
func (n *Network) ect(j *job) (best Plan, found bool, err error) {
	var effort Effort
	for m := range n.clusters {
		p, ok, err := n.shortest(j, m, &effort)
		if err != nil {
			return Plan{}, false, err
		}
		if ok && (!found || p.Run.End < best.Run.End || p.Run.End == best.Run.End && p.Delay < best.Delay) {
			best, found = p, true
		}
	}
	best.Effort = effort
	return best, found, nil
}

// shortest plans the task for one cluster over the shortest path.
func (n *Network) shortest(j *job, m int, effort *Effort) (p Plan, ok bool, err error) {
	c := &n.clusters[m]
	if j.takes[m] == 0 || c.away[j.Source] == unreachable {
		return p, false, nil
	}
	var path []int
	starts, delay := n.fullRuns, int64(0)
	for v := j.Source; v != c.Node; v = n.links[c.via[v]].To {
		l := int(c.via[v])
		effort.Labels++
		starts = starts.Compose(n.runs[l], n.slot(delay))
		effort.Words += n.runWords(l)
		path = append(path, l)
		delay += int64(n.links[l].Delay)
	}
	start, arrival := j.ready, j.ready
	if len(path) > 0 {
		from := min(n.floor(j, delay), int64(n.config.Slots))
		if j.burst > int64(n.config.Slots) {
			return p, false, nil
		}
		at, ok := starts.NextRun(int(from), int(j.burst))
		if !ok {
			return p, false, nil
		}
		start, arrival = int64(at), int64(at)+j.burst+delay
	}
	run, ok, err := n.offer(j, m, arrival)
	if !ok {
		return p, false, err
	}
	return n.plan(j, m, path, delay, start, run), true, nil
}

// runWords is how many words the list of a link has.
func (n *Network) runWords(link int) int64 {
	words := int64(0)
	for range n.runs[link].All() {
		words += 2
	}
	return words
}
