package replicated

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"time"

	"github.com/hashicorp/raft"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/code"
)

// image is the state behind an entry, as a clone that is written while further entries are carried out.
//
//	magic     "BKAR", and the format, 1 byte
//	head      version, index, flags, sessions, the settings on which the members agree, if they have any
//	sessions  the one that was idle for longest first, with its last answer: about 64 KiB a frame
//	desk      the output of desk.Desk.WriteTo
//
// The head and the sessions are frames: length, a sum of the length, body, sum of the body. All sums are CRC-32C.
// Equal states have equal bytes on all members.
type image struct {
	imageHead
	sessions sessionTable
	desk     *desk.Desk
	stopped  time.Duration // how long the clone stopped entries
	written  func(bytes int64, took time.Duration)
}

// imageHead is the head of an image.
type imageHead struct {
	version uint32
	index   uint64
	sealed  bool
	clocked bool
	older   olderVersion
	count   uint64    // of sessions
	agreed  []setting // nil if none are settled
}

const (
	imageMagic  = "BKAR"
	imageFormat = 1
	// imageChunk is about how many bytes of sessions a frame has.
	imageChunk = 1 << 16
	// maxImageFrame is the most bytes of a frame. A frame has at least one session with its answer.
	maxImageFrame = 1 << 30
)

// image returns an image of the state. Only the goroutine of Raft calls it.
func (x *machine) image() *image {
	began := time.Now()
	m := &image{
		imageHead: imageHead{
			version: x.version, index: x.last.Load(), sealed: x.sealed(), clocked: x.clocked, older: x.older,
			count: uint64(len(x.sessions.at)), agreed: x.agreed,
		},
		sessions: x.sessions.clone(),
		desk:     x.desk.Clone(),
	}
	m.stopped = time.Since(began)
	return m
}

// Snapshot returns an image, which Raft writes beside further entries.
func (x *machine) Snapshot() (raft.FSMSnapshot, error) {
	err := x.err()
	if err != nil {
		return nil, err
	}
	m, logged := x.image(), x.bytes.Load()
	m.written = func(bytes int64, took time.Duration) {
		x.bytes.Add(-logged)
		x.careful.Store(false)
		if x.on.wrote != nil {
			x.on.wrote(bytes, took, m.stopped)
		}
	}
	return m, nil
}

// Persist writes the image as a snapshot.
func (m *image) Persist(sink raft.SnapshotSink) error {
	began := time.Now()
	n, err := m.write(sink, true)
	if err != nil {
		_ = sink.Cancel() // its error says less than err
		return err
	}
	err = sink.Close()
	if err == nil {
		m.written(n, time.Since(began))
	}
	return err
}

// Release does nothing: the garbage collector frees the clone.
func (m *image) Release() {}

// write writes the image, and returns how many bytes it has. Without texts, errors have only their bits.
func (m *image) write(to io.Writer, texts bool) (int64, error) {
	buffered := bufio.NewWriterSize(to, imageChunk)
	w := &imageWriter{w: buffered}
	w.write(append([]byte(imageMagic), imageFormat))
	x := code.NewWriter(nil)
	m.imageHead.code(x)
	w.frame(x.Bytes())
	x.Cut(0)
	for s := range m.sessions.all {
		if w.err != nil {
			break
		}
		s.code(x, texts)
		if !x.OK() {
			return w.n, x.Err()
		}
		if len(x.Bytes()) >= imageChunk {
			w.frame(x.Bytes())
			x.Cut(0)
		}
	}
	if len(x.Bytes()) > 0 {
		w.frame(x.Bytes())
	}
	if w.err != nil {
		return w.n, w.err
	}
	n, err := m.desk.WriteTo(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	return w.n + n, err
}

// imageWriter writes frames until the first error.
type imageWriter struct {
	w   io.Writer
	n   int64
	err error
}

func (w *imageWriter) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.w.Write(b)
	w.n += int64(n)
	w.err = err
}

func (w *imageWriter) frame(body []byte) {
	if len(body) > maxImageFrame {
		w.err = fmt.Errorf("replicated: snapshot: the sessions of a frame have %d bytes, more than %d", len(body), maxImageFrame)
		return
	}
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(body)))
	w.write(binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, castagnoli)))
	w.write(body)
	w.write(binary.LittleEndian.AppendUint32(nil, crc32.Checksum(body, castagnoli)))
}

// Flags of a head.
const (
	flagSealed = 1 << iota
	flagClocked
	flagOlder   // two bits: an older
	flagSettled = 4 * flagOlder
	flagsMost   = flagSealed | flagClocked | 3*flagOlder | flagSettled
)

func (h *imageHead) code(x *code.Coder) {
	flags := uint64(h.older) * flagOlder
	if h.sealed {
		flags |= flagSealed
	}
	if h.clocked {
		flags |= flagClocked
	}
	if h.agreed != nil {
		flags |= flagSettled
	}
	code.Uint(x, "version", &h.version, math.MaxUint32)
	code.Uint(x, "index", &h.index, math.MaxUint64)
	code.Uint(x, "flags", &flags, flagsMost)
	code.Uint(x, "sessions", &h.count, math.MaxInt32)
	if x.Reads() {
		h.sealed, h.clocked, h.older = flags&flagSealed != 0, flags&flagClocked != 0, olderVersion(flags/flagOlder%4)
	}
	if h.older > olderIsOver {
		x.Fail("flags", flags, "are unknown")
	}
	if flags&flagSettled == 0 {
		return
	}
	code.List(x, "settings", &h.agreed, (*setting).code)
	if len(h.agreed) == 0 {
		x.Fail("settings", 0, "are none")
	}
}

// code codes a session: its ID and its number, and, unless the number is 0, the hash of its command and the answer. Without
// texts the bytes are for a fingerprint, and nobody reads them.
func (s *slot) code(x *code.Coder, texts bool) {
	code.Uint(x, "id", &s.id, math.MaxUint64)
	code.Uint(x, "number", &s.number, math.MaxUint64)
	if s.number == 0 {
		return
	}
	code.Uint(x, "command", &s.command, math.MaxUint64)
	if x.Reads() {
		s.answer = &keptAnswer{}
	}
	codeOutcome(x, &s.answer.outcome)
	if !texts {
		is := bitsOf(s.answer.err)
		code.Uint(x, "errors", &is, math.MaxUint64)
		return
	}
	codeError(x, &s.answer.err)
	if x.Reads() {
		s.weight = uint32(min(weigh(&s.answer.outcome), maxKeptAnswer))
	}
}

// codeOutcome codes an outcome, with the length of its bytes before them.
func codeOutcome(x *code.Coder, o *desk.Outcome) {
	var data []byte
	if !x.Reads() {
		var err error
		data, err = o.MarshalBinary()
		x.Check(err)
	}
	x.Blob("outcome", &data)
	if x.Reads() && x.OK() {
		x.Check(o.UnmarshalBinary(data))
	}
}

// stopper is a writer that fails once stop is closed.
type stopper struct {
	w    io.Writer
	stop <-chan struct{}
}

func (s *stopper) Write(b []byte) (int, error) {
	select {
	case <-s.stop:
		return 0, errStopped
	default:
		return s.w.Write(b)
	}
}
