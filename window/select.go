package window

import "math"

// picker finds the n greatest of a list of numbers.
type picker struct {
	heap  []int32 // their indices
	least float64 // the least of them; +Inf if there are none
	keys  []float64
	rest  []int32
	tops  []top
}

// top is a number on a heap that has the least at the root.
type top struct {
	key float64
	i   int32
}

// room returns space for m keys.
func (p *picker) room(m int) []float64 {
	if cap(p.keys) < m {
		p.keys = make([]float64, 2*m)
		p.heap, p.rest = make([]int32, 2*m), make([]int32, 2*m)
	}
	p.keys = p.keys[:m]
	return p.keys
}

// pick leaves in p.heap the indices of the n greatest keys, in no order, if there
// are as many. It parts them at the least of those picked the last time: if d of
// them are on the wrong side, this takes O(m + d log d log m) for m keys in random
// order, and O(m log m) at most.
func (p *picker) pick(n int) {
	guess, keys := p.least, p.keys
	heap, rest := p.heap[:len(keys)], p.rest[:len(keys)]
	in, out := 0, 0
	for i, k := range keys {
		if k >= guess {
			heap[in] = int32(i)
			in++
		} else {
			rest[out] = int32(i)
			out++
		}
	}
	p.heap, p.rest = heap[:in], rest[:out]
	extra := len(p.heap) - n
	if extra > n {
		p.rest, p.heap = p.heap, p.rest[:0]
		p.greatest(p.rest, n, 1)
		p.take()
	} else if extra > 0 {
		p.greatest(p.heap, extra, -1)
		p.drop()
	} else if extra < 0 {
		p.greatest(p.rest, -extra, 1)
		p.take()
	}
	p.least = math.Inf(1)
	for _, i := range p.heap {
		p.least = min(p.least, p.keys[i])
	}
}

// take adds what is on the heap to those picked.
func (p *picker) take() {
	picked := p.heap
	for _, t := range p.tops {
		picked = append(picked, t.i)
	}
	p.heap = picked
}

// drop takes what is on the heap out of those picked.
func (p *picker) drop() {
	for _, t := range p.tops {
		p.keys[t.i] = math.NaN()
	}
	kept := p.heap[:0]
	for _, i := range p.heap {
		if p.keys[i] == p.keys[i] {
			kept = append(kept, i)
		}
	}
	p.heap = kept
}

// greatest leaves on the heap the n of the list whose keys, times sign, are the
// greatest; of equal ones the first.
func (p *picker) greatest(list []int32, n int, sign float64) {
	h := p.tops[:0]
	for _, i := range list {
		t := top{sign * p.keys[i], i}
		switch {
		case len(h) < n:
			h = append(h, t)
			if len(h) == n {
				for j := n/2 - 1; j >= 0; j-- {
					sink(h, j, h[j])
				}
			}
		case n > 0 && t.key > h[0].key:
			sink(h, 0, t)
		}
	}
	p.tops = h
}

// sink puts a number at place j of the heap, or below.
func sink(h []top, j int, t top) {
	for {
		child := 2*j + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].key < h[child].key {
			child++
		}
		if h[child].key >= t.key {
			break
		}
		h[j] = h[child]
		j = child
	}
	h[j] = t
}
