// Package desk keeps bookings: who has booked which units of several schedules, under one number, all or
// nothing. The schedules have names. A Desk is a state machine: a Command changes it, Events report the
// changes, and the same commands give the same desk on every machine.
//
//	booking 7       "ann", "training", team=blue                      held, booked, running, ...
//	  part 0        2 units of "line"       ───► line     carts.Indexed     a Pool
//	  part 1        4 tasks of "farm"       ───► farm     nodes.Machine     Nodes
//	  part 2        1 unit of "lab"         ─┬─► north    idletree.Tree     Servers
//	                                         └─► south    idletree.Tree     "lab" is a Broker of both
//
// Whoever only wants to know the earliest time for some units takes a structure of carts, idletree or nodes.
// A desk is for those who would otherwise write the rest around it: a number for all parts, a key by which
// a retry is the same booking, owners and titles, holds, repairs with a list of whom to notify, and a log.
//
// # Commands
//
// Do carries a command out, and returns the booking as it is then, with the events:
//
//	AddSchedule   a schedule by name: Pool, Servers, Nodes, Broker or Own      added
//	Book          the earliest place of a Request, or a hold of it             booked, started,
//	              or a wait for it                                             waiting
//	Commit        makes a booking of a hold                                    committed, started
//	Change        another Request for a booking: its own place is free         changed, started
//	Overrun       a running booking goes on                                    changed
//	End           a running booking ends now                                   ended
//	Cancel        a booking is given up                                        cancelled
//	Close         units, servers or nodes are closed for a time                closed
//	Reopen        an outage ends                                               reopened
//	Extend        there are more units, servers or nodes for a time            extended
//	BookSeries    a Request once in each of several windows                    booked, refused, started
//	Continue      more windows for a series                                    booked, refused, started
//	CancelSeries  the occurrences to come are given up                         cancelled
//	SetQuota      a bound on what some have together                           set
//	DropQuota     the bound is no more                                         dropped
//	SetTerms      opening hours, buffers, and who may book a schedule          set
//	Advance       the clock moves                                              started, ended, expired,
//	                                                                           needs more, advanced
//	Batch         several of these, all or nothing                             those of each
//
// By Force, others give way to Book, Change, Overrun and Close: they are moved or displaced, and each of
// them has an event. An error changes nothing at all, to the byte: bookahead.ErrUnavailable if there is no
// place, bookahead.ErrNotFound if there is no such booking or outage, or one that wraps bookahead.ErrInvalid.
//
// # States
//
//	Book ─┬───────────────► Booked ── its start ─► Running ── its end, or End ─► Ended
//	      ├─► Held ─ Commit ──┤
//	      │    └─ its expiry ─► Expired
//	      └─► Waiting ─ room ─┘
//	           └─ its expiry ─► Expired
//
// Cancel makes a Held, Booked or Running one Cancelled, and whoever gives way and finds no other place is
// Displaced. A booking that is over keeps the places that it used, for Config.Keep ticks. After that the
// desk forgets the booking and its key. A booking that moves while it runs, or changes its units, keeps the
// places that it used until then in Past, so that a bill and a chart are true.
//
// # Shapes, steps and gaps
//
// A Request has shapes, of which one is booked: the shape that ends first, and of several the first. On 8
// GPUs, of which 6 are booked until 12:
//
//	shape 0    8 GPUs for  4 ticks    [12, 16)
//	shape 1    2 GPUs for 14 ticks    [0, 14)     ends first, and so it is booked
//	shape 2    1 GPU  for 14 ticks    [0, 14)     ends then too, but comes later
//
// The parts of a shape lie at fixed distances from each other (Offset), unless a part has a gap (After):
// with it a new step begins, so many ticks after the end of the step before. Data is to come in over the line
// for 3 ticks, and 1 to 5 ticks later a computation needs all 8 GPUs for 4 ticks. The line is booked
// from 5 to 8:
//
//	         0         5         10        15
//	line     · · · · · █ █ █ · · · · · · · · ·
//	GPUs     █ █ █ █ █ █ █ █ █ █ █ █ · · · · ·
//
//	line at 0, ends at 3      the GPUs are free from 12 on: 9 ticks later, which is too long
//	line from 4 on: at 8      it ends at 11, and the GPUs follow at 12: booked
//
// Each step begins as early as in any place that keeps the gaps. Steps take turns to leap to their next
// start that has room, and push each other's bounds on; so no place is passed over (chain in find.go). Steps that one
// quota of unit-ticks counts together have no such place: Quota says where they lie.
//
// Parts of one step on one schedule are looked for together, as grid.CoSearch does. A part on a Broker lies
// on one of its schedules. So a step has no part on a broker beside one on a schedule of that broker.
//
// # Outages and force
//
// Close is never refused because something is booked. Without Force bookings stay where they are. With
// Force those that the closure leaves without units, and that the rule lets go, find other places, the most
// important first; whoever finds none is displaced. Server 0 is closed from 2 to 20, by Anybody:
//
//	            0    5    10   15   20   25
//	server 0         AAAAAAAAAA                        before
//	server 1         BBBBBBBBBB
//
//	server 0      xxxxxxxxxxxxxxxxxx                    after: closed, and A has moved
//	server 1         BBBBBBBBBBAAAAAAAAAA
//
// The events are the list of whom to notify: "closed" for the schedule, and "moved" from [5, 15) to [15, 25) for the
// owner of A, with the servers before and after. Bookings of several parts move as a whole. One that has begun goes on
// with the rest of its parts. A Book, Change or Overrun by Force takes bookings out in the same way, the least important
// first, until it fits, and puts back those that fit where they were.
//
// A Reopen gives units back that were repaired earlier. Pools, Servers and Nodes can be closed, and an Own
// that is a bookahead.Closable; a Broker cannot, but its schedules can.
//
// # Waiting
//
// A Book with Wait that finds no place waits. After each command that may make room, such as a Cancel, a Reopen or an
// Advance over the expiry of a hold, those that wait are tried in turn: by priority, then by ID. Whoever fits is booked
// at once, by the same command and entry of the log, and its owner learns of it by an event:
//
//	2 of 4 units come free:    #4 priority 9, 3 units      waits on
//	                           #6 priority 5, 2 units      booked
//	                           #7 priority 5, 1 unit       waits on
//
// So nobody waits who has a place, unless its gaps are so narrow that the search is given up, or it came free in the last of
// 16 turns of all that wait (Book.Wait). One that asks for much may be passed by others for long; a higher priority does
// not hold units back for it. An Advance lets expire first whoever's time is over. A Batch grants at its end, so that its own
// commands come before those that wait.
//
// # Decide, apply, and a log
//
// A command is carried out in two steps. To decide is a query: trials run on clones. To apply carries the
// decision out to the letter, and searches for nothing:
//
//	Command ──► decide ──► Entry{Number, Command, Decision} ──► apply ──► Outcome{Booking, Events}
//	               │             │
//	            no place,        └──► a log writes it before it is applied,
//	            nothing changes       and a replay applies it again
//
// The Decision has the number of the booking, its places with servers and nodes, and who moves where. So a
// log that is applied again gives the same desk, even in a later version of this package whose searches
// would decide in another way. Do is Decide and Apply in one. A Log does both, and writes the entry between
// them; Replay applies the entries of a Log, and hands on their outcomes. Log says how a file survives a
// crash, with an example.
//
// WriteTo writes the whole desk, one schedule at a time, and Read reads it. A snapshot and the log from there
// on are as good as the log from the start.
//
// A desk has no clock, no time zone and no chance: Advance is a command, and policies have names. The caller's
// functions are those of Config.Kinds, which make the schedules of the caller's own structures.
//
// Entries and Events have a binary form and a JSON form, and Bookings and Outcomes one in JSON, with which a
// service answers. Texts may have any bytes, and are kept as they are.
//
// Any number of goroutines may use a desk. Commands take turns, and queries run beside their searches: they wait
// only while a command writes, and that waits for the queries that run. So whoever asks long questions, as by a
// Search of many parts, asks a Clone. A Clone is a what-if, too: it may be changed while others ask the desk.
//
// # People
//
// A booking office has wishes that the same commands express. A Rule, which knows time zones, makes intervals of
// a calendar before the command; the desk itself sees ticks only.
//
//	"every second Tuesday, 9 to 11"       Rule.Occurrences, and BookSeries: all, or as many as fit
//	"closed at night and on Sundays"      Hours, and SetTerms with Open
//	"half an hour to clean the lab"       SetTerms with Before and After
//	"at most 8 GPUs at once for each,
//	 and 100 GPU-hours a week"            SetQuota with Each: the earliest place keeps it
//	"eve books nothing any more"          SetQuota with her as the one of Owners, and None
//	"each has 3 on the waiting list"      SetQuota with Each and Waiting
//	"call me when there is room"          Book with Wait: a cancellation, a repair or a new quota books it
//	"why not, and what else?"             Why names the obstacles, and Alternatives the next best places
//	"put it into my calendar"             WriteCalendar
//
// # Costs
//
// For n bookings, a request of p parts and s shapes, and r bookings that may have to give way. The schedules'
// own operations come on top, as named:
//
//	Book           a Search for each shape of one part, otherwise a CoSearch for each step and start that
//	               a gap refuses; p Reserves; O(p log n), and O(1) for the key
//	Change         of one part that stays on its schedule, and has not begun: a SearchFor and a Rebook;
//	               otherwise a Clone of each of its schedules besides. Under quotas, Notice or Ahead a later place takes
//	               a Clone and a search more, for a part of its own place
//	Search         that of Book without the Reserves; Free a RangeQuery
//	Alternatives   a Clone, and a Search for each combination until the caller stops
//	Why            up to 5 c searches of a shape, for c parts, rules and quotas, beside two for each shape
//	a quota        that counts a booking: O(log n) for each place that comes or goes, and a search asks it for the next
//	               start: O(k log n) for k changes of its use within reach. SetQuota reads all bookings. One
//	               of unit-ticks that counts two steps of a shape: a second search for the shape, if the first place breaks it
//	SetTerms       O(1); a Book there takes a search more for each opening interval that has no room
//	Commit         O(p log n)
//	Cancel, End    p Releases, and O(p log n)
//	Advance        an Advance of each schedule, and O(p log n) for each start, end or expiry
//	Close, Extend  a Clone of the schedule, two Closes or Extends, and a copy of the list of outages
//	by Force       O(log r) trials, each on clones; r Releases and Reserves; a search for each that moves.
//	               Where bookings were overbooked before: O(r log r) Releases, and up to 2 r clones
//	who waits      for each command that may make room while w bookings wait: a Clone of the desk, the command
//	               once more, w searches, and a Book twice for each that is granted; MaxLeaps searches more
//	               together, or 16 for each; all of it up to 16 times if a quota counts two steps of one. Nothing if nobody waits
//	an Own         a Clone of the desk for each command that writes to it, unless that is a Book of one part
//	               without a log: its failure must leave no trace
//	BookSeries     a Book for each occurrence; a Clone of each of its schedules where windows meet, or quotas,
//	               buffers or Prefer join them
//	Batch          a Clone of the desk, and each command twice without its search
//	Replay         what apply takes, without a search; a Clone of the desk for each 512 entries
//	WriteTo, Read  a snapshot of each schedule; O(n log n)
//	Clone          a Clone of each schedule; all else is shared until either side writes
//
// Measured on a pool with 100 000 live bookings (medians of three runs): a Book with a key and an owner takes
// 7.0 times as long as a Reserve of carts.Indexed alone, which has no books (6.9 against 0.98 µs), a Cancel 6.3
// times as long as a Release, and a Clone 2.5 times as long; of 100 pools 3.3 times as long. A calendar of a week
// with 200 bookings among a million takes 2.2 times as long as bookahead.ReservationsOn. A booking takes 745
// bytes of memory, against 47, and 80 bytes in a binary log or a snapshot. BenchmarkBook, BenchmarkClone and
// BenchmarkCalendar. A quota of units or periods makes a Book 1.8 times as long, and one of a window 2.3 times; 2.0
// to 3.6 times if it counts all owners together (BenchmarkQuota).
//
// # Files
//
// The vocabulary:
//
//	kind.go       schedules as they are described
//	booking.go    bookings, requests, shapes and parts
//	command.go    commands and decisions
//	event.go      events and outcomes
//	check.go      requests that make no sense
//
// The state:
//
//	desk.go       Desk: decide, apply, and the lock
//	books.go      all bookings, and the indices of them
//	schedule.go   a schedule with a name
//	keys.go       bookings by the callers' keys
//	owners.go     bookings by owner
//	series_books.go
//	              series, and their bookings
//	agenda.go     when something happens next
//	account.go    the use that each quota counts; shards.go has the map, and keys.go the keys in another
//	past.go       places that a booking used before it moved or changed
//
// A search:
//
//	stage.go      schedules that a trial may write to
//	fit.go        parts that suit the schedules that there are
//	find.go       the shape that ends first, and steps with gaps
//	rigid.go      steps that one quota counts together
//	broker.go     one of several schedules
//	claim.go      the next start that the quotas allow, and what a trial changes in their accounts
//	over.go       excesses beyond a quota, and its use
//	terms.go      who may book a schedule, and when; terms_search.go finds the next start that is allowed
//	buffer.go     the time around a part for which its units are reserved; tails are its rests;
//	              buffer_steps.go has those of steps
//	capacity.go   the units that a schedule has, used or not
//	search.go     free units, and the place of a request, without a booking
//	copies.go     copies of schedules, to plan on before a Book
//	alternatives.go   other places for a wish, that no other place beats
//	why.go        the obstacles of a request; obstacle.go names each, and obstacle_text.go puts it into words;
//	              ease.go leaves units out of a search, and rules.go Terms and quotas
//
// The commands:
//
//	add.go        AddSchedule
//	book.go       Book
//	change.go     Change and Overrun; within.go leaves a booking a part of its place; longer.go changes a booking that has begun
//	end.go        Commit, Cancel and End
//	advance.go    Advance
//	batch.go      Batch
//	waiting.go    who waits, and for how long
//	granted.go    who of them is booked when there is room
//	series.go     BookSeries and CancelSeries; series_place.go places occurrences, and series_do.go carries the
//	              commands out
//	series_continue.go
//	              Continue
//	quota.go      SetQuota and DropQuota; quota_waiting.go bounds who waits
//	outage.go     Close, Reopen and Extend
//	closing.go    the same on a schedule; added.go has added nodes
//
// Calendars, beside the state:
//
//	rule.go       rules that recur in a time zone; recur.go has their days, and hours.go their ticks
//	rrule.go      the same as RRULE text
//	ical.go       bookings as iCalendar
//
// The bytes:
//
//	encode.go     one description of the fields for all forms; encode_command.go, encode_entry.go,
//	              encode_event.go, encode_answer.go and encode_lists.go have the fields, encode_binary.go, json_write.go and
//	              json_read.go the forms
//	frame.go      bytes with a length and a sum
//	log.go        a log is written
//	replay.go     and applied again
//	decided.go    whatever an entry says, the books agree afterwards
//	snapshot.go   a desk is written; snapshot_read.go reads it, snapshot_check.go checks it, and
//	              snapshot_build.go builds its indices; slab.go has room for many bookings, and account_kept.go the quotas
//
// Who gives way:
//
//	displace.go   whom a demand takes out
//	clear.go      whom a closure takes out
//	anew.go       who is put back, and who moves where
//	give.go       they move
//	overbooked.go who has stayed all the same
//
// All books agree: verify.go has the invariants, D1 and so on.
//
// # Deviations
//
// A Broker is a group of names, and no grid.Broker: its schedules can be booked by their own names too, and
// the bookings there are seen. The policies are fewer than those of grid, and have names instead of functions,
// so that a command can be written down and means the same everywhere. A schedule of the caller's own is
// named by its kind for the same reason.
package desk
