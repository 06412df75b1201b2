package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// What says what an Event tells.
type What uint8

// What may happen.
const (
	WasAdded     What = 1 + iota // a schedule
	WasBooked                    // also with a Hold
	WasCommitted                 // a hold
	WasChanged                   // by Change or Overrun
	WasMoved                     // to another place, because it had to give way
	WasDisplaced                 // has given way, and found no other place
	WasCancelled
	HasStarted
	HasEnded
	HasExpired
	WasClosed   // units of a schedule
	WasReopened // units of a schedule
	WasExtended // a schedule
	WasAdvanced // the clock
	IsWaiting   // a booking that found no place
	WasRefused  // an occurrence of a series: From is its window
	NeedsMore   // a series needs occurrences, or a schedule opening hours
	WasSet      // the terms of a schedule, or a quota
	WasDropped  // a quota
)

var whatNames = [...]string{"", "added", "booked", "committed", "changed", "moved", "displaced", "cancelled",
	"started", "ended", "expired", "closed", "reopened", "extended", "advanced",
	"waiting", "refused", "needs more", "set", "dropped"}

// String returns "booked", "moved", "started" or the like.
func (w What) String() string {
	if w == 0 || int(w) >= len(whatNames) {
		return fmt.Sprintf("event %d", uint8(w))
	}
	return whatNames[w]
}

// Event tells that something has come of a command.
type Event struct {
	// Number counts the events of a desk from 1.
	Number uint64
	// At is when it happened: the clock, or during an Advance the tick of a start, an end or an expiry.
	At   bookahead.Time
	What What
	// Booking and Owner are those of the booking that it is about, or Owner that of the series; 0 and "" if it is about none.
	Booking BookingID
	Owner   string
	// Schedule names the schedule, and Outage the outage, that it is about.
	Schedule string
	Outage   OutageID
	// From is the Interval of the booking before, and To since; empty if it had or has none. If the booking has
	// a past, both begin with it.
	From, To bookahead.Interval
	// Before and After are the Places of a booking before and since, if it was moved or changed and they
	// differ; nil in other events. They tell the owner where to go, also if only the servers differ. They
	// belong to the desk, and must not be changed.
	Before, After []Place
	// Series is that of the booking, or that the event is about, and Quota names the quota that it is about.
	Series SeriesID
	Quota  string
}

// Outcome is the answer to a command.
type Outcome struct {
	// Booking is the booking that the command is about, as it is now.
	Booking Booking
	// Outage is the number of the outage, or of the extension.
	Outage OutageID
	// Events are those that came of it, in order.
	Events []Event
	// Batch are the answers to the commands of a Batch, each as it was then; nil for others. A booking that waited then, and
	// has a place by the end of the Batch, is as it is in the end.
	Batch []Outcome
	// Series is the number of the series, Occurrences are the bookings by window, 0 where one was refused, and Refused
	// are the windows of those.
	Series      SeriesID
	Occurrences []BookingID
	Refused     []bookahead.Interval
}
