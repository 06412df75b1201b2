package route

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/bookahead/bookahead"
)

func (n *Network) checkLink(name string, l *Link) error {
	switch {
	case l.From < 0 || l.From >= n.nodes:
		return invalid(name+".From", l.From, fmt.Sprintf("is not one of %d nodes", n.nodes))
	case l.To < 0 || l.To >= n.nodes:
		return invalid(name+".To", l.To, fmt.Sprintf("is not one of %d nodes", n.nodes))
	case l.From == l.To:
		return invalid(name+".To", l.To, "is where the link comes from")
	case l.Delay < 0 || l.Delay > MaxDelay:
		return invalid(name+".Delay", int64(l.Delay), fmt.Sprintf("is not between 0 and %d", MaxDelay))
	case len(l.Weights) != n.config.Weights:
		return invalid(name+".Weights", l.Weights, fmt.Sprintf("are not the %d of Config.Weights", n.config.Weights))
	case l.Free != nil && l.Schedule != nil:
		return invalid(name+".Free", "given", "together with a Schedule: one of them says what is free")
	case l.Free != nil && l.Free.Len() != n.config.Slots:
		return invalid(name+".Free", l.Free.Len(), fmt.Sprintf("slots, not the %d of Config.Slots", n.config.Slots))
	case l.Units < 0 || l.Units > 0 && l.Schedule == nil:
		return invalid(name+".Units", l.Units, "is negative, or there is no Schedule")
	}
	for i, w := range l.Weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return invalid(fmt.Sprintf("%s.Weights[%d]", name, i), w, "is negative or not finite")
		}
	}
	return nil
}

func (n *Network) checkCluster(name string, c Cluster) error {
	switch {
	case c.Node < 0 || c.Node >= n.nodes:
		return invalid(name+".Node", c.Node, fmt.Sprintf("is not one of %d nodes", n.nodes))
	case c.CPUs < 1:
		return invalid(name+".CPUs", c.CPUs, "is less than 1")
	case c.Speed < 1:
		return invalid(name+".Speed", c.Speed, "is less than 1")
	}
	return nil
}

// owners tells where each schedule has been seen.
type owners map[bookahead.Schedule]string

// checkSchedule demands a Profiler that counts units, and that no other link or
// cluster has it.
func (n *Network) checkSchedule(field string, s bookahead.Schedule, o owners) error {
	kind := fmt.Sprintf("%T", s)
	if _, ok := s.(bookahead.Profiler); !ok {
		return invalid(field, kind, "is not a Profiler")
	}
	if reflect.ValueOf(s).Comparable() {
		if other, ok := o[s]; ok {
			return invalid(field, kind, "is that of "+other+" as well")
		}
		o[s] = field
	}
	switch a, err := s.RangeQuery(bookahead.Interval{Start: n.now, End: n.now + 1}); {
	case err != nil:
		return err
	case a.Servers != nil:
		return invalid(field, kind, "knows its servers, and does not count units")
	}
	return nil
}

// adopt moves a schedule to the clock of a new network.
func (n *Network) adopt(field string, s bookahead.Schedule) error {
	err := s.Advance(n.now)
	if errors.Is(err, bookahead.ErrInvalid) {
		return invalid(field, fmt.Sprintf("%T", s), fmt.Sprintf("cannot move to Config.Origin = %d: %v", n.now, err))
	}
	return err
}

func invalid(field string, value any, reason string) error {
	return &bookahead.InvalidError{Field: field, Value: value, Reason: reason}
}
