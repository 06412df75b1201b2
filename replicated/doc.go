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
//   - Members of one build refuse the same commands with the same errors, whether they carry an entry
//     out for the first time, read it from their log, or stand on a snapshot. A panic that depends on the machine, as by a
//     data race, is not promised to be the same.
//   - A member never goes on with a desk that a panic may have half changed. It puts back the desk from before the
//     command: at first from its disk, so commands wait for as long as a restart takes; from then on from a clone for
//     each command, until the next snapshot. If the disk cannot be read, the member stops itself.
//   - A log from before that ends in a command that hung or panicked opens, and goes on: no member was beyond it.
//   - A member on which alone a command panics has another state from then on. Fingerprints show that: within a minute
//     if it leads, and at the next CheckEvery otherwise. It stops itself with an ErrDiverged, as long as the others are a
//     majority. Until then it may have answered ErrPanicked for a command that the others have carried out.
//   - A build in which the command does not panic any more decides otherwise. So Version rises with it, and members get
//     there by Seal. Seal works also while the clock panics.
//   - Fatal errors of the runtime cannot be caught: no memory, a stack that is too deep, a map in two goroutines. They
//     end the process, again at each start. Limits and Effort bound the memory and the depth of a command.
//
// # Files
//
// Only these files lead back to each other, and are read together: Member with the acts that begin and end with it
// (bootstrap, clock, close, handover, identity, leader, member, membership, propose, reads, snapshotter, watchdog), the
// machine (machine, machine_agreed, panicked, fingerprint, image), and the answers to calls (server, download).
//
// The calls of a program:
//
//	config.go         the settings of a member
//	errors.go         its errors
//	status.go         the answers to callers: Status and View; the bytes of a Status
//	member.go         Member and Do
//	session.go        calls that are carried out once, however often they are sent
//	read.go           a copy of the desk, as fresh as its caller wants
//	membership.go     Status; members that come and go
//	clock.go          the clock, whose ticks are entries of the log too
//	close.go          Close, which waits for a disk that hangs, but not for ever
//	client.go         the same calls from a process that is no member
//
// The member, from a call to an entry of the log:
//
//	retry.go          a call is tried until it has an answer
//	session_pool.go   sessions for Do, of a member and of a client
//	leader.go         a call reaches the leader, here or elsewhere
//	propose.go        calls that come together share an entry
//	reads.go          reads that wait share one check of leadership
//
// The member, from Open on:
//
//	start.go          the parts of a member, and the order in which they start
//	settings.go       default values of Config, and the settings of Raft
//	recovery.go       before Raft starts: the snapshot, the entries behind it, the first members
//	bootstrap.go      the first members wait for each other; a member whose folder was emptied stops
//	identity.go       the member knows its desk, and refuses messages of others; calls do, too (server.go)
//	duties.go         the duties of a leader, and the duties of every member
//	watchdog.go       a disk hangs: another member leads meanwhile
//	handover.go       a disk is full: the other voters are asked to lead, one after the other
//	snapshotter.go    when a snapshot is written, and how much of the log stays behind it
//	reread.go         the state before a panic, from the disk
//	begin.go          a folder without its member: made from a desk, and looked into
//	diverged.go       a member with a wrong state does not start again
//	fsm.go            the machine, as Raft calls it
//	guarded_stores.go the log and the vote, as Raft calls them
//
// The machine, from an entry to an answer:
//
//	machine.go        an entry is carried out on the desk
//	machine_agreed.go the machine takes, seals and unseals the settings on which the members agree
//	panicked.go       commands that panic, or use up their steps
//	session_table.go  the last answer of each session
//	fingerprint.go    a sum of the state, which members compare
//	image.go          the state as bytes: a snapshot
//	image_read.go     and back
//
// Forms, which are bytes or text:
//
//	entry.go          an entry of the log
//	agreed.go         settings on which all members must agree
//	command_text.go   commands, for people
//	error_bytes.go    errors, for answers that are kept and for other members
//	outcome.go        copies of answers, and their weight in memory
//	wire.go           calls and answers between members
//
// Connections for calls; the listener, the frames, and the transport of Raft are in internal/peerlink:
//
//	network.go        one listener, for Raft and for calls
//	peer_conn.go      calls to another member, which leads
//	server.go         calls from other members and from clients
//	download.go       whole desks for clients, few at a time; the bytes of a View, which client.go reads
//
// Helpers of all:
//
//	backoff.go        when a failed act is tried again
//	broadcast.go      waiting for the next change
//	log.go            the messages of Raft go to log/slog
//	sum.go            the table of the sums, CRC-32C
//
// The log, the votes and the snapshots on the disk are in internal/disklog.
package replicated
