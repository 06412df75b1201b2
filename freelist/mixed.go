package freelist

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// Mixed keeps rectangles of free capacity (§5). The paper bounds them by no rule of time or
// units; one rule makes them unique here: capacity that is freed first is used up first. So the
// blocks are in the order of their starts and of their ends at the same time. The blocks at one
// tick lie side by side in the list, which makes the paper's references between adjacent blocks
// unnecessary. There are no more blocks than changes of the free capacity.
type Mixed struct{ exact }

// NewMixed returns a pool of capacity units. The error wraps bookahead.ErrInvalid.
// O(n log n) for n reservations in Config.Booked.
func NewMixed(capacity int64, c Config) (*Mixed, error) {
	x, err := open(capacity, c, &mixed{})
	if err != nil {
		return nil, err
	}
	return &Mixed{x}, nil
}

// Clone implements bookahead.Cloner. O(b).
func (l *Mixed) Clone() bookahead.Schedule { return &Mixed{l.clone()} }

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says. It reads the snapshot of any pool that is exact to the tick. O(n log n).
func (l *Mixed) UnmarshalBinary(data []byte) error { return l.read(data, &mixed{}) }

// mixed is the list of Mixed.
type mixed struct {
	list    []rectangle
	changes []change // reused by Change
}

// rectangle is a block of the mixed list. No two blocks have the same times, and no block ends
// where another begins.
type rectangle struct {
	bookahead.Interval
	units int64
}

// change is by how many units the free capacity changes at a time.
type change struct {
	bookahead.Time
	units int64
}

// Search goes through the steps, and keeps the earliest start from which n units are free so far.
func (l *mixed) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	t := first // the candidate: n units are free from t up to here
	for end, free := range l.Steps(first) {
		if free < n {
			t = end
		} else if end-t >= d {
			return t, true
		}
		if t > last {
			break
		}
	}
	return 0, false
}

func (l *mixed) Least(w bookahead.Interval) int64 {
	least := int64(math.MaxInt64)
	for end, free := range l.Steps(w.Start) {
		least = min(least, free)
		if end >= w.End {
			break
		}
	}
	return least
}

func (l *mixed) Forget(now bookahead.Time) {
	l.list = slices.Delete(l.list, 0, l.endAfter(now))
	kept := 0 // blocks that begin by now are cut to now, and joined if they end together
	for i, b := range l.list {
		b.Start = max(b.Start, now)
		if i > 0 && b.Interval == l.list[kept-1].Interval {
			l.list[kept-1].units += b.units
			continue
		}
		l.list[kept] = b
		kept++
	}
	l.list = l.list[:kept]
}

// blocks yields the blocks of the list, which overlap.
func (l *mixed) blocks(w bookahead.Interval, yield func(bookahead.Block) bool) {
	for _, b := range l.list[l.endAfter(w.Start):] {
		if b.Start >= w.End || !cut(w, b.Interval, b.units, yield) {
			return
		}
	}
}

func (l *mixed) clone() list { return &mixed{list: slices.Clone(l.list)} }

func (l *mixed) made(_ int64, steps []pool.Step) list {
	changes := make([]change, 0, len(steps)+1)
	free := int64(0)
	for _, s := range steps {
		changes = append(changes, change{s.Start, s.Free - free})
		free = s.Free
	}
	changes = append(changes, change{bookahead.MaxTime, -free})
	return &mixed{list: pair(changes)}
}

// Steps sweeps from t on. It adds the units of a block where the block starts, and takes them off
// where it ends. next is the next block to start, and oldest the next to end.
func (l *mixed) Steps(t bookahead.Time) iter.Seq2[bookahead.Time, int64] {
	return func(yield func(bookahead.Time, int64) bool) {
		oldest := l.endAfter(t)
		next, free := oldest, int64(0)
		for t < bookahead.MaxTime {
			for next < len(l.list) && l.list[next].Start <= t {
				free += l.list[next].units
				next++
			}
			for oldest < next && l.list[oldest].End <= t {
				free -= l.list[oldest].units
				oldest++
			}
			end := bookahead.MaxTime
			if next < len(l.list) {
				end = l.list[next].Start
			}
			if oldest < next {
				end = min(end, l.list[oldest].End)
			}
			if !yield(end, free) {
				return
			}
			t = end
		}
	}
}

// endAfter returns the first block that ends after t. O(log b).
func (l *mixed) endAfter(t bookahead.Time) int {
	i, _ := slices.BinarySearchFunc(l.list, t, func(b rectangle, t bookahead.Time) int {
		if b.End <= t {
			return -1
		}
		return 1
	})
	return i
}

// Change changes the units throughout w by delta. Blocks that end before w, or begin after it,
// stay as they are: capacity freed before w.End pairs with capacity used up after w.Start, with
// delta or without.
func (l *mixed) Change(w bookahead.Interval, delta int64) {
	from := l.endAfter(w.Start - 1)
	l.changes = append(l.changes[:0], change{w.Start, delta}, change{w.End, -delta})
	to := from
	for to < len(l.list) && l.list[to].Start <= w.End {
		b := l.list[to]
		l.changes = append(l.changes, change{b.Start, b.units}, change{b.End, -b.units})
		to++
	}
	slices.SortFunc(l.changes, func(a, b change) int { return cmp.Compare(a.Time, b.Time) })
	l.list = slices.Replace(l.list, from, to, pair(l.changes)...)
}

// pair makes blocks of changes that add up to 0. Units that are freed first are used up first;
// changes at the same time count as one change:
//
//	at        0   4   8   10
//	change   +2  +1  -2   -1        blocks  [0, 8) 2   [4, 10) 1
func pair(changes []change) []rectangle {
	var blocks, open []rectangle
	for i := 0; i < len(changes); {
		t, net := changes[i].Time, int64(0)
		for i < len(changes) && changes[i].Time == t {
			net += changes[i].units
			i++
		}
		if net > 0 {
			open = append(open, rectangle{bookahead.Interval{Start: t}, net})
		}
		for net < 0 {
			part := rectangle{bookahead.Interval{Start: open[0].Start, End: t}, min(open[0].units, -net)}
			blocks = append(blocks, part)
			net += part.units
			open[0].units -= part.units
			if open[0].units == 0 {
				open = open[1:]
			}
		}
	}
	return blocks
}
