package window

// queue holds the boxes still to be looked at. The search begins it empty, and only
// split (box.go), push and pop change it.
type queue struct {
	boxes []*box // a heap, best bound first
	fresh []*box // boxes just made, not yet on the heap
	made  int    // how many boxes have been made
	held  int    // how many items the boxes on the heap have
}

// mostItems is how many items the boxes on the heap may have together: 256 MiB. A box that
// is made when the heap is full is left: its bound counts, and nobody looks at it again.
const mostItems = 1 << 26

// before reports whether the search looks at b before c: the greater bound first. Of
// equal bounds the newer box goes first, since it is smaller, and nearer to a leaf.
func (b *box) before(c *box) bool {
	return b.bound > c.bound || b.bound == c.bound && b.made > c.made
}

// push puts a box on the heap, or leaves it if the heap is full.
func (x *exact) push(b *box) {
	q := &x.queue
	if q.held+len(b.items) > mostItems {
		x.leave(b)
		return
	}
	q.held += len(b.items)
	q.boxes = append(q.boxes, b)
	i := len(q.boxes) - 1
	for ; i > 0 && b.before(q.boxes[(i-1)/2]); i = (i - 1) / 2 {
		q.boxes[i] = q.boxes[(i-1)/2]
	}
	q.boxes[i] = b
}

// pop takes the first box off the heap.
func (q *queue) pop() *box {
	top, last := q.boxes[0], q.boxes[len(q.boxes)-1]
	q.boxes = q.boxes[:len(q.boxes)-1]
	q.held -= len(top.items)
	n := len(q.boxes)
	if n == 0 {
		return top
	}
	i := 0
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && q.boxes[c+1].before(q.boxes[c]) {
			c++
		}
		if !q.boxes[c].before(last) {
			break
		}
		q.boxes[i] = q.boxes[c]
		i = c
	}
	q.boxes[i] = last
	return top
}
