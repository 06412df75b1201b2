package scheduletest

import (
	"cmp"
	"slices"
)

// region is a stretch of memory that references cover together.
type region struct{ start, end uintptr }

// regions writes the region of each reference of the walk, and the offset in the region.
func (w *walker) regions() {
	order := make([]int, len(w.spans))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(w.spans[i].start, w.spans[j].start) })
	leader := make([]int, len(w.spans)) // the first reference, by address, of the same region
	for i, end := 0, uintptr(0); i < len(order); i++ {
		s := w.spans[order[i]]
		leader[order[i]] = order[i]
		if i > 0 && s.start < end {
			leader[order[i]] = leader[order[i-1]]
		}
		end = max(end, s.end)
	}
	number := map[int]int{}
	for i, s := range w.spans {
		n, ok := number[leader[i]]
		if !ok {
			n = len(number)
			number[leader[i]] = n
		}
		w.uint(uint64(n))
		w.uint(uint64(s.start - w.spans[leader[i]].start))
	}
}
