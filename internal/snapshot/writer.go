// Package snapshot writes the state of a schedule as bytes, and reads it back
// without trusting them.
//
//	magic    "BKAH"
//	version  1, a byte
//	kind     its length, a byte, and its name: the kind of schedule
//	...      numbers: unsigned as varints, signed ones in zigzag
//	sum      CRC-32C of all the bytes before, 4 bytes, little endian
//
// There is one way to write a number, so that the same state has the same bytes everywhere. A
// Reader accepts only bytes that a Writer could have written.
package snapshot

import (
	"encoding/binary"
	"hash/crc32"
)

const (
	magic   = "BKAH"
	version = 1
)

// castagnoli is the polynomial for which processors have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Writer makes a snapshot.
type Writer struct {
	b   []byte
	err error
}

// Begin starts a snapshot of a kind.
func Begin(kind string) *Writer {
	w := &Writer{}
	w.b = append(w.b, magic...)
	w.b = append(w.b, version, byte(len(kind)))
	w.b = append(w.b, kind...)
	return w
}

// Uint writes a number that is not negative.
func (w *Writer) Uint(n uint64) { w.b = binary.AppendUvarint(w.b, n) }

// Int writes a number of either sign.
func (w *Writer) Int(n int64) { w.b = binary.AppendVarint(w.b, n) }

// Bytes writes a number of bytes, and the bytes.
func (w *Writer) Bytes(b []byte) {
	w.Uint(uint64(len(b)))
	w.b = append(w.b, b...)
}

// Varints writes numbers that are not negative, and that are already written as varints, one
// after the other.
func (w *Writer) Varints(b []byte) { w.b = append(w.b, b...) }

// Fail makes End return an error that wraps bookahead.ErrInvalid, for a state
// that cannot be written.
func (w *Writer) Fail(what string, value any, reason string) {
	if w.err == nil {
		w.err = invalid(what, value, reason)
	}
}

// End returns the snapshot.
func (w *Writer) End() ([]byte, error) {
	if w.err != nil {
		return nil, w.err
	}
	return binary.LittleEndian.AppendUint32(w.b, crc32.Checksum(w.b, castagnoli)), nil
}

// Seal returns a copy of data whose last four bytes are the sum of the rest, so that tests can
// give a Reader bytes that no Writer has written.
func Seal(data []byte) []byte {
	body := data[:max(0, len(data)-crc32.Size)]
	sealed := append(make([]byte, 0, len(body)+crc32.Size), body...)
	return binary.LittleEndian.AppendUint32(sealed, crc32.Checksum(sealed, castagnoli))
}

// Numbers returns a snapshot of the given numbers alone, also for tests.
func Numbers(kind string, list ...uint64) []byte {
	w := Begin(kind)
	for _, n := range list {
		w.Uint(n)
	}
	data, _ := w.End() // numbers are always whole
	return data
}
