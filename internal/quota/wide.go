package quota

import "math/bits"

// wide is a whole number of three words, in two's complement, the lowest word first. Sums wrap around, but no
// number here comes near: units are fewer than 2^63, times and bookings too.
type wide [3]uint64

// Over is more than any bound: greater sums are handed out as Over.
const Over = uint64(1) << 63

func wideOf(n int64) wide {
	sign := uint64(n >> 63)
	return wide{uint64(n), sign, sign}
}

func (x wide) plus(y wide) wide {
	var c uint64
	x[0], c = bits.Add64(x[0], y[0], 0)
	x[1], c = bits.Add64(x[1], y[1], c)
	x[2], _ = bits.Add64(x[2], y[2], c)
	return x
}

func (x wide) minus(y wide) wide {
	var c uint64
	x[0], c = bits.Sub64(x[0], y[0], 0)
	x[1], c = bits.Sub64(x[1], y[1], c)
	x[2], _ = bits.Sub64(x[2], y[2], c)
	return x
}

func (x wide) times(n uint64) wide {
	var z wide
	var hi, c uint64
	hi, z[0] = bits.Mul64(x[0], n)
	high, low := bits.Mul64(x[1], n)
	z[1], c = bits.Add64(low, hi, 0)
	z[2] = x[2]*n + high + c
	return z
}

func (x wide) negative() bool { return x[2]>>63 != 0 }

// positive reports whether x is more than 0.
func (x wide) positive() bool { return !x.negative() && x != wide{} }

// capped returns x, or Over if it is more, or 0 if it is negative.
func (x wide) capped() uint64 {
	switch {
	case x.negative():
		return 0
	case x[1] != 0 || x[2] != 0:
		return Over
	}
	return min(x[0], Over)
}

// product returns n times m, or Over if it is more.
func product(n, m uint64) uint64 {
	hi, lo := bits.Mul64(n, m)
	if hi != 0 {
		return Over
	}
	return min(lo, Over)
}
