package window

import (
	"math"

	"github.com/bookahead/bookahead/internal/effort"
)

// picker finds the n greatest of a list of numbers.
type picker struct {
	heap  []int32 // their indices
	least float64 // the least of them; +Inf if there are none
	keys  []float64
	rest  []int32
	tops  []top
	meter *effort.Meter // of the search; a step is a key that is looked at
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

// pick leaves in p.heap the indices of the n greatest keys, in no order, if there are n keys. It
// parts the keys at the least key of the last pick, since the keys of neighbouring problems are
// alike, and moves those on the wrong side. Pick 3, where the least key was 4:
//
//	keys      7  3  5  9  4  1
//	in        7     5  9  4         one too many: the least of them, 4, is dropped
//	rest         3           1
//
// O(m + d log d log m) for m keys in random order of which d are on the wrong side, and
// O(m log m) at most. It returns false if the search must stop; nothing is picked then.
func (p *picker) pick(n int) bool {
	guess, keys := p.least, p.keys
	heap, rest := p.heap[:len(keys)], p.rest[:len(keys)]
	in := 0
	for i, k := range keys {
		if i%effort.Chunk == 0 && !p.meter.Go(min(effort.Chunk, len(keys)-i)) {
			return false
		}
		// Both are written and one counts. A branch here could not be predicted.
		heap[in], rest[i-in] = int32(i), int32(i)
		if k >= guess {
			in++
		}
	}
	p.heap, p.rest = heap[:in], rest[:len(keys)-in]
	extra := len(p.heap) - n
	switch {
	case extra > n:
		p.rest, p.heap = p.heap, p.rest[:0]
		if !p.greatest(p.rest, n, 1) {
			return false
		}
		p.take()
	case extra > 0:
		if !p.greatest(p.heap, extra, -1) {
			return false
		}
		p.drop()
	case extra < 0:
		if !p.greatest(p.rest, -extra, 1) {
			return false
		}
		p.take()
	}
	p.least = math.Inf(1)
	for _, i := range p.heap {
		p.least = min(p.least, p.keys[i])
	}
	return true
}

// take adds the indices of p.tops to those picked.
func (p *picker) take() {
	picked := p.heap
	for _, t := range p.tops {
		picked = append(picked, t.i)
	}
	p.heap = picked
}

// drop takes the indices of p.tops out of those picked. It marks them by NaN, the only number
// that is not equal to itself, and so it spoils the keys.
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

// greatest leaves in p.tops the n of a list whose keys, times sign, are the greatest; of
// equal keys the first. It returns false if the search must stop.
func (p *picker) greatest(list []int32, n int, sign float64) bool {
	h := p.tops[:0]
	for at, i := range list {
		if at%effort.Chunk == 0 && !p.meter.Go(min(effort.Chunk, len(list)-at)) {
			return false
		}
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
	return true
}

// sink puts a number at place j of the heap, or below.
func sink(h []top, j int, t top) {
	for child := 2*j + 1; child < len(h); child = 2*j + 1 {
		right := min(child+1, len(h)-1)
		if h[right].key < h[child].key { // no branch, since none could be predicted
			child = right
		}
		if h[child].key >= t.key {
			break
		}
		h[j] = h[child]
		j = child
	}
	h[j] = t
}
