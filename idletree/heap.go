package idletree

// heap is a binary heap: no element comes before list[0], the top.
type heap[T any] struct {
	list   []T
	before func(a, b T) bool
}

// push adds x. O(log n) for n elements.
func (h *heap[T]) push(x T) {
	h.list = append(h.list, x)
	i := len(h.list) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !h.before(x, h.list[up]) {
			break
		}
		h.list[i], h.list[up] = h.list[up], x
		i = up
	}
}

// replace puts x in the place of the top. O(log n).
func (h *heap[T]) replace(x T) {
	i := 0
	for 2*i+1 < len(h.list) {
		kid := 2*i + 1
		if kid+1 < len(h.list) && h.before(h.list[kid+1], h.list[kid]) {
			kid++
		}
		if !h.before(h.list[kid], x) {
			break
		}
		h.list[i] = h.list[kid]
		i = kid
	}
	h.list[i] = x
}

// drop takes the top away. O(log n).
func (h *heap[T]) drop() {
	last := len(h.list) - 1
	x := h.list[last]
	h.list = h.list[:last]
	if last > 0 {
		h.replace(x)
	}
}
