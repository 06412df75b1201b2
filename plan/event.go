package plan

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// Result is what a Pass has decided.
type Result struct {
	// Changes are what running jobs hold from now on, if that is another place than before: of jobs that bend, or whose nodes are
	// closed. They come before the Starts: what one gives up, another may get.
	Changes []Change
	// Starts are the jobs that may start now, in the order in which they were found.
	Starts []Start
	// Promises are the jobs that were promised a start by this Pass, which had no promise before.
	Promises []Promise
	// Events are what has happened since the Pass before. The same Pass again, with nothing in between, tells them again.
	Events []Event
	// Spent is the number of steps that the Pass took.
	Spent int64
}

// Start is a job that may start now, and where.
type Start struct {
	Job ID
	// Shape is the index of the shape, and Places has the place of each of its parts.
	Shape  int
	Places []Place
	// Victims are running jobs that give way to it: they stop first.
	Victims []ID
}

// Change is a running job that bends or swaps nodes, and that holds another place from now on.
type Change struct {
	Job ID
	// Places has the place that the job holds now, or that of the part that has swapped nodes. If it is empty, the job stops at its
	// checkpoint, and a later Change says when it goes on.
	Places []Place
}

// Promise is the start that a job is promised.
type Promise struct {
	Job   ID
	Start bookahead.Time
}

// Cause says what came between a job and its promise.
type Cause uint8

// The causes of a Delay. A closure or a reservation is a cause only if it is news: if the plan was made without it.
const (
	// Outage is a closure of units, servers or nodes.
	Outage Cause = iota + 1
	// Overran is a running job that was not done by its estimate: Event.By names it.
	Overran
	// Firm is a reservation that was booked by others: Event.Reservation has its ID.
	Firm
	// Late is the queue itself: no Pass was made at the promised time, or the start was not taken. The promises behind
	// that one may give way with it.
	Late
)

// String returns the cause as a noun.
func (c Cause) String() string {
	switch c {
	case Outage:
		return "an outage"
	case Overran:
		return "a job that overran"
	case Firm:
		return "a firm reservation"
	case Late:
		return "a late start"
	}
	return fmt.Sprintf("cause %d", uint8(c))
}

// Kind says what an Event tells.
type Kind uint8

// The kinds of an Event.
const (
	// Delayed is a promise that was broken: the job was to start at From, and is to start at To, or Never known.
	Delayed Kind = iota + 1
	// Overrun is a running job that was to end at From, and is expected to end at To. If others have booked its units
	// meanwhile, or they are closed, it holds them nevertheless. On is their schedule, and Reservation names one of those
	// bookings, or is 0. When there is room, the job is booked there, and another event says so, in which From is To.
	Overrun
	// Lost is a running job whose units, servers or nodes are closed. The caller says what has become of it: Ended or
	// Requeue.
	Lost
)

// Event is news that a Pass has for the caller.
type Event struct {
	Kind Kind
	Job  ID
	// From and To are times before and after; Never for a start that is not promised any more.
	From, To bookahead.Time
	// Cause is why a job is delayed, By is the job that overran, On the schedule, and Reservation a reservation there.
	Cause       Cause
	By          ID
	On          string
	Reservation bookahead.ID
}

// Never is the start of a job that has none.
const Never bookahead.Time = -1
