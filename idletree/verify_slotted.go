package idletree

import (
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

// check also checks that the trees of each slot have the idle periods that overlap the slot, in
// order and in balance.
func (s *slots) check(booked *servers.Servers) error {
	return s.checkSome(booked, func(int64) bool { return true })
}

// checkSome is check for the slots for which look returns true.
func (s *slots) checkSome(booked *servers.Servers, look func(slot int64) bool) error {
	if err := s.fleet.check(booked); err != nil {
		return err
	}
	var bounded, endless []item
	for k := range s.idle {
		for p := range s.idle[k].from(math.MinInt64) {
			e := item{key: -p.Start, end: p.End, server: int32(k)}
			if p.End < bookahead.MaxTime {
				bounded = append(bounded, e)
			} else {
				e.end = 0
				endless = append(endless, e)
			}
		}
	}
	slices.SortFunc(endless, item.compare)
	slices.SortFunc(bounded, item.compare)
	got := s.endless.entries(s.root, nil)
	if !slices.Equal(got, endless) {
		return fmt.Errorf("the endless are %v, not %v", got, endless)
	}
	if _, err := s.endless.check(s.root, endless, nil); err != nil {
		return fmt.Errorf("endless: %w", err)
	}
	if err := s.endless.complete(s.root); err != nil {
		return fmt.Errorf("endless: %w", err)
	}
	first := s.slotOf(s.now)
	last := min(first+int64(len(s.ring))-1, s.slotOf(bookahead.MaxTime-1))
	for number := first; number <= last; number++ {
		if look(number) {
			if err := s.checkSlot(number, bounded); err != nil {
				return fmt.Errorf("slot %d: %w", number, err)
			}
		}
	}
	return nil
}

// checkSlot checks that a slot has the bounded idle periods that overlap it.
func (s *slots) checkSlot(number int64, bounded []item) error {
	start := bookahead.Time(number) * s.width
	var want []item
	for _, e := range bounded {
		if e.end > start && -e.key-start < s.width {
			want = append(want, e)
		}
	}
	st := *s.at(number)
	if st == nil {
		if len(want) > 0 {
			return fmt.Errorf("is empty, not %v", want)
		}
		return nil
	}
	return st.check(want, s.now)
}

// check checks that the trees hold the wanted periods, and no others but periods that have ended:
// the calendars forget these earlier than the slot.
func (st *slotTree) check(want []item, now bookahead.Time) error {
	got := st.primary.entries(st.root, nil)
	if len(got) == 0 {
		return fmt.Errorf("an empty tree is kept")
	}
	kept := slices.DeleteFunc(slices.Clone(got), func(e item) bool {
		_, wanted := slices.BinarySearchFunc(want, e, item.compare)
		return e.end <= now && !wanted
	})
	if !slices.Equal(kept, want) {
		return fmt.Errorf("the tree has %v, not %v", got, want)
	}
	var second []int32
	if _, err := st.primary.check(st.root, got, &second); err != nil {
		return err
	}
	if err := st.primary.complete(st.root); err != nil {
		return err
	}
	return st.secondary.complete(second...)
}

// entries appends the entries of a tree, in order.
func (f *forest) entries(tree int32, list []item) []item {
	list = slices.Grow(list, int(f.size(tree)))
	if tree < 0 {
		return f.appendLeaf(^tree, list)
	}
	return f.entries(f.inner[tree].right, f.entries(f.inner[tree].left, list))
}

// check checks that a tree with some entries is in order and in balance, and that its secondary
// trees are too. It appends the secondary trees to second, and returns the entries by end.
func (f *forest) check(tree int32, list []item, second *[]int32) (ends []item, err error) {
	if f.size(tree) != int32(len(list)) {
		return nil, fmt.Errorf("the size of %v is %d", list, f.size(tree))
	}
	if tree < 0 {
		if len(list) > int(f.perLeaf) || !slices.IsSortedFunc(list, item.compare) {
			return nil, fmt.Errorf("a leaf has %v", list)
		}
		if f.second != nil {
			for _, e := range list {
				ends = append(ends, e.byEnd())
			}
			slices.SortFunc(ends, item.compare)
		}
		return ends, nil
	}
	nd := f.inner[tree]
	n := f.size(nd.left)
	if n == 0 || n == nd.size || heavy(n, nd.size) || heavy(nd.size-n, nd.size) {
		return nil, fmt.Errorf("%d of %d are on the left", n, nd.size)
	}
	if !nd.toLeft(list[n-1]) || nd.toLeft(list[n]) {
		return nil, fmt.Errorf("(%d, %d) does not part %v at %d", nd.key, nd.server, list, n)
	}
	left, err := f.check(nd.left, list[:n], second)
	if err != nil {
		return nil, err
	}
	right, err := f.check(nd.right, list[n:], second)
	if err != nil || f.second == nil {
		return nil, err
	}
	ends = make([]item, len(list))
	merge(ends[:0], left, right)
	*second = append(*second, nd.second)
	got := f.second.entries(nd.second, nil)
	if !slices.Equal(got, ends) {
		return nil, fmt.Errorf("a secondary tree has %v, not %v", got, ends)
	}
	if _, err := f.second.check(nd.second, ends, nil); err != nil {
		return nil, fmt.Errorf("secondary tree: %w", err)
	}
	return ends, nil
}

// complete checks that each node of the arenas is in exactly one of the trees, or free.
func (f *forest) complete(roots ...int32) error {
	seen := make([]bool, len(f.leaf)+len(f.inner))
	n := 0
	see := func(tree int32) bool {
		place := &seen[int(tree)+len(f.leaf)]
		twice := *place
		*place = true
		n++
		return !twice
	}
	var visit func(tree int32) error
	visit = func(tree int32) error {
		if !see(tree) {
			return fmt.Errorf("node %d is used twice", tree)
		}
		if tree < 0 {
			return nil
		}
		if err := visit(f.inner[tree].left); err != nil {
			return err
		}
		return visit(f.inner[tree].right)
	}
	for _, r := range roots {
		if err := visit(r); err != nil {
			return err
		}
	}
	for i := f.freeInner; i != 0; i = f.inner[i-1].left {
		if !see(i - 1) {
			return fmt.Errorf("node %d is free and in use", i-1)
		}
	}
	for i := f.freeLeaf; i != 0; i = f.leaf[i-1].n {
		if !see(-i) {
			return fmt.Errorf("leaf %d is free and in use", i-1)
		}
	}
	if n != len(seen) {
		return fmt.Errorf("of %d inner nodes and %d leaves are %d in use or free", len(f.inner), len(f.leaf), n)
	}
	return nil
}
