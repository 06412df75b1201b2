package route

import (
	"fmt"
	"reflect"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

func checkLink(name string, l *Link, nodes int, c *Config) error {
	switch {
	case l.From < 0 || l.From >= nodes:
		return invalid(name+".From", l.From, fmt.Sprintf("is not one of %d nodes", nodes))
	case l.To < 0 || l.To >= nodes:
		return invalid(name+".To", l.To, fmt.Sprintf("is not one of %d nodes", nodes))
	case l.From == l.To:
		return invalid(name+".To", l.To, "is where the link comes from")
	case l.Delay < 0 || l.Delay > maxDelay:
		return invalid(name+".Delay", int64(l.Delay), fmt.Sprintf("is not between 0 and %d", maxDelay))
	case len(l.Weights) != c.Weights:
		return invalid(name+".Weights", l.Weights, fmt.Sprintf("are not the %d of Config.Weights", c.Weights))
	case l.Free != nil && l.Schedule != nil:
		return invalid(name+".Free", "given", "together with a Schedule: only one of them may say when the link is free")
	case l.Free != nil && l.Free.Len() != c.Slots:
		return invalid(name+".Free", l.Free.Len(), fmt.Sprintf("slots, not the %d of Config.Slots", c.Slots))
	case l.Units < 0 || l.Units > 0 && l.Schedule == nil:
		return invalid(name+".Units", l.Units, "is negative, or there is no Schedule")
	}
	return checkWeights(name+".Weights", l.Weights)
}

// checkWeights checks that sums of the weights do not overflow.
func checkWeights(field string, weights []float64) error {
	for i, w := range weights {
		if !(w >= 0 && w <= maxWeight) {
			return invalid(fmt.Sprintf("%s[%d]", field, i), w, fmt.Sprintf("is not a number from 0 to %g", maxWeight))
		}
	}
	return nil
}

func checkCluster(name string, c Cluster, nodes int) error {
	switch {
	case c.Node < 0 || c.Node >= nodes:
		return invalid(name+".Node", c.Node, fmt.Sprintf("is not one of %d nodes", nodes))
	case c.CPUs < 1:
		return invalid(name+".CPUs", c.CPUs, "is less than 1")
	case c.Speed < 1:
		return invalid(name+".Speed", c.Speed, "is less than 1")
	}
	return nil
}

// checkUnits checks that a schedule has so many units, if it tells its capacity. The Frame has the capacity of this moment:
// while there are closures, more units may be there at another time.
func checkUnits(field string, units int64, s bookahead.Schedule, of string) error {
	changes := false
	bookahead.View(s, func(s bookahead.Closable) {
		for range s.Closures() {
			changes = true
			break
		}
	})
	f, ok := bookahead.FrameOf(s)
	if ok && !changes && units > f.Capacity {
		return invalid(field, units, fmt.Sprintf("are more than the %d units of %s", f.Capacity, of))
	}
	return nil
}

// owners has the field in which each schedule was given.
type owners map[bookahead.Schedule]string

// check checks that a schedule counts units and lists its free units from the clock on, and that
// no other link or cluster has the schedule: two owners would not see each other's bookings. Schedules that
// cannot be compared, such as a struct with a slice, may be shared unseen.
func (o owners) check(field string, s bookahead.Schedule, now bookahead.Time) error {
	kind := fmt.Sprintf("%T", s)
	if err := limits.CheckNil(field, s); err != nil {
		return err
	}
	tick := bookahead.Interval{Start: now, End: now + 1}
	if _, ok := bookahead.Blocks(s, tick); !ok {
		return invalid(field, kind, "is no bookahead.Profiler")
	}
	inner := s // behind the lock, if there is one
	bookahead.View(s, func(s bookahead.Schedule) { inner = s })
	if reflect.ValueOf(inner).Comparable() {
		if other, ok := o[inner]; ok {
			return invalid(field, kind, "is that of "+other+" as well")
		}
		o[inner] = field
	}
	switch a, err := s.RangeQuery(tick); {
	case err != nil:
		return err
	case a.Servers != nil:
		return invalid(field, kind, "knows its servers, and does not count units")
	}
	return nil
}
