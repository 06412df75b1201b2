package profile

import "github.com/bookahead/bookahead"

// earliest returns the first start from first to last at which n units are free for d ticks, and
// leaves c at that start, or past it. It goes from gap to gap, and asks the index once it has met
// many gaps that are too short. For 4 units and 6 ticks:
//
//	start   0   4   7   14  20       from 0 on, 4 are free for 4 ticks: too few at 4
//	free    4   1   4   1   4        next gap at 7: 7 ticks to 14, so the start is 7
func (p *Tree[U]) earliest(c *cursor[U], first, last, d bookahead.Time, n U) (bookahead.Time, bool) {
	p.seekFor(c, first, first+d)
	t := first
	if c.free() < n {
		if !c.toAtLeast(n, last) {
			return 0, false
		}
		t = c.start()
	}
	h := hunt[U]{cursor: c, n: n, d: d, last: last, class: classOf(uint64(n)), enough: up(d), half: up((d + 1) / 2), astray: p.Astray}
	for gaps := 0; c.toBelow(n, t+d); gaps++ {
		if gaps < p.Patience || !p.far(c, last) {
			if !c.toAtLeast(n, last) {
				return 0, false
			}
			t = c.start()
			continue
		}
		if !h.leap(p) {
			return 0, false
		}
		t = h.t
	}
	return t, true
}

// far reports whether last is more than Knobs.Near leaves ahead. For fewer leaves the index does
// not pay, because each update keeps up the bounds that are there. The leaves below the same
// parent give the usual length of a leaf here.
func (p *Tree[U]) far(c *cursor[U], last bookahead.Time) bool {
	if c.leaf == 0 || p.Near == 0 {
		return c.leaf > 0
	}
	nd := c.path[c.leaf-1].nd
	return (last-c.start())/bookahead.Time(p.Near) > (nd.start(nd.n-1)-nd.start(0))/bookahead.Time(nd.n)
}

// latest returns the last start from first to last at which n units are free for d ticks. It goes
// from gap to gap, backwards, without the index. end is the latest end that is still possible.
// For 4 units and 6 ticks, and 18 as the last start:
//
//	free  4 1 4 1 4    from 0, 4, 7, 14 and 20 on
//	end   24           [14, 20) has too little, and ends after 24-6
//	      14           4 are free from 7 on, no later than 14-6: the start is 8
func (p *Tree[U]) latest(first, last, d bookahead.Time, n U) (bookahead.Time, bool) {
	var c cursor[U]
	end := last + d // all ends after this are ruled out
	c.seek(p.root, end-1)
	for end-d >= first {
		if c.free() < n {
			if !c.backToAtLeast(n) {
				return 0, false
			}
			end = min(end, c.end())
		} else if c.backToBelow(n, end-d) {
			end = c.start()
		} else {
			return end - d, true
		}
	}
	return 0, false
}
