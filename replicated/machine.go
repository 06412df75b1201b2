package replicated

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/limits"
)

// machine carries entries out on a desk, and keeps the last answers. It is a raft.BatchingFSM. Its owner is one goroutine
// at a time: Open, which restores the snapshot and checks the entries behind it (recovery.go), and from then on the
// goroutine of Raft, which calls Apply, ApplyBatch, Snapshot and Restore. Any goroutine may call view, now, applied, pending,
// sealed, await, next, doubt, proposal, err, failed and fail.
//
//	entry ─► sum ─► version ─► sealed? ─► clock ─► each call: session ─► desk.Do ─► answer
//	          │        │          │         │                    │
//	          └────────┴─ fails   └─────────┴─ refused           └─ the answer that it had
//
// A refused call leaves no trace: its number may be sent again, and the call is carried out then. A command that panics
// is refused, and the refusal is its answer. A machine that has failed carries out nothing more.
type machine struct {
	// on is called when something happens. It is set before the first entry.
	on hooks

	config    desk.Config
	id        atomic.Uint64                                        // the desk ID; drawn for the first entry, 0 until it is known
	own       []setting                                            // the settings of this member on which all must agree
	onApplied func(index uint64, c desk.Command, out desk.Outcome) // Config.Applied
	version   uint32                                               // Version; tests may set another
	carry     carrier                                              // desk.Desk.Do; tests may set another

	mu   sync.RWMutex // locked for writing while an entry is carried out, so desk and last match
	desk *desk.Desk
	last atomic.Uint64 // index of the last entry

	// Only the owner uses the fields from here to prints.
	sessions    sessionTable
	agreed      []setting // nil before the first entry of a leader, and after an unseal
	clocked     bool      // the clock of some leader was carried out
	clockPanics bool      // the clock panics, and the last trouble was that
	older       olderVersion
	room        []call           // calls of the entry under way
	done        []appliedCommand // for onApplied, from the entry under way
	prints      fingerprints     // has its own lock

	careful   atomic.Bool   // each command has a clone of the desk before it, in case the command panics
	sealedAt  atomic.Uint64 // the entry that has sealed the state; 0 if it is not sealed
	hasAgreed atomic.Bool   // agreed is not nil
	bytes     atomic.Int64  // of the entries since the last snapshot

	failing   sync.Mutex
	broken    chan struct{} // closed once the machine has failed
	failure   error         // why it has failed; written before broken is closed
	nextEntry chan struct{} // closed by the next entry; nil if nobody waits
}

// hooks are functions that a machine calls. Each may be nil. They must be quick, and must not call the machine,
// except applied, sealed and pending.
type hooks struct {
	// hashed gets the fingerprint behind an entry with a mark, some time after the entry, from another goroutine. A
	// voter then reports the fingerprint.
	hashed func(index uint64, sum [32]byte)
	// voters returns the IDs of the voters.
	voters func() []string
	// compared hears whether this member has the fingerprint of the majority. A doubt counts as false.
	compared func(index uint64, equal bool)
	// troubled hears of a command that panics, or that has used up its steps.
	troubled func(trouble)
	// reread brings a new machine to the state before an entry, from the disk.
	reread func(fresh *machine, index uint64) error
	// carried hears of an entry that was carried out, with the number of its calls.
	carried func(calls int)
	// sealed hears that an entry has sealed the state. The member writes a snapshot after the call has
	// returned: Raft needs the same goroutine for a snapshot.
	sealed func()
	// wrote hears of a snapshot that was written: its bytes, the time that took, and how long Snapshot stopped
	// entries.
	wrote func(bytes int64, took, stopped time.Duration)
}

// olderVersion says how the machine treats entries of an older version.
type olderVersion uint8

const (
	// olderFails is the usual case: the older version should have carried the entry out.
	olderFails olderVersion = iota
	// olderPasses holds behind a snapshot that the older version has sealed. Entries behind it have changed nothing,
	// unless one of them is an unseal.
	olderPasses
	// olderIsOver holds behind the first entry of this version. Each member of an older version has stopped at that
	// entry.
	olderIsOver
)

