package grid

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// Partition decides which providers may get a request. The zero value admits every
// provider to every request; PartitionFunc makes a partition of the caller's own.
type Partition struct {
	number    uint64  // in a snapshot
	arguments []int64 // of Dedicated and ByDuration
	admits    func(k int, r bookahead.Request) bool
}

// Partitions, as a snapshot numbers them.
const (
	noPartition = iota
	callersPartition
	partitionDedicated  // followed by its arguments
	partitionByDuration // followed by its arguments
)

// Dedicated gives all reservations to the providers with the given indices, and leaves
// the others to tasks without reservations (Kurowski et al., §5.3). O(d) for d indices.
func Dedicated(providers ...int) Partition { return dedicated(numbers(providers)) }

func dedicated(providers []int64) Partition {
	return Partition{partitionDedicated, providers, func(k int, _ bookahead.Request) bool {
		return slices.Contains(providers, int64(k))
	}}
}

// ByDuration makes queues of short and long reservations (Kurowski et al., §5.3).
// Provider 0 gets reservations of up to limits[0] ticks, and provider k gets
// reservations of more than limits[k-1] and up to limits[k] ticks. Reservations
// longer than all limits go to any of the further providers. Limits must ascend.
// O(log l) for l limits.
func ByDuration(limits ...bookahead.Duration) Partition { return byDuration(numbers(limits)) }

func byDuration(limits []int64) Partition {
	return Partition{partitionByDuration, limits, func(k int, r bookahead.Request) bool {
		queue, _ := slices.BinarySearch(limits, int64(r.Duration))
		return queue == min(k, len(limits))
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

// numbers returns a copy of the arguments of a partition.
func numbers[T ~int | ~int64](list []T) []int64 {
	all := make([]int64, len(list))
	for i, n := range list {
		all[i] = int64(n)
	}
	return all
}
