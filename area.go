package bookahead

import (
	"cmp"
	"math/big"
	"math/bits"
)

// area is a number of unit-ticks: units times ticks, exactly. A product has two factors of 63
// bits at most. Nor does a sum exceed 126 bits: no more than all units can be booked, or free,
// for no longer than the axis.
type area struct{ high, low uint64 }

// areaOf returns the area of units throughout w, which does not begin before tick 0.
func areaOf(units int64, w Interval) area {
	high, low := bits.Mul64(uint64(units), uint64(w.Len()))
	return area{high, low}
}

func (a area) plus(b area) area {
	low, carry := bits.Add64(a.low, b.low, 0)
	high, _ := bits.Add64(a.high, b.high, carry)
	return area{high, low}
}

func (a area) compare(b area) int {
	return cmp.Or(cmp.Compare(a.high, b.high), cmp.Compare(a.low, b.low))
}

func (a area) big() *big.Int {
	n := new(big.Int).SetUint64(a.high)
	n.Lsh(n, 64)
	return n.Or(n, new(big.Int).SetUint64(a.low))
}
