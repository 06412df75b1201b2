package freelist

import (
	"fmt"
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

var (
	_ bookahead.Verifier = (*TimeExclusive)(nil)
	_ bookahead.Verifier = (*CapacityHierarchical)(nil)
	_ bookahead.Verifier = (*Mixed)(nil)
	_ bookahead.Verifier = (*Used)(nil)
)

// verify demands that a list has the form that it must have, of which err tells,
// and that its blocks, up to the end of the axis, agree with the reservations.
func verify(p *pool.Pool, err error, blocks iter.Seq[bookahead.Block]) error {
	if err == nil {
		err = p.VerifyBlocks(blocks)
	}
	if err != nil {
		return fmt.Errorf("freelist: %w", err)
	}
	return nil
}

// check demands the canonical form of a timeline: in order, apart, with units,
// those that touch different, linked both ways, and indexed in balance.
func (l *timeline) check(now bookahead.Time, capacity int64) error {
	var prev *block
	n := 0
	for b := l.head; b != nil; prev, b = b, b.next {
		n++
		if b.prev != prev {
			return fmt.Errorf("block %v is not linked back", b.Interval)
		}
		if b.Empty() || b.Start < now || b.units < 1 || b.units > capacity {
			return fmt.Errorf("block %v of %d units at %d", b.Interval, b.units, now)
		}
		if prev != nil && (b.Start < prev.End || b.Start == prev.End && b.units == prev.units) {
			return fmt.Errorf("block %v of %d after %v of %d", b.Interval, b.units, prev.Interval, prev.units)
		}
		if l.index != nil && l.index.floor(b.Start) != b {
			return fmt.Errorf("block %v is not indexed", b.Interval)
		}
	}
	if l.index == nil {
		return nil
	}
	count, _, err := l.index.root.check()
	if err == nil && count != n {
		err = fmt.Errorf("%d blocks, %d in the tree", n, count)
	}
	return err
}

// check demands an AVL tree, and returns its nodes and its height.
func (n *node) check() (count, height int, err error) {
	if n == nil {
		return 0, 0, nil
	}
	left, lh, err := n.left.check()
	if err != nil {
		return 0, 0, err
	}
	right, rh, err := n.right.check()
	if err != nil {
		return 0, 0, err
	}
	if n.height != 1+max(lh, rh) || lh-rh > 1 || rh-lh > 1 {
		return 0, 0, fmt.Errorf("height %d over %d and %d", n.height, lh, rh)
	}
	return left + 1 + right, n.height, nil
}

// Verify implements bookahead.Verifier: the blocks are in order and apart, those
// that touch differ, and they are what the reservations leave. O(b log b).
func (l *TimeExclusive) Verify() error {
	whole := *l
	whole.pool.End = bookahead.MaxTime
	return verify(&l.pool, l.free.check(l.pool.Now, l.pool.Capacity), whole.Blocks(rest(l.pool.Now)))
}

// Verify implements bookahead.Verifier: the blocks are in order and apart, those
// that touch differ, the tree has them all and is in balance, and they are what
// the reservations take. O(b log b).
func (l *Used) Verify() error {
	whole := *l
	whole.pool.End = bookahead.MaxTime
	return verify(&l.pool, l.used.check(l.pool.Now, l.pool.Capacity), whole.Blocks(rest(l.pool.Now)))
}

// Verify implements bookahead.Verifier: every block is as long as it can be,
// shorter than the one below, and apart from its neighbours, and they add up to
// what the reservations leave. O(b log b).
func (l *CapacityHierarchical) Verify() error {
	whole := *l
	whole.pool.End = bookahead.MaxTime
	return verify(&l.pool, l.check(), whole.Blocks(rest(l.pool.Now)))
}

func (l *CapacityHierarchical) check() error {
	if l.root.units != 0 || l.root.Interval != rest(l.pool.Now) {
		return fmt.Errorf("root %v of %d units at %d", l.root.Interval, l.root.units, l.pool.Now)
	}
	return l.root.check(l.pool.Capacity)
}

func (f *layer) check(capacity int64) error {
	if f.units > capacity {
		return fmt.Errorf("layers of more than the capacity")
	}
	for i, g := range f.upon {
		if g.Empty() || g.units < 1 || g.Intersect(f.Interval) != g.Interval {
			return fmt.Errorf("block %v of %d upon %v", g.Interval, g.units, f.Interval)
		}
		if g.Interval == f.Interval && f.units > 0 {
			return fmt.Errorf("block %v is as long as the one below", g.Interval)
		}
		if i > 0 && f.upon[i-1].End >= g.Start {
			return fmt.Errorf("block %v after %v", g.Interval, f.upon[i-1].Interval)
		}
		if err := g.check(capacity - f.units); err != nil {
			return err
		}
	}
	return nil
}

// Verify implements bookahead.Verifier: the blocks are in the order of their starts
// and of their ends, none ends where another begins, there are no more than
// changes, and they add up to what the reservations leave. O(b log b).
func (l *Mixed) Verify() error {
	whole := *l
	whole.pool.End = bookahead.MaxTime
	return verify(&l.pool, l.check(), whole.Blocks(rest(l.pool.Now)))
}

func (l *Mixed) check() error {
	starts, ends := map[bookahead.Time]bool{}, map[bookahead.Time]bool{}
	for i, b := range l.blocks {
		if b.Empty() || b.Start < l.pool.Now || b.units < 1 {
			return fmt.Errorf("block %+v at %d", b, l.pool.Now)
		}
		if i > 0 {
			if a := l.blocks[i-1]; b.Start < a.Start || b.End < a.End || a.Interval == b.Interval {
				return fmt.Errorf("block %+v after %+v", b, a)
			}
		}
		starts[b.Start], ends[b.End] = true, true
	}
	for t := range starts {
		if ends[t] {
			return fmt.Errorf("a block ends and another begins at %d: %v", t, l.blocks)
		}
	}
	if n := len(starts) + len(ends); len(l.blocks) > n {
		return fmt.Errorf("%d blocks for %d changes", len(l.blocks), n)
	}
	return nil
}
