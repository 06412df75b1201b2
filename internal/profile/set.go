package profile

import "math/bits"

// set is a set of entries of a node, a bit for each.
type set [2]uint64

// atLeast returns the set of those numbers of a list that are n or more with acc added. It has no
// branch that depends on a number, since a processor cannot foretell these.
func atLeast[U Units](list []U, acc, n U) (s set) {
	for i, u := range list {
		has := uint64(0)
		if u+acc >= n {
			has = 1
		}
		s[i/64] |= has << (i & 63)
	}
	return s
}

// complement returns what is not in the set, entries that no node has among it.
func (s set) complement() set { return set{^s[0], ^s[1]} }

// from returns the first entry of the set that is i or after, or more than any node has.
func (s set) from(i int) int {
	if i < 64 {
		if w := s[0] >> (i & 63); w != 0 {
			return i + bits.TrailingZeros64(w)
		}
		i = 64
	}
	return i + bits.TrailingZeros64(s[1]>>(i&63))
}
