package sim

import "github.com/bookahead/bookahead"

// Never is the Promised of a task that was not promised a start.
const Never bookahead.Time = -1

// Outcome is the run of a task, or its rejection.
type Outcome struct {
	Start, End bookahead.Time // of its run, the last one if it was preempted: End = Start + Run
	Provider   int            // on which it ran
	// Rejected says that it never ran: no provider has as many units, its horizon
	// is too short, or its due date could not be met and Config.Strict is set.
	// Start and End are 0 then, and Provider is -1.
	Rejected bool
	// Promised is the start that the policy promised first: to a batch task that
	// came to the head of a queue under EASY, or joined one under Conservative, and
	// did not start at once; or to an AR task. Never if none was.
	Promised bookahead.Time
	// Attempts is the number of searches for an AR task: one for each start that
	// was tried at each provider. Batch tasks make none.
	Attempts  int
	Preempted int // how often it was stopped and had to begin anew
	// Displaced is how often an outage of nodes stopped it, or moved its reservation.
	// In a Cluster only.
	Displaced int
}

// Operations counts calls of the schedules: of the queue's copy where batch tasks wait in a queue.
type Operations struct {
	Search, Reserve, Release, RangeQuery, Advance int
}

// Total is the number of all calls.
func (o Operations) Total() int {
	return o.Search + o.Reserve + o.Release + o.RangeQuery + o.Advance
}

// Result has the outcomes of a run. A Result can also be put together from the records of
// a trace, for its metrics.
type Result struct {
	Tasks      []Task    // as given
	Outcomes   []Outcome // in the order of the tasks
	Units      []int64   // of each provider
	Operations Operations
	Lost       float64 // units times ticks that were spent on runs that were preempted
	LongQueue  int     // the most batch tasks that waited at one provider after any decision
}

// Wait returns the ticks from the ready time of task i to its start (Castillo et
// al., §5: W_r).
func (r Result) Wait(i int) bookahead.Duration {
	return bookahead.Duration(r.Outcomes[i].Start - r.Tasks[i].Ready)
}

// Flow returns the ticks from the ready time of task i to its end (Kurowski et
// al., §4.3: F_i).
func (r Result) Flow(i int) bookahead.Duration {
	return bookahead.Duration(r.Outcomes[i].End - r.Tasks[i].Ready)
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
