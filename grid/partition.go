package grid

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// Partition keeps providers from requests. The zero value lets every provider have every
// request; PartitionFunc makes a partition of the caller's own.
type Partition struct {
	number    uint64  // that a snapshot has for it
	arguments []int64 // of Dedicated and ByDuration
	admits    func(k int, r bookahead.Request) bool
}

// Partitions, as a snapshot numbers them.
const (
	noPartition = iota
	callersPartition
	partitionDedicated  // and its arguments
	partitionByDuration // and its arguments
)

// Dedicated gives all reservations to the providers named, by index, and leaves
// the others to tasks without (Kurowski et al., §5.3). O(d) for d of them.
func Dedicated(providers ...int) Partition { return dedicated(numbers(providers)) }

func dedicated(providers []int64) Partition {
	return Partition{partitionDedicated, providers, func(k int, _ bookahead.Request) bool {
		return slices.Contains(providers, int64(k))
	}}
}

// ByDuration makes queues of short and long reservations (Kurowski et al.,
// §5.3): provider 0 gets those of up to limits[0] ticks, provider k those that
// are longer than limits[k-1], up to limits[k] ticks. Reservations longer than all
// limits go to any of the providers that are left. Limits ascend. O(log l) for l
// limits.
func ByDuration(limits ...bookahead.Duration) Partition { return byDuration(numbers(limits)) }

func byDuration(limits []int64) Partition {
	return Partition{partitionByDuration, limits, func(k int, r bookahead.Request) bool {
		queue, _ := slices.BinarySearch(limits, int64(r.Duration))
		return queue == min(k, len(limits))
	}}
}

// PartitionFunc returns a partition of the caller's own. The function reports whether
// provider k may get the request at all. The function is static: the answer depends on
// nothing else, and not on the request's Units and Servers, or a RangeQuery could not say
// how many units a request of that time may have. If the function is nil, the result is
// the zero value.
func PartitionFunc(admits func(k int, r bookahead.Request) bool) Partition {
	if admits == nil {
		return Partition{}
	}
	return Partition{number: callersPartition, admits: admits}
}

// Admits reports whether provider k may get the request. With Admits, a partition of the
// caller's own can be built on another.
func (p Partition) Admits(k int, r bookahead.Request) bool {
	return p.admits == nil || p.admits(k, r)
}

// numbers returns the arguments of a partition, in a slice of their own.
func numbers[T ~int | ~int64](list []T) []int64 {
	all := make([]int64, len(list))
	for i, n := range list {
		all[i] = int64(n)
	}
	return all
}
