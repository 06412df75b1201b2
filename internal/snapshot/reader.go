package snapshot

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/bookahead/bookahead"
)

// Reader reads a snapshot. After the first error it returns only zeros, and Close returns that
// error.
type Reader struct {
	rest []byte
	at   int // how many bytes come before rest
	size int // of the whole snapshot
	kind string
	name string // of the bytes, in errors; "" for a snapshot
	err  error
}

// Open begins to read a snapshot of one of some kinds. Close returns the error if the snapshot is
// not sound.
func Open(data []byte, kinds ...string) *Reader {
	r := &Reader{size: len(data)}
	head := len(magic) + 2
	switch {
	case len(data) < head+crc32.Size:
		r.Fail("length", len(data), "is too short for a snapshot")
		return r
	case string(data[:len(magic)]) != magic:
		r.Fail("head", fmt.Sprintf("%q", data[:len(magic)]), "is not that of a snapshot")
		return r
	case data[len(magic)] != version:
		r.Fail("version", data[len(magic)], fmt.Sprintf("is not %d, the known version", version))
		return r
	}
	body := data[:len(data)-crc32.Size]
	sum := binary.LittleEndian.Uint32(data[len(body):])
	if sum != crc32.Checksum(body, castagnoli) {
		r.Fail("sum", fmt.Sprintf("%#x", sum), "does not match: the bytes are damaged")
		return r
	}
	end := head + int(body[head-1])
	kind := string(body[head:min(end, len(body))])
	if end > len(body) || !slices.Contains(kinds, kind) {
		r.Fail("kind", fmt.Sprintf("%q", kind), fmt.Sprintf(`is not "%s"`, strings.Join(kinds, `" or "`)))
		return r
	}
	r.rest, r.at, r.kind = body[end:], end, kind
	return r
}

// Kind returns the kind of the snapshot; "" if it cannot be read.
func (r *Reader) Kind() string { return r.kind }

// Fail records that a part of the snapshot has a value that is wrong, and the reason.
func (r *Reader) Fail(what string, value any, reason string) {
	err := invalid(fmt.Sprintf("%s, before byte %d,", what, r.at), value, reason)
	if r.name != "" {
		err.Field = r.name + err.Field[len("snapshot"):]
	}
	r.Check(err)
}

// Check records an error if it is the first.
func (r *Reader) Check(err error) {
	if r.err == nil && err != nil {
		r.err = err
		r.rest = nil
	}
}

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// Close returns the first error, which wraps bookahead.ErrInvalid. Bytes that are left over are
// an error too.
func (r *Reader) Close() error {
	if len(r.rest) > 0 {
		r.Fail("end", len(r.rest), "bytes are left over")
	}
	return r.err
}

// Left returns how many bytes there are still to be read. A list whose items take at least a byte
// each cannot be longer.
func (r *Reader) Left() int { return len(r.rest) }

// MaxID is the greatest last ID that is read. A schedule reaches it only after centuries, or by a
// forged snapshot; either may give 2^32 more IDs before they end.
const MaxID = math.MaxUint64 - 1<<32

// Uint reads a number that is not negative, nor more than most.
func (r *Reader) Uint(what string, most uint64) uint64 {
	if len(r.rest) > 0 && uint64(r.rest[0]) <= min(most, 0x7f) { // most numbers are a byte
		n := uint64(r.rest[0])
		r.rest, r.at = r.rest[1:], r.at+1
		return n
	}
	n, size := binary.Uvarint(r.rest)
	r.skip(what, size)
	if n > most {
		r.Fail(what, n, fmt.Sprintf("is more than %d", most))
	}
	if r.err != nil {
		return 0
	}
	return n
}

// Int reads a number of either sign.
func (r *Reader) Int(what string) int64 {
	if len(r.rest) > 0 && r.rest[0] < 0x80 {
		n := r.rest[0]
		r.rest, r.at = r.rest[1:], r.at+1
		return int64(n>>1) ^ -int64(n&1)
	}
	n, size := binary.Varint(r.rest)
	r.skip(what, size)
	if r.err != nil {
		return 0
	}
	return n
}

// Time reads a time or a length of time, as Uint does.
func (r *Reader) Time(what string) bookahead.Time {
	return bookahead.Time(r.Uint(what, math.MaxInt64))
}

// skip passes over a varint of size bytes. A varint longer than it must be is an error.
func (r *Reader) skip(what string, size int) {
	switch {
	case r.err != nil:
		return
	case size <= 0:
		r.Fail(what, r.rest[:min(len(r.rest), binary.MaxVarintLen64)], "is no whole number")
		return
	case size > 1 && r.rest[size-1] == 0:
		r.Fail(what, r.rest[:size], "is a number with zeros in front")
		return
	}
	r.rest, r.at = r.rest[size:], r.at+size
}

// Bytes reads the output of Writer.Bytes. The slice is part of the snapshot.
func (r *Reader) Bytes(what string) []byte {
	n := int(r.Uint(what, uint64(r.Left())))
	if n > r.Left() { // the number itself has taken bytes too
		r.Fail(what, n, "bytes are more than are left")
		return nil
	}
	b := r.rest[:n:n]
	r.rest, r.at = r.rest[n:], r.at+n
	return b
}

// The memory that a snapshot may ask for beyond its own length: 64 MiB, and a kibibyte for each
// byte.
const (
	freeRoom    = 64 << 20
	roomPerByte = 1 << 10
)

// Afford fails if n things of each bytes are more than a snapshot of this length may ask for,
// because a few bytes can ask for a large ring of slots. A caller who wants such a ring makes one
// first, and reads the snapshot into it.
func (r *Reader) Afford(what string, n, each uint64) {
	high, low := bits.Mul64(n, each)
	most := freeRoom + roomPerByte*uint64(r.size)
	if high > 0 || low > most {
		r.Fail(what, n, fmt.Sprintf("times %d bytes are more than a snapshot of %d bytes may ask for, %d: "+
			"read it into a schedule that has been made with the same arguments", each, r.size, most))
	}
}

func invalid(what string, value any, reason string) *bookahead.InvalidError {
	return &bookahead.InvalidError{Field: "snapshot: " + what, Value: value, Reason: reason}
}
