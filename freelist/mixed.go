package freelist

import (
	"cmp"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// Mixed keeps rectangles of free capacity that are bounded by no rule of time or
// units (§5) but one that makes them unique: capacity that is freed first is used
// up first. So the blocks are in the order of their starts and of their ends at
// the same time; those at one tick lie side by side in the list, which is all
// that the paper's references between adjacent blocks are for. There are no more
// of them than changes of the free capacity.
type Mixed struct {
	pool    pool.Pool
	blocks  []rectangle
	changes []change // room for add
}

// rectangle is a block of the mixed list. No two have the same times, and none
// ends where another begins.
type rectangle struct {
	bookahead.Interval
	units int64
}

// change says by how much the free capacity changes at a time.
type change struct {
	bookahead.Time
	units int64
}

var (
	_ bookahead.Schedule = (*Mixed)(nil)
	_ bookahead.Profiler = (*Mixed)(nil)
	_ bookahead.Cloner   = (*Mixed)(nil)
)

// NewMixed returns a pool of capacity units. The error wraps bookahead.ErrInvalid.
// O(1).
func NewMixed(capacity int64, c Config) (*Mixed, error) {
	p, err := pool.New(capacity, c.Origin, c.Horizon)
	if err != nil {
		return nil, err
	}
	l := &Mixed{pool: p}
	if all := rest(c.Origin); !all.Empty() { // as it is at the end of the axis
		l.blocks = []rectangle{{all, capacity}}
	}
	return l, nil
}

// Search implements bookahead.Schedule: it adds up the blocks from start to
// start, less those that have ended. O(log b + k).
func (l *Mixed) Search(r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := l.pool.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	t, d := first, bookahead.Time(r.Duration) // the start, as far as seen
	for end, free := range l.sweep(first) {
		if free < r.Units {
			t = end
		} else if end-t >= d {
			return pool.OfferAt(t, r), nil
		}
		if t > last {
			break
		}
	}
	return bookahead.Offer{}, bookahead.ErrUnavailable
}

// sweep yields the end of each stretch of time from t on in which the same
// blocks are, and the sum of their units.
func (l *Mixed) sweep(t bookahead.Time) iter.Seq2[bookahead.Time, int64] {
	return func(yield func(bookahead.Time, int64) bool) {
		oldest := l.endAfter(t)
		next, free := oldest, int64(0)
		for t < bookahead.MaxTime {
			for ; next < len(l.blocks) && l.blocks[next].Start <= t; next++ {
				free += l.blocks[next].units
			}
			for ; oldest < next && l.blocks[oldest].End <= t; oldest++ {
				free -= l.blocks[oldest].units
			}
			end := bookahead.MaxTime
			if next < len(l.blocks) {
				end = l.blocks[next].Start
			}
			if oldest < next {
				end = min(end, l.blocks[oldest].End)
			}
			if !yield(end, free) {
				return
			}
			t = end
		}
	}
}

// endAfter returns the first block that ends after t. O(log b).
func (l *Mixed) endAfter(t bookahead.Time) int {
	i, _ := slices.BinarySearchFunc(l.blocks, t, func(b rectangle, t bookahead.Time) int {
		if b.End <= t {
			return -1
		}
		return 1
	})
	return i
}

// Reserve implements bookahead.Schedule. A Search, O(b), and O(m log m).
func (l *Mixed) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := l.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	l.add(o.Interval, -o.Units)
	return l.pool.Enter(o), nil
}

// Release implements bookahead.Schedule. O(b + m log m).
func (l *Mixed) Release(id bookahead.ID) error {
	b, err := l.pool.Strike(id)
	if err != nil {
		return err
	}
	l.add(b.Interval, b.Units)
	return nil
}

// RangeQuery implements bookahead.Schedule. O(log b + m).
func (l *Mixed) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := l.pool.Window(w)
	if err != nil || w.Empty() {
		return bookahead.Availability{}, err
	}
	return bookahead.Availability{Free: l.least(w)}, nil
}

// least returns the least that is free in w.
func (l *Mixed) least(w bookahead.Interval) int64 {
	least := l.pool.Capacity
	for end, free := range l.sweep(w.Start) {
		if least = min(least, free); end >= w.End {
			break
		}
	}
	return least
}

// Advance implements bookahead.Schedule. O(b).
func (l *Mixed) Advance(now bookahead.Time) error {
	if err := l.pool.Advance(now); err != nil {
		return err
	}
	l.blocks = slices.Delete(l.blocks, 0, l.endAfter(now))
	kept := 0 // of those that begin by now, one for each end
	for i, b := range l.blocks {
		b.Start = max(b.Start, now)
		if i > 0 && b.Interval == l.blocks[kept-1].Interval {
			l.blocks[kept-1].units += b.units
			continue
		}
		l.blocks[kept] = b
		kept++
	}
	l.blocks = l.blocks[:kept]
	return nil
}

// Blocks implements bookahead.Profiler: the blocks of the list, which overlap.
// O(log b + m).
func (l *Mixed) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return inWindow(&l.pool, w, func(w bookahead.Interval, yield func(bookahead.Block) bool) {
		for _, b := range l.blocks[l.endAfter(w.Start):] {
			if b.Start >= w.End || !cut(w, b.Interval, b.units, yield) {
				return
			}
		}
	})
}

// Clone implements bookahead.Cloner. O(b).
func (l *Mixed) Clone() bookahead.Schedule {
	return &Mixed{pool: l.pool.Clone(), blocks: slices.Clone(l.blocks)}
}

// add changes the units throughout w by delta. Blocks that end before w or begin
// behind it stay as they are: what is freed before w.End pairs with what is used
// up after w.Start, with delta or without.
func (l *Mixed) add(w bookahead.Interval, delta int64) {
	from := l.endAfter(w.Start - 1)
	l.changes = append(l.changes[:0], change{w.Start, delta}, change{w.End, -delta})
	to := from
	for ; to < len(l.blocks) && l.blocks[to].Start <= w.End; to++ {
		b := l.blocks[to]
		l.changes = append(l.changes, change{b.Start, b.units}, change{b.End, -b.units})
	}
	slices.SortFunc(l.changes, func(a, b change) int { return cmp.Compare(a.Time, b.Time) })
	l.blocks = slices.Replace(l.blocks, from, to, pair(l.changes)...)
}

// pair makes blocks of changes that add up to 0: what is freed first is used up
// first. Changes at the same time count as one.
func pair(changes []change) []rectangle {
	var blocks, open []rectangle
	for i := 0; i < len(changes); {
		t, net := changes[i].Time, int64(0)
		for ; i < len(changes) && changes[i].Time == t; i++ {
			net += changes[i].units
		}
		if net > 0 {
			open = append(open, rectangle{bookahead.Interval{Start: t}, net})
		}
		for net < 0 {
			part := rectangle{bookahead.Interval{Start: open[0].Start, End: t}, min(open[0].units, -net)}
			blocks = append(blocks, part)
			net += part.units
			if open[0].units -= part.units; open[0].units == 0 {
				open = open[1:]
			}
		}
	}
	return blocks
}
