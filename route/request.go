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
	r := desk.Request{Ready: p.Run.Start, Deadline: p.Run.End}
	if len(p.Links) > 0 {
		r.Ready = p.Send.Start
	}
	var shape desk.Shape
	add := func(field, name string, w bookahead.Interval, units int64) error {
		if name == "" {
			return invalid(field+".Name", `""`, "names no schedule of a desk")
		}
		shape = append(shape, desk.Part{On: name, Units: units, Duration: w.Len(), Offset: bookahead.Duration(w.Start - r.Ready)})
		return nil
	}
	for i, link := range p.Links {
		l := &n.links[link]
		err := add(linkField(link, l), l.Name, n.Window(p, i), max(l.Units, 1))
		if err != nil {
			return desk.Request{}, err
		}
	}
	c := &n.clusters[p.Cluster].Cluster
	err = add(clusterField(p.Cluster, c), c.Name, p.Run, p.CPUs)
	if err != nil {
		return desk.Request{}, err
	}
	r.Shapes = []desk.Shape{shape}
	return r, nil
}
