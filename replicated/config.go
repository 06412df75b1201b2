package replicated

import (
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/hashicorp/raft"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// Config holds the settings of Open. Only Dir is needed: with an empty Dir and no Peers the member is alone,
// and a command that it has answered is on its disk.
type Config struct {
	// ID is the name of the member, which it keeps for ever; "1" if empty.
	ID string
	// Dir is the folder of its log and snapshots, which belongs to this member alone. It is made if it does not exist.
	Dir string
	// Bind is the TCP address, host:port, at which its peers reach it; a port of 0 is chosen by the system. Without
	// Bind and Transport it is alone. With one, and without Peers, it begins a desk of its own, to which others may be added.
	Bind string
	// Address is host:port as others reach the member, if it is not Bind: behind a name, a gateway or a container. If it is
	// empty, it is the Address of this member in Peers, or Bind.
	Address string
	// TLS secures all connections, if it is not nil: those of Raft, of forwarded calls and of clients. The same settings are
	// used for both ends, so they need a certificate, the roots to check others by as RootCAs and as ClientCAs, and a
	// ClientAuth of tls.RequireAndVerifyClientCert, unless a GetConfigForClient decides, which nobody checks. Without TLS
	// whoever reaches Bind may do anything.
	TLS *tls.Config
	// Transport takes the place of Bind: a raft.InmemTransport in tests. Calls are not forwarded over it, and so first members
	// do not wait for each other.
	Transport raft.Transport
	// Peers are the first members, this one among them, and the same list for each. The first start waits until all of them
	// that do not watch are there; one that has no state while another has one stops, since its folder may have been emptied. A
	// list without this one makes it wait until a member of it adds it by Add. Peers are read once, as long as Dir is empty;
	// the log knows them later.
	Peers []Peer

	// Desk has the settings of the desk, the same on each member: the first leader settles them, and Clock too, and a member
	// with others stops with a SettingsError.
	Desk desk.Config
	// Clock makes ticks of the time. With it the members advance the desk, and a desk.Advance of a caller is
	// invalid; without it only callers do.
	Clock *bookahead.Clock
	// MaxJump is by how much the clock may go ahead at once, and 30 min if it is 0: less than a wrong time zone, and more than
	// an upgrade. One that is further ahead is refused, and so are all commands, until ConfirmClock, also after all members
	// were stopped for so long. Up to MaxJump a leader whose clock is wrong moves the desk for good: holds expire, and bookings
	// start and end. Only the first clock of a desk may jump.
	MaxJump time.Duration

	// Sessions is how many sessions the members remember, and 1<<14 if it is 0: the one that was idle for longest goes
	// first, and its calls are an ErrSession then. It is that of the leader that counts.
	Sessions int
	// AnswerBytes is about how many bytes the last answers of all sessions have together, and 256 MiB if it is 0: beyond that
	// sessions are forgotten, too. It is that of the leader that counts. An answer of more than 4 MiB is not kept: a retry
	// of its call is an ErrNoAnswer.
	AnswerBytes int64
	// SnapshotEvery is how many bytes of log there are between two snapshots, and 64 MiB if it is 0.
	SnapshotEvery int64
	// CheckEvery is how often the members compare the fingerprints of their states, and 10 min if it is 0.
	CheckEvery time.Duration
	// Reserve is how many bytes of the disk stay free, and 256 MiB if it is 0. A leader whose disk has fewer hands over to
	// another member. Commands are refused as ErrFull if no disk has more.
	Reserve int64

	// Applied is told each command that is carried out here, in order, with its answer, nil errors only: an Advance by
	// the clock too. Both are its own to change. After a restart it is told those behind the last snapshot again, so an index says which are new. It
	// must be quick, and must not call the member.
	Applied func(index uint64, c desk.Command, out desk.Outcome)
	// Metrics is told about each of many things; nil is told nothing.
	Metrics Metrics
	// Log is told about what happens rarely; slog.Default() if it is nil.
	Log *slog.Logger

	// Timing of elections: a leader that is silent for so long is given up. 1 s if it is 0. Members that are far apart need
	// some ten round trips. A leader whose disk takes twice as long for a write, and 1 s at least, gives way to another.
	Election time.Duration
}

// Peer is a member as others see it.
type Peer struct {
	ID string
	// Address is its Config.Address, or its Bind, as others reach it.
	Address string
	// Watches makes it a non-voter: it has the whole state, and does not count for a majority.
	Watches bool
}

// Metrics is told what a member does. Its methods are called at once from several goroutines, and are quick.
type Metrics interface {
	// Entry is told of an entry that was carried out: its calls, and how long it took from the first call on, of the leader
	// alone, 0 elsewhere.
	Entry(calls int, took time.Duration)
	// Refused is told once of each call, also a Read, that this member took from its caller and that ended with an error of
	// this package, or with that of its context. It names the error: "full", "sealed", "jump", "session", "no answer", "stopped", "closed",
	// "canceled", "late" for a deadline, "away" for a leader that was not reached, "not leader", or "unknown".
	Refused(why string)
	// Read is told of a Read, by its freshness, and how long it waited.
	Read(f Freshness, took time.Duration)
	// Snapshot is told of a snapshot that was written, and Stopped how long commands waited for it.
	Snapshot(bytes int64, took, stopped time.Duration)
	// State is told that the member became "leader", "follower", "candidate" or "shutdown", in a term.
	State(state string, term uint64)
	// Check is told whether this member has the fingerprint of the majority; false is also a doubt, before there is one.
	Check(equal bool)
}
