package window

// before reports whether a box is to be looked at before another.
func (b *box) before(c *box) bool {
	return b.bound > c.bound || b.bound == c.bound && b.made > c.made
}

// push puts a box on the heap.
func (x *exact) push(b *box) {
	x.boxes = append(x.boxes, b)
	i := len(x.boxes) - 1
	for ; i > 0 && b.before(x.boxes[(i-1)/2]); i = (i - 1) / 2 {
		x.boxes[i] = x.boxes[(i-1)/2]
	}
	x.boxes[i] = b
}

// pop takes the first box off the heap.
func (x *exact) pop() *box {
	top, last := x.boxes[0], x.boxes[len(x.boxes)-1]
	x.boxes = x.boxes[:len(x.boxes)-1]
	n := len(x.boxes)
	if n == 0 {
		return top
	}
	i := 0
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && x.boxes[c+1].before(x.boxes[c]) {
			c++
		}
		if !x.boxes[c].before(last) {
			break
		}
		x.boxes[i] = x.boxes[c]
		i = c
	}
	x.boxes[i] = last
	return top
}
