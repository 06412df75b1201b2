package site

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// Search returns the earliest place for a request, without buffers. On nodes its units are tasks, and tasks says what each
// of them takes and where it may lie.
func (s *Site) Search(r bookahead.Request, tasks *nodes.Request) (Place, error) {
	if s.machine != nil {
		o, err := s.machine.Search(with(tasks, &r))
		return tasksOf(o, r.Units), limits.Bare(err)
	}
	o, err := s.keeper.Search(r)
	return unitsOf(o, r.Units), err
}

// SearchFor is Search for the place that a reservation can have instead of its present one.
func (s *Site) SearchFor(id bookahead.ID, r bookahead.Request, tasks *nodes.Request) (Place, error) {
	if s.machine != nil {
		o, err := s.machine.SearchFor(id, with(tasks, &r))
		return tasksOf(o, r.Units), limits.Bare(err)
	}
	o, err := s.keeper.SearchFor(id, r)
	return unitsOf(o, r.Units), err
}

// with returns tasks with the times and the units of a request.
func with(tasks *nodes.Request, r *bookahead.Request) nodes.Request {
	whole := *tasks
	whole.Ready, whole.Deadline, whole.Duration, whole.Tasks = r.Ready, r.Deadline, r.Duration, r.Units
	return whole
}

// Member returns the site for a grid.CoSearch, and for such tasks.
func (s *Site) Member(tasks *nodes.Request) grid.Member {
	if s.machine != nil {
		return grid.Gang{Machine: s.machine, Request: *tasks}
	}
	return s.keeper
}

// Free returns how many units are free throughout w, and which servers. If servers are named, in order, it counts these
// alone. The site is no machine of nodes.
func (s *Site) Free(w bookahead.Interval, servers []int) (bookahead.Availability, error) {
	a, err := s.keeper.RangeQuery(w)
	if err != nil || servers == nil {
		return a, err
	}
	a.Servers = slices.DeleteFunc(a.Servers, func(k int) bool {
		_, named := slices.BinarySearch(servers, k)
		return !named
	})
	a.Free = int64(len(a.Servers))
	return a, nil
}
