// Package replicated keeps a desk.Desk alive when its machine dies. One member is a durable store; three members
// survive the loss of one. The members agree on the order of the commands by Raft. Each member carries the commands
// out on a desk of its own. A desk is deterministic, so all members decide alike.
//
//	Do(command) ─► batch ─► Raft: on the disks of most members ─► machine: desk.Do ─► Outcome
//	                          entry 7: version, clock, calls, sum
//
// A command that uses up desk.Config.Effort is a bookahead.ErrStopped on each member alike, since Effort and Limits are
// settled among the members. A command on which the desk panics is an ErrPanicked: its entry stays in the log, nothing
// changes, and the log for people names the entry and the caller. Promised is:
//
//   - Members of one build, with equal Kinds, refuse the same commands with the same errors, whether they carry an entry
//     out for the first time, read it from their log, or stand on a snapshot. A panic that depends on the machine, as by a
//     data race, is not promised to be the same.
//   - A member never goes on with a desk that a panic may have half changed. It puts back the desk from before the
//     command: at first from its disk, so commands wait for as long as a restart takes; from then on from a clone for
//     each command, until the next snapshot. If the disk cannot be read, the member stops itself.
//   - A log from before that ends in a command that hung or panicked opens, and goes on: no member was beyond it.
//   - A member on which alone a command panics has another state from then on. Fingerprints show that: a minute later if
//     it leads, and at the next CheckEvery otherwise. It stops itself with a DivergedError, as long as the others are a
//     majority. Until then it may have answered ErrPanicked for a command that the others have carried out.
//   - A build in which the command does not panic any more decides otherwise. So Version rises with it, and members get
//     there by Seal. Seal works also while the clock panics.
//   - Fatal errors of the runtime cannot be caught: no memory, a stack that is too deep, a map in two goroutines. They
//     end the process, again at each start. Limits and Effort bound the memory and the depth of a command.
//
// The calls of a program:
//
//	config.go       the settings of a member
//	errors.go       its errors
//	status.go       the answers to callers: Status and View; their bytes
//	member.go       Open and Do
//	session.go      calls that are carried out once, however often they are sent
//	pool.go         sessions for Do, of a member and of a client
//	read.go         a copy of the desk, as fresh as its caller wants
//	reads.go        reads that wait share one check of leadership
//	peers.go        Status; members that come and go
//	clock.go        the clock, whose ticks are entries of the log too
//	close.go        Close, which waits for a disk that hangs, but not for ever
//	client.go       the same calls from a process that is no member
//
// From a call to an entry of the log, and to an answer:
//
//	tries.go        a call is tried until it has an answer
//	leader.go       a call reaches the leader, here or elsewhere
//	propose.go      calls that come together share an entry
//	entry.go        the bytes of an entry
//	fsm.go          the machine, the log and the vote, as Raft calls them
//	machine.go      an entry is carried out on the desk
//	panicked.go     commands that panic, or use up their steps
//	reread.go       the state before a panic, from the disk
//	answers.go      the last answer of each session
//	outcome.go      copies of answers, and their weight in memory
//	refusal.go      errors as bytes, for answers that are kept and for other members
//
// The life of a member:
//
//	start.go        the parts of a member, and the order in which they start
//	settings.go     default values of Config, and the settings of Raft
//	settled.go      settings on which all members must agree; the log has them
//	machine_settings.go  the machine takes, seals and unseals these settings
//	before.go       before Raft starts: the snapshot, the entries behind it, the first members
//	found.go        the first members wait for each other; a member whose folder was emptied stops
//	lead.go         the duties of a leader, and the duties of every member
//	hang.go         a disk hangs: another member leads meanwhile
//	relief.go       a disk is full: another member leads, if its disk has room
//	save.go         when a snapshot is written, and how much of the log stays behind it
//	backoff.go      when a failed act is tried again
//	broadcast.go    waiting for the next change
//	fingerprint.go  a sum of the state, which members compare
//	diverged.go     a member with a wrong state does not start again
//	log.go          the messages of Raft go to log/slog
//
// Between members:
//
//	Lease.go         answers to heartbeats, from which a leader knows that it still leads
//	identity.go     each message of Raft names its desk, so the logs of two desks never merge; calls do, too (serve.go)
//	identity_wire.go  the bytes of that name
//	door.go         messages of Raft that a member refuses
//	admits.go       why a member refuses them
//	pipeline.go     requests of Raft that do not wait for the reader of their answers
//	network.go      one listener, for Raft and for calls
//	mux.go          the listener tells the two apart, and knows each connection
//	forward.go      calls to another member, which leads
//	serve.go        calls from other members and from clients
//	desks.go        whole desks for clients, few at a time
//	wire.go         the bytes of calls and answers
//	frame.go        each message in a frame, with a sum
//	exchange.go     frames on a connection that may be slow
//
// On the disk:
//
//	image.go        the state as bytes: a snapshot; image_read.go reads it
//	store.go        the folder of a member: the log, the vote, the snapshots
//	segments.go     the whole log is checked before it is trusted
//	frames.go       one file of the log is checked
//	journal.go      the log; it goes on after errors of the disk
//	disk.go         files of the log: whole from the start, zeros behind their end
//	syncer.go       bytes and names are put onto the disk
//	sum.go          the table of the sums, CRC-32C
//	meta.go         the vote and the list of segments, in a file that never grows; metacode.go has its bytes
//	snapshots.go    snapshots, whose descriptions have a sum too
//	space_unix.go   free room on the disk; space_windows.go and space_other.go for other systems
//	lock_unix.go    one process at a time opens a folder; lock_windows.go, lock_other.go
package replicated
