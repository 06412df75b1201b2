package carts

import (
	"iter"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// BTree keeps the slots in a B-tree that shares its nodes with its clones, so
// that Clone costs next to nothing, whatever the number of reservations.
type BTree struct{ exact }

const degree = 32

// NewBTree returns a pool of capacity units. The error wraps bookahead.ErrInvalid.
func NewBTree(capacity int64, c Config) (*BTree, error) {
	x, err := open(capacity, c, newTree)
	if err != nil {
		return nil, err
	}
	return &BTree{x}, nil
}

// Clone implements bookahead.Cloner. O(1), and the ledger's directory.
func (b *BTree) Clone() bookahead.Schedule { return &BTree{b.clone()} }

// Adopt implements bookahead.Displacer. O(1).
func (b *BTree) Adopt(clone bookahead.Schedule) { *b = *clone.(*BTree) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler. O(n log n).
func (b *BTree) UnmarshalBinary(data []byte) error { return b.read(data, newTree) }

// tree is the profile of a BTree.
type tree struct {
	slots *cow.Tree[slot] // by start; the first starts now, neighbours differ
	moved []slot          // reused by Change for the slots it changes
}

func newTree(_ int64, slots []slot) profileOf {
	b := &tree{slots: cow.NewTree(btree.NewG(degree, func(x, y slot) bool { return x.Start < y.Start }))}
	for _, s := range slots {
		b.slots.ReplaceOrInsert(s)
	}
	return b
}

func (b *tree) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	t := first
	for end, free := range b.Steps(first) {
		if free < n {
			t = end
		} else if end-t >= d {
			return t, t <= last
		}
		if t > last {
			break
		}
	}
	return 0, false
}

func (b *tree) Latest(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	end := last + d // all ends after this are ruled out
	b.slots.DescendLessOrEqual(slot{Start: end - 1}, func(s slot) bool {
		if s.Free < n {
			end = s.Start
			return end-d >= first
		}
		return s.Start > end-d
	})
	return end - d, end-d >= first
}

func (b *tree) Least(w bookahead.Interval) int64 {
	least := b.at(w.Start).Free
	for end, free := range b.Steps(w.Start) {
		least = min(least, free)
		if end >= w.End {
			break
		}
	}
	return least
}

func (b *tree) Until(t bookahead.Time, n int64, limit bookahead.Time) bookahead.Time {
	for end, free := range b.Steps(t) {
		if free < n || t >= limit {
			break
		}
		t = end
	}
	return min(t, limit)
}

func (b *tree) Forget(now bookahead.Time) {
	running := b.at(now)
	for {
		s, _ := b.slots.Min()
		if s.Start > now {
			break
		}
		b.slots.DeleteMin()
		if s == running {
			break
		}
	}
	b.slots.ReplaceOrInsert(slot{Start: now, Free: running.Free})
}

func (b *tree) clone() profileOf { return &tree{slots: b.slots.Clone()} }

func (b *tree) verify(bookahead.Time) (slots []slot, _ error) {
	b.slots.Ascend(func(s slot) bool {
		slots = append(slots, s)
		return true
	})
	return slots, nil
}

// at returns the slot that contains t, which is not in the past.
func (b *tree) at(t bookahead.Time) (s slot) {
	b.slots.DescendLessOrEqual(slot{Start: t}, func(it slot) bool {
		s = it
		return false
	})
	return s
}

func (b *tree) Steps(t bookahead.Time) iter.Seq2[bookahead.Time, int64] {
	return func(yield func(bookahead.Time, int64) bool) {
		s := b.at(t)
		more := true
		b.slots.AscendGreaterOrEqual(slot{Start: t + 1}, func(next slot) bool {
			more = yield(next.Start, s.Free)
			s = next
			return more
		})
		if more {
			yield(bookahead.MaxTime, s.Free)
		}
	}
}

func (b *tree) Change(w bookahead.Interval, delta int64) {
	b.split(w.Start)
	b.split(w.End)
	b.moved = b.moved[:0]
	b.slots.AscendRange(slot{Start: w.Start}, slot{Start: w.End}, func(s slot) bool {
		b.moved = append(b.moved, slot{Start: s.Start, Free: s.Free + delta})
		return true
	})
	for _, s := range b.moved {
		b.slots.ReplaceOrInsert(s)
	}
	// The end first, as in array.Change: it works on the slot before, which may start at w.Start.
	b.merge(w.End)
	b.merge(w.Start)
}

// split makes a slot start at t.
func (b *tree) split(t bookahead.Time) {
	s := b.at(t)
	if s.Start != t {
		b.slots.ReplaceOrInsert(slot{Start: t, Free: s.Free})
	}
}

// merge joins the slot that starts at t to the slot before if both have the same free units.
func (b *tree) merge(t bookahead.Time) {
	first, _ := b.slots.Min()
	if t > first.Start && b.at(t).Free == b.at(t-1).Free {
		b.slots.Delete(slot{Start: t})
	}
}
