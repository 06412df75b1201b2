package desk

import (
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// changeable returns a schedule for a command that changes its capacity throughout w. The error wraps
// bookahead.ErrInvalid, and names the kind of a schedule that has no closures.
func (b *books) changeable(command, name string, w bookahead.Interval) (int32, error) {
	k, err := b.closable(command+".On", name)
	if err == nil && w.End <= b.now {
		err = limits.Invalid(command+".Interval", w, fmt.Sprintf("ends by now, %d", b.now))
	}
	return k, err
}

// closable returns a schedule that has closures. The error wraps bookahead.ErrInvalid.
func (b *books) closable(field, name string) (int32, error) {
	k, ok := b.names[name]
	if !ok {
		return 0, limits.Invalid(field, name, "is no schedule")
	}
	at := b.schedules[k]
	if at.machine == nil && (at.keeper == nil || !bookahead.View(at.keeper, func(bookahead.Closable) {})) {
		return 0, limits.Invalid(field, name, fmt.Sprintf("is of kind %s, which has no closures", at.kind.kind()))
	}
	return k, nil
}

// shut closes units, servers or nodes.
func (s *schedule) shut(c bookahead.Closure) (done bookahead.Closure, err error) {
	if s.machine != nil {
		return s.machine.Close(c)
	}
	bookahead.Update(s.keeper, func(k bookahead.Closable) { done, err = k.Close(c) })
	return done, err
}

// extend adds units, servers, or nodes.
func (s *schedule) extend(c bookahead.Closure, more []nodes.Added) (done bookahead.Closure, err error) {
	if s.machine != nil {
		done, err = s.machine.Extend(c, more)
		if err == nil {
			s.kind = s.kind.(Nodes).with(more)
			s.measure()
		}
		return done, err
	}
	bookahead.Update(s.keeper, func(k bookahead.Closable) { done, err = k.Extend(c) })
	s.measure()
	return done, err
}

// reopen ends a closure or an extension.
func (s *schedule) reopen(id bookahead.ClosureID, at bookahead.Time) (err error) {
	if s.machine != nil {
		return s.machine.EndClosure(id, at)
	}
	bookahead.Update(s.keeper, func(k bookahead.Closable) { err = k.End(id, at) })
	return err
}

// overbooked returns the stretches of w in which more is booked than there is; none for a schedule without closures.
func (s *schedule) overbooked(w bookahead.Interval) (list []bookahead.Overbooking) {
	collect := func(all iter.Seq[bookahead.Overbooking]) { list = slices.Collect(all) }
	switch {
	case s.machine != nil:
		collect(s.machine.Overbooked(w))
	case s.keeper != nil:
		bookahead.View(s.keeper, func(k bookahead.Closable) { collect(k.Overbooked(w)) })
	}
	return list
}

// overbooks reports whether a place lies on an overbooked stretch of w by its own units: on servers and nodes by those that
// it holds, and on a pool in any case, since all units are alike. If more is missing than is named, as in a grid.Binder,
// every place is in the way.
func (s *schedule) overbooks(p *Place, w bookahead.Interval) bool {
	return slices.ContainsFunc(s.overbooked(w.Intersect(p.reserved())), func(o bookahead.Overbooking) bool {
		return int64(len(o.Servers)) < o.Units || p.holds(o.Servers)
	})
}
