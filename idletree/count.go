package idletree

import "github.com/bookahead/bookahead"

// Free returns how many servers are free throughout the part of w that lies between now and the
// horizon: the Free of a RangeQuery, without the list of servers. It is 0 if no part is left. The
// error is that of RangeQuery. O(log p + l) for p idle periods, and l leaves with a period that
// contains the part. If all periods of a leaf, which are 63 at most, contain the part, only their
// number is read.
func (x *Tree) Free(w bookahead.Interval) (int64, error) {
	w, err := x.s.Window(w)
	if err != nil || w.Empty() {
		return 0, err
	}
	return int64(x.tree().index.root.count(w)), nil
}

// count returns how many idle periods contain w. It goes the same way as descend. But by T4 a leaf
// need not be read if its earliest end is late enough and all its periods start by w.Start, because
// then all of them contain w. Only the last kid that starts by w.Start may have periods that start
// later:
//
//	w = [6, 7)    start    0    5    9     kid 1 is the last that starts by 6, and is read
//	              soonest  7   12   20     all of kid 0 ends at 7 or later: its 3 periods count
func (nd *node) count(w bookahead.Interval) int {
	behind, n := nd.after(w.Start), 0
	k := nd.kids
	if k == nil {
		for _, end := range nd.end[:behind] {
			if end >= w.End {
				n++
			}
		}
		return n
	}
	for i, end := range nd.end[:behind] {
		kid := k.node[i]
		switch {
		case end < w.End:
		case k.soonest[i] >= w.End && i < behind-1 && kid.kids == nil:
			n += int(kid.n)
		default:
			n += kid.count(w)
		}
	}
	return n
}
