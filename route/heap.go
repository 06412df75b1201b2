package route

// heap is a binary heap of small numbers that name nodes or labels. Their keys lie
// elsewhere, and less compares them. Three rules hold between any two calls:
//
//	H1  no number goes before the one above it: item i is not less than item (i-1)/2
//	H2  place[x] is 1 + the index of x, and 0 for each x that is not in the heap
//	H3  no number is in the heap twice
//
// With the keys 4: 10, 5: 20, 6: 15, 7: 25 (TestHeapByHand):
//
//	items  4 5 6 7           4 (10)
//	place  4:1 5:2 6:3 7:4   ├── 5 (20) ── 7 (25)
//	                         └── 6 (15)
//
// place lets a search improve the key of a number that waits: the search writes the smaller
// key, and pushes the number again. With 5 for the key of 7 the items are 7 4 6 5.
type heap[T ~int32] struct {
	less  func(a, b T) bool
	items []T
	place []int32
}

// grow makes room for the numbers below n.
func (h *heap[T]) grow(n int) {
	for len(h.place) < n {
		h.place = append(h.place, 0)
	}
}

func (h *heap[T]) len() int { return len(h.items) }

// push adds x. If x is there already, it moves up to the place of its new key. The new key
// must not be greater than the old key, for push never moves a number down.
func (h *heap[T]) push(x T) {
	if h.place[x] == 0 {
		h.items = append(h.items, x)
		h.place[x] = int32(len(h.items))
	}
	h.up(int(h.place[x]) - 1)
}

// pop takes the least number out. The last number fills the hole, and sinks.
func (h *heap[T]) pop() T {
	top, last := h.items[0], len(h.items)-1
	h.put(0, h.items[last])
	h.items = h.items[:last]
	h.place[top] = 0 // after put, which gives top a place if top is also the last number (H2)
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
		right := below + 1
		if right < len(h.items) && h.less(h.items[right], h.items[below]) {
			below = right
		}
		if !h.less(h.items[below], x) {
			break
		}
		h.put(i, h.items[below])
		i = below
	}
	h.put(i, x)
}
