package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// Command is a change of a desk: AddSchedule, Book, Commit, Change, Cancel, End, Overrun, Close, Reopen,
// Extend, BookSeries, Continue, CancelSeries, SetTerms, SetQuota, DropQuota, Advance or Batch.
type Command interface {
	// verb names the command in logs and errors.
	verb() string
	// check returns an error that wraps bookahead.ErrInvalid if no desk could make sense of it.
	check() error
	// decide makes the Decision, and changes nothing but a trial. The error is
	// bookahead.ErrUnavailable, bookahead.ErrNotFound, or wraps bookahead.ErrInvalid.
	decide(d *books) (Decision, error)
	// apply does it. After decide on the same state it does not fail; in a log that was tampered
	// with it may.
	apply(d *books, by *Decision) error
}

// Force says who gives way when there is no room. Bookings give way as a whole: all parts or none. They are
// taken out, the least important first and of equals the one that was booked last, until there is
// room. Those that still fit where they were stay there; the others find another place, the most
// important first, or are displaced:
//
//   - A booking that has not begun is placed anew by its Request, in any of its shapes, no earlier
//     than it was.
//   - Of a booking that has begun, the rest is placed anew, from now on: parts that are over are gone, and
//     parts that run are shorter by the ticks that they had. Its Request is that of the rest from then on, and
//     Booking.Past has the places that it used until now. It is Booked until the rest begins.
//   - A hold stays a hold, with its Expiry.
//
// Whoever is placed anew keeps the Terms of its new schedule, and a running part that moves leaves its buffer behind.
type Force string

const (
	// Nobody gives way. It is the zero value.
	Nobody Force = ""
	// Lower lets bookings of lower priority give way. An outage has the priority of its own command,
	// a Change that of its new Request, and an Overrun that of its booking.
	Lower Force = "lower"
	// Anybody lets every booking give way.
	Anybody Force = "anybody"
)

// AddSchedule adds a schedule, on which nothing is booked.
type AddSchedule struct {
	// Name is new to the desk, and not empty; at most MaxText bytes.
	Name string
	Kind Kind
}

// Book books a Request at its earliest place, all parts or none. If the key is known, the booking that
// has it is the answer, and nothing is changed. That booking may have been changed since, and it may be over:
// its State says so.
type Book struct {
	// Key is the caller's name for the booking; at most MaxText bytes. A second Book with the same
	// key and the same Request is the same booking, so a caller who got no answer may ask again. Hold
	// and Force may differ, since a later Hold is that of another now; those of the first count. One with
	// another Request is an ErrKey. "" is no key.
	Key string
	Request
	// Hold is the tick at which the booking expires unless it is committed; 0 books at once.
	Hold bookahead.Time
	// Force says who gives way.
	Force Force
	// Wait is the tick until which the booking waits if there is no place, also none by Force: it is Waiting then,
	// and the first command that makes room books it, with an event, under the same ID. It is after the clock, and
	// a hold does not wait. 0 refuses the booking, and so do MaxWaiting bookings that wait already, or a Deadline that
	// cannot be met any more. A retry with the same key may have another Wait, also one that is over.
	//
	// Those of high priority have their turn first, and of equals those that came first. One that fits is booked
	// although one before it does not fit. Nobody gives way to a booking that waits.
	//
	// An Advance lets first everything happen until its tick, and grants then: a booking may lapse in an Advance from 0 to 100
	// that an Advance to 50 would have booked, in the place of a hold that expires at 50, or as a horizon has moved on. One
	// that Notice or Ahead makes hopeless does not lapse for that, but at its Wait or by its Deadline.
	//
	// All that wait share MaxLeaps: of w that wait, each may take max(16, MaxLeaps/w) searches for all of its shapes, beside one
	// for each step, and one more for each step of a rigid place (Quota). Where a place that is granted may make room for
	// others, as steps under a quota may, all have up to 16 such turns after a command. So nobody waits who has a place that
	// is found in so many searches and turns. One whose place takes more waits on, until fewer wait.
	Wait bookahead.Time
}

// Commit makes a booking of a hold.
type Commit struct{ ID BookingID }

// Change makes a booking one for another Request. Its own place counts as free, and it keeps its ID,
// key and state. All parts are placed anew as Book would, or nothing is changed. A part of its own place needs no notice
// (Terms), and may lie beyond a quota that was set later. Where only the
// owner, title, labels or priority differ, nothing moves.
//
// A booking that has begun keeps its start, and each part keeps its own; Ready is not read. There is one
// shape, whose parts are on the same schedules. A part may end earlier or later; one that runs may
// gain or give up units, and never swaps one for another; Booking.Past has the units of the time before. A
// part that is over stays as it was. A booking of MaxPast past pieces is not changed any more. Gaps are
// not read. Where several parts that are not over lie on one schedule of servers or nodes, they choose in
// turn, those that run first; so the change may be refused although there is a choice that would do.
type Change struct {
	ID BookingID
	To Request
	// Force says who gives way.
	Force Force
}

