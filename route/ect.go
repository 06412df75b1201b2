package route

import "github.com/bookahead/bookahead/avail"

// ECT considers the computation only (ECT; Stevens et al., §5.1). To each cluster it
// knows one path, the path with the smallest delay, and the bookings of its links. It takes the
// cluster on which the task ends earliest, and of equal ends the smallest delay. It returns
// bookahead.ErrUnavailable if the task ends in time on no cluster. O(C·h·k) for C clusters, h
// links of a path, and k runs of free slots of a link, and a search in each pool. If Task.Avoid
// names a link or a node, O(C·E log N) besides, for the shortest paths of the rest.
func (n *Network) ECT(t Task) (Plan, error) {
	var j job
	if err := n.prepare(&j, t); err != nil {
		return Plan{}, err
	}
	p, ok, err := n.ect(&j)
	if err != nil {
		return Plan{}, err
	}
	if !ok {
		return j.none()
	}
	return n.found(&j, p), nil
}

// ect is ECT, for as many clusters as the meter allows.
func (n *Network) ect(j *job) (best Plan, found bool, err error) {
	var room sendings
	for m := range n.clusters {
		p, ok, err := n.shortest(j, m, &room)
		if err != nil {
			return Plan{}, false, err
		}
		if ok && (!found || p.Run.End < best.Run.End || p.Run.End == best.Run.End && p.Delay < best.Delay) {
			best, found = p, true
		}
	}
	if found {
		best.Links, best.Nodes = n.way(j, best.Cluster)
	}
	return best, found, nil
}

// sendings is room for two lists: when the source may send over a path, and over the path that
// is longer by a link.
type sendings [2]*avail.Runs

// way returns the links and the nodes of the shortest path to a cluster.
func (n *Network) way(j *job, m int) (links, nodes []int) {
	to, via, hops := n.clusters[m].Node, n.reach(j, m).via, 0
	for v := j.Source; v != to; v = int(n.to[via[v]]) {
		hops++
	}
	room := make([]int, 2*hops+1)
	links, nodes = room[:hops:hops], room[hops:]
	nodes[0] = j.Source
	for i := range links {
		links[i] = int(via[nodes[i]])
		nodes[i+1] = int(n.to[links[i]])
	}
	return links, nodes
}

// shortest plans the task for one cluster over the shortest path. The links of the best plan
// are named later, by way.
func (n *Network) shortest(j *job, m int, room *sendings) (p Plan, ok bool, err error) {
	to, c := n.clusters[m].Node, n.reach(j, m)
	if j.takes[m] == 0 || j.meter.Stopped() || c.away[j.Source] == unreachable {
		return p, false, nil
	}
	starts, delay, hops := n.fullRuns, int64(0), 0
	for v := j.Source; v != to; v = n.links[c.via[v]].To {
		l := int(c.via[v])
		j.effort.Labels++
		if !j.words(n.runWords(l)) {
			return p, false, nil
		}
		longer := &room[hops%2]
		if *longer == nil {
			*longer, _ = avail.NewRuns(n.config.Slots) // New has checked their number
		}
		starts.ComposeTo(*longer, n.runs[l], n.slot(delay))
		starts = *longer
		hops++
		delay += int64(n.links[l].Delay)
	}
	start, arrival := j.ready, j.ready
	if j.Source != to {
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
	return n.plan(j, m, j.Source != to, delay, start, run), true, nil
}

// runWords is how many words the list of a link has.
func (n *Network) runWords(link int) int64 {
	words := int64(0)
	for range n.runs[link].All() {
		words += 2
	}
	return words
}
