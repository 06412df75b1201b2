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

// clone copies the arenas. The caller must set second.
func (f *forest) clone() forest {
	c := *f
	c.inner, c.leaf, c.end = slices.Clone(f.inner), slices.Clone(f.leaf), slices.Clone(f.end)
	return c
}
