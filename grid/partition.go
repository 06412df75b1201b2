package grid

import "slices"

// Partition decides which providers may get requests. The zero value admits every provider.
type Partition struct {
	dedicated bool
	providers []int64
}

// Partitions, as a snapshot numbers them.
const (
	noPartition        = 0
	partitionDedicated = 2 // followed by its providers
)

// Dedicated gives all reservations to the providers with the given indices, and leaves
// the others to tasks without reservations (Kurowski et al., §5.3). O(d) for d indices.
func Dedicated(providers ...int) Partition {
	list := make([]int64, len(providers))
	for i, k := range providers {
		list[i] = int64(k)
	}
	return Partition{true, list}
}

// Admits reports whether provider k may get requests. O(d) for d indices.
func (p Partition) Admits(k int) bool {
	return !p.dedicated || slices.Contains(p.providers, int64(k))
}