// appliedCommand is a command that was carried out, for Config.Applied.
type appliedCommand struct {
	command desk.Command
	outcome desk.Outcome
}

var _ raft.BatchingFSM = (*machine)(nil)

func newMachine(c *Config) (*machine, error) {
	d, err := desk.New(c.Desk)
	if err != nil {
		return nil, err
	}
	x := &machine{config: c.Desk, own: c.agreedSettings(), onApplied: c.Applied, version: Version, carry: carryOut, desk: d, sessions: newSessionTable(), broken: make(chan struct{})}
	x.prints.stop = make(chan struct{})
	return x, nil
}

// Apply carries an entry out. It returns a []answer, one for each call, or one about the clock if there are no calls.
// It returns an error if the machine has failed.
func (x *machine) Apply(e *raft.Log) any {
	err := x.err()
	if err != nil {
		return err
	}
	if e.Type != raft.LogCommand {
		x.mu.Lock()
		x.countEntry(e, nil)
		x.mu.Unlock()
		return nil
	}
	answers, err := x.applyEntry(e)
	if err != nil {
		x.fail(err)
		return err
	}
	return answers
}

// ApplyBatch is Apply for several entries.
func (x *machine) ApplyBatch(list []*raft.Log) []any {
	out := make([]any, len(list))
	for i, e := range list {
		out[i] = x.Apply(e)
	}
	return out
}

// applyEntry carries an entry out. After an error the machine has failed.
func (x *machine) applyEntry(l *raft.Log) ([]answer, error) {
	last := x.last.Load()
	if l.Index <= last {
		return nil, fmt.Errorf("%w: log: entry %d comes behind entry %d", ErrDamaged, l.Index, last)
	}
	e, err := readEntry(l.Data, x.room[:0])
	if err != nil {
		return nil, fmt.Errorf("log: entry %d: %w", l.Index, err)
	}
	defer x.clear(e.calls)
	passes, err := x.skipsOlder(&e)
	if err != nil {
		return nil, fmt.Errorf("log: entry %d: %w", l.Index, err)
	}
	answers := make([]answer, max(1, len(e.calls)))
	x.mu.Lock()
	if passes {
		refuse(answers, ErrSealed)
	} else {
		err = x.carryOut(l.Index, &e, answers)
		if errors.Is(err, errHalfChanged) {
			err = x.redo(l.Index, &e, answers, err)
		}
	}
	x.countEntry(l, answers)
	x.mu.Unlock()
	if err != nil {
		return nil, err
	}
	x.runHooks(l.Index, &e)
	return answers, nil
}

// clear drops all references to an entry: its bytes belong to Raft.
func (x *machine) clear(calls []call) {
	clear(calls)
	x.room = calls[:0]
	clear(x.done)
	x.done = x.done[:0]
}

// givenUpBytes is how many bytes of log a command counts like that has used up its steps. A snapshot spares the next
// start to decide it again, which takes about a second: with the usual Config.SnapshotEvery there are at most 64 to decide.
const givenUpBytes = 1 << 20

// countEntry counts an entry. The caller holds mu.
func (x *machine) countEntry(l *raft.Log, answers []answer) {
	x.last.Store(l.Index)
	weight := len(l.Data)
	for i := range answers {
		if errors.Is(answers[i].err, bookahead.ErrStopped) {
			weight += givenUpBytes
		}
	}
	x.bytes.Add(int64(weight))
	x.wake()
}

// skipsOlder reports whether an entry of an older version may be skipped. The error wraps ErrVersion if the entry must
// not be skipped, or is of a newer version. At version 2:
//
//	version 3                                                  ErrVersion: this binary is too old
//	version 1   behind the first entry of version 2            skipped
//	            behind a snapshot that version 1 has sealed    skipped; ErrVersion if the entry has an unseal
//	            otherwise                                      ErrVersion: version 1 has not sealed
func (x *machine) skipsOlder(e *entry) (bool, error) {
	switch {
	case e.version == x.version:
		if x.older == olderPasses {
			x.older = olderIsOver
		}
		return false, nil
	case e.version > x.version:
		return false, fmt.Errorf("%w: %d is newer than %d: this binary is too old", ErrVersion, e.version, x.version)
	case x.older == olderIsOver || x.older == olderPasses && !e.has(unseal):
		return true, nil
	}
	return false, fmt.Errorf("%w: %d is older than %d, and no snapshot that version %d has sealed lies before the entry: start the old binary again, and Seal first",
		ErrVersion, e.version, x.version, e.version)
}

