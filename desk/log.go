package desk

import (
	"fmt"
	"io"
	"sync"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Log carries out commands on a desk, and writes each with its decision before the desk changes. Replay carries them out
// again later, so that a desk is never lost:
//
//	Do(command) ──► decide ──► write ──► apply ──► Outcome
//	                  │          │
//	                  │          └─ a failed write: nothing has changed, and the log takes no more
//	                  └─ refused, or a known key: nothing is written
//
// A file survives a crash by this recipe; ExampleLog has it as code:
//
//   - Open: make the desk from the snapshot by Read, or anew if there is none. Replay the log file into the desk; Replay
//     passes over entries that the snapshot has already. If the error is io.ErrUnexpectedEOF, a crash has torn the last
//     write, and nobody had an answer to it: truncate the file to the number of good bytes. Any other error means
//     damage: keep the file, and look at it. Then go on with NewLog at the end of the file.
//   - Append: give NewLog a writer that calls Write and then Sync on the file. Then each command that was answered is on
//     the disk. A command whose write failed may be there or not after a restart.
//   - Notify: keep the number of the last event whose notice was sent, in a file of its own. When the log is opened,
//     send notices of the later events that Replay hands on. So no notice is lost in a crash between the write and the
//     notice, though one may be sent twice.
//   - Compact, when the log is long, no command is under way, and all notices are sent, since nobody can have the events
//     behind a snapshot again: write a snapshot by WriteTo to a temporary file, Sync it, Rename it to its name, and Sync
//     the folder. Only then truncate the log to nothing, Sync it, and go on with another NewLog. A crash in between
//     leaves a log whose entries are in the snapshot, which does no harm.
//
// A caller who had no answer sends the command again. Where that would do it twice, the caller asks the desk first:
//
//	Book with a key           the same booking, also if it waits, for as long as the desk keeps it: see Config.Keep
//	Change, Advance           nothing moves, though there may be events
//	Commit, Cancel, End       bookahead.ErrNotFound if it was done; Booking tells the state
//	Reopen                    bookahead.ErrNotFound if it was done, or the same end
//	AddSchedule, Overrun      invalid if it was done; Schedules and Booking tell
//	Close, Extend             closed or extended twice: ask Outages first
//	Book without a key        booked twice: ask Bookings first
//
// Any number of goroutines may call Do. Queries of the desk run beside the write. From NewLog on only the log may change
// the desk: once something else has, the log refuses commands. The log does not write the commands of a Clone.
type Log struct {
	mu    sync.Mutex
	d     *Desk
	w     io.Writer
	form  Form
	begun bool   // the head is written
	last  uint64 // the last entry in the log, or before it
	err   error  // the error of the write that failed
}

// NewLog returns a log that writes to w, from the present state of a desk on. It writes nothing before the first command
// that is accepted. An earlier log may be in front of it.
func NewLog(d *Desk, w io.Writer, f Form) *Log {
	return &Log{d: d, w: w, form: f, last: d.head().Entries}
}

// Do carries out a command as Desk.Do does, with the same errors, but writes its entry first, by one call of Write. If the
// write fails, the error wraps that of Write, and the desk is unchanged; this call and every later one fails, since a torn
// frame may be at the end. If the desk was changed without the log, the error wraps bookahead.ErrInvalid, and nothing is
// written. The cost is that of Desk.Do, and O(n) for n bytes. A command that writes to an Own schedule takes a Clone of
// the desk, too, since a command that fails must leave no entry.
func (l *Log) Do(c Command) (Outcome, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return Outcome{}, fmt.Errorf("desk: the log takes no command since a write failed: %w", l.err)
	}
	l.d.doing.Lock()
	defer l.d.doing.Unlock()
	is := l.d.b.entries
	if is != l.last {
		return Outcome{}, limits.Invalid("desk", is, fmt.Sprintf("entries are accepted, but the log has only %d: some came without the log", l.last))
	}
	e, err := l.d.b.decide(c)
	if err != nil {
		return Outcome{}, err
	}
	if e.Number != 0 && l.d.b.mayFail(&e) {
		return l.adopt(&e)
	}
	if e.Number != 0 {
		err = l.write(&e)
		if err != nil {
			return Outcome{}, err
		}
	}
	out, err := l.d.write(&e)
	if err != nil {
		l.err = err // it has been written, and no schedule of this package fails
		return Outcome{}, err
	}
	l.last = l.d.b.entries
	return out, nil
}

// adopt applies an entry to a clone, which may fail, then writes the entry, and adopts the clone.
func (l *Log) adopt(e *Entry) (Outcome, error) {
	b := l.d.b.clone()
	out, err := b.apply(e)
	if err == nil {
		err = l.write(e)
	}
	if err != nil {
		return Outcome{}, err
	}
	l.d.become(b)
	l.last = b.entries
	return out, nil
}

// write writes an entry, and the head before the first.
func (l *Log) write(e *Entry) error {
	var frame []byte
	var err error
	if !l.begun {
		h := l.d.head()
		frame, err = l.append(nil, markLog, h.append)
	}
	if err == nil {
		frame, err = l.append(frame, markEntry, e.append)
	}
	if err != nil {
		return err
	}
	n, err := l.w.Write(frame)
	if err == nil && n < len(frame) {
		err = io.ErrShortWrite
	}
	if err != nil {
		l.err = err
		return fmt.Errorf("desk: entry %d is not written: %w", e.Number, err)
	}
	l.begun = true
	return nil
}

// append appends a value in a frame.
func (l *Log) append(b []byte, mark byte, value func([]byte, Form) ([]byte, error)) ([]byte, error) {
	if l.form > JSON {
		return nil, limits.Invalid("form", l.form, "is neither Binary nor JSON")
	}
	body, err := value(nil, l.form)
	if err != nil {
		return nil, err
	}
	if len(body) > maxFrame-sumLength-1 {
		return nil, limits.Invalid("command", len(body), fmt.Sprintf("bytes are more than a log can hold, %d", maxFrame))
	}
	if l.form == JSON {
		return appendLine(b, body), nil
	}
	return appendFrame(b, mark, body), nil
}

// logHead is the place where a log begins.
type logHead struct {
	Log     uint64 // the version of the form
	Entries uint64 // how many entries the desk had accepted before
	Events  uint64
	Last    BookingID
	Now     bookahead.Time
	Keep    bookahead.Duration
}

// head returns the head of a log that begins now.
func (d *Desk) head() *logHead {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.b.head()
}

func (b *books) head() *logHead {
	return &logHead{version, b.entries, b.events, b.last, b.now, b.config.Keep}
}

func (h *logHead) code(x coder) {
	counter(x, "log", &h.Log)
	counter(x, "entries", &h.Entries)
	counter(x, "events", &h.Events)
	counter(x, "last", &h.Last)
	number(x, "now", &h.Now)
	number(x, "keep", &h.Keep)
}

func (h *logHead) append(b []byte, f Form) ([]byte, error) {
	if f == JSON {
		return appendJSON(b, h.code)
	}
	return appendBinary(append(b, magic...), h.code)
}

// magic begins the first frame of each log and each snapshot.
const magic = "BKAH"
