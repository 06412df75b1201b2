package avail

import (
	"fmt"
	"iter"
	"math"
	"strconv"

	"github.com/bits-and-blooms/bitset"

	"github.com/bookahead/bookahead"
)

// MaxSlots is the greatest length of a vector, 2³¹-64, so that a slot number fits an int on every
// machine.
const MaxSlots = math.MaxInt32 &^ 63

// Run is a stretch of slots, [Start, End).
type Run struct {
	Start int
	End   int
}

// Len returns the number of slots in the run.
func (r Run) Len() int { return r.End - r.Start }

// String formats the run as "[2, 5)".
func (r Run) String() string { return fmt.Sprintf("[%d, %d)", r.Start, r.End) }

// Vector is an availability vector as bits, one for each slot of equal width:
// 1 if the slot is available (Stevens et al., §4.1). Its length never changes.
// The zero Vector has no slots.
//
// A Vector may be read by any number of goroutines at once; Set, Clear and
// ComposeTo write. A slot out of range, a negative delay and operands of
// different lengths are faults of the program: they panic, as an index out of
// range does.
type Vector struct {
	set bitset.BitSet // the bits beyond its length are 0
}

// NewVector returns a vector of n slots, none of them available. The error wraps
// bookahead.ErrInvalid if n is negative or more than MaxSlots. O(n/64).
func NewVector(n int) (*Vector, error) {
	if err := checkSlots("slots", n); err != nil {
		return nil, err
	}
	return newVector(n), nil
}

func newVector(n int) *Vector {
	return &Vector{set: *bitset.FromWithLength(uint(n), make([]uint64, (n+63)/64))}
}

// Parse reads the format of String, such as "0110": slot 0 comes first. The error wraps
// bookahead.ErrInvalid if a character is neither 0 nor 1. O(n).
func Parse(s string) (*Vector, error) {
	v, err := NewVector(len(s))
	if err != nil {
		return nil, err
	}
	for i, c := range s {
		switch c {
		case '0':
		case '1':
			v.set.Set(uint(i))
		default:
			return nil, invalid(fmt.Sprintf("slot %d", i), strconv.QuoteRune(c), "is neither 0 nor 1")
		}
	}
	return v, nil
}

// Len returns the number of slots. O(1).
func (v *Vector) Len() int { return int(v.set.Len()) }

// Get reports whether slot i is available. O(1).
func (v *Vector) Get(i int) bool {
	checkRange("Get", i, i+1, v.Len())
	return v.set.Test(uint(i))
}

// Set makes the slots [from, to) available. O((to-from)/64).
func (v *Vector) Set(from, to int) {
	checkRange("Set", from, to, v.Len())
	v.set.SetRange(uint(from), uint(to))
}

// Clear makes the slots [from, to) unavailable. O((to-from)/64).
func (v *Vector) Clear(from, to int) {
	checkRange("Clear", from, to, v.Len())
	if from == to {
		return
	}
	words := v.set.Words()
	first, last := from>>6, (to-1)>>6
	keepLow := uint64(1)<<(from&63) - 1
	keepHigh := ^(^uint64(0) >> (-to & 63))
	if first == last {
		words[first] &= keepLow | keepHigh
		return
	}
	words[first] &= keepLow
	clear(words[first+1 : last])
	words[last] &= keepHigh
}

// Weight returns the number of available slots (§4.5). O(n/64).
func (v *Vector) Weight() int { return int(v.set.Count()) }

// Equal reports whether both have the same length and the same slots available.
// O(n/64).
func (v *Vector) Equal(o *Vector) bool { return v.set.Equal(&o.set) }

// Covers reports whether v is available wherever o is: the ≥ between vectors of
// Eq. (3) and (5). Equal vectors cover each other. O(n/64).
func (v *Vector) Covers(o *Vector) bool {
	checkLens("comparison", v.Len(), o.Len())
	mine := v.set.Words()
	for i, theirs := range o.set.Words() {
		if theirs&^mine[i] != 0 {
			return false
		}
	}
	return true
}

// Dominates reports whether v covers o and is available in a slot more. It is a
// strict order: no vector dominates its equal. O(n/64).
func (v *Vector) Dominates(o *Vector) bool { return v.Covers(o) && !v.Equal(o) }

// All yields the runs of available slots, in order, each as long as it can be.
// O(n/64 + k) for k runs.
func (v *Vector) All() iter.Seq[Run] {
	return func(yield func(Run) bool) {
		words := v.set.Words()
		for end := 0; ; {
			i, ok := v.set.NextSet(uint(end))
			if !ok {
				return
			}
			end = runEnd(words, int(i), v.Len())
			if !yield(Run{int(i), end}) {
				return
			}
		}
	}
}

// Runs returns the same slots as a list of runs. O(n/64 + k) for k runs.
func (v *Vector) Runs() *Runs {
	r := &Runs{n: v.Len()}
	for run := range v.All() {
		r.runs = append(r.runs, run)
	}
	return r
}

// Clone returns a copy. O(n/64).
func (v *Vector) Clone() *Vector { return &Vector{set: *v.set.Clone()} }

// String formats the vector as "0110": slot 0 comes first. O(n).
func (v *Vector) String() string {
	text := make([]byte, v.Len())
	for i := range text {
		text[i] = '0'
		if v.set.Test(uint(i)) {
			text[i] = '1'
		}
	}
	return string(text)
}

func invalid(field string, value any, reason string) error {
	return &bookahead.InvalidError{Field: field, Value: value, Reason: reason}
}

func checkSlots(field string, n int) error {
	switch {
	case n < 0:
		return invalid(field, n, "is negative")
	case n > MaxSlots:
		return invalid(field, n, fmt.Sprintf("is more than %d", MaxSlots))
	}
	return nil
}

func checkRange(op string, from, to, n int) {
	if from < 0 || to < from || to > n {
		panic(fmt.Sprintf("avail: %s of [%d, %d) in %d slots", op, from, to, n))
	}
}

func checkLens(op string, n, m int) {
	if n != m {
		panic(fmt.Sprintf("avail: %s of %d and %d slots", op, n, m))
	}
}

func checkNatural(op string, k int) {
	if k < 0 {
		panic(fmt.Sprintf("avail: %s: %d is negative", op, k))
	}
}
