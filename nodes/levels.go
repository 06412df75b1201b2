package nodes

import (
	"math/bits"
	"slices"
)

// levels are the amounts of each resource for which an index has rows. The code of an amount is the number
// of levels that the amount has reached. A request reads the row of the highest level that its own amount
// reaches:
//
//	level      1  4  8  12  16  24  32  40  48  56  64
//	row        0  1  2   3   4   5   6   7   8   9  10
//	35 cores have code 7: they are in rows 0 to 6. A request for 20 cores reads row 4. Nodes with 16
//	to 19 free cores are in row 4 too, and the search reads their steps in vain.
//
// If no node has more than eight units of a resource, such as GPUs, each amount is a level. Otherwise
// levels are closest near 0. If nodes are of few kinds, the full amounts of nodes are levels too, so that a
// search for whole nodes reads no steps in vain.
type levels struct {
	of    [MaxResources][]int64
	begin [MaxResources]int // the first row of each resource
	rows  int
	// A table by the upper bits of an amount has the code of the amount, or a code that is too low.
	shift [MaxResources]uint
	code  [MaxResources][]uint8
}

// Levels are the eighths of the most that a node has, and the first and the third sixteenth.
const eighths = 8

// newLevels returns the levels for nodes of some classes.
func newLevels(wide int, classes []Vector) *levels {
	l := &levels{}
	for r := range wide {
		full := map[int64]bool{}
		for _, v := range classes {
			full[v[r]] = true
		}
		l.of[r] = levelsOf(full)
		l.begin[r] = l.rows
		l.rows += len(l.of[r])
		most := l.of[r][len(l.of[r])-1]
		l.shift[r] = uint(max(0, bits.Len64(uint64(most))-8))
		for x := int64(0); x <= most>>l.shift[r]; x++ {
			i, found := slices.BinarySearch(l.of[r], x<<l.shift[r])
			if found {
				i++
			}
			l.code[r] = append(l.code[r], uint8(i))
		}
	}
	return l
}

// levelsOf returns the levels of a resource, given the full amounts of nodes. There is at least one level,
// even if no node has the resource.
func levelsOf(full map[int64]bool) []int64 {
	most := int64(1)
	for amount := range full {
		most = max(most, amount)
	}
	list := []int64{1, most}
	switch {
	case most <= eighths:
		for amount := range most {
			list = append(list, amount+1)
		}
	default:
		list = append(list, most/(2*eighths), most*3/(2*eighths))
		for i := int64(1); i < eighths; i++ {
			list = append(list, most/eighths*i)
		}
		for amount := range full {
			if len(full) <= eighths {
				list = append(list, amount)
			}
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(n int64) bool { return n < 1 })
}

// reached returns how many levels of a resource an amount has reached.
func (l *levels) reached(r int, amount int64) uint8 {
	if amount <= 0 {
		return 0
	}
	shift := l.shift[r]
	code := l.code[r][amount>>shift]
	if shift == 0 {
		return code
	}
	of := l.of[r]
	for int(code) < len(of) && of[code] <= amount {
		code++
	}
	return code
}

// highest returns the last level that an amount above 0 has reached.
func (l *levels) highest(r int, amount int64) int {
	of := l.of[r]
	return int(l.reached(r, min(amount, of[len(of)-1]))) - 1
}
