package replicated

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// A command that panics is refused, on each member alike, and the members go on. A panic may leave the desk half changed,
// so the machine goes on with the desk from before the command:
//
//	the first panic     no copy of that desk exists: it is read again from the disk, and the entry is carried out again
//	later panics        each command has a clone of the desk before it, and the clone takes the place of the desk
//
// Clones cost time, so they end with the next snapshot: behind it, reading the desk again is quick.

// carrier carries out the command of an entry on a desk.
type carrier func(d *desk.Desk, index uint64, c desk.Command) (desk.Outcome, error)

func carryOut(d *desk.Desk, _ uint64, c desk.Command) (desk.Outcome, error) { return d.Do(c) }

// trouble is a command that panics, or that has used up its steps.
type trouble struct {
	index   uint64
	from    *call        // nil for the clock of the leader
	command desk.Command // nil if its bytes panic
	err     error        // wraps ErrPanicked or bookahead.ErrStopped
	stack   []byte       // nil without a panic
}

// errHalfChanged is wrapped if a command has panicked, and the desk may be half changed.
var errHalfChanged = errors.New("replicated: the desk may be half changed")

// attempt reads the command of a call, and carries it out. With a clock the command must not move the clock. An error
// has changed nothing, unless it wraps errHalfChanged.
func (x *machine) attempt(index uint64, from *call, clocked bool) (c desk.Command, out desk.Outcome, err error) {
	before := x.desk // reading the command does not change it
	defer func() {
		err = x.afterCommand(recover(), before, trouble{index, from, c, err, nil})
	}()
	c, err = desk.UnmarshalCommand(from.body)
	if err == nil && clocked {
		err = checkClocked(c)
	}
	if err != nil {
		return c, out, err
	}
	before = x.cloneIfCareful()
	out, err = x.carry(x.desk, index, c)
	return c, out, err
}

// advance is attempt for the clock of the leader.
func (x *machine) advance(index uint64, c desk.Advance) (out desk.Outcome, err error) {
	before := x.cloneIfCareful()
	defer func() {
		err = x.afterCommand(recover(), before, trouble{index, nil, c, err, nil})
	}()
	return x.carry(x.desk, index, c)
}

// cloneIfCareful returns a clone of the desk while the machine is careful; nil otherwise.
func (x *machine) cloneIfCareful() *desk.Desk {
	if !x.careful.Load() {
		return nil
	}
	return x.desk.Clone()
}

// afterCommand returns the error of a command, which may have panicked with a value. before is the desk before the command;
// nil if there is no copy.
func (x *machine) afterCommand(value any, before *desk.Desk, t trouble) error {
	switch {
	case value == nil && !errors.Is(t.err, bookahead.ErrStopped):
		return t.err
	case value == nil:
	case before == nil:
		return fmt.Errorf("%w: %w", errHalfChanged, t.panicked(value))
	default:
		x.desk = before
		t.err, t.stack = t.panicked(value), debug.Stack()
	}
	again := t.from == nil && x.clockPanics
	x.clockPanics = t.from == nil
	if x.on.troubled != nil && !again {
		x.on.troubled(t)
	}
	return t.err
}

// panicked returns the error of a command that has panicked with a value. It is the same on each member of one build.
func (t *trouble) panicked(value any) error {
	return fmt.Errorf("%w: entry %d, %s: %v", ErrPanicked, t.index, t.who(), value)
}

// who names the caller and the kind of the command.
func (t *trouble) who() string {
	if t.from == nil {
		return "the clock"
	}
	by := fmt.Sprintf("session %016x, number %d", uint64(t.from.session), t.from.number)
	if t.command == nil {
		return fmt.Sprintf("%s, %d bytes", by, len(t.from.body))
	}
	return fmt.Sprintf("%s, %T by %q", by, t.command, t.owner())
}

// owner returns the owner that the command names; all of them for a batch, and "" for none.
func (t *trouble) owner() string { return strings.Join(slices.Compact(ownersOf(t.command)), ", ") }

func ownersOf(c desk.Command) []string {
	switch c := c.(type) {
	case desk.Book:
		return []string{c.Owner}
	case desk.Change:
		return []string{c.To.Owner}
	case desk.BookSeries:
		return []string{c.Owner}
	case desk.Given:
		return ownersOf(c.Command)
	case desk.Batch:
		var list []string
		for _, one := range c.Commands {
			list = append(list, ownersOf(one)...)
		}
		return list
	}
	return nil
}

// redo carries an entry out once more, from the state before it, with a clone of the desk for each command. cause is the
// panic of the first time. Nobody has heard of that time: no answer was given, and Config.Applied comes behind the entry.
func (x *machine) redo(index uint64, e *entry, answers []answer, cause error) error {
	if x.on.reread == nil {
		return cause
	}
	y, err := x.newEmpty()
	if err == nil {
		err = x.on.reread(y, index)
	}
	if err != nil {
		return fmt.Errorf("log: entry %d: %w, and is not read again: %w", index, cause, err)
	}
	x.desk, x.sessions, x.clocked = y.desk, y.sessions, y.clocked
	x.setAgreed(y.agreed)
	x.sealedAt.Store(y.sealedAt.Load())
	x.careful.Store(true)
	clear(answers)
	clear(x.done)
	x.done = x.done[:0]
	return x.carryOut(index, e, answers)
}

// newEmpty returns a machine without a state, which is careful, and which tells nobody of its entries.
func (x *machine) newEmpty() (*machine, error) {
	d, err := desk.New(x.config)
	if err != nil {
		return nil, err
	}
	y := &machine{config: x.config, own: x.own, version: x.version, carry: x.carry, desk: d, sessions: newSessionTable(), broken: make(chan struct{})}
	y.prints.stopped = true
	y.careful.Store(true)
	return y, nil
}
