package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// Command is a change of a desk: AddSchedule, Book, Commit, Change, Cancel, End, Overrun, Close, Reopen,
// Extend, BookSeries, Continue, CancelSeries, SetTerms, SetQuota, DropQuota, Advance, Batch or Given.
type Command interface {
	// verb names the command in logs and errors.
	verb() string
	// check returns an error that wraps bookahead.ErrInvalid if no desk could make sense of the command.
	check() error
}

// Force says which bookings give way when there is no room. A booking gives way as a whole: all parts or none.
// Bookings are taken out until there is room, the least important first, and of equals the booking with the
// greatest number. Those that still fit where they were go back there. The others find another place, the most
// important first, or are displaced:
//
//   - A booking that has not begun is placed anew by its Request, in any of its shapes, no earlier than before.
//   - If a booking has begun, its rest is placed anew, from now on: the rest has no parts that are over, and
//     running parts are shorter by the ticks that they had. From then on Request is the request of the rest, and
//     Booking.Past has the places that were used until now. The booking is Booked until the rest begins.
//   - Work that bends (Request.Volume, Request.Pieces) is planned anew: of a booking that has begun, what is left of it, from now
//     on. What has run stays in Booking.Past, and Request has what was left. The rest has a plan of its own: the volume may
//     have as many Stretches again, and with Least it may pause once, where it gave way. Work in pieces begins with a restart
//     again, unless it goes on at once on a pool, and what the last piece has done counts, however short it is.
//   - If a running part has Swap, only its tasks on nodes that it cannot keep move, and all else stays where it is.
//   - A hold stays a hold, with its Expiry.
//
// A booking that is placed anew keeps the Terms of its new schedule, but for Notice and Ahead. A running part that
// moves leaves its buffer behind (Terms.After).
type Force string

const (
	// Nobody gives way. It is the zero value.
	Nobody Force = ""
	// Lower lets bookings of lower priority give way: lower than the priority of the Close, of the new Request of
	// a Change, or of the booking of an Overrun.
	Lower Force = "lower"
	// Anybody lets every booking give way.
	Anybody Force = "anybody"
)

// AddSchedule adds a schedule without bookings.
type AddSchedule struct {
	// Name is new to the desk, and not empty; at most MaxText bytes.
	Name string
	Kind Kind
}

// Book books a Request at its earliest place, all parts or none. If the desk knows the key, the answer is the
// booking that has it, and nothing changes. That booking may have been changed since, or be over: its State
// says so.
type Book struct {
	// Key is the caller's name for the booking, at most MaxText bytes; "" is no key. A second Book with the same
	// key and the same Request returns the same booking, so a caller who got no answer may ask again. Hold, Force
	// and Wait may differ, since a retry comes later; those of the first Book count. A Book of another Request
	// with the same key fails with ErrKey.
	Key string
	Request
	// Hold is the tick at which the booking expires unless it is committed; 0 books at once.
	Hold bookahead.Time
	// Force says which bookings give way.
	Force Force
	// Wait is the tick until which the booking waits if it finds no place, not even by Force. The booking is
	// Waiting then, and the first command that makes room books it, with an event, under the same ID. Wait is
	// after the clock, and a hold does not wait. With a Wait of 0 a booking without a place is refused. It is
	// also refused if MaxWaiting bookings wait already, if a quota lets no more wait, or if its Deadline cannot
	// be met any more. A retry with the same key may have another Wait, also a Wait that is over.
	//
	// Waiting bookings have their turns by priority, the greatest first, and then by ID. A booking that fits is
	// booked although one before it does not fit. Nobody gives way to a booking that waits.
	//
	// An Advance first lets everything happen until its tick, and then grants places. So a booking may lapse in
	// an Advance from 0 to 100 that an Advance to 50 would have booked, in the place of a hold that expires at
	// 50, or because a horizon has moved on. Notice or Ahead may leave a waiting booking without hope; it lapses
	// at its Wait or by its Deadline all the same, and not before.
	//
	// In its turn a booking has an equal share of the steps that the turns before it have left of Config.Effort. If
	// 16 searches for each part are more than that, it has these, out of a reserve of as many steps once more for
	// all turns. If a place that is granted may make room for others, as steps
	// under a quota may, all waiting bookings have another turn, up to 16 after a command and while steps are
	// left. So no booking waits that has a place which so many steps and turns find. A booking whose place takes
	// more steps waits on, until fewer bookings wait. Its next turn comes with a command that may make room anywhere,
	// such as an Advance: a Cancel gives a turn to those only that may use what it gives back.
	Wait bookahead.Time
}

// Commit makes a hold a booking.
type Commit struct{ ID BookingID }

