package route

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/volume"
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
	k := booking{span: p.Run, cluster: p.Cluster}
	for i, link := range p.Links {
		err := n.hold(&k, link, 0, []volume.Stretch{{Interval: n.Window(p, i), Units: max(n.links[link].Units, 1)}})
		if err != nil {
			return 0, err
		}
	}
	r, err := n.clusters[p.Cluster].Pool.Reserve(bookahead.Offer{Interval: p.Run, Units: p.CPUs}.Request())
	if err != nil {
		n.giveBack(&k)
		return 0, err
	}
	k.pool = r.ID
	return n.booked.Add(k, n.now), nil
}

// CommitTransfer is Commit for a transfer: it books each stretch on each link, or nothing. Release gives all of them back. The
// error is bookahead.ErrUnavailable if something is taken by now, and wraps bookahead.ErrInvalid if the plan is not one of this
// network, as for Commit; the plan has its nodes. O(h·S/64) for h links of S slots, and a Reserve for each stretch on each.
func (n *Network) CommitTransfer(p TransferPlan) (bookahead.ID, error) {
	err := n.checkTransferPlan(&p)
	if err != nil {
		return 0, err
	}
	stretches := p.Send.Stretches
	k := booking{span: bookahead.Interval{Start: stretches[0].Start, End: p.Arrival}, cluster: -1}
	delay := bookahead.Time(0)
	for _, link := range p.Links {
		err := n.hold(&k, link, delay, stretches)
		if err != nil {
			return 0, err
		}
		delay += bookahead.Time(n.links[link].Delay)
	}
	return n.booked.Add(k, n.now), nil
}

// Release undoes a Commit or a CommitTransfer. Times that have passed stay booked; the rest is free again. It
// returns bookahead.ErrNotFound if the ID is not booked, or all of the booking has ended.
// Any other error comes from a schedule that something else has written to. The booking is
// gone then, and all that the schedules took back is free. O(h·S/64) as for Commit.
func (n *Network) Release(id bookahead.ID) error {
	k, ok := n.booked.Remove(id, n.now)
	if !ok {
		return bookahead.ErrNotFound
	}
	err := n.giveBack(&k)
	if k.cluster < 0 {
		return err
	}
	if e := n.clusters[k.cluster].Pool.Release(k.pool); err == nil {
		err = e
	}
	return err
}

// hold books stretches on a link for a booking, each later by a delay. After an error the booking holds nothing.
func (n *Network) hold(k *booking, link int, delay bookahead.Time, list []volume.Stretch) error {
	for _, s := range list {
		w := bookahead.Interval{Start: s.Start + delay, End: s.End + delay}
		id, err := n.take(link, w, s.Units)
		if err != nil {
			n.giveBack(k)
			return err
		}
		k.held = append(k.held, held{link, w, id})
	}
	err := n.Refresh(link)
	if err != nil {
		err = errors.Join(err, n.giveBack(k))
	}
	return err
}

// take books units of a link, whose vector then waits for a Refresh. A link without a schedule has one, and the slots must be
// one run of free slots from the first on; NextRun finds the first run of that length, which may lie later.
func (n *Network) take(link int, w bookahead.Interval, units int64) (bookahead.ID, error) {
	l := &n.links[link]
	if l.Schedule == nil {
		from, to := n.slots(w)
		if units > 1 || bookahead.Duration(to-from) != w.Len() {
			return 0, bookahead.ErrUnavailable
		}
		if at, ok := n.runs[link].NextRun(from, to-from); !ok || at != from {
			return 0, bookahead.ErrUnavailable
		}
		n.mark(link, w, false)
		return 0, nil
	}
	r, err := l.Schedule.Reserve(bookahead.Offer{Interval: w, Units: units}.Request())
	return r.ID, err
}

