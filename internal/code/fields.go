package code

import (
	"encoding/binary"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// Number codes a number of either sign that is mostly near 0.
func Number[T ~int | ~int64](x *Coder, name string, p *T) { NumberFrom(x, name, p, 0) }

// NumberFrom codes a number that is mostly near another, by the distance between them.
func NumberFrom[T ~int | ~int64](x *Coder, name string, p *T, usual T) {
	if x.from == nil {
		x.b = binary.AppendVarint(x.b, int64(*p)-int64(usual)) // a difference that wraps around is read as it was written
		return
	}
	n := x.from.Int(name) + int64(usual)
	if !x.OK() {
		n = 0
	}
	*p = T(n)
	if int64(*p) != n {
		x.Fail(name, n, "is more than an int of this machine holds")
	}
}

// Counter codes a number that only counts up, from 0 to snapshot.MaxID.
func Counter[T ~uint64](x *Coder, name string, p *T) {
	if x.from == nil && uint64(*p) > snapshot.MaxID {
		x.Fail(name, uint64(*p), "is more than can be read back")
	}
	Uint(x, name, p, snapshot.MaxID)
}

// Uint codes a number from 0 to most, which a writer does not check.
func Uint[T ~uint8 | ~uint32 | ~uint64](x *Coder, name string, p *T, most uint64) {
	if x.from == nil {
		x.b = binary.AppendUvarint(x.b, uint64(*p))
		return
	}
	*p = T(x.from.Uint(name, most))
}

// Flag codes a bool as a number that is 1 or 0.
func Flag(x *Coder, name string, is *bool) {
	n := 0
	if *is {
		n = 1
	}
	Number(x, name, &n)
	if x.Reads() {
		*is = n == 1
	}
	if n != 0 && n != 1 {
		x.Fail(name, n, "is neither 0 nor 1")
	}
}

// Span codes an interval as its two ends.
func Span(x *Coder, w *bookahead.Interval) {
	Number(x, "start", &w.Start)
	NumberFrom(x, "end", &w.End, w.Start)
}

// As returns the coder of one of the types that implement an interface, by the coder of the type. The value is nil while it
// is read.
func As[I, T any](fields func(*T, *Coder)) func(*Coder, I) I {
	return func(x *Coder, v I) I {
		c, ok := any(v).(T)
		if !ok && !x.Reads() {
			x.Fail("type", fmt.Sprintf("%T", v), "is none that can be written")
		}
		fields(&c, x)
		return any(c).(I)
	}
}

// Optional codes a value that may be missing.
func Optional[T any](x *Coder, name string, v **T, fields func(*T, *Coder)) {
	if !x.Has(name, *v != nil) {
		return
	}
	if x.Reads() {
		*v = new(T)
	}
	fields(*v, x)
}