// Cancel gives a booking up, also one that waits. If it is running, the rest of it is given back.
type Cancel struct{ ID BookingID }

// End ends a running booking now. A hold whose time has begun is not running: Commit it first, or Cancel it.
type End struct{ ID BookingID }

// Overrun lets a running booking go on: those parts that would end last end at Until. Who is in the way
// of it, and has not begun, gives way by Force. A hold whose time has begun is not running: Commit it first, or
// Change it.
type Overrun struct {
	ID    BookingID
	Until bookahead.Time // after the end of the booking
	Force Force
}

// OutageID is the number of an Outage. IDs count up from 1.
type OutageID uint64

// Close closes units, servers or nodes of a schedule for a time. It is never refused because
// something is booked there. By Force, bookings that lose their place move to another, the most
// important first, or are displaced; the others stay, and Overbooked lists them. A schedule whose kind has
// no closures, such as a broker, is refused: close the schedules that it stands for.
type Close struct {
	On string
	// Interval is when; an End of bookahead.MaxTime means until further notice.
	bookahead.Interval
	// Units is how many of a pool are closed, and Servers which servers or nodes: one of the two.
	Units   int64
	Servers []int
	// Title says why; at most MaxText bytes.
	Title string
	// Force says who gives way, and Priority is that of the outage.
	Force    Force
	Priority int64
}

// String formats the command as `close 2 units of "gpus" [2, 5)` or `close servers [0 3] of "lab" [2, 5)`.
func (c Close) String() string {
	if len(c.Servers) > 0 {
		return fmt.Sprintf("close servers %v of %q %v", c.Servers, c.On, c.Interval)
	}
	return fmt.Sprintf("close %d units of %q %v", c.Units, c.On, c.Interval)
}

// Reopen ends an outage, or an extension, at a tick, or now if that is later: units that were repaired come
// back. Bookings that gave way do not come back by themselves. Bookings on the units of an
// extension stay, and Overbooked lists them.
type Reopen struct {
	ID OutageID
	At bookahead.Time
}

// Extend adds units to a pool, servers to a schedule of servers, or nodes to a machine, for a time. Added
// servers and nodes have the next indices, which Outages lists. They keep them for ever: before and after
// their time they are closed. Added nodes are listed in the Kind of their schedule from then on.
type Extend struct {
	On string
	bookahead.Interval
	// Units is how many units or servers are added, and Nodes are the nodes: one of the two.
	Units int64
	Nodes []nodes.Added
	Title string
}

// String formats the command as `extend "gpus" by 2 units [2, 5)`.
func (c Extend) String() string {
	return fmt.Sprintf("extend %q by %d units %v", c.On, c.Units, c.Interval)
}

// Advance moves the clock, and everything happens that was due by then.
type Advance struct{ Now bookahead.Time }

// Decision is what a desk has decided about a command. Applied to the same state it gives the same
// state, whatever later versions would decide.
type Decision struct {
	// Booking is the booking that the command is about, and Outage the outage; 0 if none is.
	Booking BookingID
	Outage  OutageID
	// Shape and Places are the new place of the booking; no Places if it has none, waits, or keeps its own. A part
	// that has begun has its whole time here, from its start; Booking.Places divides it from Past.
	Shape  int
	Places []Place
	// Moved are the bookings that give way, in the order in which they find other places.
	Moved []Moved
	// Batch are the decisions on the commands of a Batch, or on the occurrences of a series, of which a refused one
	// has the Booking 0; nil for others.
	Batch []Decision
	// Series is the series that the command is about; 0 if none is. Shift is by how many ticks it is late.
	Series SeriesID
	Shift  bookahead.Duration
	// Granted are the waiting bookings that find a place once the command has been applied, in turn. Those of a Batch are
	// granted at its end.
	Granted []Moved
	// same is true if the command changes nothing, as its key is known.
	same bool
	// on are the schedules of Places, if Do has just decided; an entry from elsewhere has none, and is
	// checked before it is applied.
	on []int32
	// made is the schedule that is added, if Do has just decided.
	made *schedule
}

// Moved is the new place of a booking that has lost its own; no Places if there is none.
type Moved struct {
	Booking BookingID
	// Shape is the index of its shape; of a booking that has begun it is 0, for the rest of its shape.
	Shape  int
	Places []Place
}
