package idletree

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// insert adds an entry, and returns the tree. If a half would become heavy, or the leaf is
// full, the subtree is built anew with the entry. O(log n) amortised, and O(log² n) with
// secondary trees.
func (f *forest) insert(tree int32, e item, r *room) int32 {
	parent, at := int32(-1), tree
	for at >= 0 {
		nd := &f.inner[at]
		kid := nd.right
		if nd.toLeft(e) {
			kid = nd.left
		}
		if heavy(f.size(kid)+1, nd.size+1) {
			break
		}
		nd.size++
		if f.second != nil {
			nd.second = f.second.insert(nd.second, e.byEnd(), r)
		}
		parent, at = at, kid
	}
	if at < 0 && f.leaf[^at].n < f.perLeaf {
		f.put(^at, e)
		return tree
	}
	list := f.dissolve(at, r.items[:0])
	i, _ := slices.BinarySearchFunc(list, e, item.compare)
	r.items = slices.Insert(list, i, e)
	return f.replace(tree, parent, at, f.build(r.items, r))
}

// remove takes an entry out, and returns the tree. If the other half would become heavy, or
// few entries are left, the subtree is built anew without the entry. Costs are those of
// insert.
func (f *forest) remove(tree int32, e item, r *room) int32 {
	parent, at := int32(-1), tree
	for at >= 0 {
		nd := &f.inner[at]
		kid, other := nd.right, nd.left
		if nd.toLeft(e) {
			kid, other = nd.left, nd.right
		}
		if nd.size-1 <= f.perLeaf*3/4 || heavy(f.size(other), nd.size-1) {
			break
		}
		nd.size--
		if f.second != nil {
			nd.second = f.second.remove(nd.second, e.byEnd(), r)
		}
		parent, at = at, kid
	}
	if at < 0 {
		f.cut(^at, e)
		return tree
	}
	list := f.dissolve(at, r.items[:0])
	i, _ := slices.BinarySearchFunc(list, e, item.compare)
	r.items = slices.Delete(list, i, i+1)
	return f.replace(tree, parent, at, f.build(r.items, r))
}

// setEnd changes the end of the period e in a primary tree. O(log² n).
func (f *forest) setEnd(tree int32, e item, end bookahead.Time, r *room) {
	for tree >= 0 {
		nd := &f.inner[tree]
		nd.second = f.second.remove(nd.second, e.byEnd(), r)
		nd.second = f.second.insert(nd.second, item{key: end, server: e.server}, r)
		if nd.toLeft(e) {
			tree = nd.left
		} else {
			tree = nd.right
		}
	}
	f.end[^tree][f.leaf[^tree].place(e)] = end
}

// put adds an entry to a leaf that has room.
func (f *forest) put(number int32, e item) {
	l := &f.leaf[number]
	i := l.place(e)
	copy(l.key[i+1:], l.key[i:l.n])
	copy(l.server[i+1:], l.server[i:l.n])
	l.key[i], l.server[i] = e.key, e.server
	if f.second != nil {
		end := &f.end[number]
		copy(end[i+1:], end[i:l.n])
		end[i] = e.end
	}
	l.n++
}

// cut takes an entry out of a leaf.
func (f *forest) cut(number int32, e item) {
	l := &f.leaf[number]
	i := l.place(e)
	copy(l.key[i:], l.key[i+1:l.n])
	copy(l.server[i:], l.server[i+1:l.n])
	if f.second != nil {
		end := &f.end[number]
		copy(end[i:], end[i+1:l.n])
	}
	l.n--
}

// replace puts another subtree in the place of old, and returns the tree. If old has no
// parent, it is the whole tree.
func (f *forest) replace(tree, parent, old, by int32) int32 {
	if parent < 0 {
		return by
	}
	nd := &f.inner[parent]
	if nd.left == old {
		nd.left = by
	} else {
		nd.right = by
	}
	return tree
}
