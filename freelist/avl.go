package freelist

import "github.com/bookahead/bookahead"

// avl is a tree over blocks by start. The two sides of a node differ in height by no more than
// one (Adelson-Velsky and Landis, 1962).
type avl struct{ root *node }

type node struct {
	block       *block
	left, right *node
	height      int
}

// floor returns the last block that starts at t or before, or nil. O(log b).
func (a *avl) floor(t bookahead.Time) *block {
	var found *block
	for n := a.root; n != nil; {
		if n.block.Start <= t {
			found, n = n.block, n.right
		} else {
			n = n.left
		}
	}
	return found
}

// last returns the last block, or nil. O(log b).
func (a *avl) last() *block { return a.floor(bookahead.MaxTime) }

// insert adds a block. O(log b).
func (a *avl) insert(b *block) { a.root = a.root.insert(b) }

// remove removes the block that starts where b does. O(log b).
func (a *avl) remove(b *block) { a.root = a.root.remove(b.Start) }

func (n *node) insert(b *block) *node {
	if n == nil {
		return &node{block: b, height: 1}
	}
	if b.Start < n.block.Start {
		n.left = n.left.insert(b)
	} else {
		n.right = n.right.insert(b)
	}
	return n.balance()
}

func (n *node) remove(t bookahead.Time) *node {
	switch {
	case n == nil:
		return nil
	case t < n.block.Start:
		n.left = n.left.remove(t)
	case t > n.block.Start:
		n.right = n.right.remove(t)
	case n.left == nil:
		return n.right
	case n.right == nil:
		return n.left
	default: // the next block takes the place of this one
		next := n.right
		for next.left != nil {
			next = next.left
		}
		n.block = next.block
		n.right = n.right.remove(next.block.Start)
	}
	return n.balance()
}

func (n *node) tall() int {
	if n == nil {
		return 0
	}
	return n.height
}

// lean returns by how much the left side is taller than the right.
func (n *node) lean() int { return n.left.tall() - n.right.tall() }

// balance restores the invariant after one side has grown or shrunk by one. If the taller side
// leans the other way, it is rotated first, so that one rotation of n is enough:
//
//	  9            9          6
//	3      ->    6      ->  3   9
//	  6        3
func (n *node) balance() *node {
	lean := n.lean()
	switch {
	case lean > 1:
		if n.left.lean() < 0 {
			n.left = n.left.rotateLeft()
		}
		return n.rotateRight()
	case lean < -1:
		if n.right.lean() > 0 {
			n.right = n.right.rotateRight()
		}
		return n.rotateLeft()
	}
	n.height = 1 + max(n.left.tall(), n.right.tall())
	return n
}

func (n *node) rotateRight() *node {
	up := n.left
	n.left, up.right = up.right, n
	n.height = 1 + max(n.left.tall(), n.right.tall())
	up.height = 1 + max(up.left.tall(), up.right.tall())
	return up
}

func (n *node) rotateLeft() *node {
	up := n.right
	n.right, up.left = up.left, n
	n.height = 1 + max(n.left.tall(), n.right.tall())
	up.height = 1 + max(up.left.tall(), up.right.tall())
	return up
}
