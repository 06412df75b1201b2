package sim

import (
	"fmt"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// Cluster is a machine of nodes with its local scheduler, and with nodes that fail or are
// drained.
type Cluster struct {
	// Machine must be empty, with its clock at the first submission or before. A run works on
	// a clone and leaves Machine as it is.
	Machine *nodes.Machine
	// Units is how many units the machine has, for Metrics.Utilisation; see Gang.
	Units int64
	// Local has an Order whose keys do not move and that preempts nobody, one of the four
	// Backfills of this package, and no Period.
	Local Local
	// Outages may be in any order, and may overlap.
	Outages []Outage
}

// Gang is a Task that runs on nodes. An AR gang that cannot end by its Due is rejected.
type Gang struct {
	// Task has the times. Its Units are read by Orders and Metrics only; they may be GPUs,
	// cores, or tasks.
	Task
	// On is the gang's request to the machine: its tasks, their vector, and the nodes that they
	// may use. Its Ready, Deadline and Duration are not read.
	On nodes.Request
}

// Outage closes nodes. A failure is an Outage that is known when it begins, lasts until
// bookahead.MaxTime, and is Repaired when nobody expects it. A drain is known ahead.
//
//	a failure    Known 100    [100, MaxTime)    Repaired 150
//	a drain      Known  50    [100, 120)
//
// A batch task goes on until the outage begins, since it may be done by then. It is stopped
// if it still runs, and waits again. A reservation that has not begun moves as soon as the
// outage is known. A reservation that is running is stopped when the outage begins, and booked
// anew. Either is rejected if the machine has no place for it by its Due, or none that it knows
// of, since nobody has said when the nodes will be back.
type Outage struct {
	bookahead.Interval
	// Known is when the scheduler hears of the outage: at its Start, or before.
	Known bookahead.Time
	// Repaired is when the outage is over; 0 stands for its End.
	Repaired bookahead.Time
	// Nodes are those that are closed.
	Nodes []int
}

// ClusterResult is the Result of a Cluster, with one provider.
type ClusterResult struct {
	Result
	// Runs are all runs, also those that an outage stopped, by their start.
	Runs []Ran
	// Broken is how many AR gangs had a closed node at the start that they were booked for,
	// though no outage had displaced them.
	Broken int
	// Plans is how often places were kept on a clone, and Kept is how many of these clones
	// became the machine, because a gang that overtakes started on them.
	Plans, Kept int
}

// Ran is a run of a gang.
type Ran struct {
	Task int                // as in Result.Tasks
	When bookahead.Interval // to the end of the run, not of the estimate
	On   []nodes.Share
	Head int // the node of the head; -1 if there is none
}

// over returns when an outage is over.
func (o *Outage) over() bookahead.Time {
	if o.Repaired != 0 {
		return o.Repaired
	}
	return o.End
}

// validate returns an error that wraps bookahead.ErrInvalid. It leaves the nodes to the machine.
func (o *Outage) validate() error {
	switch {
	case o.Known < 0:
		return invalid("Outage.Known", o.Known, "is negative")
	case o.Start < o.Known:
		return invalid("Outage.Start", o.Start, fmt.Sprintf("is before Outage.Known %d", o.Known))
	case o.Empty():
		return invalid("Outage.Interval", o.Interval, "is empty")
	case o.Repaired != 0 && (o.Repaired <= o.Start || o.Repaired > o.End):
		return invalid("Outage.Repaired", o.Repaired, fmt.Sprintf("is not within %v", o.Interval))
	}
	return nil
}

// validate returns an error that wraps bookahead.ErrInvalid.
func (c *Cluster) validate(gangs []Gang) error {
	switch {
	case c.Machine == nil:
		return invalid("Cluster.Machine", nil, "is missing")
	case c.Units < 1:
		return invalid("Cluster.Units", c.Units, "is less than 1")
	case c.Local.Period != 0:
		return invalid("Cluster.Local.Period", c.Local.Period, "is not 0")
	case c.Local.order().Moves() || c.Local.order().Preempts():
		return invalid("Cluster.Local.Order", fmt.Sprintf("%T", c.Local.Order), "moves or preempts")
	case len(gangs) > math.MaxInt32:
		return invalid("gangs", len(gangs), "are more than 2^31-1")
	}
	_, known := c.promises()
	if !known {
		return invalid("Cluster.Local.Backfill", fmt.Sprintf("%T", c.Local.Backfill), "is not of package sim")
	}
	for i := range c.Outages {
		err := c.Outages[i].validate()
		if err != nil {
			return fmt.Errorf("outage %d: %w", i, err)
		}
	}
	for i := range gangs {
		err := gangs[i].validate()
		if err != nil {
			return fmt.Errorf("gang %d: %w", i, err)
		}
	}
	return nil
}

// promises returns for how many gangs of the queue a place is kept before others overtake them,
// and false if the Backfill is not of this package. None has no bound, and lets nobody overtake.
func (c *Cluster) promises() (int, bool) {
	switch c.Local.backfill().(type) {
	case None, FirstFit:
		return 0, true
	case EASY:
		return 1, true
	case Conservative:
		return math.MaxInt, true
	}
	return 0, false
}

// request asks for the gang from now on, to end by due if that is not 0.
func (g *Gang) request(now, due bookahead.Time) nodes.Request {
	r := g.On
	r.Ready, r.Deadline, r.Duration = max(now, g.Ready), due, g.Estimate
	return r
}
