package sim

import "github.com/bookahead/bookahead"

// Never is the Promised of a task that was not promised a start.
const Never bookahead.Time = -1

// Outcome is the run of a task, or its rejection.
type Outcome struct {
	Start, End bookahead.Time // of its run: End = Start + Run
	Provider   int            // on which it ran
	// Rejected says that it never ran: no provider has as many units, or its horizon
	// is too short; in a Cluster, that its due date could not be met.
	// Start and End are 0 then, and Provider is -1.
	Rejected bool
	// Promised is the start that the policy promised first: a batch task that
	// came to the head of a queue under EASY, one for which Conservative keeps a place, or
	// an AR task. Never if none was.
	Promised bookahead.Time
	// Attempts is the number of searches for an AR task: one at each provider, and one more if it is late. Batch tasks make none.
	Attempts int
	// Displaced is how often an outage of nodes stopped it, or moved its reservation.
	// In a Cluster only.
	Displaced int
}

// Result has the outcomes of a run. A Result can also be put together from the records of
// a trace, for its metrics.
type Result struct {
	Tasks     []Task    // as given
	Outcomes  []Outcome // in the order of the tasks
	Units     []int64   // of each provider
	Lost      float64   // units times ticks that were spent on runs that an outage stopped
	LongQueue int       // the most batch tasks that waited at one provider after any decision
}

// Wait returns the ticks from the ready time of task i to its start (Castillo et
// al., §5: W_r).
func (r Result) Wait(i int) bookahead.Duration {
	return bookahead.Duration(r.Outcomes[i].Start - r.Tasks[i].Ready)
}

// Tardiness returns by how many ticks task i ended after it was due, and 0 if it
// did not (Kurowski et al., §4.3: D_k). The end of the task counts, not the end of its
// reservation.
func (r Result) Tardiness(i int) bookahead.Duration {
	if r.Tasks[i].Due == 0 {
		return 0
	}
	return bookahead.Duration(max(0, r.Outcomes[i].End-r.Tasks[i].Due))
}

// Temporal returns the wait of task i over the time for which it was booked (Castillo et
// al., §5: P_r^l = W_r / l_r).
func (r Result) Temporal(i int) float64 {
	return float64(r.Wait(i)) / float64(r.Tasks[i].Estimate)
}
