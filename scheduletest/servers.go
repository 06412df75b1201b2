package scheduletest

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

// serverOracle is the oracle for schedules that know their servers. For each tick since the
// origin it has a cell for each server, with the number of reservations that hold the server;
// more than one would be overbooked. It chooses the free servers of lowest index. Like poolOracle
// it is a bookahead.Keeper.
type serverOracle struct {
	axis
	taken [][]int8
}

var _ oracle = (*serverOracle)(nil)

// free lists the servers that are free throughout w.
func (s *serverOracle) free(w bookahead.Interval) []int {
	free := []int{}
	last := max(s.settled(), s.cells())
	for k := range s.servers {
		idle := s.idle(k, w.Start)
		for t := w.Start; idle && t < w.End && t <= last; t++ {
			idle = s.idle(k, t)
		}
		if idle {
			free = append(free, k)
		}
	}
	return free
}

// cells returns the tick after the last cell.
func (s *serverOracle) cells() bookahead.Time { return s.origin + bookahead.Time(len(s.taken)) }

// held reports whether a reservation holds a server at a tick.
func (s *serverOracle) held(k int, t bookahead.Time) bool {
	return t < s.cells() && s.taken[t-s.origin][k] > 0
}

// idle reports whether a server is free at a tick.
func (s *serverOracle) idle(k int, t bookahead.Time) bool {
	if s.held(k, t) {
		return false
	}
	return !s.shut(k, t) || s.own.Contains(t) && slices.Contains(s.own.Servers, k)
}

func (s *serverOracle) add(o bookahead.Offer, by int8) {
	w := s.rounded(o.Interval)
	for t := max(w.Start, s.origin); t < w.End; t++ {
		for t-s.origin >= bookahead.Time(len(s.taken)) {
			s.taken = append(s.taken, make([]int8, s.servers))
		}
		for _, k := range o.Servers {
			s.taken[t-s.origin][k] += by
		}
	}
}

// choose lists the servers that are free throughout w and that r allows.
func (s *serverOracle) choose(r bookahead.Request, w bookahead.Interval) []int {
	return slices.DeleteFunc(s.free(w), func(k int) bool {
		return r.Servers != nil && !slices.Contains(r.Servers, k)
	})
}

func (s *serverOracle) place(r bookahead.Request) (bookahead.Time, error) {
	if err := s.check(r); err != nil {
		return 0, err
	}
	return s.starts(r, s.fits(r))
}

// fits returns the function that reports whether servers for r are free throughout a
// window.
func (s *serverOracle) fits(r bookahead.Request) func(bookahead.Interval) bool {
	return func(w bookahead.Interval) bool { return int64(len(s.choose(r, w))) >= r.Units }
}

func (s *serverOracle) share(r bookahead.Request, w bookahead.Interval, own []int) (kept, others []int, n int64) {
	for _, k := range s.choose(r, w) {
		if slices.Contains(own, k) {
			kept = append(kept, k)
		} else {
			others = append(others, k)
		}
	}
	return kept, others, int64(len(kept) + len(others))
}

func (s *serverOracle) allows(r bookahead.Request, o bookahead.Offer) error {
	if err := s.misplaced(r, o); err != nil {
		return err
	}
	if int64(len(o.Servers)) != o.Units {
		return fmt.Errorf("offer %v names %d servers for %d units", o, len(o.Servers), o.Units)
	}
	able := s.choose(r, o.Interval)
	for i, k := range o.Servers {
		if i > 0 && k <= o.Servers[i-1] {
			return fmt.Errorf("the servers of offer %v do not ascend", o)
		}
		if !slices.Contains(able, k) {
			return fmt.Errorf("offer %v takes server %d, which is taken or not allowed", o, k)
		}
	}
	return nil
}

func (s *serverOracle) book(o bookahead.Offer) bookahead.ID {
	o.Servers = slices.Clone(o.Servers)
	s.add(o, 1)
	return s.enter(o)
}

func (s *serverOracle) restore(id bookahead.ID, o bookahead.Offer) {
	o.Servers = slices.Clone(o.Servers)
	s.add(o, 1)
	s.booked[id] = o
}

func (s *serverOracle) most() int64 { return int64(s.servers) }

func (s *serverOracle) without(res bookahead.Reservation) oracle {
	c := s.clone().(*serverOracle)
	_ = c.Release(res.ID)
	c.own = res
	return c
}

func (s *serverOracle) clone() oracle {
	c := *s
	c.taken = make([][]int8, len(s.taken))
	for t := range s.taken {
		c.taken[t] = slices.Clone(s.taken[t])
	}
	c.booked = maps.Clone(s.booked)
	return &c
}

// Search implements bookahead.Schedule.
func (s *serverOracle) Search(r bookahead.Request) (bookahead.Offer, error) {
	start, err := s.place(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	w := bookahead.Interval{Start: start, End: start + bookahead.Time(r.Duration)}
	return bookahead.Offer{Interval: w, Units: r.Units, Servers: s.choose(r, w)[:r.Units]}, nil
}

// Reserve implements bookahead.Schedule.
func (s *serverOracle) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := s.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	return bookahead.Reservation{ID: s.book(o), Offer: o}, nil
}

// Release implements bookahead.Schedule.
func (s *serverOracle) Release(id bookahead.ID) error {
	o, err := s.strike(id)
	if err != nil {
		return err
	}
	s.add(o, -1)
	return nil
}

// RangeQuery implements bookahead.Schedule.
func (s *serverOracle) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := s.window(w)
	if err != nil {
		return bookahead.Availability{}, err
	}
	free := []int{}
	if !w.Empty() {
		free = s.free(w)
	}
	return bookahead.Availability{Window: w, Free: int64(len(free)), Servers: free}, nil
}

// Openings implements bookahead.Opener.
func (s *serverOracle) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		if s.check(r) == nil {
			slices.Values(s.openings(r, s.fits(r)))(yield)
		}
	}
}

// SearchFor implements bookahead.Keeper.
func (s *serverOracle) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	return rebooked(s, s, id, r)
}

// Rebook implements bookahead.Keeper.
func (s *serverOracle) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	return rebook(s, id, r)
}

// Extend implements bookahead.Closable.
func (s *serverOracle) Extend(c bookahead.Closure) (bookahead.Closure, error) {
	c, err := s.axis.Extend(c)
	for t := range s.taken {
		s.taken[t] = append(s.taken[t], make([]int8, s.servers-len(s.taken[t]))...)
	}
	return c, err
}
