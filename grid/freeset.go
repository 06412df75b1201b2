package grid

import (
	"math/bits"
	"slices"

	"github.com/bits-and-blooms/bitset"
)

// freeSet is a set of servers in which the lowest are found quickly, however few are left and
// wherever they lie. Level 0 has a bit for each server. Each further level has a bit for each
// word of the level below: the bit is set if the word is not empty.
//
//	level 1          1.......            only the first word of level 0 is not empty
//	level 0   ...1.1..│........│...      servers 3 and 5 are free
//
// The last level has one word, so that 2^24 servers take four levels. The zero value is
// the empty set of no servers.
type freeSet []*bitset.BitSet

const wordSize = 64

// allFree returns the set of n servers. O(n/64).
func allFree(n uint) freeSet {
	var f freeSet
	for n > 0 {
		f = append(f, bitset.New(n).SetAll())
		if n <= wordSize {
			break
		}
		n = (n + wordSize - 1) / wordSize
	}
	return f
}

// clone returns a copy. O(n/64) for n servers.
func (f freeSet) clone() freeSet {
	c := make(freeSet, len(f))
	for i, level := range f {
		c[i] = level.Clone()
	}
	return c
}

// has reports whether a server is free. O(1).
func (f freeSet) has(k int) bool { return f[0].Test(uint(k)) }

// add makes a server free. O(levels).
func (f freeSet) add(k int) {
	at := uint(k)
	for _, level := range f {
		if level.Test(at) {
			return // the bits above are set too
		}
		level.Set(at)
		at /= wordSize
	}
}

// remove makes a server no longer free. O(levels).
func (f freeSet) remove(k int) {
	at := uint(k)
	for _, level := range f {
		level.Clear(at)
		at /= wordSize
		if level.Words()[at] != 0 {
			return
		}
	}
}

// equal reports whether two sets of as many servers are the same, on all levels.
func (f freeSet) equal(g freeSet) bool {
	return slices.EqualFunc(f, g, func(a, b *bitset.BitSet) bool { return a.Equal(b) })
}

// lowest yields the free servers in ascending order, each in O(levels). The set must not change
// meanwhile.
func (f freeSet) lowest(yield func(int) bool) {
	if len(f) > 0 {
		f.below(len(f)-1, 0, yield)
	}
}

// below yields the servers below one word of a level. It returns false if yield does.
func (f freeSet) below(level int, word uint, yield func(int) bool) bool {
	left := f[level].Words()[word]
	for left != 0 {
		at := word*wordSize + uint(bits.TrailingZeros64(left))
		left &= left - 1
		if level > 0 && !f.below(level-1, at, yield) || level == 0 && !yield(int(at)) {
			return false
		}
	}
	return true
}
