package profile

import "math/bits"

// set is a set of entries of a node, with a bit for each.
type set [2]uint64

// atLeast returns the set of the entries of a list whose number is n or more with acc added. It
// has no branch that depends on a number, since a processor cannot foretell such branches.
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

// complement returns the entries that are not in the set, and also entries that no node has.
func (s set) complement() set { return set{^s[0], ^s[1]} }

// from returns the first entry of the set that is i or later, or more than any node has.
func (s set) from(i int) int {
	if i < 64 {
		w := s[0] >> (i & 63)
		if w != 0 {
			return i + bits.TrailingZeros64(w)
		}
		i = 64
	}
	return i + bits.TrailingZeros64(s[1]>>(i&63))
}
