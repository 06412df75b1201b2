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

// machine is what Raft carries entries out on: a desk, and the last answers to its callers. It is a raft.BatchingFSM.
// One goroutine, that of Raft, calls Apply, ApplyBatch, Snapshot and Restore; any may call the others.
//
//	entry ─► sum ─► version ─► sealed? ─► clock ─► each call: session ─► desk.Do ─► answer
//	          │        │          │         │                    │
//	          └────────┴─ fails   └─────────┴─ refused           └─ the answer that it had
//
// A refused call leaves no trace: its number may be sent again, and is carried out then. A machine that has failed
// carries out nothing more.
type machine struct {
	// on is told what happens. It is set before the first entry.
	on hooks

	config  desk.Config
	id      atomic.Uint64                                        // of the desk, which is drawn for the first entry; 0 while it is not known
	own     []setting                                            // those of this member on which all must agree
	told    func(index uint64, c desk.Command, out desk.Outcome) // Config.Applied
	version uint32                                               // Version, but in tests

	mu   sync.RWMutex // is locked for writing while an entry is carried out, and so desk and index belong together
	desk *desk.Desk
	last atomic.Uint64 // index of the last entry

	// These belong to Raft's goroutine.
	sessions table
	settled  []setting // nil before the first entry of a leader, and behind an unseal
	clocked  bool      // a clock of a leader was carried out
	older    older
	room     []call       // of the entry under way
	done     []toldOf     // of the entry under way, for told
	prints   fingerprints // has a lock of its own

	isSealed   atomic.Bool
	hasSettled atomic.Bool  // settled is not nil
	bytes      atomic.Int64 // of the entries since the last snapshot that was written

	failing sync.Mutex
	broken  chan struct{} // closed once it has failed
	why     error         // written before broken is closed
	grown   chan struct{} // closed with the next entry, if somebody waits; nil if nobody does
}

// hooks is what a machine tells its member. Each may be nil, is quick, and does not call the machine but for its
// applied, sealed and pending.
type hooks struct {
	// hashed is told the fingerprint behind an entry with a mark, some time after the entry, by a goroutine of its own.
	// A voter reports it then.
	hashed func(index uint64, sum [32]byte)
	// voters returns the IDs of those who count for a majority.
	voters func() []string
	// compared is told whether this member has the fingerprint of the majority, and of a doubt about that before.
	compared func(index uint64, equal bool)
	// sealed is told the index of an entry that has sealed the state. The member takes a snapshot then: not within the
	// call, since Raft's goroutine makes it.
	sealed func(index uint64)
	// wrote is told of a snapshot that was written: its bytes, how long that took, and for how long Snapshot stopped
	// entries.
	wrote func(bytes int64, took, stopped time.Duration)
}

// older says what becomes of an entry of an older version.
type older uint8

const (
	// olderFails is the usual case: the entry was to be carried out by the older version.
	olderFails older = iota
	// olderPasses is behind a snapshot that the older version sealed: entries behind it have changed nothing, unless
	// one of them is an unseal.
	olderPasses
	// olderIsOver is behind the first entry of this version, at which each member of an older version has stopped.
	olderIsOver
)

// toldOf is a command that was carried out.
type toldOf struct {
	command desk.Command
	outcome desk.Outcome
}

var _ raft.BatchingFSM = (*machine)(nil)

func newMachine(c *Config) (*machine, error) {
	d, err := desk.New(c.Desk)
	if err != nil {
		return nil, err
	}
	x := &machine{config: c.Desk, own: c.decisive(), told: c.Applied, version: Version, desk: d, sessions: newTable(), broken: make(chan struct{})}
	x.prints.stop = make(chan struct{})
	return x, nil
}

