package grid

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// Partition decides which providers may get a request. The zero value admits every
// provider to every request; PartitionFunc makes a partition of the caller's own.
type Partition struct {
	number    uint64  // in a snapshot
	providers []int64 // of Dedicated
	admits    func(k int, r bookahead.Request) bool
}

// Partitions, as a snapshot numbers them.
const (
	noPartition = iota
	callersPartition
	partitionDedicated // followed by its providers
)

// Dedicated gives all reservations to the providers with the given indices, and leaves
// the others to tasks without reservations (Kurowski et al., §5.3). O(d) for d indices.
func Dedicated(providers ...int) Partition {
	list := make([]int64, len(providers))
	for i, k := range providers {
		list[i] = int64(k)
	}
	return dedicated(list)
}

func dedicated(providers []int64) Partition {
	return Partition{partitionDedicated, providers, func(k int, _ bookahead.Request) bool {
		return slices.Contains(providers, int64(k))
	}}
}

// PartitionFunc returns a partition of the caller's own. The function reports whether
// provider k may get the request. The answer must depend only on k and the times of the
// request, and not on its Units and Servers, because a RangeQuery asks how many units a
// request of some time may have. If the function is nil, the result is the zero value.
func PartitionFunc(admits func(k int, r bookahead.Request) bool) Partition {
	if admits == nil {
		return Partition{}
	}
	return Partition{number: callersPartition, admits: admits}
}

// Admits reports whether provider k may get the request. With Admits, a partition of the
// caller's own can be built on another partition.
func (p Partition) Admits(k int, r bookahead.Request) bool {
	return p.admits == nil || p.admits(k, r)
}
