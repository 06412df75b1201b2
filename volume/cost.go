package volume

import (
	"cmp"
	"math/bits"

	"github.com/bookahead/bookahead"
)

// Cost is the end of a plan and the price of its changes, exactly: it has 126 bits at most.
type Cost struct{ high, low uint64 }

// CostOf returns what a plan costs that ends at a time, which is not negative, after so many changes of its rate. O(1).
func (r Request) CostOf(end bookahead.Time, changes int) Cost {
	high, low := bits.Mul64(uint64(r.Price), uint64(changes))
	low, carry := bits.Add64(low, uint64(end), 0)
	return Cost{high + carry, low}
}

// Compare returns -1 if c is less than d, 0 if they are equal, and 1 otherwise. O(1).
func (c Cost) Compare(d Cost) int {
	return cmp.Or(cmp.Compare(c.high, d.high), cmp.Compare(c.low, d.low))
}

// Time returns the cost as a time; bookahead.MaxTime if it is more. O(1).
func (c Cost) Time() bookahead.Time {
	if c.high > 0 || c.low > uint64(bookahead.MaxTime) {
		return bookahead.MaxTime
	}
	return bookahead.Time(c.low)
}
