// Package desk keeps bookings: each holds units of one or several named schedules, all or nothing, under one
// number. A Desk is a state machine: a Command changes the desk, Events report the changes, and the same
// commands give the same desk on every machine.
//
//	booking 7       "ann", "training", team=blue                      held, booked, running, ...
//	  part 0        2 units of "line"       ───► line     carts.Indexed     a Pool
//	  part 1        4 tasks of "farm"       ───► farm     nodes.Machine     Nodes
//	  part 2        1 unit of "lab"         ─┬─► north    idletree.Tree     Servers
//	                                         └─► south    idletree.Tree     "lab" is a Broker of both
//
// A desk keeps what is booked for people, each booking at its time. What starts when it can, and moves up when it can, belongs into a
// queue (package plan); one schedule may serve both.
//
// A structure of carts, idletree or nodes is enough to find the earliest time for some units. A desk adds the
// rest of a booking service: one number for all parts, a key by which a retry finds the same booking, owners
// and titles, holds, repairs with a list of whom to notify, and a log.
//
// # Commands
//
// Do carries out a command. It returns the booking as the command leaves it, and the events in the last column:
//
//	AddSchedule   a schedule by name: Pool, Servers, Nodes or Broker           added
//	Book          the earliest place of a Request, or a hold of it             booked, started,
//	              or a wait for it                                             waiting
//	Commit        makes a booking of a hold                                    committed, started
//	Change        places a booking anew by another Request; its own            changed, started
//	              place counts as free
//	Overrun       a running booking goes on                                    changed
//	End           a running booking ends now                                   ended
//	Cancel        a booking is given up                                        cancelled
//	Close         units, servers or nodes are closed for a time                closed
//	Reopen        an outage ends                                               reopened
//	Extend        there are more units, servers or nodes for a time            extended
//	BookSeries    a Request once in each of several windows                    booked, refused, started
//	Continue      more windows for a series                                    booked, refused, started
//	CancelSeries  the occurrences to come are given up                         cancelled
//	SetQuota      a bound on the joint use of some bookings                   set
//	DropQuota     the bound is no more                                         dropped
//	SetTerms      opening hours, buffers, and who may book a schedule          set
//	Advance       the clock moves                                              started, ended, expired,
//	                                                                           needs more, advanced
//	Batch         several of these, all or nothing                            the events of each
//	Given         one of these, if a booking is as it was seen, and by whom   its events
//
// Book, Change, Overrun and Close may use Force. Other bookings then give way: they are moved or displaced, and
// each of them has an event. A command that fails changes nothing at all, to the byte. Its error is
// bookahead.ErrUnavailable if there is no place, bookahead.ErrNotFound if there is no such booking, series,
// quota or outage, or else wraps bookahead.ErrInvalid, or bookahead.ErrStopped if its search has used up its steps.
//
// # States
//
//	Book ─┬───────────────► Booked ── its start ─► Running ── its end, or End ─► Ended
//	      ├─► Held ─ Commit ──┤
//	      │    └─ its expiry ─► Expired
//	      └─► Waiting ─ room ─┘
//	           └─ its expiry ─► Expired
//
// Cancel makes a Held, Booked, Running or Waiting booking Cancelled. A booking that gives way and finds no other
// place is Displaced. The desk keeps a booking that is over for Config.Keep ticks, with the places that the
// booking used, and then forgets the booking and its key. If a booking moves while it runs, or changes its
// units, Booking.Past has the places that the booking used until then, so that bills and charts are true.
//
// # Shapes, steps and gaps
//
// A Request has one or several shapes, and one of them is booked: the shape that ends first. If several end
// together, the first of these is booked. Here 6 of 8 GPUs are booked until 12:
//
//	shape 0    8 GPUs for  4 ticks    [12, 16)
//	shape 1    2 GPUs for 14 ticks    [0, 14)     ends first, and so it is booked
//	shape 2    1 GPU  for 14 ticks    [0, 14)     ends at 14 too, but comes after shape 1
//
// The parts of a step lie at fixed distances from each other (Offset). A part with a gap (After) begins a new
// step; the gap says how many ticks may pass between the end of the step before and the new step. For example,
// data comes in over the line for 3 ticks, and 1 to 5 ticks later a computation needs all 8 GPUs for 4 ticks.
// The line is booked from 5 to 8, and the GPUs until 12:
//
//	         0         5         10        15
//	line     · · · · · █ █ █ · · · · · · · · ·
//	GPUs     █ █ █ █ █ █ █ █ █ █ █ █ · · · · ·
//
//	line at 0, ends at 3        the GPUs are free from 12 on, which is 9 ticks later: too long
//	line not before 4: at 8     the line ends at 11, and the GPUs follow at 12: booked
//
// The place found is the earliest for every step: no place that keeps the gaps starts any step earlier. The
// search lets the steps leap in turn to the next start that has room. Each leap raises the bounds of the
// neighbours no further than any place needs, so no place is passed over (chain in find.go). If one quota of
// unit-ticks counts several steps together, no place is the earliest for every step: Quota says where the
// steps lie then.
//
// Work may bend instead (Request.OfVolume, Request.InPieces): a number of unit-ticks at any rate, as package volume has it, or
// work that stops and goes on, as package pieces has it. Its parts are planned together, each time that the booking is placed. Such a
// request may wait, be that of a series, and be asked about by Why. A plan knows what is free, the opening hours, and quotas.
// It does not know every rule, so a rule may refuse it although another plan would do: see Desk.VolumeRequest.
//
// Parts of one step on one schedule are searched for together, as grid.CoSearch does. A part on a Broker lies on
// one of its schedules. A part on a broker must not overlap another part of its step on a schedule of that
// broker, since the search of neither would know of the other: such a request is invalid.
//
// # Outages and force
//
// Close is never refused because something is booked. Without Force bookings stay where they are. With Force
// the bookings that the closure leaves without units give way, as far as Force allows: they find other places,
// the most important first, or are displaced. Server 0 is closed from 2 to 20, by Anybody:
//
//	            0    5    10   15   20   25
//	server 0         AAAAAAAAAA                        before
//	server 1         BBBBBBBBBB
//
//	server 0      xxxxxxxxxxxxxxxxxx                    after: closed, and A has moved
//	server 1         BBBBBBBBBBAAAAAAAAAA
//
// The events are the list of whom to notify: "closed" for the schedule, and "moved" from [5, 15) to [15, 25) for
// the owner of A, with the servers before and after. Bookings of several parts move as a whole. If a booking has
// begun, the rest of its parts moves. Work that bends is planned anew, and a gang may swap only the nodes that fail (Part.Swap). A Book, Change or Overrun by Force works alike: it takes bookings out, the
// least important first, until its own place is free, and then puts those back that still fit where they were.
//
// A Reopen gives repaired units back early. A Broker cannot be closed, but its schedules can.
//
// # Waiting
//
// A Book with Wait waits if it finds no place. After each command that may make room, such as a Cancel, a Reopen
// or an Advance over the expiry of a hold, the desk tries the waiting bookings in turn: by priority, then by ID.
// A booking that fits is booked at once, by the same command and entry of the log, and an event tells its owner:
//
//	2 of 4 units come free:    #4 priority 9, 3 units      waits on
//	                           #6 priority 5, 2 units      booked
//	                           #7 priority 5, 1 unit       waits on
//
// So no waiting booking has a place, with two exceptions: its gaps may be so narrow that the search gives up, or
// the place came free in the last of the 16 rounds that follow a command (Book.Wait). Others may pass a large
// booking for long; a higher priority does not hold units back for it. An Advance lets bookings expire first,
// and then grants places. A Batch grants places at its end, so that its own commands come before the waiting
// bookings. After a Cancel, only those have a turn that may use what it gives back.
//
// # Decide, apply, and a log
//
// A command is carried out in two steps. To decide is a query: trials run on clones. To apply carries the
// decision out to the letter, without a search:
//
//	Command ──► decide ──► Entry{Number, Command, Decision} ──► apply ──► Outcome{Booking, Events}
//	               │             │
//	            no place,        └──► a log writes it before it is applied,
//	            nothing changes       and a replay applies it again
//
// The Decision has the number of the booking, its places with servers and nodes, and which bookings move where.
// So a log that is applied again gives the same desk, even in a later version of this package whose searches
// would decide otherwise. Do is Decide and Apply in one. A Log does both, and writes the entry between them;
// Replay applies the entries of a Log again, and hands on their outcomes. The comment of Log shows how a file
// survives a crash, with an example.
//
// WriteTo writes the whole desk, one schedule at a time, and Read reads the desk back. A snapshot and the log
// from there on are as good as the log from the start.
//
// A desk reads no clock, knows no time zone and draws no random numbers: Advance is a command, and policies have
// names.
//
// Commands, Entries, Events and Outcomes can be written as bytes, the same on every machine. Texts may have any bytes, and
// are kept as they are.
//
// Any number of goroutines may use a desk. Commands take turns. Queries run beside the search of a command: they
// wait only while a command writes, and a write waits for the queries that run. So send long queries, such as a
// Search of many parts, to a Clone. A Clone is a what-if, too: it may be changed while others ask the desk.
//
// # People
//
// The same commands express the wishes of a booking office. A recur.Rule knows time zones, and turns a calendar
// into intervals before the command; the desk itself sees ticks only, and imports no recur.
//
//	"every second Tuesday, 9 to 11"       recur.Rule.Occurrences, and BookSeries: all, or as many as fit
//	"closed at night and on Sundays"      recur.Hours, and SetTerms with Open
//	"half an hour to clean the lab"       SetTerms with Before and After
//	"at most 8 GPUs at once for each,
//	 and 100 GPU-hours a week"            SetQuota with Each: the earliest place keeps it
//	"eve books nothing any more"          SetQuota with None, and eve alone in Owners
//	"each has 3 on the waiting list"      SetQuota with Each and Waiting
//	"call me when there is room"          Book with Wait: a cancellation, a repair or a new quota books it
//	"why not, and what else?"             Why names the obstacles, and Alternatives the next best places
//	"put it into my calendar"             gantt.Events, and recur.WriteCalendar
//
// # Costs
//
// The table has n bookings, a request of p parts and s shapes, and r bookings that may have to give way. It names
// the operations of the schedules, whose own costs come on top:
//
//	Book           a Search for each shape of one part; otherwise a CoSearch for each step, and one for each start
//	               that a gap refuses; p Reserves; O(p log n), and O(1) for the key
//	Change         a SearchFor and a Rebook for one part that stays on its schedule, and has not begun; otherwise
//	               also a Clone of each of its schedules. Under quotas, Notice or Ahead, if the place found starts
//	               later than the old one: another Clone and search, for a part of the old place
//	work that      a volume: a volume.SearchSteps over the units that are free; work in pieces: O(log d) searches for each time
//	bends          that is free for up to d ticks. Either takes half of Config.Effort at most. Then a Book of the parts
//	Search         that of Book without the Reserves; Free a RangeQuery
//	Alternatives   a Clone, and a Search for each combination until the caller stops
//	Why            up to 5 c searches of a shape, for c parts, rules and quotas, beside two for each shape
//	a quota        for each booking that it counts: O(log n) for each place that comes or goes, and O(k log n) for
//	               each start that a search asks for, with k changes of its use within reach. SetQuota reads all
//	               bookings. If a quota of unit-ticks counts two steps of a shape, and the first place breaks the
//	               quota: a second search for the shape
//	SetTerms       O(1); a Book there takes another search for each opening interval that has no room
//	Commit         O(p log n)
//	Cancel, End    p Releases, and O(p log n)
//	Advance        an Advance of each schedule, and O(p log n) for each start, end or expiry
//	Close, Extend  a Clone of the schedule, two Closes or Extends, and a copy of the list of outages
//	by Force       O(log r) trials, each on clones; r Releases and Reserves; a search for each booking that moves.
//	               Where bookings were overbooked before: O(r log r) Releases, and up to 2 r clones
//	waiting        for each command that may make room while w bookings wait: a Clone of the desk, the command
//	               once more, w searches, and a Book twice for each booking that is granted; twice Config.Effort
//	               steps at most. Nothing if no booking waits. A Cancel looks at the parts of all that wait, and
//	               takes as much only if any of these may gain
//	BookSeries     a Book for each occurrence; also a Clone of each of its schedules if windows overlap, or if
//	               quotas, buffers or Prefer let one occurrence matter to another
//	Batch          a Clone of the desk, and each command twice without its search
//	Replay         an Apply of each entry, without a search; a Clone of the desk for each 512 entries
//	WriteTo, Read  a snapshot of each schedule; O(n), and O(n log n)
//	Clone          a Clone of each schedule; all else is shared until either side writes
//
// # Measured
//
// On a pool with 100 000 live bookings, against carts.Indexed alone, which keeps no books:
//
//	Book with a key and an owner       6.7 times a Reserve: 8.3 µs against 1.2 µs
//	Cancel                             5.6 times a Release
//	Clone                              2.7 times; of 100 pools 2.3 times
//	200 bookings of a million          1.8 times bookahead.ReservationsOn
//	a booking in memory                783 bytes, against 47
//	a quota of units, a period         a Book takes 1.6 and 1.6 times as long
//	a quota of a window                2.2 times
//	a quota of all owners together     3.1, 1.8 and 3.2 times
//
// BenchmarkBook, BenchmarkClone, BenchmarkCalendar and BenchmarkQuota print them. Means of 2 sittings, 28 November 2026, on 2 cores of Intel(R) Xeon(R) Processor; the sittings differ by 24 % at the most, in cancel-ns; before and after each command, other programs took less than 10 % of the processors.
//
// # Work that is bounded
//
// A desk decides one command at a time, and replicas decide each alike. So a command whose search does not end would
// be the end of the desk. Nothing is walked tick by tick or period by period, and the shifts of a series only where its
// windows could lie beside each other. Besides, each command has a budget of steps, Config.Effort. These count:
//
//	a search, or a write of a trial    64 steps for a pool; one more for 8 servers that it asks for, and for 512 that
//	                                   there are; one more for each node; a write 16 more for each server or node
//	a leap to another start            16, and one for each look at the use that a quota counts
//	a start that Terms ask for         1, and one for each opening hour
//	a shift of a series                1, and the square of the outages
//	Force                              1 for each booking that may have to give way, and the searches of each trial
//	a turn of one that waits           its searches; all turns after a command take at most two budgets
//	a quota                            1 for each of a search, and 8 or more for each that counts the parts
//
// A command that has used them up is refused, or finds no turn for those who wait; it is so on each member and in each
// year, since no clock is asked. A step takes some 60 ns, and up to 300 ns in a search for most of a million servers. A
// search on a pool counts the same whatever it passes by, and usually passes by little: at worst all n bookings there,
// which takes a millisecond for 100 000.
//
// The rest is bounded by the state, whatever the numbers are: a Cancel, Commit, End or Reopen takes what one booking or
// one outage holds; a SetQuota reads all bookings once, and a DropQuota all accounts; a CancelSeries ends the bookings of
// one series; a Batch clones the desk once. An Advance is neither refused nor cut: a booking starts, ends or expires, and
// is forgotten, once each in its life, and starts once more whenever a command has moved it; a series and a schedule tell
// once that they need more, until another command gives it; an outage ends once. So Advances have fewer than five events
// for each booking, series, outage and schedule that other commands made or moved, however far the clock goes, and each
// event is O(p log n).
//
// Queries that search take an Effort, with a context. Those without one, such as Capacity, OverQuota and InTheWay, read
// what lies in their window once. Config.Limits bound what a number in a command can make: servers, groups, windows.
//
// # Files
//
// The files lie in rooms, and use the names of their own room and of the rooms before it (TestRoomsRunDown). Below all of
// them is internal/code, which writes and reads fields and frames.
//
// The vocabulary:
//
//	errors.go      errors that several commands have
//	kind.go        the kinds of schedules
//	booking.go     bookings and places
//	request.go     requests, shapes and parts, and the checks that need no desk
//	bent.go        requests for work that bends: volumes, and work in pieces
//	config.go      settings, and limits of counts, checked before anything is made
//	command.go     commands, decisions, entries, events and outcomes
//	given.go       commands on a condition, and the sum of a booking
//	answer.go      the answers to queries, and the sentences of an obstacle
//	terms.go       who may book a schedule, and when
//	quota.go       bounds on the joint use of bookings
//	series.go      series, their commands, and their windows
//	encode_command.go, encode_entry.go, encode_answer.go
//	               the fields of all of these; encode_entry.go checks that some desk could have made an entry
//
// The state:
//
//	index.go       bookings by owner, date, turn and reservation
//	schedule.go    a schedule with a name: a site (internal/site) with its terms, or a broker
//	books.go       all bookings, and plain writes to their indices
//	fit.go         whether the desk has the schedules of a request, and these suit its parts
//	reservations.go
//	               the reservations of a booking move to other places, to the letter
//	uses.go        how much of a booking, a part or a place each quota counts
//	series_books.go
//	               series, and their bookings
//	history.go     when a booking begins and ends, and places that it used before it moved or changed
//	desk.go        Desk, and its lock
//	schedules.go   queries for schedules: outages, free units, capacity, and copies to plan on before a Book
//
// A search:
//
//	trial.go       schedules that a trial may write to, and the steps that a command or a query may take
//	find.go        the shape that ends first, and steps with gaps
//	bend.go        a plan for work that bends
//	broker.go      one of several schedules
//	quota_start.go places that the quotas allow, and the changes of a trial to their accounts
//	gaps.go        steps that one quota counts together, and buffers between steps
//	terms_search.go
//	               the next start that Terms allow
//	change_search.go
//	               another place for a booking: in a part of its place, or while it runs
//
// Who gives way, and why there is no place:
//
//	preempt.go     whom a demand or a closure takes out
//	reinstate.go   who is put back, and who moves where
//	swap.go        whose tasks move off some nodes only
//	why.go         the obstacles of a request
//	obstacle.go    who is in the way, and which rules and quotas are
//	alternatives.go
//	               other places for a wish, which no other place beats
//
// The commands:
//
//	apply.go       what commands have in common: checks of a decision, so that the books agree whatever an entry says,
//	               and the moves of those that give way
//	add.go         AddSchedule
//	book.go        Book, Change and Overrun
//	lifecycle.go   Commit, Cancel, End and Advance
//	waitlist.go    the waiting bookings, their bounds, and which of them are booked when there is room
//	gain.go        which of them may gain by a cancellation
//	series_place.go
//	               places for occurrences, and shifts for all of them
//	book_series.go BookSeries, Continue and CancelSeries
//	settings.go    SetQuota, DropQuota and SetTerms
//	outages.go     Close, Reopen and Extend
//	decide.go      decide and apply for every command, Batch and Given
//
// The desk, and its bytes:
//
//	do.go          Do, Decide and Apply; Search, Why and Alternatives
//	queries.go     queries for bookings, series and quotas, and the bookings of a Filter
//	room.go        the units that an owner may have of a pool, and the plan for a volume of them
//	log.go         Log writes entries, and Replay applies them again
//	snapshot.go    WriteTo
//	snapshot_read.go, snapshot_check.go, snapshot_build.go
//	               Read: the fields, their checks, and the indices, with room for many bookings
//	verify.go      lists the invariants D1 to D15, and checks them
//
// # Deviations
//
// A Broker of this package is a group of names, and not a grid.Broker: its schedules can also be booked by their
// own names, and a search on the broker sees those bookings. The policies are fewer than those of grid, and have
// names instead of functions, so that a command can be written down and means the same everywhere.
package desk
