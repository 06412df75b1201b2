package freelist

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// check checks that a timeline is in its canonical form. Its blocks are in order, do not overlap
// and have units; those that touch differ; they are linked both ways, and indexed in balance.
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

// check checks that the tree is an AVL tree, and returns its nodes and its height.
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

func (f *layer) check(capacity int64) error {
	if f.units > capacity {
		return fmt.Errorf("a layer of %d units exceeds the %d that are left", f.units, capacity)
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

// check checks that the blocks are in the order of their starts and of their ends, that no block
// ends where another begins, and that there are no more blocks than changes.
func (l *mixed) check(now bookahead.Time, _ int64) error {
	starts, ends := map[bookahead.Time]bool{}, map[bookahead.Time]bool{}
	for i, b := range l.list {
		if b.Empty() || b.Start < now || b.units < 1 {
			return fmt.Errorf("block %+v at %d", b, now)
		}
		if i > 0 {
			a := l.list[i-1]
			if b.Start < a.Start || b.End < a.End || a.Interval == b.Interval {
				return fmt.Errorf("block %+v after %+v", b, a)
			}
		}
		starts[b.Start], ends[b.End] = true, true
	}
	for t := range starts {
		if ends[t] {
			return fmt.Errorf("a block ends and another begins at %d: %v", t, l.list)
		}
	}
	n := len(starts) + len(ends)
	if len(l.list) > n {
		return fmt.Errorf("%d blocks for %d changes", len(l.list), n)
	}
	return nil
}
