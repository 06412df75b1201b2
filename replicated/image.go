package replicated

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"github.com/hashicorp/raft"

	"github.com/bookahead/bookahead/desk"
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
			version: x.version, index: x.last.Load(), sealed: x.isSealed.Load(), clocked: x.clocked, older: x.older,
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
	w.frame(m.imageHead.append(nil))
	var body []byte
	for s := range m.sessions.all {
		if w.err != nil {
			break
		}
		var err error
		body, err = s.append(body, texts)
		if err != nil {
			return w.n, err
		}
		if len(body) >= imageChunk {
			w.frame(body)
			body = body[:0]
		}
	}
	if len(body) > 0 {
		w.frame(body)
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

func (h *imageHead) append(b []byte) []byte {
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
	b = binary.AppendUvarint(b, uint64(h.version))
	b = binary.AppendUvarint(b, h.index)
	b = binary.AppendUvarint(b, flags)
	b = binary.AppendUvarint(b, h.count)
	if h.agreed == nil {
		return b
	}
	return appendSettings(b, h.agreed)
}

// append appends a session: its ID and its number, and, unless the number is 0, the hash of its command and the
// answer.
func (s *slot) append(b []byte, texts bool) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(s.id))
	b = binary.AppendUvarint(b, s.number)
	if s.number == 0 {
		return b, nil
	}
	b = binary.AppendUvarint(b, s.command)
	data, err := s.answer.outcome.MarshalBinary()
	if err != nil {
		return b, err
	}
	b = binary.AppendUvarint(b, uint64(len(data)))
	b = append(b, data...)
	if texts {
		return appendError(b, s.answer.err), nil
	}
	return binary.AppendUvarint(b, bitsOf(s.answer.err)), nil
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
