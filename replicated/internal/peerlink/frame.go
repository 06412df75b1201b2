package peerlink

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Frame is a message between two members, or between a client and a member:
//
//	length    4 bytes, of id, kind and body
//	id        8 bytes, by which an answer finds its request
//	kind      1 byte
//	body      length - 9 bytes
//	sum       4 bytes, the CRC-32C of all before it
//
// Numbers are little-endian. A frame has a sum since that of TCP has only 16 bits: one of 65 536 damaged packets
// passes it.
type Frame struct {
	ID   uint64
	Kind Kind
	Body []byte
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const (
	messageHead = 4 + 8 + 1
	messageSum  = crc32.Size
	// messageStep is how much memory a frame gets before its first byte has arrived. From then on the memory grows
	// with the bytes, so a forged length costs no more than messageStep.
	messageStep = 64 << 10
)

// Kind says what a frame asks or answers. The frames do not know.
type Kind byte

// ErrNoRoom is the error of a frame whose body was skipped for want of memory.
var ErrNoRoom = errors.New("replicated: no room for the body of a frame")

// ErrFrame is wrapped by the error of bytes that are no frame.
var ErrFrame = errors.New("replicated: no frame")

// WriteFrame writes a frame. A body that is longer than the buffer of w is not copied into it.
func WriteFrame(w *bufio.Writer, f Frame) error {
	head := binary.LittleEndian.AppendUint32(w.AvailableBuffer(), uint32(len(f.Body)+messageHead-4))
	head = binary.LittleEndian.AppendUint64(head, f.ID)
	head = append(head, byte(f.Kind))
	sum := crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, f.Body)
	_, _ = w.Write(head) // bufio returns an error again with the last write
	_, _ = w.Write(f.Body)
	_, err := w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), sum))
	return err
}

// ReadFrame reads a frame whose body has at most most bytes. The error is io.EOF at the end between two frames, and
// wraps ErrFrame if the bytes are no frame. O(n) time and memory for n bytes that arrive.
func ReadFrame(r *bufio.Reader, most int) (Frame, error) {
	return ReadFrameInto(r, most, func(int64) bool { return true })
}

// ReadFrameInto is ReadFrame, but asks room for memory before it reads the body. Without memory it skips the body,
// and returns the frame without a body and ErrNoRoom.
func ReadFrameInto(r *bufio.Reader, most int, room func(bytes int64) bool) (Frame, error) {
	var head [messageHead]byte
	_, err := io.ReadFull(r, head[:])
	if err != nil {
		return Frame{}, err
	}
	length := int64(binary.LittleEndian.Uint32(head[:])) - (messageHead - 4)
	if length < 0 || length > int64(most) {
		return Frame{}, fmt.Errorf("%w: its body has %d bytes, not 0 to %d", ErrFrame, length, most)
	}
	f := Frame{ID: binary.LittleEndian.Uint64(head[4:]), Kind: Kind(head[12])}
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
		return Frame{}, fmt.Errorf("%w: it ends after %d of %d bytes: %w", ErrFrame, messageHead+n, messageHead+length+messageSum, io.ErrUnexpectedEOF)
	}
	if sum.Sum32() != binary.LittleEndian.Uint32(rest.Bytes()[rest.Len()-messageSum:]) {
		return Frame{}, fmt.Errorf("%w: its sum is wrong", ErrFrame)
	}
	if !fits {
		return f, ErrNoRoom
	}
	f.Body = rest.Bytes()[:length]
	return f, nil
}
