package replicated

import "context"

// Status is how a member sees itself and the others.
type Status struct {
	ID     string
	State  string // "leader", "follower", "candidate" or "shutdown"
	Leader Peer   // zero if there is none
	Term   uint64
	// Applied is the index of the last entry that was carried out here, and Last that of the last one in the log.
	Applied, Last uint64
	Peers         []Peer
	Full          bool // the disk has less than Config.Reserve
	Sealed        bool
	// Err is why the member has stopped; nil if it has not.
	Err error
}

// Status returns it at once.
func (m *Member) Status() Status { panic("not yet") }

// Add makes a member of a peer, which is running or will be: it gets the state from the leader, and counts for a majority,
// unless it only watches, as soon as it has it. One that is a member already gets its new address, or becomes a voter.
func (m *Member) Add(ctx context.Context, p Peer) error { panic("not yet") }

// Remove ends the membership of a peer, which need not be running.
func (m *Member) Remove(ctx context.Context, id string) error { panic("not yet") }

// Transfer makes another member the leader; any voter that is up to date if id is empty.
func (m *Member) Transfer(ctx context.Context, id string) error { panic("not yet") }

// Snapshot writes a snapshot on this member now.
func (m *Member) Snapshot(ctx context.Context) error { panic("not yet") }

// Seal makes each member write a snapshot of the same state, and refuse commands from then on, until a newer version has
// started on it: it is how a version ends. Unseal lets this version go on.
func (m *Member) Seal(ctx context.Context) error { panic("not yet") }

// Unseal ends a Seal.
func (m *Member) Unseal(ctx context.Context) error { panic("not yet") }
