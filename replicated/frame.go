package replicated

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// frame is a message between two members, or between a client and a member:
//
//	length    4 bytes, of id, kind and body
//	id        8 bytes, by which an answer finds its request
//	kind      1 byte
//	body      length - 9 bytes
//	sum       4 bytes, the CRC-32C of all before it
//
// Numbers are little-endian. A frame has a sum since that of TCP has only 16 bits: one of 65 536 damaged packets
// passes it.
type frame struct {
	id   uint64
	kind frameKind
	body []byte
}

const (
	messageHead = 4 + 8 + 1
	messageSum  = crc32.Size
	// maxRequest is the most bytes of a request: a command and a few fields.
	maxRequest = commandBytes + 1<<10
	// maxAnswer is the most bytes of an answer. An answer may be a whole desk, or the events of an Advance by years.
	maxAnswer = 1 << 30
	// messageStep is how much memory a frame gets before its first byte has arrived. From then on the memory grows
	// with the bytes, so a forged length costs no more than messageStep.
	messageStep = 64 << 10
)

// errNoRoom is the error of a frame whose body was skipped for want of memory.
var errNoRoom = errors.New("replicated: no room for the body of a frame")

// errFrame is wrapped by the error of bytes that are no frame.
var errFrame = errors.New("replicated: no frame")

// writeFrame writes a frame. A body that is longer than the buffer of w is not copied into it.
func writeFrame(w *bufio.Writer, f frame) error {
	head := binary.LittleEndian.AppendUint32(w.AvailableBuffer(), uint32(len(f.body)+messageHead-4))
	head = binary.LittleEndian.AppendUint64(head, f.id)
	head = append(head, byte(f.kind))
	sum := crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, f.body)
	_, _ = w.Write(head) // bufio returns an error again with the last write
	_, _ = w.Write(f.body)
	_, err := w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), sum))
	return err
}

// readFrame reads a frame whose body has at most most bytes. The error is io.EOF at the end between two frames, and
// wraps errFrame if the bytes are no frame. O(n) time and memory for n bytes that arrive.
func readFrame(r *bufio.Reader, most int) (frame, error) {
	return readFrameInto(r, most, func(int64) bool { return true })
}

// readFrameInto is readFrame, but asks room for memory before it reads the body. Without memory it skips the body,
// and returns the frame without a body and errNoRoom.
func readFrameInto(r *bufio.Reader, most int, room func(bytes int64) bool) (frame, error) {
	var head [messageHead]byte
	_, err := io.ReadFull(r, head[:])
	if err != nil {
		return frame{}, err
	}
	length := int64(binary.LittleEndian.Uint32(head[:])) - (messageHead - 4)
	if length < 0 || length > int64(most) {
		return frame{}, fmt.Errorf("%w: its body has %d bytes, not 0 to %d", errFrame, length, most)
	}
	f := frame{id: binary.LittleEndian.Uint64(head[4:]), kind: frameKind(head[12])}
	fits := room(length)
	sum := crc32.New(castagnoli)
	_, _ = sum.Write(head[:])
	var rest bytes.Buffer
	var n int64
	if fits {
		rest.Grow(int(min(length+messageSum, messageStep)))
		n, err = io.CopyN(&rest, r, length+messageSum)
		_, _ = sum.Write(rest.Bytes()[:min(n, length)])
	} else {
		n, err = io.CopyN(sum, r, length)
		if err == nil {
			_, err = io.CopyN(&rest, r, messageSum)
		}
	}
	if err != nil {
		return frame{}, fmt.Errorf("%w: it ends after %d of %d bytes: %w", errFrame, messageHead+n, messageHead+length+messageSum, io.ErrUnexpectedEOF)
	}
	if sum.Sum32() != binary.LittleEndian.Uint32(rest.Bytes()[rest.Len()-messageSum:]) {
		return frame{}, fmt.Errorf("%w: its sum is wrong", errFrame)
	}
	if !fits {
		return f, errNoRoom
	}
	f.body = rest.Bytes()[:length]
	return f, nil
}

// commandBytes is how long a command may be; a desk.Batch of 1 024 usual bookings has 40 KiB. An entry has at
// most one command of this length. Raft keeps the last 128 entries in memory, and sends up to 64 at once, so the
// bound limits both.
const commandBytes = 1 << 20
