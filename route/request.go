package route

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// Request returns a plan as a request for a desk: a part for each link and one for the CPUs, each on the schedule that has
// the Name of the link or the cluster. A Book of the request books exactly the plan, or is refused with
// bookahead.ErrUnavailable. The caller adds an owner and a title. A plan that sends in [0, 3) over S → B with a delay of 2
// and B → E, and runs in [12, 16):
//
//	         0         5         10        15
//	S → B    █ █ █ · · · · · · · · · · · · ·      part 0: Offset 0, 3 ticks
//	B → E    · · █ █ █ · · · · · · · · · · ·      part 1: Offset 2, 3 ticks
//	CPUs     · · · · · · · · · · · · █ █ █ █      part 2: Offset 12, 4 ticks
//
// The Schedule of each link and the Pool of each cluster of such a network are copies of the desk's (desk.Schedule), with
// Config.Origin at the desk's clock. The copies do not learn of the booking: Commit enters the plan there as
// well, or the next plan is made on new copies.
//
// The error wraps bookahead.ErrInvalid if the plan is not one of this network, as for Commit; if a link or the cluster has no
// name; or if the parts are more than desk.MaxParts. O(h²) for h links.
func (n *Network) Request(p Plan) (desk.Request, error) {
	err := n.checkPlan(p)
	if err != nil {
		return desk.Request{}, err
	}
	if len(p.Links) >= desk.MaxParts {
		return desk.Request{}, invalid("Plan.Links", len(p.Links), fmt.Sprintf("links and the CPUs are more than the %d parts of a desk.Request", desk.MaxParts))
	}
	x := asking{Request: desk.Request{Ready: p.Run.Start, Deadline: p.Run.End}}
	if len(p.Links) > 0 {
		x.Ready = p.Send.Start
	}
	for i, link := range p.Links {
		l := &n.links[link]
		err := x.add(linkField(link, l), l.Name, n.Window(p, i), max(l.Units, 1))
		if err != nil {
			return desk.Request{}, err
		}
	}
	c := &n.clusters[p.Cluster].Cluster
	err = x.add(clusterField(p.Cluster, c), c.Name, p.Run, p.CPUs)
	if err != nil {
		return desk.Request{}, err
	}
	return x.whole(), nil
}

// TransferRequest is Request for a transfer: a part for each stretch on each link, link by link. The Book of a transfer is one
// booking: it is cancelled, listed and displaced as one. It is displaced as it is, at the same distances; a caller who would rather
// have the rest planned anew ends the booking, and asks for a new plan.
//
// The error wraps bookahead.ErrInvalid if the plan is not one of this network, as for CommitTransfer; if a link has no name; or
// if the parts are more than desk.MaxParts: Stretches of the request bounds them. O(h·k) for h links and k stretches.
func (n *Network) TransferRequest(p TransferPlan) (desk.Request, error) {
	err := n.checkTransferPlan(&p)
	if err != nil {
		return desk.Request{}, err
	}
	stretches := p.Send.Stretches
	if len(p.Links) > desk.MaxParts/len(stretches) {
		return desk.Request{}, invalid("TransferPlan.Send.Stretches", len(stretches), fmt.Sprintf("on %d links are more than the %d parts of a desk.Request", len(p.Links), desk.MaxParts))
	}
	x := asking{Request: desk.Request{Ready: stretches[0].Start}}
	delay := bookahead.Time(0)
	for _, link := range p.Links {
		l := &n.links[link]
		for _, s := range stretches {
			w := bookahead.Interval{Start: s.Start + delay, End: s.End + delay}
			err := x.add(linkField(link, l), l.Name, w, s.Units)
			if err != nil {
				return desk.Request{}, err
			}
			x.Deadline = w.End
		}
		delay += bookahead.Time(l.Delay)
	}
	return x.whole(), nil
}

// asking is a request that is made part by part.
type asking struct {
	desk.Request
	shape desk.Shape
}

func (x *asking) add(field, name string, w bookahead.Interval, units int64) error {
	if name == "" {
		return invalid(field+".Name", `""`, "names no schedule of a desk")
	}
	x.shape = append(x.shape, desk.Part{On: name, Units: units, Duration: w.Len(), Offset: bookahead.Duration(w.Start - x.Ready)})
	return nil
}

func (x *asking) whole() desk.Request {
	x.Shapes = []desk.Shape{x.shape}
	return x.Request
}
