package nodes

import (
	"iter"
	"math/bits"
)

// meet takes off a set the nodes that are not in all of some rows, and returns how many are left. Offsets
// are the begins of the rows. Most requests name one or two resources, and for these one pass is enough.
func meet(set, rows []uint64, offsets []int) (n int) {
	switch len(offsets) {
	case 0:
		for _, word := range set {
			n += bits.OnesCount64(word)
		}
	case 1:
		row := rows[offsets[0]:][:len(set)]
		for i := range set {
			set[i] &= row[i]
			n += bits.OnesCount64(set[i])
		}
	case 2:
		row, more := rows[offsets[0]:][:len(set)], rows[offsets[1]:][:len(set)]
		for i := range set {
			set[i] &= row[i] & more[i]
			n += bits.OnesCount64(set[i])
		}
	default:
		meet(set, rows, offsets[2:])
		n = meet(set, rows, offsets[:2])
	}
	return n
}

// popcount returns how many nodes are in a set.
func popcount(set []uint64) (n int) {
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	return n
}

// part is a set of nodes as masks of words, in order; words without nodes are left out.
type part []span

type span struct {
	word int
	mask uint64
}

// partOf returns the part of nodes, which ascend.
func partOf(nodes []int) part {
	var p part
	for _, k := range nodes {
		if len(p) == 0 || p[len(p)-1].word != k/64 {
			p = append(p, span{word: k / 64})
		}
		p[len(p)-1].mask |= 1 << (k % 64)
	}
	return p
}

// count returns how many nodes of a part are in a set.
func (p part) count(set []uint64) (n int) {
	for _, x := range p {
		n += bits.OnesCount64(set[x.word] & x.mask)
	}
	return n
}

// in yields the nodes of a part that are in a set, in order.
func (p part) in(set []uint64) iter.Seq[int] {
	return func(yield func(k int) bool) {
		for _, x := range p {
			for word := set[x.word] & x.mask; word != 0; word &= word - 1 {
				if !yield(64*x.word + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// members returns the nodes of a row, in order.
func members(row []uint64) iter.Seq[int] {
	return func(yield func(k int) bool) {
		for i, word := range row {
			for ; word != 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
