package quota

import "math/bits"

// wide is a whole number of three words, in two's complement. Sums wrap around, but no number
// here comes near that: units, times and the number of bookings are each less than 2^63. It is a
// struct because the compiler keeps no array in registers.
type wide struct{ low, mid, high uint64 }

// Over is more than any bound: greater sums are handed out as Over.
const Over = uint64(1) << 63

func wideOf(n int64) wide {
	sign := uint64(n >> 63)
	return wide{uint64(n), sign, sign}
}

func (x wide) plus(y wide) (z wide) {
	var c uint64
	z.low, c = bits.Add64(x.low, y.low, 0)
	z.mid, c = bits.Add64(x.mid, y.mid, c)
	z.high, _ = bits.Add64(x.high, y.high, c)
	return z
}

func (x wide) minus(y wide) (z wide) {
	var c uint64
	z.low, c = bits.Sub64(x.low, y.low, 0)
	z.mid, c = bits.Sub64(x.mid, y.mid, c)
	z.high, _ = bits.Sub64(x.high, y.high, c)
	return z
}

func (x wide) times(n uint64) (z wide) {
	hi, low := bits.Mul64(x.low, n)
	high, mid := bits.Mul64(x.mid, n)
	mid, c := bits.Add64(mid, hi, 0)
	return wide{low, mid, x.high*n + high + c}
}

func (x wide) negative() bool { return x.high>>63 != 0 }

// positive reports whether x is more than 0.
func (x wide) positive() bool { return !x.negative() && x != wide{} }

// capped returns x, or Over if it is more, or 0 if it is negative.
func (x wide) capped() uint64 {
	switch {
	case x.negative():
		return 0
	case x.mid|x.high != 0:
		return Over
	}
	return min(x.low, Over)
}

// sums are the shares of some edges in the value and in the area after them: the area before t is
// value times t minus moment.
type sums struct {
	value  wide // of the edges
	moment wide // of the edges, each times its tick
}

func (x sums) plus(y sums) sums {
	return sums{x.value.plus(y.value), x.moment.plus(y.moment)}
}

func (x sums) minus(y sums) sums {
	return sums{x.value.minus(y.value), x.moment.minus(y.moment)}
}

// over returns how many times y goes into x, which is less than 2^64. x is not negative, and y is more than 0.
func (x wide) over(y wide) (n uint64) {
	for bit := uint64(1) << 63; bit > 0; bit >>= 1 {
		rest := x.minus(y.times(bit))
		if !rest.negative() {
			x, n = rest, n|bit
		}
	}
	return n
}

// added returns n plus m, or Over if it is more. Both are at most Over, and Over plus Over is 0 in a word:
//
//	a part of 2^32 units for 2^31 ticks     Over
//	another one                             Over, not 0
func added(n, m uint64) uint64 {
	if n > Over-m {
		return Over
	}
	return n + m
}

// product returns n times m, or Over if it is more.
func product(n, m uint64) uint64 {
	hi, lo := bits.Mul64(n, m)
	if hi != 0 {
		return Over
	}
	return min(lo, Over)
}
