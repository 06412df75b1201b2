package desk

import (
	"encoding/binary"
	"fmt"

	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// binaryWriter writes fields one behind the other, without their names.
type binaryWriter struct {
	b   []byte
	err error
}

func (w *binaryWriter) reads() bool { return false }

func (w *binaryWriter) number(_ string, n, usual int64) int64 {
	w.b = binary.AppendVarint(w.b, n-usual) // a difference that wraps around is read as it was written
	return n
}

func (w *binaryWriter) count(name string, n uint64) uint64 {
	if n > snapshot.MaxID {
		w.fail(name, n, "is more than can be read back")
	}
	w.b = binary.AppendUvarint(w.b, n)
	return n
}

func (w *binaryWriter) text(_ string, s *string) {
	w.b = binary.AppendUvarint(w.b, uint64(len(*s)))
	w.b = append(w.b, *s...)
}

func (w *binaryWriter) word(name string, n *uint8, words []string) {
	if *n == 0 || int(*n) >= len(words) {
		w.fail(name, *n, "is unknown")
	}
	w.b = append(w.b, *n)
}

func (w *binaryWriter) has(_ string, is bool) bool {
	if is {
		w.b = append(w.b, 1)
	} else {
		w.b = append(w.b, 0)
	}
	return is
}

func (w *binaryWriter) open(string) {}
func (w *binaryWriter) close()      {}

func (w *binaryWriter) list(_ string, n int, _ bool) int {
	w.b = binary.AppendUvarint(w.b, uint64(n))
	return n
}

func (w *binaryWriter) end() {}

func (w *binaryWriter) fail(name string, value any, reason string) {
	if w.err == nil {
		w.err = limits.Invalid(name, value, reason)
	}
}

func (w *binaryWriter) ok() bool { return w.err == nil }

// binaryReader reads the output of a binaryWriter, and takes nothing else.
type binaryReader struct{ *snapshot.Reader }

func (r binaryReader) reads() bool { return true }

func (r binaryReader) number(name string, _, usual int64) int64 {
	n := r.Int(name) + usual
	if !r.ok() {
		return 0
	}
	return n
}

func (r binaryReader) count(name string, _ uint64) uint64 { return r.Uint(name, snapshot.MaxID) }

func (r binaryReader) text(name string, s *string) { *s = string(r.Bytes(name)) }

func (r binaryReader) word(name string, n *uint8, words []string) {
	*n = uint8(r.Uint(name, uint64(len(words)-1)))
	if *n == 0 {
		r.fail(name, *n, "is unknown")
	}
}

func (r binaryReader) has(name string, _ bool) bool { return r.Uint(name, 1) == 1 }

func (r binaryReader) open(string) {}
func (r binaryReader) close()      {}

func (r binaryReader) list(name string, _ int, _ bool) int {
	n := r.Uint(name, snapshot.MaxID)
	if n > uint64(r.Left()) {
		r.fail(name, n, fmt.Sprintf("items are more than the %d bytes that are left", r.Left()))
		return 0
	}
	return int(n)
}

func (r binaryReader) end() {}

func (r binaryReader) fail(name string, value any, reason string) { r.Fail(name, value, reason) }

func (r binaryReader) ok() bool { return r.Err() == nil }