// Change gives a booking another Request. The booking keeps its ID, key and state, and its own place counts as
// free. All parts are placed anew as Book would place them, or nothing is changed. A part of the present place
// needs no notice (Terms), and may lie beyond a quota that was set later. If only the owner, title, labels or
// priority differ, nothing moves.
//
// A booking that has begun keeps its start, and each part keeps its own start; Ready and gaps are not read. The
// new Request has one shape, with its parts on the same schedules. A part may end earlier or later. A running part
// may also gain or give up units, but never swaps one for another; Booking.Past has the units of the time before.
// A part that is over stays as it was. A running booking of MaxPast past pieces cannot be changed any more. If
// several parts that are not over lie on one schedule of servers or nodes, they choose in turn, running parts
// first; so the change may be refused although another choice would do. Work that bends keeps its Volume or its Pieces once it has
// begun, or has neither from then on: its parts are at fixed times then, as after an Overrun.
type Change struct {
	ID BookingID
	To Request
	// Force says which bookings give way.
	Force Force
}

// Cancel gives up a booking that holds a place or waits. The rest of a running booking is given back.
type Cancel struct{ ID BookingID }

// End ends a running booking now. A hold does not run, even when its time has begun: Commit or Cancel it first.
type End struct{ ID BookingID }

// Overrun lets a running booking go on: its parts that would end last end at Until. Bookings in the way that have
// not begun give way by Force. A hold does not run, even when its time has begun: Commit or Change it first.
type Overrun struct {
	ID    BookingID
	Until bookahead.Time // after the end of the booking
	Force Force
}

// OutageID is the number of an Outage. IDs count up from 1.
type OutageID uint64

// Close closes units, servers or nodes of a schedule for a time. A Close is never refused because something is
// booked there. By Force, bookings that lose their place move to another, the most important first, or are
// displaced. The other bookings stay, and Overbooked lists where units are missing. A Close of a schedule whose
// kind has no closures, such as a broker, is refused: close the schedules behind the broker instead.
type Close struct {
	On string
	// Interval is the time of the closure; an End of bookahead.MaxTime means until further notice.
	bookahead.Interval
	// Units is how many units of a pool are closed, Servers are the servers or nodes that are closed: one of
	// the two is given.
	Units   int64
	Servers []int
	// Title is the reason; at most MaxText bytes.
	Title string
	// Force says which bookings give way, and Priority is the priority of the outage.
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

// Reopen ends an outage, or an extension, at a tick, or now if that is later. The closed units come back, but
// bookings that gave way do not come back by themselves. Bookings on the units of an extension stay, and
// Overbooked lists where units are missing.
type Reopen struct {
	ID OutageID
	At bookahead.Time
}

// Extend adds units to a pool, servers to a schedule of servers, or nodes to a machine, for a time. Added servers
// and nodes have the next indices, which Outages lists, and keep the indices for ever: before and after their
// time they are closed. From then on the Kind of the schedule lists added nodes.
type Extend struct {
	On string
	bookahead.Interval
	// Units is how many units or servers are added, Nodes are the nodes that are added: one of the two is given.
	Units int64
	Nodes []nodes.Added
	Title string
}

// String formats the command as `extend "gpus" by 2 units [2, 5)`.
func (c Extend) String() string {
	return fmt.Sprintf("extend %q by %d units %v", c.On, c.Units, c.Interval)
}

// Advance moves the clock, and everything happens that is due by then.
type Advance struct{ Now bookahead.Time }

// MaxCommands is how many commands a Batch may have.
const MaxCommands = 1 << 10

// Batch carries out several commands in turn: all, or none if one of them is refused. So two bookings can swap their
// places. The error has the index of the refused command, and wraps its error. A Batch is one entry of a log, with a
// Decision for each command; Outcome.Batch has the answer to each. The cost is a Clone of the desk, and the costs of
// the commands.
type Batch struct {
	// Commands are 1 to MaxCommands, of which none is a Batch or a Given.
	Commands []Command
}

// Decision is the decision of a desk on a command. Applied to the same state it gives the same state, whatever a
// later version would decide.
type Decision struct {
	// Booking and Outage are those that the command is about; 0 if there is none.
	Booking BookingID
	Outage  OutageID
	// Shape and Places are the new place of the booking. There are no Places if the booking has none, waits, or
	// keeps its own. The place of a part that has begun has its whole time here, from its start; Booking.Places
	// and Booking.Past divide this time.
	Shape  int
	Places []Place
	// Moved are the bookings that give way, in the order in which they find other places.
	Moved []Moved
	// Batch are the decisions on the commands of a Batch, or on the occurrences of a series; a refused occurrence
	// has the Booking 0. Batch is nil for other commands.
	Batch []Decision
	// Series is the series that the command is about; 0 for none. Shift is how many ticks late the series is.
	Series SeriesID
	Shift  bookahead.Duration
	// Granted are the waiting bookings that find a place once the command has been applied, in turn. A Batch
	// grants places at its end.
	Granted []Moved
	// same is true if the command changes nothing, since its key is known.
	same bool
	// on are the schedules of Places if Do has just decided. An entry from elsewhere has none, and is checked
	// before it is applied.
	on []int32
}

// Moved is the new place of a booking that has lost its own; without Places if the booking found none.
type Moved struct {
	Booking BookingID
	// Shape is the index of the shape; 0 for a booking that has begun, since its rest is one shape.
	Shape  int
	Places []Place
}

// Entry is a command that a desk has accepted, and its decision. Entries are numbered from 1.
type Entry struct {
	Number   uint64
	Command  Command
	Decision Decision
}

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