func refuse(answers []answer, err error) {
	for i := range answers {
		answers[i].err = err
	}
}

// carryOut carries out the calls of an entry of this version. A sealed state does not change by a single byte until
// an unseal. So calls behind a seal in the same entry are refused, too.
func (x *machine) carryOut(index uint64, e *entry, answers []answer) error {
	err := x.adopt(e)
	if err != nil {
		return err
	}
	var refused error // why the commands of this entry are refused
	if x.sealed() {
		refused = ErrSealed
	} else {
		x.sessions.evict(e) // the leader may be another one, with a smaller bound
		refused = x.clock(index, e)
	}
	if errors.Is(refused, errHalfChanged) {
		return refused
	}
	if len(e.calls) == 0 {
		answers[0].err = refused
	}
	for i := range e.calls {
		c := &e.calls[i]
		switch c.op {
		case doCommand:
			err := x.do(index, e, c, refused, &answers[i])
			if err != nil {
				return err
			}
		case openSession:
			answers[i].err = refused
			if refused == nil {
				answers[i] = x.sessions.open(c)
				x.sessions.evict(e)
			}
		case seal:
			x.seal(index)
			refused = ErrSealed
		case unseal:
			err := x.unsealAt(index, e)
			if err != nil {
				return err
			}
		case report:
			if len(c.body) <= 8+32 {
				answers[i].err = limits.Invalid("report", len(c.body), "bytes are too few for an index, a fingerprint and an ID")
				break
			}
			err := x.report(binary.LittleEndian.Uint64(c.body), [32]byte(c.body[8:]), string(c.body[8+32:]))
			if err != nil {
				return err
			}
		case mark: // taken in runHooks
		default:
			answers[i].err = limits.Invalid("op", uint8(c.op), "is unknown")
		}
	}
	return nil
}

// clock moves the clock of the desk to the clock of an entry. A clock that goes back changes nothing. The calls are
// refused by a JumpError if the clock goes too far ahead, since the leader's clock is probably wrong, and if the
// clock is before its epoch, where there are no ticks. The first clock of a desk may be anywhere, as there is no
// earlier one to compare it with.
func (x *machine) clock(index uint64, e *entry) error {
	now := x.desk.Now()
	switch {
	case e.now < 0 && x.ticks():
		return &JumpError{Desk: now, Leader: e.now}
	case e.now <= now:
		return nil
	case e.jump >= 0 && bookahead.Duration(e.now-now) > e.jump && x.clocked:
		return &JumpError{Desk: now, Leader: e.now}
	}
	c := desk.Advance{Now: e.now}
	out, err := x.advance(index, c)
	if errors.Is(err, errHalfChanged) {
		return err
	}
	if err != nil {
		return portable(err)
	}
	x.clocked = true
	x.noteApplied(c, out)
	return nil
}

// unsealAt ends a seal. The clock of the entry was not carried out while the state was sealed, so it is carried out
// now. Its leader has confirmed it, since a seal may be longer than any jump. An error of the clock is dropped: the
// next command meets it again.
func (x *machine) unsealAt(index uint64, e *entry) error {
	was := x.sealed()
	x.unseal()
	err := x.adopt(e)
	if err != nil || !was {
		return err
	}
	err = x.clock(index, e)
	if errors.Is(err, errHalfChanged) {
		return err
	}
	return nil
}

