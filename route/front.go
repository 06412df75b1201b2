package route

import "sort"

// stairs is a set of pairs of which less is better in both, none covered by another: x
// goes up from each pair to the next, and y down. Of all pairs that are no greater in x, the last
// has the least y. So a new pair is covered by this pair or by none, and halving finds it:
//
//	(1, 9) (3, 5) (6, 2)      (4, 6) is covered by (3, 5); (4, 4) goes between (3, 5) and (6, 2)
//
// Pairs may come in any order, and often come at an end, so they are looked for at the ends first, and
// there is room at both ends. The zero stairs is empty.
type stairs struct {
	room  []stair
	first int // the pairs are room[first:]
}

// stair is a pair, and the number of links to tell equals apart: fewer are better.
type stair struct {
	x, y float64
	hops int32
}

func (f *stairs) reset() { f.room, f.first = f.room[:0], 0 }

func (f *stairs) pairs() []stair { return f.room[f.first:] }

// upTo returns how many pairs are no greater in x.
func (f *stairs) upTo(x float64) int {
	p := f.pairs()
	switch {
	case len(p) == 0 || p[0].x > x:
		return 0
	case p[len(p)-1].x <= x:
		return len(p)
	}
	return sort.Search(len(p), func(i int) bool { return p[i].x > x })
}

// covers reports whether a pair is no greater than s in both and, if it is equal, has no more
// links. O(log n) for n pairs.
func (f *stairs) covers(s stair) bool {
	i := f.upTo(s.x)
	if i == 0 {
		return false
	}
	have := &f.pairs()[i-1]
	return have.y < s.y || have.y == s.y && (have.x < s.x || have.hops <= s.hops)
}

// insert adds s, which no pair covers, and drops the pairs that s covers. O(log n) for n
// pairs, and the pairs between s and the nearer end move.
func (f *stairs) insert(s stair) {
	p := f.pairs()
	from := f.upTo(s.x)
	if from > 0 && p[from-1].x == s.x {
		from--
	}
	to := from
	for to < len(p) && p[to].y >= s.y {
		to++
	}
	switch {
	case to > from:
		p[from] = s
		f.room = append(f.room[:f.first+from+1], p[to:]...)
	case from < len(p)-from:
		if f.first == 0 {
			f.shift()
		}
		f.first--
		p = f.pairs()
		copy(p, p[1:from+1])
		p[from] = s
	default:
		f.room = append(f.room, s)
		p = f.pairs()
		copy(p[from+1:], p[from:])
		p[from] = s
	}
}

// shift makes as much room before the first pair as there are pairs.
func (f *stairs) shift() {
	n := len(f.room)
	gap := n + 4
	room := make([]stair, gap+n, gap+2*n)
	copy(room[gap:], f.room)
	f.room, f.first = room, gap
}
