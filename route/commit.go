package route

import (
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
)

// Commit books each link of the plan for as long as the source sends, shifted by
// the delay of the way to it, and the CPUs of the cluster: all of it or nothing.
// It returns bookahead.ErrUnavailable if something is taken by now. The error wraps
// bookahead.ErrInvalid if the plan is not one of this network: links that do not exist or
// do not join, another source, a cluster elsewhere, nodes that are not those of the links (a plan
// may leave its nodes out), or times that do not follow each other or lie in the past. The IDs of
// bookings count up from 1. O(h·S/64) for h links of S slots, and a Reserve of each schedule.
func (n *Network) Commit(p Plan) (bookahead.ID, error) {
	if err := n.checkPlan(p); err != nil {
		return 0, err
	}
	k := booking{plan: p, ids: make([]bookahead.ID, len(p.Links))}
	k.plan.Links, k.plan.Nodes = append([]int(nil), p.Links...), append([]int(nil), p.Nodes...)
	for i, link := range p.Links {
		id, err := n.take(link, n.Window(p, i))
		if err != nil {
			n.giveBack(k, i)
			return 0, err
		}
		k.ids[i] = id
	}
	r, err := n.clusters[p.Cluster].Pool.Reserve(bookahead.Offer{Interval: p.Run, Units: p.CPUs}.Request())
	if err != nil {
		n.giveBack(k, len(p.Links))
		return 0, err
	}
	k.pool = r.ID
	return n.booked.Add(k, n.now), nil
}

// Release undoes a Commit. Times that have passed stay booked; the rest is free again. It
// returns bookahead.ErrNotFound if the ID is not booked, or all of the booking has ended.
// Any other error comes from a schedule that something else has written to. The booking is
// gone then, and all that the schedules took back is free. O(h·S/64) as for Commit.
func (n *Network) Release(id bookahead.ID) error {
	k, ok := n.booked.Remove(id, n.now)
	if !ok {
		return bookahead.ErrNotFound
	}
	err := n.giveBack(k, len(k.plan.Links))
	if e := n.clusters[k.plan.Cluster].Pool.Release(k.pool); err == nil {
		err = e
	}
	return err
}

// take books a link. On a link without a schedule, the slots must be one run of free slots from
// the first on; NextRun finds the first run of that length, which may lie later.
func (n *Network) take(link int, w bookahead.Interval) (bookahead.ID, error) {
	l := &n.links[link]
	if l.Schedule == nil {
		from, to := n.slots(w)
		if bookahead.Duration(to-from) != w.Len() {
			return 0, bookahead.ErrUnavailable
		}
		if at, ok := n.runs[link].NextRun(from, to-from); !ok || at != from {
			return 0, bookahead.ErrUnavailable
		}
		n.mark(link, w, false)
		return 0, nil
	}
	r, err := l.Schedule.Reserve(bookahead.Offer{Interval: w, Units: l.Units}.Request())
	if err != nil {
		return 0, err
	}
	if err := n.Refresh(link); err != nil {
		return 0, errors.Join(err, l.Schedule.Release(r.ID))
	}
	return r.ID, nil
}

// giveBack frees the first links of a booking, from now on. It goes on after an error, and
// returns the first error.
func (n *Network) giveBack(k booking, links int) (first error) {
	for i, link := range k.plan.Links[:links] {
		w := n.Window(k.plan, i)
		l := &n.links[link]
		switch {
		case w.End <= n.now:
			continue
		case l.Schedule == nil:
			n.mark(link, w, true)
			continue
		}
		err := l.Schedule.Release(k.ids[i])
		if e := n.Refresh(link); err == nil {
			err = e
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// checkNode checks that node i of a plan is v, unless the plan leaves its nodes out.
func (n *Network) checkNode(p Plan, i, v int) error {
	if p.Nodes != nil && p.Nodes[i] != v {
		return invalid(fmt.Sprintf("Plan.Nodes[%d]", i), p.Nodes[i], fmt.Sprintf("is not %s, where the path is", n.NodeName(v)))
	}
	return nil
}

// checkPlan checks that a plan is one of this network, as Commit says: a plan may come from
// another network, or from a caller's own search. Times are compared so that no sum overflows.
func (n *Network) checkPlan(p Plan) error {
	if p.Cluster < 0 || p.Cluster >= len(n.clusters) {
		return invalid("Plan.Cluster", p.Cluster, fmt.Sprintf("is not one of %d", len(n.clusters)))
	}
	delay, at := bookahead.Duration(0), p.Source
	if p.Source < 0 || p.Source >= n.nodes {
		return invalid("Plan.Source", p.Source, fmt.Sprintf("is not one of %d nodes", n.nodes))
	}
	if p.Nodes != nil && len(p.Nodes) != len(p.Links)+1 {
		return invalid("Plan.Nodes", p.Nodes, fmt.Sprintf("are not one more than the %d links", len(p.Links)))
	}
	for i, l := range p.Links {
		if l < 0 || l >= len(n.links) {
			return invalid(fmt.Sprintf("Plan.Links[%d]", i), l, fmt.Sprintf("is not one of %d", len(n.links)))
		}
		if n.links[l].From != at {
			if i == 0 {
				return invalid("Plan.Links[0]", l, fmt.Sprintf("does not begin at Plan.Source = %s", n.NodeName(at)))
			}
			return invalid(fmt.Sprintf("Plan.Links[%d]", i), l, "does not begin where the one before ends")
		}
		if err := n.checkNode(p, i, at); err != nil {
			return err
		}
		delay += n.links[l].Delay
		at = n.links[l].To
	}
	if err := n.checkNode(p, len(p.Links), at); err != nil {
		return err
	}
	switch last := len(p.Links) - 1; {
	case n.clusters[p.Cluster].Node != at:
		return invalid("Plan.Cluster", p.Cluster, fmt.Sprintf("is not at %s, where the path ends", n.NodeName(at)))
	case last >= 0 && p.Send.Empty():
		return invalid("Plan.Send", p.Send, "is empty")
	case p.Send.Start < n.now:
		return invalid("Plan.Send", p.Send, "is in the past")
	case p.Delay != delay:
		return invalid("Plan.Delay", int64(p.Delay), fmt.Sprintf("is not the %d of the links", delay))
	case p.Send.End > bookahead.MaxTime-bookahead.Time(delay):
		return invalid("Plan.Send", p.Send, "is too near to the end of the axis")
	case p.Arrival < p.Send.End+bookahead.Time(delay):
		return invalid("Plan.Arrival", int64(p.Arrival), "is before the data can be there")
	case p.Run.Start < p.Arrival:
		return invalid("Plan.Run", p.Run, "is before the data is there")
	case p.Run.Empty():
		return invalid("Plan.Run", p.Run, "is empty")
	case p.CPUs < 1:
		return invalid("Plan.CPUs", p.CPUs, "is less than 1")
	}
	return nil
}