// do carries out a command, unless it was carried out before. A known call gets its answer even while commands are
// refused: a refusal would say that the call was not carried out. The error is errHalfChanged.
func (x *machine) do(index uint64, e *entry, c *call, refused error, a *answer) error {
	at, had, known := x.sessions.find(c)
	switch {
	case known:
		*a = had
		// A sealed state must not change, and the order of its sessions is part of it.
		if refused == nil && at != 0 {
			x.sessions.touch(at)
		}
		return nil
	case refused != nil:
		a.err = refused
		return nil
	}
	command, out, err := x.attempt(index, c, e.now >= 0 || x.ticks())
	if errors.Is(err, errHalfChanged) {
		return err
	}
	a.outcome, a.err = out, portable(err)
	x.sessions.store(at, c, a)
	x.sessions.evict(e)
	if err == nil {
		x.noteApplied(command, a.outcome)
	}
	return nil
}

// checkClocked returns an error if a command of a caller moves the clock.
func checkClocked(c desk.Command) error {
	switch c := c.(type) {
	case desk.Advance:
		return limits.Invalid("Advance.Now", c.Now, "comes from a caller, and Config.Clock moves the clock")
	case desk.Given:
		return checkClocked(c.Command)
	case desk.Batch:
		for _, one := range c.Commands {
			err := checkClocked(one)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// noteApplied notes a command for Config.Applied.
func (x *machine) noteApplied(c desk.Command, out desk.Outcome) {
	if x.onApplied != nil {
		x.done = append(x.done, appliedCommand{c, copyOf(out)})
	}
}

// runHooks does the work behind an entry, when mu is free again: Config.Applied may take its time, and readers must not
// wait for it.
func (x *machine) runHooks(index uint64, e *entry) {
	for _, one := range x.done {
		x.onApplied(index, one.command, one.outcome)
	}
	if e.version != x.version {
		return
	}
	if x.on.carried != nil {
		x.on.carried(len(e.calls))
	}
	if e.has(mark) {
		x.mark(index)
	}
	if e.has(seal) && x.on.sealed != nil {
		x.on.sealed()
	}
}

// failed returns a channel that is closed once the machine has failed. err returns why; nil before.
func (x *machine) failed() <-chan struct{} { return x.broken }

func (x *machine) err() error {
	select {
	case <-x.broken:
		return x.failure
	default:
		return nil
	}
}

// fail notes the first error that ends the machine.
func (x *machine) fail(err error) {
	x.failing.Lock()
	defer x.failing.Unlock()
	if x.failure == nil {
		x.failure = err
		close(x.broken)
	}
}

// close ends the fingerprint under way, and waits for its end. No entry comes after close.
func (x *machine) close() { x.prints.close() }

// view returns a clone of the desk, and the index of the last entry in it. It waits for the entry under way.
func (x *machine) view() View {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return View{x.desk.Clone(), x.last.Load()}
}

// applied returns the index of the last entry carried out. Only commands and changes of the members count: the
// entries that Raft writes for itself never reach a machine.
func (x *machine) applied() uint64 { return x.last.Load() }

// pending returns how many bytes of log lie behind the last snapshot that was written or restored, with givenUpBytes for
// each command that has used up its steps.
func (x *machine) pending() int64 { return x.bytes.Load() }

// sealed reports whether the state is sealed, so that commands are refused.
func (x *machine) sealed() bool { return x.sealedAt.Load() != 0 }

// await waits until the entry with an index, or a later one, was carried out. Some machine must have had that index.
// The error is that of ctx, or why the machine has failed.
func (x *machine) await(ctx context.Context, index uint64) error {
	for {
		next, there := x.next(index)
		if there {
			return nil
		}
		select {
		case <-next:
		case <-x.broken:
			return x.failure
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// next reports whether an entry was carried out. If not, it returns a channel that the next entry closes.
func (x *machine) next(index uint64) (<-chan struct{}, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.last.Load() >= index {
		return nil, true
	}
	if x.nextEntry == nil {
		x.nextEntry = make(chan struct{})
	}
	return x.nextEntry, false
}

// wake wakes those who wait for an entry. The caller holds mu.
func (x *machine) wake() {
	if x.nextEntry != nil {
		close(x.nextEntry)
		x.nextEntry = nil
	}
}

// errStopped ends the fingerprint under way.
var errStopped = errors.New("replicated: closed")
