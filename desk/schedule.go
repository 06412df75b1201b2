package desk

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/site"
	"github.com/bookahead/bookahead/internal/spans"
	"github.com/bookahead/bookahead/nodes"
)

// schedule is what a name stands for: a site with its terms, or a broker.
type schedule struct {
	site.Site     // zero for a broker
	name          string
	kind          Kind
	of            []int32            // the schedules of a broker; nil for others
	calendar      spans.Index        // parts that lie or lay here
	live          int64              // bookings that are live and have a place here
	since         bookahead.Time     // when it was added
	terms         *Terms             // nil for none; clones share them
	longestBuffer bookahead.Duration // no buffer of a live booking here is longer
}

// clone returns a copy for a trial, without the calendar.
func (s *schedule) clone() *schedule {
	return &schedule{Site: s.Clone(), name: s.name, kind: s.kind, of: s.of, live: s.live, since: s.since, terms: s.terms, longestBuffer: s.longestBuffer}
}

// pool reports whether a schedule is a pool.
func (s *schedule) pool() bool {
	_, is := s.kind.(Pool)
	return is
}

// resources returns how many numbers a Use of the schedule has.
func (s *schedule) resources() int {
	nodes, ok := s.kind.(Nodes)
	if ok {
		return len(nodes.Resources)
	}
	return 1
}

// resource returns the index of a resource of nodes; -1 if there is none.
func (s *schedule) resource(name string) int {
	k, ok := s.kind.(Nodes)
	if !ok {
		return -1
	}
	return slices.Index(k.Resources, name)
}

// extend adds units, servers or nodes. The kind describes the new nodes too.
func (s *schedule) extend(c bookahead.Closure, more []nodes.Added) (bookahead.Closure, error) {
	done, err := s.Extend(c, more)
	k, ok := s.kind.(Nodes)
	if err == nil && ok {
		s.kind = k.with(more)
	}
	return done, err
}

// vacate gives back a reservation that a booking no longer has; for a running part it leaves the buffer. closed is 1 + the
// index of a schedule on which no buffer is left, or 0.
func (s *schedule) vacate(k *Booking, i int, id bookahead.ID, closed int32, now bookahead.Time) error {
	if k.State != Running || k.Places[i].Start > now || closed == k.on[i]+1 {
		return s.Release(id)
	}
	return s.StartCleaning(id, site.Place(k.Places[i]), k.Shapes[k.Shape][i].Tasks, now)
}

// checkTails checks D15.
func (s *schedule) checkTails(now bookahead.Time) error {
	err := s.VerifyTails(now)
	if err != nil {
		return broken("D15", "%q: %v", s.name, err)
	}
	return nil
}
