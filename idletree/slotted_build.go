package idletree

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// build makes a tree of a sorted list, in perfect balance. O(n), or O(n log n) with
// secondary trees, not counting the sorting within leaves.
func (f *forest) build(list []item, r *room) int32 {
	if f.second == nil {
		return f.grow(list, list, list)
	}
	r.ends = slices.Grow(r.ends[:0], len(list))[:len(list)]
	r.spare = slices.Grow(r.spare[:0], len(list))[:len(list)]
	return f.grow(list, r.ends, r.spare)
}

// grow does the work of build. If there are secondary trees, it leaves the list by end in
// ends, so that the node above only needs to merge two lists; space is room for this.
func (f *forest) grow(list, ends, space []item) int32 {
	if len(list) <= int(f.perLeaf) {
		if f.second != nil {
			for i, e := range list {
				ends[i] = e.byEnd()
			}
			slices.SortFunc(ends, item.compare)
		}
		return f.newLeaf(list)
	}
	mid := len(list) / 2
	nd := inner{key: list[mid].key, server: list[mid].server, size: int32(len(list))}
	nd.left = f.grow(list[:mid], ends[:mid], space[:mid])
	nd.right = f.grow(list[mid:], ends[mid:], space[mid:])
	if f.second != nil {
		merge(space[:0], ends[:mid], ends[mid:])
		copy(ends, space)
		nd.second = f.second.grow(ends, ends, ends)
	}
	return f.newInner(nd)
}

// merge appends two sorted lists to a third, which has room for them.
func merge(to, a, b []item) {
	for len(a) > 0 && len(b) > 0 {
		if a[0].compare(b[0]) < 0 {
			to, a = append(to, a[0]), a[1:]
		} else {
			to, b = append(to, b[0]), b[1:]
		}
	}
	_ = append(append(to, a...), b...)
}

// dissolve appends the entries of a tree to the list, in order, and frees the nodes of the
// tree.
func (f *forest) dissolve(tree int32, list []item) []item {
	if tree < 0 {
		list = f.appendLeaf(^tree, list)
		f.freeNode(tree)
		return list
	}
	nd := f.inner[tree]
	f.freeNode(tree)
	return f.dissolve(nd.right, f.dissolve(nd.left, list))
}

func (f *forest) appendLeaf(number int32, list []item) []item {
	l := &f.leaf[number]
	for i := range l.n {
		e := item{key: l.key[i], server: l.server[i]}
		if f.second != nil {
			e.end = f.end[number][i]
		}
		list = append(list, e)
	}
	return list
}

// drop frees the nodes of a tree.
func (f *forest) drop(tree int32) {
	if tree >= 0 {
		f.drop(f.inner[tree].left)
		f.drop(f.inner[tree].right)
	}
	f.freeNode(tree)
}

// freeNode frees one node, and its secondary tree.
func (f *forest) freeNode(tree int32) {
	if tree < 0 {
		f.leaf[^tree].n, f.freeLeaf = f.freeLeaf, -tree
		return
	}
	if f.second != nil {
		f.second.drop(f.inner[tree].second)
	}
	f.inner[tree].left, f.freeInner = f.freeInner, tree+1
}

func (f *forest) newInner(nd inner) int32 {
	i := f.freeInner - 1
	if i < 0 {
		f.inner = append(f.inner, nd)
		return int32(len(f.inner) - 1)
	}
	f.freeInner = f.inner[i].left
	f.inner[i] = nd
	return i
}

func (f *forest) newLeaf(list []item) int32 {
	i := f.freeLeaf - 1
	if i < 0 {
		i = int32(len(f.leaf))
		f.leaf = append(f.leaf, leaf{})
		if f.second != nil {
			f.end = append(f.end, [leafSize]bookahead.Time{})
		}
	} else {
		f.freeLeaf = f.leaf[i].n
	}
	l := &f.leaf[i]
	l.n = int32(len(list))
	for j, e := range list {
		l.key[j], l.server[j] = e.key, e.server
		if f.second != nil {
			f.end[i][j] = e.end
		}
	}
	return ^i
}

// room holds the entries of a subtree while it is built anew.
type room struct{ items, ends, spare []item }
