package servers

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Run is a stretch of time, from now on, in which a reservation has a server.
type Run struct {
	bookahead.Interval
	Server int32
	id     bookahead.ID
}

// Runs returns the runs of all servers, by server, then by time. Structures are built from them.
// round is Rounder.Round, or nil. The error wraps bookahead.ErrInvalid if a server is booked
// twice. It names both reservations; name turns an ID into the words for it. O(n log m) for n
// runs, m of each server.
func (s *Servers) Runs(round func(bookahead.Interval) bookahead.Interval, name func(bookahead.ID) string) ([]Run, error) {
	var runs []Run
	for id, b := range s.Booked.All(s.Now) {
		w := s.Ahead(b.Interval)
		if round != nil {
			w = round(w)
		}
		for _, k := range b.Servers {
			runs = append(runs, Run{w, k, id})
		}
	}
	runs = byServer(runs)
	sortRuns(runs)
	for i := 1; i < len(runs); i++ {
		a, b := runs[i-1], runs[i]
		if a.Server == b.Server && b.Start < a.End {
			return nil, s.twice(b.Server, min(a.id, b.id), max(a.id, b.id), name)
		}
	}
	return runs, nil
}

// sortRuns sorts runs, which are by server already, by time as well.
func sortRuns(runs []Run) {
	for first, i := 0, 1; i <= len(runs); i++ {
		if i == len(runs) || runs[i].Server != runs[first].Server {
			slices.SortFunc(runs[first:i], func(a, b Run) int { return cmp.Compare(a.Start, b.Start) })
			first = i
		}
	}
}

// twice returns the error that a server is booked for two reservations at once. It shows the
// interval as it was booked: a run may be only a part of that, or be rounded.
func (s *Servers) twice(server int32, first, second bookahead.ID, name func(bookahead.ID) string) error {
	b, _ := s.Booked.Get(second, s.Now)
	return limits.Invalid(name(second), b.Interval, fmt.Sprintf("is on server %d, which %s has", server, name(first)))
}

// byServer sorts the runs by server. The numbers of servers have 24 bits: it sorts by the lower
// 12 bits, and then, keeping that order, by the upper 12. O(n), whatever the capacity.
func byServer(runs []Run) []Run {
	const half = 12
	for shift := 0; shift < 2*half; shift += half {
		var place [1<<half + 1]int // where the runs of each number begin
		at := func(r Run) int { return int(r.Server) >> shift & (1<<half - 1) }
		for _, r := range runs {
			place[at(r)+1]++
		}
		for i := range 1 << half {
			place[i+1] += place[i]
		}
		sorted := make([]Run, len(runs))
		for _, r := range runs {
			sorted[place[at(r)]] = r
			place[at(r)]++
		}
		runs = sorted
	}
	return runs
}

// InConfig names a reservation that a schedule holds from the start.
func InConfig(id bookahead.ID) string { return fmt.Sprintf("Config.Booked[%d]", id-1) }

// InSnapshot names a reservation that has been read.
func InSnapshot(id bookahead.ID) string { return fmt.Sprintf("snapshot: reservation #%d", id) }