// Apply returns what came of an entry: a []answer, one for each of its calls, or one about its clock if it has none. It is
// an error if the machine has failed.
func (x *machine) Apply(e *raft.Log) any {
	err := x.err()
	if err != nil {
		return err
	}
	if e.Type != raft.LogCommand {
		x.mu.Lock()
		x.step(e)
		x.mu.Unlock()
		return nil
	}
	answers, err := x.entry(e)
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

// entry carries an entry out. After an error the machine has failed.
func (x *machine) entry(l *raft.Log) ([]answer, error) {
	last := x.last.Load()
	if l.Index <= last {
		return nil, fmt.Errorf("%w: log: entry %d comes behind entry %d", ErrDamaged, l.Index, last)
	}
	e, err := readEntry(l.Data, x.room[:0])
	if err != nil {
		return nil, fmt.Errorf("log: entry %d: %w", l.Index, err)
	}
	defer x.clear(e.calls)
	passes, err := x.passes(&e)
	if err != nil {
		return nil, fmt.Errorf("log: entry %d: %w", l.Index, err)
	}
	answers := make([]answer, max(1, len(e.calls)))
	x.mu.Lock()
	if passes {
		refuse(answers, ErrSealed)
	} else {
		err = x.carryOut(l.Index, &e, answers)
	}
	x.step(l)
	x.mu.Unlock()
	if err != nil {
		return nil, err
	}
	x.after(l.Index, &e)
	return answers, nil
}

// clear forgets an entry, whose bytes are Raft's.
func (x *machine) clear(calls []call) {
	clear(calls)
	x.room = calls[:0]
	clear(x.done)
	x.done = x.done[:0]
}

// step counts an entry. The caller holds mu.
func (x *machine) step(l *raft.Log) {
	x.last.Store(l.Index)
	x.bytes.Add(int64(len(l.Data)))
	x.wake()
}

// passes reports whether an entry of an older version has nothing to say any more. The error wraps ErrVersion if it has,
// or if the version is a later one.
func (x *machine) passes(e *entry) (bool, error) {
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
	return false, fmt.Errorf("%w: %d is older than %d, and no snapshot that it has sealed is before this entry: start the old binary again, and Seal first",
		ErrVersion, e.version, x.version)
}

func refuse(answers []answer, err error) {
	for i := range answers {
		answers[i].err = err
	}
}

// carryOut carries out the calls of an entry of this version. A sealed state stays as it is, to the byte, until an
// unseal; also calls that share the entry with it are refused.
func (x *machine) carryOut(index uint64, e *entry, answers []answer) error {
	err := x.settle(e)
	if err != nil {
		return err
	}
	var refused error // why the commands of this entry are not carried out
	if x.isSealed.Load() {
		refused = ErrSealed
	} else {
		x.sessions.bound(e)
		refused = x.clock(e)
	}
	if len(e.calls) == 0 {
		answers[0].err = refused
	}
	for i := range e.calls {
		c := &e.calls[i]
		switch c.op {
		case doCommand:
			x.do(e, c, refused, &answers[i])
		case openSession:
			answers[i].err = refused
			if refused == nil {
				answers[i] = x.sessions.open(c)
				x.sessions.bound(e)
			}
		case seal:
			x.seal()
			refused = ErrSealed
		case unseal:
			err := x.unsealAt(e)
			if err != nil {
				return err
			}
		case report:
			if len(c.body) <= 8+32 {
				answers[i].err = limits.Invalid("report", len(c.body), "bytes are no index, fingerprint and ID")
				break
			}
			err := x.report(binary.LittleEndian.Uint64(c.body), [32]byte(c.body[8:]), string(c.body[8+32:]))
			if err != nil {
				return err
			}
		case mark: // after the entry
		default:
			answers[i].err = limits.Invalid("op", uint8(c.op), "is none that is known")
		}
	}
	return x.settle(e)
}

// clock moves the clock of the desk to that of an entry. A clock that goes back is not carried out. One that goes ahead too
// far is an error, and so the calls are refused: most likely the clock of the leader is wrong. The first one has nothing
// to compare with. So is one before its epoch, of which there is no tick.
func (x *machine) clock(e *entry) error {
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
	out, err := x.desk.Do(c)
	if err != nil {
		return keep(err)
	}
	x.clocked = true
	x.tell(c, out)
	return nil
}

// unsealAt ends a seal. No clock was carried out meanwhile, so that of the entry is now: its leader confirms it, as a seal may be
// longer than any jump. One that is refused all the same is refused again with the next command.
func (x *machine) unsealAt(e *entry) error {
	was := x.isSealed.Load()
	x.unseal()
	err := x.settle(e)
	if err == nil && was {
		_ = x.clock(e)
	}
	return err
}

// do carries out a command, unless it was before. Whoever asks again has the answer also while commands are refused, since
// "refused" would say that it was not carried out.
func (x *machine) do(e *entry, c *call, refused error, a *answer) {
	at, had, known := x.sessions.find(c)
	switch {
	case known:
		*a = had
		if refused == nil && at != 0 {
			x.sessions.use(at)
		}
		return
	case refused != nil:
		a.err = refused
		return
	}
	command, err := desk.UnmarshalCommand(c.body)
	if err == nil && (e.now >= 0 || x.ticks()) {
		err = checkClocked(command)
	}
	if err == nil {
		a.outcome, err = x.desk.Do(command)
	}
	a.err = keep(err)
	x.sessions.store(at, c, a)
	x.sessions.bound(e)
	if err == nil {
		x.tell(command, a.outcome)
	}
}

// checkClocked returns an error if a command moves the clock, which is that of the leader.
func checkClocked(c desk.Command) error {
	switch c := c.(type) {
	case desk.Advance:
		return limits.Invalid("Advance.Now", c.Now, "is a caller's, and the clock is that of the members")
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

// tell notes a command for Config.Applied.
func (x *machine) tell(c desk.Command, out desk.Outcome) {
	if x.told != nil {
		x.done = append(x.done, toldOf{c, copyOf(out)})
	}
}

// after does what an entry asks for behind it, when mu is free again: the callback may take its time, and readers do not
// wait for it.
func (x *machine) after(index uint64, e *entry) {
	for _, one := range x.done {
		x.told(index, one.command, one.outcome)
	}
	if e.version != x.version {
		return
	}
	if e.has(mark) {
		x.mark(index)
	}
	if e.has(seal) && x.on.sealed != nil {
		x.on.sealed(index)
	}
}

// failed is closed once the machine can go on no more; err says why, and is nil before.
func (x *machine) failed() <-chan struct{} { return x.broken }

func (x *machine) err() error {
	select {
	case <-x.broken:
		return x.why
	default:
		return nil
	}
}

// fail notes the first error that ends the machine.
func (x *machine) fail(err error) {
	x.failing.Lock()
	defer x.failing.Unlock()
	if x.why == nil {
		x.why = err
		close(x.broken)
	}
}

// close ends what the machine does in the background, and waits for it. No entry comes any more.
func (x *machine) close() { x.prints.close() }

// view returns a clone of the desk, and the index of the last entry in it. It waits for the entry under way.
func (x *machine) view() View {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return View{x.desk.Clone(), x.last.Load()}
}

// applied returns the index of the last entry. Only commands and changes of the members count: the entries that Raft
// writes for itself never come to a machine.
func (x *machine) applied() uint64 { return x.last.Load() }

// pending returns how many bytes of log there are behind the last snapshot that was written or restored.
func (x *machine) pending() int64 { return x.bytes.Load() }

// sealed reports whether commands are refused until a newer version.
func (x *machine) sealed() bool { return x.isSealed.Load() }

// await returns once an entry was carried out: the one with the index, which some machine has had, or a later one. The
// error is that of ctx, or that with which the machine has failed.
func (x *machine) await(ctx context.Context, index uint64) error {
	for {
		next, there := x.next(index)
		if there {
			return nil
		}
		select {
		case <-next:
		case <-x.broken:
			return x.why
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// next reports whether an entry was carried out, and returns a channel that is closed with the next one if not.
func (x *machine) next(index uint64) (<-chan struct{}, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.last.Load() >= index {
		return nil, true
	}
	if x.grown == nil {
		x.grown = make(chan struct{})
	}
	return x.grown, false
}

// wake wakes who waits for an entry. The caller holds mu.
func (x *machine) wake() {
	if x.grown != nil {
		close(x.grown)
		x.grown = nil
	}
}

// errStopped ends a fingerprint under way.
var errStopped = errors.New("replicated: closed")
