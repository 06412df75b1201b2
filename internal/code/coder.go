package code

import (
	"encoding/binary"
	"fmt"

	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// Version is the first byte of each value that Append writes.
const Version = 1

// Coder writes fields one behind the other, or reads what a Coder has written.
type Coder struct {
	b     []byte           // of a writer
	err   error            // the first error of a writer
	from  *snapshot.Reader // nil for a writer
	share Sharer           // of a reader; nil for none
}

// Sharer gives a reader of many values memory that they share.
type Sharer interface {
	// Text returns bytes as a text. The bytes are not kept.
	Text(b []byte) string
	// Room makes room for n items in a list, of which it gets a pointer and which is nil, if it has room for such lists.
	Room(list any, n int)
}

// NewWriter returns a writer that appends to b.
func NewWriter(b []byte) *Coder { return &Coder{b: b} }

// NewReader returns a reader of some bytes. Errors call the value by its name.
func NewReader(name string, data []byte) *Coder { return &Coder{from: snapshot.Body(name, data)} }

// Share lets a reader take memory from s.
func (x *Coder) Share(s Sharer) { x.share = s }

// Append appends the version and a value to some bytes.
func Append(b []byte, fields func(*Coder)) ([]byte, error) {
	x := NewWriter(b)
	x.Version()
	fields(x)
	return x.b, x.err
}

// Read reads the output of Append. The error wraps bookahead.ErrInvalid, and calls the value by its name.
func Read(name string, data []byte, fields func(*Coder)) error {
	x := NewReader(name, data)
	x.Version()
	if x.OK() {
		fields(x)
	}
	return x.Close()
}

// Reads reports whether the coder reads.
func (x *Coder) Reads() bool { return x.from != nil }

// Bytes returns what a writer has written.
func (x *Coder) Bytes() []byte { return x.b }

// Cut takes back what a writer has written behind the first n bytes.
func (x *Coder) Cut(n int) { x.b = x.b[:n] }

// At returns how many bytes were read.
func (x *Coder) At() int { return x.from.At() }

// Left returns how many bytes there are still to be read.
func (x *Coder) Left() int { return x.from.Left() }

// Fail notes an error unless there is one already.
func (x *Coder) Fail(name string, value any, reason string) {
	switch {
	case x.from != nil:
		x.from.Fail(name, value, reason)
	case x.err == nil:
		x.err = limits.Invalid(name, value, reason)
	}
}

// Check notes an error, if it is one, unless there is one already.
func (x *Coder) Check(err error) {
	switch {
	case x.from != nil:
		x.from.Check(err)
	case x.err == nil:
		x.err = err
	}
}

// Err returns the first error.
func (x *Coder) Err() error {
	if x.from != nil {
		return x.from.Err()
	}
	return x.err
}

// OK reports that there is no error.
func (x *Coder) OK() bool { return x.Err() == nil }

// Close returns the first error. If bytes are left over that is an error of a reader, too.
func (x *Coder) Close() error {
	if x.from != nil {
		return x.from.Close()
	}
	return x.err
}

// Version writes the version, or checks it.
func (x *Coder) Version() {
	if x.from == nil {
		x.b = append(x.b, Version)
		return
	}
	v := x.from.Uint("version", 255)
	if x.OK() && v != Version {
		x.Fail("version", v, fmt.Sprintf("is not %d, the one that is known", Version))
	}
}

// Text codes any bytes, as a text.
func (x *Coder) Text(name string, s *string) {
	if x.from == nil {
		x.b = binary.AppendUvarint(x.b, uint64(len(*s)))
		x.b = append(x.b, *s...)
		return
	}
	b := x.from.Bytes(name)
	if x.share != nil {
		*s = x.share.Text(b)
	} else {
		*s = string(b)
	}
}

// Blob codes some bytes. Those that are read are a part of the reader's.
func (x *Coder) Blob(name string, b *[]byte) {
	if x.from == nil {
		x.b = binary.AppendUvarint(x.b, uint64(len(*b)))
		x.b = append(x.b, *b...)
		return
	}
	*b = x.from.Bytes(name)
}

// Word codes one of the numbers from 1 to most.
func (x *Coder) Word(name string, n *uint8, most int) {
	if x.from != nil {
		*n = uint8(x.from.Uint(name, uint64(most)))
	}
	if *n == 0 || int(*n) > most {
		x.Fail(name, *n, "is unknown")
	}
	if x.from == nil {
		x.b = binary.AppendUvarint(x.b, uint64(*n))
	}
}

// Has codes whether an optional field follows. A writer tells it by is.
func (x *Coder) Has(name string, is bool) bool {
	switch {
	case x.from != nil:
		return x.from.Uint(name, 1) == 1
	case is:
		x.b = append(x.b, 1)
	default:
		x.b = append(x.b, 0)
	}
	return is
}

// length codes the number of items in a list, of which each takes a byte or more.
func (x *Coder) length(name string, n int) int {
	if x.from == nil {
		x.b = binary.AppendUvarint(x.b, uint64(n))
		return n
	}
	items := x.from.Uint(name, snapshot.MaxID)
	if items > uint64(x.Left()) {
		x.Fail(name, items, fmt.Sprintf("items are more than the %d bytes that are left", x.Left()))
		return 0
	}
	return int(items)
}