// giveBack frees the links of a booking, from now on. It goes on after an error, and returns the first error.
func (n *Network) giveBack(k *booking) (first error) {
	for i, h := range k.held {
		l := &n.links[h.link]
		var err error
		switch {
		case h.End <= n.now:
		case l.Schedule == nil:
			n.mark(h.link, h.Interval, true)
		default:
			err = l.Schedule.Release(h.id)
		}
		if i+1 == len(k.held) || k.held[i+1].link != h.link { // the last of its link
			err = cmp.Or(err, n.Refresh(h.link))
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// checkPath checks that a path from a source is one of this network, and returns its delay and where it ends. Errors call the
// plan and its source by these names.
func (n *Network) checkPath(field, sourceField string, source int, nodes, links []int) (delay bookahead.Duration, at int, err error) {
	if nodes != nil && len(nodes) != len(links)+1 {
		return 0, 0, invalid(field+".Nodes", nodes, fmt.Sprintf("are not one more than the %d links", len(links)))
	}
	at = source
	for i := 0; ; i++ {
		if nodes != nil && nodes[i] != at {
			return 0, 0, invalid(fmt.Sprintf("%s.Nodes[%d]", field, i), nodes[i], fmt.Sprintf("is not %s, where the path is", n.NodeName(at)))
		}
		if i == len(links) {
			return delay, at, nil
		}
		l := links[i]
		switch {
		case l < 0 || l >= len(n.links):
			return 0, 0, invalid(fmt.Sprintf("%s.Links[%d]", field, i), l, fmt.Sprintf("is not one of %d", len(n.links)))
		case n.links[l].From != at && i == 0:
			return 0, 0, invalid(field+".Links[0]", l, fmt.Sprintf("does not begin at %s = %s", sourceField, n.NodeName(at)))
		case n.links[l].From != at:
			return 0, 0, invalid(fmt.Sprintf("%s.Links[%d]", field, i), l, "does not begin where the one before ends")
		}
		delay += n.links[l].Delay
		at = n.links[l].To
	}
}

// checkTransferPlan checks that a plan is one of this network.
func (n *Network) checkTransferPlan(p *TransferPlan) error {
	if len(p.Nodes) == 0 || p.Nodes[0] < 0 || p.Nodes[0] >= n.nodes {
		return invalid("TransferPlan.Nodes", p.Nodes, fmt.Sprintf("do not begin with one of %d nodes", n.nodes))
	}
	if len(p.Links) == 0 {
		return invalid("TransferPlan.Links", p.Links, "are none")
	}
	if len(p.Send.Stretches) == 0 {
		return invalid("TransferPlan.Send.Stretches", p.Send.Stretches, "are none")
	}
	delay, _, err := n.checkPath("TransferPlan", "TransferPlan.Nodes[0]", p.Nodes[0], p.Nodes, p.Links)
	if err != nil {
		return err
	}
	before := n.now
	for i, s := range p.Send.Stretches {
		if s.Empty() || s.Start < before || s.Units < 1 {
			return invalid(fmt.Sprintf("TransferPlan.Send.Stretches[%d]", i), s, fmt.Sprintf("is empty, has less than one unit, or begins before %d", before))
		}
		before = s.End
	}
	if delay != p.Delay || before > bookahead.MaxTime-bookahead.Time(delay) || p.Arrival != before+bookahead.Time(delay) {
		return invalid("TransferPlan.Arrival", p.Arrival, fmt.Sprintf("is not %d and the %d ticks of the links", before, delay))
	}
	return nil
}

// checkPlan checks that a plan is one of this network, as Commit says: a plan may come from
// another network, or from a caller's own search. Times are compared so that no sum overflows.
func (n *Network) checkPlan(p Plan) error {
	if p.Cluster < 0 || p.Cluster >= len(n.clusters) {
		return invalid("Plan.Cluster", p.Cluster, fmt.Sprintf("is not one of %d", len(n.clusters)))
	}
	if p.Source < 0 || p.Source >= n.nodes {
		return invalid("Plan.Source", p.Source, fmt.Sprintf("is not one of %d nodes", n.nodes))
	}
	delay, at, err := n.checkPath("Plan", "Plan.Source", p.Source, p.Nodes, p.Links)
	if err != nil {
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
