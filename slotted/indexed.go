package slotted

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// Indexed keeps the least and the most used units of each block of slots. A
// search passes over the blocks that cannot hold the next change, and a booking
// changes whole blocks by one number.
type Indexed struct {
	pool   pool.Pool
	ring   ring
	used   []int64 // by place; to which the block's add is still to be added
	blocks []block
	size   int64 // places in a block
}

// block sums up as many places.
type block struct {
	least, most int64 // of its slots, add included
	add         int64 // what is to be added to each
}

const blockSize = 512

var (
	_ bookahead.Schedule = (*Indexed)(nil)
	_ bookahead.Profiler = (*Indexed)(nil)
	_ bookahead.Cloner   = (*Indexed)(nil)
)

// NewIndexed returns a pool of capacity units. The error wraps bookahead.ErrInvalid.
// O(n) for a ring of n slots.
func NewIndexed(capacity int64, c Config) (*Indexed, error) {
	return newIndexed(capacity, c, blockSize)
}

func newIndexed(capacity int64, c Config, size int64) (*Indexed, error) {
	p, r, err := open(capacity, c)
	if err != nil {
		return nil, err
	}
	// Whole blocks, and one more, so that the last slot of the horizon never
	// falls into the block of the first.
	r.size = (r.size+size-1)/size*size + size
	return &Indexed{pool: p, ring: r, used: make([]int64, r.size), blocks: make([]block, r.size/size), size: size}, nil
}

// Search implements bookahead.Schedule. O(k/B + B) for each gap it looks into,
// with k slots up to the next.
func (x *Indexed) Search(r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := x.pool.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	d, most := bookahead.Time(r.Duration), x.pool.Capacity-r.Units
	end := x.ring.slot(last+d-1) + 1 // of the slots that matter
	t := first
	for slot := x.ring.slot(first); t <= last; {
		if slot = x.next(slot, end, 0, most); slot == end { // enough is free
			return bookahead.Offer{}, bookahead.ErrUnavailable
		}
		if t = max(t, x.ring.start(slot)); t > last {
			break
		}
		_, need := x.ring.span(bookahead.Interval{Start: t, End: t + d})
		if slot = x.next(slot, need, most+1, x.pool.Capacity); slot == need { // never too little
			return pool.OfferAt(t, r), nil
		}
	}
	return bookahead.Offer{}, bookahead.ErrUnavailable
}

// next returns the first slot from slot on, and before end, with a number of
// used units between low and high; or end.
func (x *Indexed) next(slot, end, low, high int64) int64 {
	for slot < end {
		place := x.ring.place(slot)
		b := x.blocks[place/x.size]
		stop := slot + min(end-slot, x.size-place%x.size)
		if b.least > high || b.most < low {
			slot = stop
			continue
		}
		for i, u := range x.used[place : place+stop-slot] {
			if u += b.add; u >= low && u <= high {
				return slot + int64(i)
			}
		}
		slot = stop
	}
	return end
}

// Reserve implements bookahead.Schedule. As Search, and O(m/B + B) for m slots in
// the window that is booked.
func (x *Indexed) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := x.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	x.add(o.Interval, o.Units)
	return x.pool.Enter(o), nil
}

// Release implements bookahead.Schedule. O(m/B + B) for m slots in the window
// that is given back.
func (x *Indexed) Release(id bookahead.ID) error {
	b, err := x.pool.Strike(id)
	if err != nil {
		return err
	}
	x.add(b.Interval, -b.Units)
	return nil
}

// RangeQuery implements bookahead.Schedule. O(m/B + B) for m slots that w touches.
func (x *Indexed) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := x.pool.Window(w)
	if err != nil || w.Empty() {
		return bookahead.Availability{}, err
	}
	return bookahead.Availability{Free: x.least(w)}, nil
}

// least returns the least that is free in the slots that w touches.
func (x *Indexed) least(w bookahead.Interval) int64 {
	most := int64(0)
	x.parts(w, func(b *block, part []int64) {
		if int64(len(part)) == x.size {
			most = max(most, b.most)
			return
		}
		most = max(most, slices.Max(part)+b.add)
	})
	return x.pool.Capacity - most
}

// Advance implements bookahead.Schedule: the blocks that have passed become the
// last ones. O(slots passed) amortised, and never more than the ring has. What
// lies before now in the block of now stays as it was: no booking and no query
// looks at all of that block.
func (x *Indexed) Advance(now bookahead.Time) error {
	old := x.ring.slot(x.pool.Now) / x.size
	if err := x.pool.Advance(now); err != nil {
		return err
	}
	n := int64(len(x.blocks))
	for passed := old; passed < min(x.ring.slot(now)/x.size, old+n); passed++ {
		i := passed % n
		clear(x.used[i*x.size : (i+1)*x.size])
		x.blocks[i] = block{}
	}
	return nil
}

// Blocks implements bookahead.Profiler: one block for each run of slots with the
// same number of free units. O(m) for m slots in w.
func (x *Indexed) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return blocks(&x.pool, x.ring, w, func(slot int64) int64 {
		place := x.ring.place(slot)
		return x.pool.Capacity - x.used[place] - x.blocks[place/x.size].add
	})
}

// Clone implements bookahead.Cloner. O(n).
func (x *Indexed) Clone() bookahead.Schedule {
	return &Indexed{pool: x.pool.Clone(), ring: x.ring, used: slices.Clone(x.used), blocks: slices.Clone(x.blocks), size: x.size}
}

// add changes what is used in the slots that w touches by delta.
func (x *Indexed) add(w bookahead.Interval, delta int64) {
	x.parts(w, func(b *block, part []int64) {
		if int64(len(part)) == x.size {
			b.add += delta
			b.least += delta
			b.most += delta
			return
		}
		for i := range part {
			part[i] += delta
		}
	})
	from, to := x.ring.span(w) // only blocks at the ends were touched in part
	x.sumUp(x.ring.place(from) / x.size)
	x.sumUp(x.ring.place(to-1) / x.size)
}

// parts calls f for each block that w touches, with the part that it touches.
func (x *Indexed) parts(w bookahead.Interval, f func(b *block, part []int64)) {
	for slot, end := x.ring.span(w); slot < end; {
		place := x.ring.place(slot)
		stop := slot + min(end-slot, x.size-place%x.size)
		f(&x.blocks[place/x.size], x.used[place:place+stop-slot])
		slot = stop
	}
}

// sumUp works out the least and the most of a block anew.
func (x *Indexed) sumUp(i int64) {
	part := x.used[i*x.size : (i+1)*x.size]
	least, most := part[0], part[0]
	for _, u := range part {
		least, most = min(least, u), max(most, u)
	}
	b := &x.blocks[i]
	b.least, b.most = least+b.add, most+b.add
}
