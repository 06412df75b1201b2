package main

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/route"
)

// algorithm finds a plan for a task.
type algorithm struct {
	name string
	plan planner
}

type planner = func(*route.Network, route.Task) (route.Plan, error)

// targeted is MC-T without the listing; the paper does not have it.
const targeted = "MC-T, targeted"

// algorithms are the six of §5, and ours.
var algorithms = []algorithm{
	{"SAMCRA", immediate((*route.Network).SAMCRA)},
	{"SAMCRA HBH", immediate((*route.Network).SAMCRAHopByHop)},
	{"MC-T", func(n *route.Network, t route.Task) (route.Plan, error) { return n.MCT(t, nil) }},
	{targeted, func(n *route.Network, t route.Task) (route.Plan, error) {
		t.Effort.Steps = mostSteps
		return n.Earliest(t)
	}},
	{"AWMC-T", func(n *route.Network, t route.Task) (route.Plan, error) { return n.AWMCT(t, nil) }},
	{"MC-B", (*route.Network).MCB},
	{"ECT", (*route.Network).ECT},
}

// The limits of the two weights of an immediate reservation: no path is as long
// as 200 ms, and a CPU must be free.
const (
	delayLimit = 200
	loadLimit  = cpus - 1
)

// immediate asks SAMCRA for the way to a cluster: its weights are the delay and
// the CPUs in use there, and links that are in use now are left out (§3.5). The
// burst is sent and the task runs at once; Commit tells if something is in the
// way.
func immediate(samcra func(*route.Network, route.Query) (route.Route, error)) planner {
	return func(n *route.Network, t route.Task) (route.Plan, error) {
		q := route.Query{Source: t.Source, Limits: []float64{delayLimit, loadLimit}, Usable: n.FreeNow}
		now := bookahead.Interval{Start: n.Now(), End: n.Now() + 1}
		for m := range n.Clusters() {
			c := n.Cluster(m)
			free, err := c.Pool.RangeQuery(now)
			if err != nil {
				return route.Plan{}, err
			}
			q.Servers = append(q.Servers, route.Server{Node: c.Node, Weights: []float64{0, float64(c.CPUs - free.Free)}})
		}
		r, err := samcra(n, q)
		p := route.Plan{Source: t.Source, Cluster: r.Server, Nodes: r.Nodes, Links: r.Links, CPUs: t.CPUs, Spent: r.Spent}
		if err != nil {
			return p, err
		}
		for _, l := range r.Links {
			p.Delay += n.Link(l).Delay
		}
		p.Send = bookahead.Interval{Start: n.Now(), End: n.Now()}
		if len(r.Links) > 0 {
			p.Send.End += bookahead.Time(t.Burst)
		}
		p.Arrival = p.Send.End + bookahead.Time(p.Delay)
		p.Run = bookahead.Interval{Start: p.Arrival, End: p.Arrival + bookahead.Time((t.Work-1)/speed+1)}
		return p, nil
	}
}
