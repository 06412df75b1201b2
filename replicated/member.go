package replicated

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/raft"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/replicated/internal/peerlink"
)

// Member is one of the members that keep a desk. Any number of goroutines may call its methods.
type Member struct {
	config      Config
	jump        bookahead.Duration // Config.MaxJump in ticks; -1 without a clock
	machine     *machine
	disk        *disk
	raft        *raft.Raft
	lease       *peerlink.Lease      // the transport of Raft, which notes answers
	others      func(Peer) leaderAPI // nil if calls are not forwarded
	propose     *proposer
	pool        *sessionPool
	reads       reads
	snapshotter snapshotter
	watchdog    watchdog
	handover    fullHandover

	bootstrap bootstrap
	desk      ownDesk

	disconnected func() error // closes the network; nil if there is none

	hashed         chan fingerprint // the fingerprint of the last mark, to be reported
	panicked       chan struct{}    // a command has panicked, and a leader asks for fingerprints
	wakeDiskWatch  chan struct{}    // wakes watchDisk: after an error of the log, and when the state of Raft changes
	membersChanged chan struct{}    // wakes observe: members came or went
	change         broadcast        // the leader, the state, the members or ready have changed

	up         atomic.Bool   // raft is set
	full       atomic.Bool   // the disk has less than Config.Reserve
	wasMember  atomic.Bool   // this node is a member, or was one
	removed    atomic.Bool   // this node was a member, and is none now
	onlyVoter  atomic.Bool   // this member is the only voter
	ready      atomic.Uint64 // the term in which this member leads and has carried out all entries of earlier terms; 0 if there is none
	readyAlone atomic.Bool   // this member was the only voter ever since it was ready
	lastEntry  atomic.Int64  // when this member last put an entry into the log, in nanoseconds
	jumped     atomic.Int64  // the clock of the desk when the clock of this member could not jump
	guesses    atomic.Uint64 // counts guesses of a leader

	life           context.Context // ends when closing is closed
	closing        <-chan struct{} // closed when Close begins
	stop           func()          // closes closing
	ending         sync.Once
	abandoned      chan struct{} // closed when the futures of Raft are given up
	abandon        func()        // closes abandoned
	doing          atomic.Value  // a string: the part that Close waits for
	ended          chan struct{} // closed when all parts have ended, or Close has given up
	endErr         error
	stopped        atomic.Pointer[error] // why the member has stopped itself; nil if it has not
	diskFailed     atomic.Bool           // the disk has failed, and nothing is written to it any more
	mu             sync.Mutex            // guards refusesFutures, and the start of futures
	refusesFutures bool                  // no more futures may start
	futures        sync.WaitGroup        // under way in Raft, which does not answer them after its shutdown
	routines       sync.WaitGroup
}

// Do carries out a command once. Do sends the command again, also to another leader, until there is an answer or ctx
// ends. When Do returns an answer, the command is on the disks of most members. Errors of the desk are those
// of desk.Desk.Do to errors.Is. If ctx ends first, the error wraps the error of ctx, and ErrUnknown if the command may have
// been carried out.
func (m *Member) Do(ctx context.Context, c desk.Command) (desk.Outcome, error) {
	body, err := m.encode(c)
	if err != nil {
		return desk.Outcome{}, err
	}
	return m.pool.do(ctx, body, m.send)
}

// fail notes why the member stops itself, and ends it. During Open it only notes the cause, and Open ends the member.
// Status still works after that.
func (m *Member) fail(cause error) {
	err := fmt.Errorf("%w: %w", ErrStopped, cause)
	first := m.stopped.CompareAndSwap(nil, &err)
	if !first {
		return
	}
	m.config.Log.Error("the member has stopped itself", "id", m.config.ID, "err", cause)
	m.change.tell()
	if m.up.Load() {
		m.end(false)
	}
}

// cause returns why the member has stopped itself; nil if it has not.
func (m *Member) cause() error {
	err := m.stopped.Load()
	if err == nil {
		return nil
	}
	return *err
}

// failDisk ends the member because its disk has failed, and lets Raft write nothing more. Raft would otherwise go on with
// a term that is not on the disk, or end the process.
func (m *Member) failDisk(cause error) {
	m.diskFailed.Store(true)
	m.abandon()
	m.fail(cause)
}

// refusal returns why the member takes no calls; nil if it takes them.
func (m *Member) refusal() error {
	if !m.up.Load() {
		return &NotLeaderError{}
	}
	err := m.cause()
	if err != nil {
		return err
	}
	select {
	case <-m.closing:
		return ErrClosed
	default:
	}
	if m.removed.Load() {
		return ErrClosed
	}
	return nil
}

func (m *Member) refusalOr(otherwise error) error {
	err := m.refusal()
	if err == nil {
		return otherwise
	}
	return err
}

// disk is the place where a member keeps its log, its vote and its snapshots.
type disk struct {
	log    raft.LogStore
	stable raft.StableStore
	snaps  raft.SnapshotStore
	space  func() (int64, error)
	close  func() error
}
