package sim

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
)

// Task is a rigid parallel task: a batch task, which waits in a queue until the
// policy starts it, or an AR task, which is booked ahead when it is submitted and
// starts when its reservation does. A tick is whatever the schedules' tick is.
//
// A task runs for Run ticks and is booked for Estimate: policies know the estimate
// only. A task that is done gives back the rest of its reservation.
type Task struct {
	workload.Job // Submit, Run, Estimate, Units
	// Ready is the tick from which on the task can start, Submit or later. A
	// batch task joins the queue then.
	Ready bookahead.Time
	// Due is when an AR task is to have ended; 0 means that it does not matter. It
	// is a fixed request if Due is Ready+Estimate, and a flexible one if Due is
	// later. Batch tasks have none.
	Due bookahead.Time
	// AR makes it an AR task.
	AR       bool
	Priority int   // for plan.ByPriority and Local.Preempt: the larger goes first
	User     int64 // the owner of plan.FairShare
}

// FromJobs returns a batch task for each job, ready when it is submitted.
func FromJobs(jobs []workload.Job) []Task {
	tasks := make([]Task, len(jobs))
	for i, j := range jobs {
		tasks[i] = Task{Job: j, Ready: j.Submit}
	}
	return tasks
}

// validate returns an error that wraps bookahead.ErrInvalid.
func (t *Task) validate() error {
	switch {
	case t.Submit < 0:
		return invalid("Task.Submit", t.Submit, "is negative")
	case t.Ready < t.Submit:
		return invalid("Task.Ready", t.Ready, fmt.Sprintf("is before Task.Submit %d", t.Submit))
	case t.Units < 1:
		return invalid("Task.Units", t.Units, "is less than 1")
	case t.Run < 1:
		return invalid("Task.Run", t.Run, "is less than 1")
	case t.Estimate < t.Run:
		return invalid("Task.Estimate", t.Estimate, fmt.Sprintf("is less than Task.Run %d", t.Run))
	case t.Ready > bookahead.MaxTime-bookahead.Time(t.Estimate):
		return invalid("Task.Estimate", t.Estimate, fmt.Sprintf("after Task.Ready %d overflows", t.Ready))
	case !t.AR && t.Due != 0:
		return invalid("Task.Due", t.Due, "is set, but the task is no AR task")
	case t.Due != 0 && t.Due < t.Ready+bookahead.Time(t.Estimate):
		return invalid("Task.Due", t.Due, fmt.Sprintf("is before Ready + Estimate = %d", t.Ready+bookahead.Time(t.Estimate)))
	}
	return nil
}

func invalid(field string, value any, reason string) error {
	return &bookahead.InvalidError{Field: field, Value: value, Reason: reason}
}
