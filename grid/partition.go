package grid

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// Partition reports whether provider k may get the request at all. It is static:
// it depends on nothing else, and not on the request's Units and Servers, or a
// RangeQuery could not say how many units a request of that time may have.
type Partition func(k int, r bookahead.Request) bool

// Dedicated gives all reservations to the providers named, by index, and leaves
// the others to tasks without (Kurowski et al., §5.3). O(d) for d of them.
func Dedicated(providers ...int) Partition {
	return func(k int, _ bookahead.Request) bool { return slices.Contains(providers, k) }
}

// ByDuration makes queues of short and long reservations (Kurowski et al.,
// §5.3): provider 0 gets those of up to limits[0] ticks, provider k those that
// are longer than limits[k-1], up to limits[k] ticks. What is longer than all
// limits goes to any of the providers that are left. Limits ascend. O(log l) for l
// limits.
func ByDuration(limits ...bookahead.Duration) Partition {
	return func(k int, r bookahead.Request) bool {
		queue, _ := slices.BinarySearch(limits, r.Duration)
		return queue == min(k, len(limits))
	}
}
