package nodes

import (
	"cmp"
	"math/big"
	"math/bits"
	"slices"
)

// Policy decides which nodes get the tasks of a request if more nodes have room than are needed. The
// policy never changes the start. The zero value is LowestIndex.
type Policy struct {
	name  uint64                   // in a snapshot
	order func(a, b Candidate) int // nil: by index
	even  bool
}

// Policies, as a snapshot names them.
const (
	lowestIndex = iota
	bestFit
	fewestNodes
	spread
	callersOwn
)

// Candidate is a node that has room for tasks of a request.
type Candidate struct {
	Node int
	// Free is the amount of each resource that is free throughout the time, beside the head if the head
	// lies here, and Given is the amount that the node has. The vectors must not be changed or kept.
	Free, Given Vector
	// Fit is the number of further tasks that the node could get.
	Fit int64
}

// LowestIndex fills the nodes with the lowest index first, so that whole nodes stay free at the other
// end. It looks at no more nodes than it needs.
func LowestIndex() Policy { return Policy{} }

// BestFit fills first the nodes that have the least sum of free/given over the resources, which are the
// fullest. The sums are compared exactly. Ties go to the lowest index.
func BestFit() Policy { return Policy{name: bestFit, order: fuller} }

// FewestNodes fills first the nodes with room for the most tasks, so that the tasks take as few nodes as
// possible. Ties go to the lowest index.
func FewestNodes() Policy {
	return Policy{name: fewestNodes, order: func(a, b Candidate) int { return cmp.Compare(b.Fit, a.Fit) }}
}

// Spread deals the tasks out one by one, by index: each node with room gets one task, then each gets a
// second, and so on. So the tasks lie on as many nodes as possible, as evenly as possible.
func Spread() Policy { return Policy{name: spread, even: true} }

// Own fills the nodes in the caller's own order: less reports whether a comes before b. Ties go to the
// lowest index. The function less must be a strict weak order and must not use the machine.
func Own(less func(a, b Candidate) bool) Policy {
	return Policy{name: callersOwn, order: func(a, b Candidate) int {
		switch {
		case less(a, b):
			return -1
		case less(b, a):
			return 1
		}
		return 0
	}}
}

// slack is the sum of free/given over the resources of a node, in units of 2^-60. Integers make it the same on
// every machine. Quotients are rounded down, so that the exact sum is at least least, and less than least+rough;
// if rough is 0, the exact sum is least. 8 quotients of at most 2^60 fit into 64 bits.
type slack struct{ least, rough uint64 }

// slackOf returns the slack of a node. A search for best fit scores many nodes, and asks the layout for their
// weights instead.
func slackOf(free, given Vector) (s slack) {
	for r, all := range given {
		w := weightOf(all)
		s.least += w.of(free[r])
		if !w.exact {
			s.rough += maxRough
		}
	}
	return s
}

// weight is a number by which an amount is multiplied instead of a division by the amount given, which takes
// several times as long. It is 2^(63+n)/given, rounded down, where 2^n is the least power of two that is at least
// given; so it lies between 2^63 and 2^64:
//
//	given     8     2^66/8  = 2^63        3 of 8 are 3 2^63 / 2^6 = 3/8 2^60, exactly
//	         96     2^70/96 = 1.33 2^63   3 of 96 are the same to 2 units
type weight struct {
	times uint64 // 0 if nothing is given
	shift uint8  // 3+n: the product is so many bits too long
	exact bool   // given is a power of two
}

func weightOf(given int64) weight {
	if given <= 0 {
		return weight{exact: true}
	}
	n := bits.Len64(uint64(given - 1))
	if given == 1<<n {
		return weight{1 << 63, uint8(3 + n), true}
	}
	times, _ := bits.Div64(1<<(n-1), 0, uint64(given)) // 2^(n-1) is less than given, so that Div64 does not overflow
	return weight{times, uint8(3 + n), false}
}

func weightsOf(given Vector) []weight {
	list := make([]weight, len(given))
	for r, all := range given {
		list[r] = weightOf(all)
	}
	return list
}

// of returns free/given in units of 2^-60. A weight that is rounded makes the product too small by less than free,
// and that is less than an eighth of a unit: together with the rounding of the product, by less than maxRough units.
func (w weight) of(free int64) uint64 {
	high, low := bits.Mul64(uint64(max(0, free)), w.times)
	return high<<((64-w.shift)&63) | low>>(w.shift&63) // the masks change nothing, and spare a comparison
}

// maxRough is the least number of units that is more than the error of a quotient.
const maxRough = 2

// below reports whether the exact sum is surely less than a limit.
func (s slack) below(limit uint64) bool {
	return s.least < limit && s.least+s.rough <= limit
}

// fuller compares two candidates by their exact sums of free/given. Nearly always, the rounded sums are enough.
// They are not if two sums lie within a few units of 2^-60, as do 1/3 and 333333333333333333/10^18:
//
//	least        ├─ rough ─┤               the exact sum of a lies between
//	                 least ├─ rough ─┤     the exact sum of b lies between: a is fuller
func fuller(a, b Candidate) int {
	return slackOf(a.Free, a.Given).compare(slackOf(b.Free, b.Given), a, b)
}

// compare compares the slacks s of a and t of b.
func (s slack) compare(t slack, a, b Candidate) int {
	switch {
	case s.rough == 0 && t.rough == 0:
		return cmp.Compare(s.least, t.least)
	case s.below(t.least):
		return -1
	case t.below(s.least):
		return 1
	case slices.Equal(a.Free, b.Free) && slices.Equal(a.Given, b.Given):
		return 0
	}
	return a.share().Cmp(b.share())
}

// share returns the exact sum of free/given.
func (c Candidate) share() *big.Rat {
	sum := new(big.Rat)
	for r, all := range c.Given {
		if all > 0 {
			sum.Add(sum, big.NewRat(max(0, c.Free[r]), all))
		}
	}
	return sum
}

// deal gives n tasks to nodes that together have room for at least n, and returns the tasks of each node.
// The candidates ascend by index.
func (p Policy) deal(list []Candidate, n int64) []int64 {
	got := make([]int64, len(list))
	if p.even {
		dealEvenly(list, n, got)
		return got
	}
	for _, i := range p.rank(list) {
		got[i] = min(n, list[i].Fit)
		n -= got[i]
	}
	return got
}

// rank returns the candidates in the order in which they are filled.
func (p Policy) rank(list []Candidate) []int {
	rank := make([]int, len(list))
	for i := range rank {
		rank[i] = i
	}
	if p.order != nil {
		slices.SortStableFunc(rank, func(i, j int) int { return p.order(list[i], list[j]) })
	}
	return rank
}

// dealEvenly finds the level up to which all nodes can be filled, and deals the rest by index:
//
//	fit      4 1 0 5 2     n = 9
//	level 2  2 1 0 2 2     7 tasks
//	rest     1 . . 1 .     one more each, where there is room
func dealEvenly(list []Candidate, n int64, got []int64) {
	low, high := int64(0), n // n tasks are enough to fill all nodes up to low
	for low < high {
		level := low + (high-low+1)/2
		if filled(list, level) <= n {
			low = level
		} else {
			high = level - 1
		}
	}
	n -= filled(list, low)
	for i, c := range list {
		got[i] = min(low, c.Fit)
		if n > 0 && c.Fit > low {
			got[i]++
			n--
		}
	}
}

// filled returns how many tasks it takes to fill all nodes up to a level, or as far as they have room.
func filled(list []Candidate, level int64) int64 {
	sum := int64(0)
	for _, c := range list {
		sum += min(level, c.Fit)
	}
	return sum
}
