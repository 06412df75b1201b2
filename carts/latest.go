package carts

import "github.com/bookahead/bookahead"

// latest returns the last start from first to last at which n units are free for
// d ticks. It meets the runs from the last to the first.
func (p *profile[U]) latest(first, last, d bookahead.Time, n U) (bookahead.Time, bool) {
	var c cursor[U]
	end := last + d // no run that is left ends after
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

// backToBelow moves to the last entry up to here with less than n free, if that
// ends after t. O(log v) but for the leaf.
func (c *cursor[U]) backToBelow(n U, t bookahead.Time) bool {
	s := &c.path[c.leaf]
	for ; s.i >= 0; s.i-- {
		if s.nd.end(s.i, s.end) <= t {
			return false
		}
		if s.nd.low[s.i]+s.acc < n {
			return true
		}
	}
	for level := c.leaf - 1; level >= 0; level-- {
		s := &c.path[level]
		for s.i--; s.i >= 0; s.i-- {
			if s.nd.end(s.i, s.end) <= t {
				return false
			}
			if s.nd.low[s.i]+s.acc < n {
				for ; level < c.leaf; level++ {
					below := c.enter(level)
					for below.i = below.nd.n - 1; below.nd.low[below.i]+below.acc >= n; {
						below.i--
					}
				}
				return c.end() > t
			}
		}
	}
	return false
}

// backToAtLeast moves to the last entry up to here with n or more free.
func (c *cursor[U]) backToAtLeast(n U) bool {
	s := &c.path[c.leaf]
	for ; s.i >= 0; s.i-- {
		if s.nd.low[s.i]+s.acc >= n {
			return true
		}
	}
	for level := c.leaf - 1; level >= 0; level-- {
		s := &c.path[level]
		for s.i--; s.i >= 0; s.i-- {
			if s.nd.high[s.i]+s.acc >= n {
				for ; level < c.leaf; level++ {
					below := c.enter(level)
					below.i = below.nd.n - 1
					for most := below.nd.most(); most[below.i]+below.acc < n; {
						below.i--
					}
				}
				return true
			}
		}
	}
	return false
}
