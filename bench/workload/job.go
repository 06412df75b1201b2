package workload

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/swf"
)

// Job is a rigid parallel job. A tick is a second.
type Job struct {
	Submit bookahead.Time // when the request is made
	// Run is how long the job really runs, and Estimate for how long it is
	// booked, as its user asks. 1 <= Run <= Estimate: a reservation ends when its
	// time is up, whether the job is done or not.
	Run, Estimate bookahead.Duration
	Units         int64 // processors

	// Number is the number of the job in a trace. Wait is how long the job waited in the batch system of the
	// trace, or Unknown. Models leave both 0.
	Number int64
	Wait   bookahead.Duration
}

// Unknown is the Wait of a job whose wait was not recorded.
const Unknown bookahead.Duration = swf.Unknown

func invalid(field string, value any, reason string) error {
	return &bookahead.InvalidError{Field: field, Value: value, Reason: reason}
}
