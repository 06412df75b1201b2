package site

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// Extend adds the units or servers of a closure, or nodes, for its time.
func (s *Site) Extend(c bookahead.Closure, more []nodes.Added) (done bookahead.Closure, err error) {
	if s.machine != nil {
		done, err = s.machine.Extend(c, more)
	} else {
		done, err = s.keeper.Extend(c)
	}
	s.measure()
	return done, err
}

// Reopen ends a closure or an extension at a tick.
func (s *Site) Reopen(id bookahead.ClosureID, at bookahead.Time) error {
	if s.machine != nil {
		return s.machine.EndClosure(id, at)
	}
	return s.keeper.End(id, at)
}

// Overbooks reports whether a place lies on an overbooked stretch of w by its own units: on servers and nodes by those that
// it holds, and on a pool in any case, since all units are alike.
func (s *Site) Overbooks(p *Place, w bookahead.Interval) bool {
	for o := range s.Overbooked(w.Intersect(p.Reserved())) {
		if p.Holds(o.Servers) {
			return true
		}
	}
	return false
}

// Whole returns the closure of all that the site ever has, without a time. A pool may close more units than it has; units
// that are closed already count twice, since the Frame leaves them out if they are closed now.
func (s *Site) Whole() (c bookahead.Closure) {
	f := s.Frame()
	if f.Servers > 0 {
		for k := range f.Servers {
			c.Servers = append(c.Servers, k)
		}
		return c
	}
	c.Units = f.Capacity
	for other := range s.Closures() {
		c.Units += other.Units
	}
	return c
}
