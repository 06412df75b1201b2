package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// What is the kind of an Event.
type What uint8

// The kinds of events.
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

// Event reports one effect of a command.
type Event struct {
	// Number counts the events of a desk from 1.
	Number uint64
	// At is the tick of the event: the clock, or during an Advance the tick of a start, an end or an expiry.
	At   bookahead.Time
	What What
	// Booking is the booking of the event, and Owner its owner, or the owner of the series; 0 and "" if there is
	// none.
	Booking BookingID
	Owner   string
	// Schedule names the schedule of the event, and Outage is its outage.
	Schedule string
	Outage   OutageID
	// From is the Interval of the booking before the event, and To after it; empty if the booking had or has
	// none. Both begin with the past of the booking, if it has any.
	From, To bookahead.Interval
	// Before and After are the Places of the booking before and after the event, if it was moved or changed and
	// they differ; nil in other events. They tell the owner where to go, even if only the servers differ. They
	// belong to the desk, and must not be changed.
	Before, After []Place
	// Series is the series of the booking or of the event, and Quota names the quota of the event.
	Series SeriesID
	Quota  string
}

// Outcome is the answer to a command.
type Outcome struct {
	// Booking is the booking that the command is about, as the command leaves it.
	Booking Booking
	// Outage is the number of the outage, or of the extension.
	Outage OutageID
	// Events are the events of the command, in order.
	Events []Event
	// Batch are the answers to the commands of a Batch, each as of its turn; nil for other commands. If a booking
	// waited at its turn, and has a place by the end of the Batch, its answer shows it at the end.
	Batch []Outcome
	// Series is the number of the series. Occurrences are its bookings by window, 0 for a refused window, and
	// Refused are the refused windows.
	Series      SeriesID
	Occurrences []BookingID
	Refused     []bookahead.Interval
}
