// Package replicated keeps a desk.Desk alive when its machine dies: one member is a durable store, three survive the
// loss of one. The members agree on the order of the commands by Raft, and each carries them out on a desk of its own,
// which decides alike everywhere.
//
//	Do(command) ─► batch ─► Raft: on the disks of most members ─► machine: desk.Do ─► Outcome
//	                          entry 7: version, clock, calls, sum
//
//	config.go       what a member is told
//	errors.go       what it answers
//	settings.go     its defaults, and those of Raft
//	settled.go      those on which all members must agree, which are in the log
//	member.go       Open, Do, Close
//	start.go        the parts of a member, and how they begin
//	before.go       the snapshot, the entries behind it, and the first members, before Raft starts
//	found.go        the first members wait for each other; a member whose folder was emptied stops
//	propose.go      calls that share an entry
//	clock.go        the clock, which is a command too
//	lead.go         the duties of a leader, and of each member beside its calls
//	hang.go         a disk that hangs: another member leads meanwhile
//	relief.go       a disk that is full: another member leads, if it has room
//	save.go         when a snapshot is written, and how much of the log stays behind it
//	backoff.go      when something that has failed is tried again
//	fsm.go          the machine, the log and the vote as Raft sees them
//	read.go         a desk to ask, as fresh as its caller wants
//	ears.go         the answers of others, from which a leader knows that it leads
//	identity.go     each message of Raft names its desk, so that logs of two desks are never merged
//	door.go         messages of Raft that a member does not take
//	session.go      calls that are carried out once, however often they are sent
//	tries.go        a call that is tried until it has an answer
//	peers.go        members that come and go
//	network.go      one listener, for Raft and for calls of others
//	mux.go          tells the two apart, and knows each connection
//	forward.go      calls to another member: those that reach one which does not lead
//	serve.go        calls of other members, and of clients
//	desks.go        whole desks for clients, few at once
//	wire.go         their bytes, in frames (frame.go, exchange.go)
//	client.go       the same calls from a process that is no member
//	pipeline.go     requests of Raft that do not wait for the reader of answers
//	log.go          the log of Raft goes to log/slog
//	entry.go        what is in the log
//	machine.go      what the log does to a desk
//	answers.go      the last answer to each session
//	refusal.go      errors as bytes, for answers that are kept, and for other members
//	image.go        the state as bytes: a snapshot, which image_read.go reads
//	fingerprint.go  a sum of the state, which members compare
//	store.go        a folder: the log, the vote, the snapshots
//	segments.go     a look at all of the log before it is trusted
//	frames.go       the same for one of its files
//	journal.go      the log, which gets over errors of the disk
//	disk.go         files of the log: whole from the start, and zero behind their end
//	syncer.go       what puts bytes and names onto the disk
//	meta.go         the vote and the list of segments, in a file that never grows
//	snapshots.go    snapshots, with a sum of their description too
//	space.go        whether the disk has room
package replicated
