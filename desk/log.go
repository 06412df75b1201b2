package desk

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
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
	begun bool   // the head is written
	last  uint64 // the last entry in the log, or before it
	err   error  // the error of the write that failed
}

// NewLog returns a log that writes to w, from the present state of a desk on. It writes nothing before the first command
// that is accepted. An earlier log may be in front of it.
func NewLog(d *Desk, w io.Writer) *Log {
	return &Log{d: d, w: w, last: d.head().Entries}
}

// Do carries out a command as Desk.Do does, with the same errors, but writes its entry first, by one call of Write. If the
// write fails, the error wraps that of Write, and the desk is unchanged; this call and every later one fails, since a torn
// frame may be at the end. If the desk was changed without the log, the error wraps bookahead.ErrInvalid, and nothing is
// written. The cost is that of Desk.Do, and O(n) for n bytes.
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
	var e pending
	err := l.d.b.decide(c, &e)
	if err != nil {
		return Outcome{}, err
	}
	if e.Number != 0 {
		err = l.write(&e.Entry)
		if err != nil {
			return Outcome{}, err
		}
	}
	out, err := l.d.write(&e)
	if err != nil {
		l.err = err // it has been written, and no schedule fails
		return Outcome{}, err
	}
	l.last = l.d.b.entries
	return out, nil
}

