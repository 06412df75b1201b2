package route

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/volume"
)

// Transfer is data that goes from node to node over one path, at any rate that all its links have free at the time. The
// fields of volume.Request are those of the source, in units of the links' Schedules: it does not send before Ready, and the
// last of the data is there by the Deadline. A link without a Schedule has one unit while it is free.
type Transfer struct {
	From, To int
	volume.Request
	// Avoid names links and nodes that the path must not use.
	Avoid Avoid
	// Effort limits the search; 0 Steps stand for 2^24. A step is a look at a link, at a step of free units, or at another
	// path, and a step of the volume.SearchSteps of each path. A step takes 24 bytes at most.
	Effort bookahead.Effort
}

// TransferPlan is a path, and when the source sends at which rate.
type TransferPlan struct {
	// Links is the path, by index, and Nodes are its nodes: one more than there are links.
	Nodes, Links []int
	// Delay is the delay of the path. Each link is used so much later than the source sends as the delays of the links
	// before it are together.
	Delay bookahead.Duration
	// Send is when the source sends. Its Cost and its Bound are those of this path, at the source.
	Send volume.Plan
	// Arrival is when the last of the data is there.
	Arrival bookahead.Time
	// Bound is a cost below which no transfer is, over any path. The plan is proven to be the best unless Spent.Cut.
	Bound bookahead.Time
	// Spent is the work of the search.
	Spent Spent
}

func (n *Network) checkTransfer(t *Transfer) error {
	err := t.Request.Validate()
	if err == nil {
		err = n.checkAvoid("Transfer.Avoid", &t.Avoid, t.From)
	}
	switch {
	case err != nil:
		return err
	case t.From < 0 || t.From >= n.nodes:
		return invalid("Transfer.From", t.From, fmt.Sprintf("is not one of %d nodes", n.nodes))
	case t.To < 0 || t.To >= n.nodes:
		return invalid("Transfer.To", t.To, fmt.Sprintf("is not one of %d nodes", n.nodes))
	case t.From == t.To:
		return invalid("Transfer.To", t.To, "is where the data is already")
	}
	return nil
}
