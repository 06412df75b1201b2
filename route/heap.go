package route

// heap is a binary heap of small numbers that name nodes or labels. What is
// pushed twice moves up to the place of its new key, which must not be greater.
type heap[T ~int32] struct {
	less  func(a, b T) bool
	items []T
	place []int32 // of each number, 0 if it is not in the heap, else index + 1
}

// grow makes room for the numbers below n.
func (h *heap[T]) grow(n int) {
	for len(h.place) < n {
		h.place = append(h.place, 0)
	}
}

func (h *heap[T]) len() int { return len(h.items) }

// holds reports whether x is in the heap.
func (h *heap[T]) holds(x T) bool { return h.place[x] != 0 }

func (h *heap[T]) push(x T) {
	if h.place[x] == 0 {
		h.items = append(h.items, x)
		h.place[x] = int32(len(h.items))
	}
	h.up(int(h.place[x]) - 1)
}

func (h *heap[T]) pop() T {
	top, last := h.items[0], len(h.items)-1
	h.put(0, h.items[last])
	h.items = h.items[:last]
	h.place[top] = 0
	if last > 0 {
		h.down(0)
	}
	return top
}

func (h *heap[T]) put(i int, x T) {
	h.items[i] = x
	h.place[x] = int32(i + 1)
}

func (h *heap[T]) up(i int) {
	x := h.items[i]
	for i > 0 {
		above := (i - 1) / 2
		if !h.less(x, h.items[above]) {
			break
		}
		h.put(i, h.items[above])
		i = above
	}
	h.put(i, x)
}

func (h *heap[T]) down(i int) {
	x := h.items[i]
	for {
		below := 2*i + 1
		if below >= len(h.items) {
			break
		}
		if r := below + 1; r < len(h.items) && h.less(h.items[r], h.items[below]) {
			below = r
		}
		if !h.less(h.items[below], x) {
			break
		}
		h.put(i, h.items[below])
		i = below
	}
	h.put(i, x)
}
