package desk

import (
	"encoding/binary"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// coder writes or reads the fields of a value. Each type says once, in its method code, which fields it has and in which
// order, so that no direction can forget one:
//
//	x.text("on", &p.On)      4 "pool"
//	number(x, "units", &n)   16
//
// A reader starts from zero values, and reads only zeros after its first error. A writer
// writes to nothing but its bytes, since others may look at the value.
type coder interface {
	// reads reports whether the coder reads.
	reads() bool
	// number is a number of either sign. It is written as the distance to the usual value. The number is returned, since
	// a pointer would put it on the heap.
	number(name string, n, usual int64) int64
	// count is a number that only counts up, from 0 to snapshot.MaxID.
	count(name string, n uint64) uint64
	// text has any bytes.
	text(name string, s *string)
	// word is one of some words, as its index. The first word stands for none, and is not written.
	word(name string, w *uint8, words []string)
	// has reports whether an optional field follows; a writer writes it if is is true.
	has(name string, is bool) bool
	// open and close enclose the fields of a value within another.
	open(name string)
	close()
	// list begins a list of n items, and returns how many there are; end ends it. A list without items
	// is left out unless it must be seen.
	list(name string, n int, seen bool) int
	end()
	// fail notes an error unless there is one already.
	fail(name string, value any, reason string)
	// ok reports that there is no error.
	ok() bool
}

// roomer is a reader that has room for many short lists.
type roomer interface {
	// room makes room for n items in s, a pointer to a list that is nil, if it has room for lists of that type.
	room(s any, n int)
}

// coded is a value that a coder can write and read.
type coded[T any] interface {
	*T
	code(x coder)
}

// number codes a number that is usually 0.
func number[T ~int | ~int64](x coder, name string, p *T) { numberFrom(x, name, p, 0) }

// numberFrom codes a number that is usually another.
func numberFrom[T ~int | ~int64](x coder, name string, p *T, usual T) {
	n := x.number(name, int64(*p), int64(usual))
	if !x.reads() {
		return
	}
	*p = T(n)
	if int64(*p) != n {
		x.fail(name, n, "is more than an int of this machine holds")
	}
}

// counter codes a number that only counts up.
func counter[T ~uint64](x coder, name string, p *T) {
	n := x.count(name, uint64(*p))
	if x.reads() {
		*p = T(n)
	}
}

// span codes an interval as two fields.
func span(x coder, w *bookahead.Interval) { fromTo(x, "start", "end", w) }

func fromTo(x coder, from, to string, w *bookahead.Interval) {
	number(x, from, &w.Start)
	numberFrom(x, to, &w.End, w.Start)
}

// trustItems is for how many items of a list a reader makes room at once. A longer list gets room as its items come.
const trustItems = 64

// list codes the items of a list, of which each takes a byte or more. No items are read as nil.
func list[T any](x coder, name string, s *[]T, item func(*T)) {
	n := x.list(name, len(*s), false)
	if x.reads() && n > 0 {
		makeRoom(x, s, min(n, trustItems))
	}
	for i := 0; i < n && x.ok(); i++ {
		if x.reads() {
			*s = append(*s, *new(T))
		}
		item(&(*s)[i])
	}
	x.end()
}

// makeRoom makes room for n items of a list, which is nil.
func makeRoom[T any](x coder, s *[]T, n int) {
	r, ok := x.(roomer)
	if ok {
		r.room(s, n)
	}
	if *s == nil {
		*s = make([]T, 0, n)
	}
}

// objects codes a list of values that have fields.
func objects[T any, P coded[T]](x coder, name string, s *[]T) {
	list(x, name, s, func(v *T) { object[T, P](x, "", v) })
}

// object codes a value that has fields.
func object[T any, P coded[T]](x coder, name string, v *T) {
	x.open(name)
	P(v).code(x)
	x.close()
}

// optional codes a value that may be missing. A reader begins with zero values.
func optional[T any, P coded[T]](x coder, name string, v **T) {
	if !x.has(name, *v != nil) {
		return
	}
	if x.reads() {
		*v = new(T)
	}
	object[T, P](x, name, *v)
}

// ints codes a list of numbers, of which nil is not the same as none. Each is written as its distance to the
// one before, since servers and nodes mostly ascend.
func ints[S ~[]E, E ~int | ~int64](x coder, name string, s *S) {
	if !x.has(name, *s != nil) {
		return
	}
	n := x.list(name, len(*s), true)
	if x.reads() {
		*s = make(S, 0, min(n, trustItems))
	}
	last := E(0)
	for i := 0; i < n && x.ok(); i++ {
		if x.reads() {
			*s = append(*s, 0)
		}
		numberFrom(x, "", &(*s)[i], last)
		last = (*s)[i]
	}
	x.end()
}

// flag codes a bool: as a number that is 1 or 0.
func flag(x coder, name string, is *bool) {
	n := int64(0)
	if *is {
		n = 1
	}
	n = x.number(name, n, 0)
	if x.reads() {
		*is = n == 1
	}
	if n != 0 && n != 1 {
		x.fail(name, n, "is neither 0 nor 1")
	}
}

// intervals codes a list of intervals.
func intervals(x coder, name string, s *[]bookahead.Interval) {
	list(x, name, s, func(w *bookahead.Interval) {
		x.open("")
		span(x, w)
		x.close()
	})
}

// texts codes a list of texts.
func texts(x coder, name string, s *[]string) {
	list(x, name, s, func(text *string) { x.text("", text) })
}

// as codes one of the types that implement an interface. The value is nil while it reads.
func as[I, T any, P coded[T]](x coder, v I) I {
	c, ok := any(v).(T)
	if !ok && !x.reads() {
		x.fail("type", fmt.Sprintf("%T", v), "is none of this package")
	}
	P(&c).code(x)
	return any(c).(I)
}

// version is the first byte of each value in the binary form.
const version = 1

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

func (w *binaryWriter) close() {}

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

func (r binaryReader) close() {}

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

// appendBinary appends a value in the binary form to some bytes.
func appendBinary(b []byte, code func(coder)) ([]byte, error) {
	w := &binaryWriter{b: append(b, version)}
	code(w)
	return w.b, w.err
}

// readBinary reads the output of appendBinary. Errors call the value by its name.
func readBinary(name string, data []byte, code func(coder)) error {
	r := binaryReader{snapshot.Body(name, data)}
	v := r.Uint("version", 255)
	if r.ok() && v != version {
		r.Fail("version", v, fmt.Sprintf("is not %d, the one that is known", version))
	}
	if r.ok() {
		code(r)
	}
	return r.Close()
}
