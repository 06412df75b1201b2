package slotted

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// Indexed keeps the least and the most used units of each block of slots. A search passes over
// the blocks that cannot hold the next change, and a booking changes whole blocks by one number.
type Indexed struct{ rounded }

const blockSize = 512

// NewIndexed returns a pool of capacity units. The error wraps bookahead.ErrInvalid.
// O(n) for a ring of n slots.
func NewIndexed(capacity int64, c Config) (*Indexed, error) {
	return newIndexed(capacity, c, blockSize)
}

func newIndexed(capacity int64, c Config, size int64) (*Indexed, error) {
	x, err := open(capacity, c, &summed{block: size})
	if err != nil {
		return nil, err
	}
	return &Indexed{x}, nil
}

// Clone implements bookahead.Cloner. O(n).
func (x *Indexed) Clone() bookahead.Schedule { return &Indexed{x.clone()} }

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter says. It reads
// the snapshot of either form. For a ring of more than 64 MiB the receiver must have as many
// slots, of the same width. O(n log n + slots).
func (x *Indexed) UnmarshalBinary(data []byte) error {
	return x.read(data, &summed{block: blockSize}, 9) // a slot has 8, and its share of a block
}

// summed is the profile of an Indexed.
type summed struct {
	ring
	now      bookahead.Time
	capacity int64   // of the pool
	used     []int64 // units, by place, without the add of the block
	blocks   []block
	block    int64 // slots in a block
}

// block sums up block slots of the ring:
//
//	used     3 1 2 2      add 0    least 1, most 3
//	+2       3 1 2 2      add 2    least 3, most 5      the slots stay: 5 3 4 4 are used
type block struct {
	least, most int64 // used units of its slots, with add
	add         int64 // used units of each slot, on top of its own number
}

func (x *summed) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	most := x.capacity - n
	end := x.slot(last+d-1) + 1 // of the slots that matter
	t := first
	for slot := x.slot(first); t <= last; {
		slot = x.next(slot, end, 0, most)
		if slot == end { // no slot has enough free units
			return 0, false
		}
		t = max(t, x.start(slot))
		if t > last {
			break
		}
		_, need := x.span(bookahead.Interval{Start: t, End: t + d})
		slot = x.next(slot, need, most+1, x.capacity)
		if slot == need { // no slot in the way
			return t, true
		}
	}
	return 0, false
}

// next returns the first slot from slot on, and before end, with a number of used units from low
// to high, or end if there is none.
func (x *summed) next(slot, end, low, high int64) int64 {
	for slot < end {
		place := x.place(slot)
		b := x.blocks[place/x.block]
		stop := slot + min(end-slot, x.block-place%x.block)
		if b.least > high || b.most < low {
			slot = stop
			continue
		}
		for i, u := range x.used[place : place+stop-slot] {
			u += b.add
			if u >= low && u <= high {
				return slot + int64(i)
			}
		}
		slot = stop
	}
	return end
}

func (x *summed) Least(w bookahead.Interval) int64 {
	most := int64(0)
	x.parts(w, func(b *block, part []int64) {
		if int64(len(part)) == x.block {
			most = max(most, b.most)
			return
		}
		_, used := b.extremes(part)
		most = max(most, used)
	})
	return x.capacity - most
}

func (x *summed) Steps(t bookahead.Time) iter.Seq2[bookahead.Time, int64] {
	return x.steps(t, x.free)
}

// Forget turns the blocks that have passed into the last ones of the ring. The slots before now
// in the block of now stay as they were: no booking and no query uses the whole of that block.
func (x *summed) Forget(now bookahead.Time) {
	old, n := x.slot(x.now)/x.block, int64(len(x.blocks))
	x.now = now
	for passed := old; passed < min(x.slot(now)/x.block, old+n); passed++ {
		i := passed % n
		clear(x.used[i*x.block : (i+1)*x.block])
		x.blocks[i] = block{}
	}
}

func (x *summed) Round(w bookahead.Interval) bookahead.Interval { return x.round(w) }

func (x *summed) lines() ring { return x.ring }

func (x *summed) free(slot int64) int64 {
	place := x.place(slot)
	return x.capacity - x.used[place] - x.blocks[place/x.block].add
}

func (x *summed) clone() slots {
	c := *x
	c.used, c.blocks = slices.Clone(x.used), slices.Clone(x.blocks)
	return &c
}

// made makes whole blocks, and one block more than the ring needs, so that the last slot of the
// horizon never falls into the block of the first.
func (x *summed) made(p *pool.Pool, r ring) slots {
	r.size = (r.size+x.block-1)/x.block*x.block + x.block
	return &summed{
		ring: r, now: p.Now, capacity: p.Capacity, used: make([]int64, r.size), blocks: make([]block, r.size/x.block), block: x.block,
	}
}

func (x *summed) fill(used iter.Seq2[int64, int64]) {
	for slot, units := range used {
		x.used[x.place(slot)] = units
	}
	for i := range x.blocks {
		x.sumUp(int64(i))
	}
}

func (x *summed) verify() (int64, error) {
	for i, b := range x.blocks {
		part := x.used[int64(i)*x.block : int64(i+1)*x.block]
		least, most := b.extremes(part)
		if least != b.least || most != b.most {
			return 0, fmt.Errorf("slotted: block %d %+v over %v", i, b, part)
		}
	}
	passed := x.slot(x.now) % x.block // slots of the block of now that have passed: they are the last of the ring
	return x.size - passed, nil
}

// Change adds delta to the free units, and so takes it off the used units, in the slots that w
// touches.
func (x *summed) Change(w bookahead.Interval, delta int64) {
	x.parts(w, func(b *block, part []int64) {
		if int64(len(part)) == x.block {
			b.add -= delta
			b.least -= delta
			b.most -= delta
			return
		}
		for i := range part {
			part[i] -= delta
		}
	})
	from, to := x.span(w) // only blocks at the ends were touched in part
	x.sumUp(x.place(from) / x.block)
	x.sumUp(x.place(to-1) / x.block)
}

// parts calls f for each block that w touches, with the slots of the block that lie in w.
func (x *summed) parts(w bookahead.Interval, f func(b *block, part []int64)) {
	for slot, end := x.span(w); slot < end; {
		place := x.place(slot)
		stop := slot + min(end-slot, x.block-place%x.block)
		f(&x.blocks[place/x.block], x.used[place:place+stop-slot])
		slot = stop
	}
}

// sumUp works out the least and the most of a block anew.
func (x *summed) sumUp(i int64) {
	b := &x.blocks[i]
	b.least, b.most = b.extremes(x.used[i*x.block : (i+1)*x.block])
}

// extremes returns the least and the most used units of a part of the block. It adds first and
// then compares: a slot's own number may wrap around, but its sum with add does not.
func (b *block) extremes(part []int64) (least, most int64) {
	least, most = math.MaxInt64, 0
	for _, u := range part {
		u += b.add
		least, most = min(least, u), max(most, u)
	}
	return least, most
}
