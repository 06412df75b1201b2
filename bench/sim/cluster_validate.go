package sim

import (
	"fmt"
	"math"

	"github.com/bookahead/bookahead"
)

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
	case c.Local.Preempt:
		return invalid("Cluster.Local.Preempt", true, "is not for nodes")
	case len(gangs) > math.MaxInt32:
		return invalid("gangs", len(gangs), "are more than 2^31-1")
	}
	for r := range c.Machine.Reservations(bookahead.Interval{Start: 0, End: bookahead.MaxTime}) {
		return invalid("Cluster.Machine", r, "is booked already: the machine is not empty")
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
