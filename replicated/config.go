package replicated

import (
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/hashicorp/raft"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// Config holds the settings of Open. Only Dir is needed. With an empty Dir and no Peers the member is alone: a
// command that it has answered is on its disk.
type Config struct {
	// ID is the name of the member, which never changes; "1" if empty.
	ID string
	// Dir is the folder of the log and the snapshots of this member. No other member uses the folder. Open makes it
	// if it does not exist.
	Dir string
	// Bind is the TCP address, host:port, at which the member listens; the system chooses a port of 0. Without Bind
	// and Transport the member is alone. With one of them and without Peers, the member begins a desk of its own, and
	// others may be added to it.
	Bind string
	// Address is the host:port at which others reach the member, if it is not Bind: behind a name, a gateway or a
	// container. An empty Address is the Address of this member in Peers, or Bind.
	Address string
	// TLS secures all connections, if it is not nil: those of Raft, of forwarded calls and of clients. The same
	// settings serve both ends. So they need a certificate, the roots to check others by as RootCAs and as ClientCAs,
	// and a ClientAuth of tls.RequireAndVerifyClientCert. Open checks the ClientAuth unless there is a
	// GetConfigForClient, whose settings nobody checks. Without TLS whoever reaches Bind may do anything.
	TLS *tls.Config
	// Transport takes the place of Bind: a raft.InmemTransport in tests. Calls are not forwarded over it, so first
	// members do not wait for each other.
	Transport raft.Transport
	// Peers are the first members, this one among them. Each first member is given the same list. The first start
	// waits until all voters of the list are there. A member without a state stops if another one has a state, since
	// the folder of the former may have been emptied. A member that is not in its own list waits until a member of
	// the list adds it by Add. Peers are read while Dir is empty; later the log knows the members.
	Peers []Peer

	// Desk has the settings of the desk, the same on each member. The first leader settles Desk and Clock. A member
	// with others stops with an ErrSettings.
	Desk desk.Config
	// Clock makes ticks of the time. With a Clock the members advance the desk, and a desk.Advance of a caller is
	// invalid. Without a Clock only callers advance it.
	Clock *bookahead.Clock
	// MaxJump is how far the clock may go ahead at once; 30 min if 0: less than a wrong time zone, and more than an
	// upgrade. A clock that goes further is refused until ConfirmClock, and all commands with it, also after all
	// members were stopped for longer than MaxJump. A leader whose clock is wrong by less moves the desk for good:
	// holds expire, and bookings start and end. The first clock of a desk may jump by any time.
	MaxJump time.Duration

	// Sessions is how many sessions the members remember; 1<<14 if 0. The session that was idle for longest goes
	// first; its calls are an ErrSession from then on. The Sessions of the leader counts.
	Sessions int
	// AnswerBytes is about how many bytes the last answers of all sessions have together; 256 MiB if 0. Beyond that,
	// sessions are forgotten too. The AnswerBytes of the leader counts. An answer of more than 4 MiB is not kept: a
	// retry of its call is an ErrNoAnswer.
	AnswerBytes int64
	// SnapshotEvery is how many bytes of log lie between two snapshots; 64 MiB if 0.
	SnapshotEvery int64
	// CheckEvery is how often the members compare the fingerprints of their states; 10 min if 0.
	CheckEvery time.Duration
	// Reserve is how many bytes of the disk stay free; 256 MiB if 0. A leader whose disk has less room hands over to
	// another member. If no disk has more room, commands are refused as ErrFull.
	Reserve int64

	// Applied hears of each command that was carried out on this member without an error, in order, with its answer.
	// It hears of each Advance by the clock too. It may change both values. After a restart it hears of the commands
	// behind the last snapshot again; the index says which of them are new. Applied must be quick, and must not call
	// the member.
	Applied func(index uint64, c desk.Command, out desk.Outcome)
	// Metrics hears of frequent events; nobody does if it is nil.
	Metrics Metrics
	// Log hears of rare events; slog.Default() if it is nil.
	Log *slog.Logger

	// Election is how long a leader may be silent before the others elect another; 1 s if 0. Members that are far
	// apart need about ten round trips. A leader gives way to another if a write to its disk takes twice as long, and
	// at least 1 s.
	Election time.Duration
}

// known returns the address by which others know the member: its Address in Config.Peers, else Config.Address. It is
// "" if they know the member by Bind.
func (c *Config) known() string {
	for _, p := range c.Peers {
		if p.ID == c.ID {
			return p.Address
		}
	}
	return c.Address
}

// Peer is a member as the others see it.
type Peer struct {
	ID string
	// Address is where others reach the member: its Config.Address, or its Bind.
	Address string
	// Watches makes the member a non-voter: it has the whole state, and does not count for a majority.
	Watches bool
}

// Freshness is how fresh the state of a Read is.
type Freshness uint8

const (
	// Linearizable reads a state with all commands that were answered, to any caller, before the Read began. The
	// leader asks its peers whether it still leads, once for all reads that wait.
	Linearizable Freshness = iota
	// Leading reads the state of a member that takes itself for the leader. Another leader may have replaced it for
	// as long as an election takes.
	Leading
	// Local reads the state of this member, however old.
	Local
)

// Metrics hears of the acts of a member. Several goroutines call its methods at once, so they must be safe and quick.
type Metrics interface {
	// Entry hears of each entry that this member has carried out, and of the number of calls in it: 0 for a tick of the
	// leader's clock. After a restart it hears again of the entries behind the last snapshot.
	Entry(calls int)
	// Answered hears, on the leader that has put calls into an entry, how long the first of them has waited for its answer.
	Answered(took time.Duration)
	// Refused hears once of each call, also of a Read, that this member took from its caller, and that ended with an
	// error of this package or of its context. It gets the name of the error: "full", "sealed", "jump", "session",
	// "no answer", "panicked", "stopped", "closed", "canceled", "late" for a deadline, "away" for a leader that was not reached,
	// "not leader", or "unknown".
	Refused(why string)
	// Read hears of a Read: its freshness, and how long the Read waited.
	Read(f Freshness, took time.Duration)
	// Snapshot hears of a snapshot that was written: its bytes, the time that took, and how long commands waited for
	// it.
	Snapshot(bytes int64, took, stopped time.Duration)
	// State hears that the member became "leader", "follower", "candidate" or "shutdown", in a term.
	State(state string, term uint64)
	// Check hears whether this member has the fingerprint of the majority. It hears false for a doubt, too, while no
	// majority has a fingerprint.
	Check(equal bool)
}

// silent is a Metrics that does nothing.
type silent struct{}

func (silent) Entry(int)                                    {}
func (silent) Answered(time.Duration)                       {}
func (silent) Refused(string)                               {}
func (silent) Read(Freshness, time.Duration)                {}
func (silent) Snapshot(int64, time.Duration, time.Duration) {}
func (silent) State(string, uint64)                         {}
func (silent) Check(bool)                                   {}
