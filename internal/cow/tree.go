package cow

import (
	"sync"

	"github.com/google/btree"
)

// Tree is a B-tree that shares its nodes with its clones until either side writes to them. After
// a Clone the trees share only nodes, to which neither writes, and a list of spare nodes, which
// has a lock of its own.
type Tree[T any] struct {
	btree.BTreeG[T]
	cloning sync.Mutex // BTreeG.Clone writes to the tree that it copies, in a field that only writes read
}

// NewTree returns b as a Tree. From then on b must not be used. The caller makes b, and so
// imports btree itself. In a package that does not import btree, the compiler inlines no
// comparison of keys, and a booking of carts.BTree takes a third longer.
func NewTree[T any](b *btree.BTreeG[T]) *Tree[T] { return &Tree[T]{BTreeG: *b} }

// Clone returns a copy. It may run beside queries and other Clones. O(1).
func (t *Tree[T]) Clone() *Tree[T] {
	t.cloning.Lock()
	defer t.cloning.Unlock()
	return NewTree(t.BTreeG.Clone())
}
