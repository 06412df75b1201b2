package idletree

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// forest holds binary search trees. A tree is given by the number of its root: inner
// node root if the number is not negative, and leaf ^root otherwise. All entries are in
// leaves, up to 16 in each. A subtree is in balance if neither half has more than 3/4 of
// its entries, and a subtree that has lost its balance is built anew.
//
// In the forest of a primary tree, each inner node has a secondary tree in another
// forest: the same entries by their end.
type forest struct {
	inner     []inner
	leaf      []leaf
	end       [][leafSize]bookahead.Time // the ends of the entries of each leaf, if second is not nil
	second    *forest                    // holds the secondary trees; nil if there are none
	freeInner int32                      // the first free inner node, plus 1; the next is its left
	freeLeaf  int32                      // the first free leaf, plus 1; the next is its n
	perLeaf   int32                      // the most entries of a leaf
}

// leafSize is the number of entries for which a leaf has room.
const leafSize = 16

// inner is an inner node. The entries on the left come before (key, server), the paper's
// median, and the entries on the right do not.
type inner struct {
	key         bookahead.Time
	server      int32
	left, right int32
	size        int32 // entries below
	second      int32 // the secondary tree
}

type leaf struct {
	n      int32
	server [leafSize]int32
	key    [leafSize]bookahead.Time
}

// item is an entry of a tree: an idle period, ordered by key and then by server. In a
// primary tree the key is minus the start, so that the latest start comes first, and end
// is set. In a secondary tree the key is the end.
type item struct {
	key, end bookahead.Time
	server   int32
}

func (e item) compare(o item) int {
	c := cmp.Compare(e.key, o.key)
	if c != 0 {
		return c
	}
	return cmp.Compare(e.server, o.server)
}

// byEnd returns the entry of the same period in a secondary tree.
func (e item) byEnd() item { return item{key: e.end, server: e.server} }

// room holds the entries of a subtree while it is built anew.
type room struct{ items, ends, spare []item }

// size returns the number of entries of a tree.
func (f *forest) size(tree int32) int32 {
	if tree >= 0 {
		return f.inner[tree].size
	}
	return f.leaf[^tree].n
}

// toLeft reports whether e belongs to the left of the node.
func (nd *inner) toLeft(e item) bool {
	return e.key < nd.key || e.key == nd.key && e.server < nd.server
}

// place returns how many entries of the leaf come before e.
func (l *leaf) place(e item) int32 {
	i := int32(0)
	for i < l.n && (l.key[i] < e.key || l.key[i] == e.key && l.server[i] < e.server) {
		i++
	}
	return i
}

// from returns how many entries of the leaf have a key below the given one.
func (l *leaf) from(key bookahead.Time) int32 { return l.place(item{key: key, server: -1}) }

// heavy reports whether a part has more than 3/4 of the whole.
func heavy(part, whole int32) bool { return 4*int64(part) > 3*int64(whole) }

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

// clone copies the arenas. The caller must set second.
func (f *forest) clone() forest {
	c := *f
	c.inner, c.leaf, c.end = slices.Clone(f.inner), slices.Clone(f.leaf), slices.Clone(f.end)
	return c
}