// write writes an entry, and the head before the first.
func (l *Log) write(e *Entry) error {
	var frame []byte
	var err error
	if !l.begun {
		h := l.d.head()
		frame, err = appendValue(nil, markLog, h.append)
	}
	if err == nil {
		frame, err = appendValue(frame, markEntry, e.append)
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

// appendValue appends a value in a frame.
func appendValue(b []byte, mark byte, value func([]byte) ([]byte, error)) ([]byte, error) {
	body, err := value(nil)
	if err != nil {
		return nil, err
	}
	if len(body) > code.MaxFrame {
		return nil, limits.Invalid("command", len(body), fmt.Sprintf("bytes are more than a log can hold, %d", code.MaxFrame))
	}
	return code.AppendFrame(b, mark, body), nil
}

// logHead is the place where a log begins.
type logHead struct {
	Log     uint64 // the version
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
	return &logHead{code.Version, b.entries, b.events, b.last, b.now, b.config.Keep}
}

func (h *logHead) code(x *code.Coder) {
	code.Counter(x, "log", &h.Log)
	code.Counter(x, "entries", &h.Entries)
	code.Counter(x, "events", &h.Events)
	code.Counter(x, "last", &h.Last)
	code.Number(x, "now", &h.Now)
	code.Number(x, "keep", &h.Keep)
}

func (h *logHead) append(b []byte) ([]byte, error) {
	return code.Append(append(b, magic...), h.code)
}

// The marks of the frames.
const (
	markLog   = 'L' // the head
	markEntry = 'E'
)

// magic begins the first frame of each log and each snapshot.
const magic = "BKAH"

// Replay carries out the entries of a log as they were decided, and returns how many bytes from the start of the reader
// are good. The desk stands where the log begins, or further on: Replay passes over entries that the desk has already.
// Several logs may follow each other in one reader. After an error the desk has all entries before it:
//
//   - io.ErrUnexpectedEOF, wrapped, if the last frame is cut off, or only zeros follow. The caller may truncate the file
//     to the good bytes.
//   - bookahead.ErrInvalid, wrapped, if bytes have changed, an entry is missing, or the log is that of another desk. The
//     error has the number of the entry and the place.
//   - the error of the reader, wrapped.
//
// Unless each is nil, it gets each entry that changes the desk, with its outcome, once and in order: a notice that was
// lost in a crash can be sent again. The outcome is the one that Log.Do has returned. By then the desk may be a few
// hundred entries further on. The function may ask the desk; it must not change the desk, nor the slices that it gets.
//
// Queries may run beside Replay, and see the desk after some entry. There is no search: an entry takes the time of
// booking its places. O(n) for n bytes besides, and a clone of the desk for each batch of 512 entries.
func Replay(r io.Reader, d *Desk, each func(Entry, Outcome)) (good int64, err error) {
	p := replay{Frames: code.NewFrames(r, "log"), d: d, each: each}
	for err == nil {
		err = p.step()
	}
	end := p.flush()
	switch {
	case end != nil: // a pending entry comes before the frame that err is about
		err = end
	case err == io.EOF:
		err = nil
	}
	return p.good, err
}

// batch is how many entries are applied at once. More entries need fewer clones, fewer need less memory.
const (
	batch      = 512
	batchBytes = 1 << 20
)

// replay reads a log.
type replay struct {
	*code.Frames
	d     *Desk
	each  func(Entry, Outcome) // nil if nobody asks
	begun bool                 // a head has been read
	last  uint64               // the last entry that was read
	good  int64                // bytes, up to the last entry that was applied

	pending []Entry
	ends    []int64 // where each pending entry ends
	bytes   int64   // how many bytes the pending entries have
}

// step reads a frame.
func (p *replay) step() error {
	what := "head"
	if p.begun {
		what = fmt.Sprintf("entry %d", p.last+1)
	}
	err := p.Begin(what)
	if err != nil {
		return err
	}
	mark, body, err := p.Frame()
	switch {
	case err != nil:
		return err
	case mark == markLog:
		return p.head(body)
	case mark != markEntry:
		return p.Damaged("mark", mark, "is none of a log")
	}
	return p.entry(body)
}

// head reads the head of a log, and checks that the desk stands there, or further.
func (p *replay) head(body []byte) error {
	var h logHead
	if !strings.HasPrefix(string(body), magic) {
		return p.Damaged("head", "", "is that of no log")
	}
	err := code.Read("log", body[len(magic):], h.code)
	if err == nil && h.Log != code.Version {
		err = limits.Invalid("version", h.Log, fmt.Sprintf("is not %d, the one that is known", code.Version))
	}
	if err != nil {
		return p.Wrong(err)
	}
	err = p.flush()
	if err != nil {
		return err
	}
	is := p.d.head()
	switch {
	case h.Entries > is.Entries:
		return p.Damaged("entries", h.Entries, fmt.Sprintf("come before it, and the desk has %d", is.Entries))
	case p.begun && h.Entries < p.last:
		return p.Damaged("entries", h.Entries, fmt.Sprintf("come before it, and %d have been read", p.last))
	case h.Keep != is.Keep:
		return p.Damaged("Config.Keep", h.Keep, fmt.Sprintf("is not that of the desk, %d", is.Keep))
	case h.Entries == is.Entries && h != *is:
		return p.Damaged("state", h, fmt.Sprintf("is not that of the desk, %v", *is))
	}
	p.begun, p.last, p.good = true, h.Entries, p.End()
	return nil
}

// entry reads an entry.
func (p *replay) entry(body []byte) error {
	if !p.begun {
		return p.Damaged("mark", markEntry, "comes before the head of a log")
	}
	e, err := readEntry(body)
	if err != nil {
		return p.Wrong(err)
	}
	if e.Number != p.last+1 {
		return p.Damaged("Entry.Number", e.Number, fmt.Sprintf("does not follow %d", p.last))
	}
	p.last++
	p.pending, p.ends, p.bytes = append(p.pending, e), append(p.ends, p.End()), p.bytes+p.End()-p.At()
	if len(p.pending) < batch && p.bytes < batchBytes {
		return nil
	}
	return p.flush()
}

// flush applies the pending entries.
func (p *replay) flush() error {
	n, out, err := p.d.applyAll(p.pending)
	if n > 0 {
		p.good = p.ends[n-1]
	}
	if p.each != nil {
		for i, e := range p.pending[n-len(out) : n] {
			p.each(e, out[i])
		}
	}
	if err != nil {
		err = fmt.Errorf("desk: log: entry %d at byte %d: %w", p.pending[n].Number, p.good, err)
	}
	p.pending, p.ends, p.bytes = p.pending[:0], p.ends[:0], 0
	return err
}
