package volume

import (
	"cmp"
	"math/bits"

	"github.com/bookahead/bookahead"
)

// cost is the end of a plan and the price of its changes, exactly: a product has 126 bits at most.
type cost struct{ high, low uint64 }

func (r Request) costOf(end bookahead.Time, changes int) cost {
	high, low := bits.Mul64(uint64(r.Price), uint64(changes))
	low, carry := bits.Add64(low, uint64(end), 0)
	return cost{high + carry, low}
}

func (c cost) compare(d cost) int {
	return cmp.Or(cmp.Compare(c.high, d.high), cmp.Compare(c.low, d.low))
}

// time returns a cost as a time; bookahead.MaxTime if it is more.
func (c cost) time() bookahead.Time {
	if c.high > 0 || c.low > uint64(bookahead.MaxTime) {
		return bookahead.MaxTime
	}
	return bookahead.Time(c.low)
}
