package route

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
)

// readiness is Ŵ of the clusters of a query. All paths to a cluster share its list, since a list may
// have as many runs as there are bookings, and Ŵ(p, b) is the list from the arrival over p on:
//
//	tick         0 1 2 3 4 5 6 7
//	cluster A    1 1 . . 1 1 1 1
//	cluster B    1 1 1 . 1 1 . .
//	arrival 1    . 1 . . 1 1 1 1     Ready of a path to A
//	arrival 2    . . 1 . 1 1 . .     Ready of a path to B
//
// In one cluster an earlier arrival covers a later arrival. From A to B the last tick that is in B and
// not in A decides: tick 2. So A covers B if the data is at B in tick 3 or later, and at A no later.
type readiness struct {
	free []*avail.Runs // by cluster: when it has the CPUs; nil if nobody has asked
	// By two clusters: 1 more than the last tick of the second that the first has not, -1 if there is
	// none; 0 if nobody has asked.
	last [][]int64
}

func newReadiness(clusters int) readiness {
	return readiness{make([]*avail.Runs, clusters), make([][]int64, clusters)}
}

// of returns Ŵ of a cluster up to the deadline, or as far as a list of runs goes. Candidates
// are compared by Ŵ; the task may also run behind its end.
func (r *readiness) of(n *Network, j *job, m int) (*avail.Runs, error) {
	if r.free[m] != nil {
		return r.free[m], nil
	}
	axis := avail.Axis{Origin: n.now, Width: 1, Slots: int(min(max(j.end, 0), avail.MaxSlots))}
	if axis.Slots == 0 {
		r.free[m] = &avail.Runs{}
		return r.free[m], nil
	}
	w, err := axis.Window()
	if err != nil {
		return nil, err
	}
	blocks, _ := bookahead.Blocks(n.clusters[m].Pool, w) // checked when it was adopted
	free, err := avail.DiscretiseRuns(blocks, axis, j.CPUs)
	if err != nil {
		return nil, err
	}
	r.free[m] = free
	j.words(2 * int64(len(slices.Collect(free.All()))))
	return free, nil
}

// covers reports whether Ready of a covers Ready of b, where the data of a arrives no later. It reads
// the lists of two clusters once in a query.
func (r *readiness) covers(j *job, a, b *Candidate) bool {
	if a.Cluster == b.Cluster {
		return true
	}
	if r.last[a.Cluster] == nil {
		r.last[a.Cluster] = make([]int64, len(r.free))
	}
	last := &r.last[a.Cluster][b.Cluster]
	if *last == 0 {
		have, want := slices.Collect(a.free.All()), slices.Collect(b.free.All())
		if !j.words(2 * int64(len(have)+len(want))) {
			return true // nothing counts any more
		}
		*last = lastMissing(have, want) + 1
		if *last == 0 {
			*last = -1
		}
	}
	return int64(b.from) >= *last
}

// lastMissing returns the last slot of want that have has not, or -1. It goes from the end to the
// start:
//
//	want   [0, 3) [4, 6)
//	have   [0, 2) [4, 8)      [4, 6) is covered; of [0, 3) slot 2 is missing
func lastMissing(have, want []avail.Run) int64 {
	i := len(have) - 1
	for _, w := range slices.Backward(want) {
		for i >= 0 && have[i].Start >= w.End {
			i--
		}
		switch {
		case i < 0 || have[i].End < w.End:
			return int64(w.End - 1)
		case have[i].Start > w.Start:
			return int64(have[i].Start - 1)
		}
	}
	return -1
}
