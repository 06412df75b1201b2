package servers

import "github.com/bookahead/bookahead"

// Taken returns runs, which are by server and time, together with the stretches in which servers
// are closed. Runs of one server that overlap or touch become one.
func (s *Servers) Taken(runs []Run) []Run {
	if s.closed == nil {
		return runs
	}
	runs = byServer(append(s.closedRuns(), runs...))
	sortRuns(runs)
	whole := runs[:0]
	for _, r := range runs {
		last := len(whole) - 1
		if last >= 0 && whole[last].Server == r.Server && r.Start <= whole[last].End {
			whole[last].End = max(whole[last].End, r.End)
			continue
		}
		whole = append(whole, r)
	}
	return whole
}

// closedRuns returns the stretches in which servers are closed, from now on.
func (s *Servers) closedRuns() (runs []Run) {
	x := s.closed
	ahead := bookahead.Interval{Start: s.Now, End: bookahead.MaxTime}
	add := func(k int32) {
		for _, part := range x.parts(k, ahead).gaps(ahead) {
			runs = append(runs, Run{Interval: part, Server: k})
		}
	}
	for k := range x.lanes {
		if int(k) < x.given {
			add(k)
		}
	}
	for k := x.given; k < s.Limits.Servers; k++ {
		add(int32(k))
	}
	return runs
}

// IdleSince returns for each server the earliest time since which it can have been idle, as far
// as the closures show. It returns nil if there has never been a closure.
func (s *Servers) IdleSince() []bookahead.Time {
	x := s.closed
	if x == nil {
		return nil
	}
	since := make([]bookahead.Time, s.Limits.Servers)
	for c := range x.list.All() {
		for _, k := range c.Servers {
			if c.Added {
				since[k] = max(since[k], c.Start)
			} else if c.Start < s.Now {
				since[k] = s.Now
			}
		}
	}
	return since
}
