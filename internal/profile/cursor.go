package profile

import "github.com/bookahead/bookahead"

// maxHeight is more than any tree has: with a quarter of fanout in each node, 10
// levels hold 10^14 steps, and with the narrow nodes of tests tens of thousands.
const maxHeight = 10

// cursor stands on a step, and moves to later or to earlier ones. It goes along a leaf, then up
// until an entry beside the way has a step to stop at, and down to that step:
//
//	n = 3            low  1   2   1
//	                 high 2   4   5         2: up, past no entry; 4 is enough
//	               ╱      │      ╲
//	free      ▸2 1 2    2 4 3    1 5 2      1: along; 3: down to the first with 3 or more
//
// So the next step with n units, or with fewer, is O(log v) away, however far.
type cursor[U Units] struct {
	path [maxHeight]spot[U]
	leaf int // the level of the leaf
}

// seek moves to the step that contains t.
func (c *cursor[U]) seek(root *node[U], t bookahead.Time) {
	c.path[0] = spot[U]{nd: root, end: bookahead.MaxTime}
	c.leaf = 0
	for {
		s := &c.path[c.leaf]
		s.i = s.nd.entryAt(t)
		if s.nd.inner == nil {
			return
		}
		c.enter(c.leaf)
		c.leaf++
	}
}

// enter sets the level below to the first entry of the kid that level is at.
func (c *cursor[U]) enter(level int) *spot[U] {
	s, below := &c.path[level], &c.path[level+1]
	below.nd, below.i = s.nd.kid[s.i], 0
	below.acc, below.end = s.acc+s.nd.add[s.i], s.nd.end(s.i, s.end)
	return below
}

// next moves to the next step, and reports whether there is one.
func (c *cursor[U]) next() bool {
	for level := c.leaf; level >= 0; level-- {
		s := &c.path[level]
		if s.i+1 == s.nd.n {
			continue
		}
		s.i++
		for ; level < c.leaf; level++ {
			c.enter(level)
		}
		return true
	}
	return false
}

func (c *cursor[U]) free() U {
	s := &c.path[c.leaf]
	return s.nd.low[s.i] + s.acc
}

func (c *cursor[U]) start() bookahead.Time {
	s := &c.path[c.leaf]
	return s.nd.start(s.i)
}

func (c *cursor[U]) end() bookahead.Time {
	s := &c.path[c.leaf]
	return s.nd.end(s.i, s.end)
}

// stride is after how many entries toBelow looks at the time. The units lie side by side in
// memory, and a run of the usual length ends within one stride or two.
const stride = 8

// toBelow moves to the first step from here on with less than n free, if that starts before
// until. O(log v) but for the rest of the leaf.
func (c *cursor[U]) toBelow(n U, until bookahead.Time) bool {
	s := &c.path[c.leaf]
	for i := s.i; i < s.nd.n; {
		for _, low := range s.nd.low[i:min(i+stride, s.nd.n)] {
			if low+s.acc < n {
				s.i = i
				return s.nd.start(i) < until
			}
			i++
		}
		if s.nd.start(i-1) >= until {
			return false
		}
	}
	for level := c.leaf - 1; level >= 0 && c.path[level+1].end < until; level-- {
		s := &c.path[level]
		for i := s.i + 1; i < s.nd.n; i++ {
			if s.nd.low[i]+s.acc < n {
				if s.nd.start(i) >= until {
					return false
				}
				s.i = i
				c.downToBelow(level, n)
				return c.start() < until
			}
		}
	}
	return false
}

// downToBelow moves to the first step with less than n free below the entry that level is at.
// There is one.
func (c *cursor[U]) downToBelow(level int, n U) {
	for ; level < c.leaf; level++ {
		s := c.enter(level)
		for s.nd.low[s.i]+s.acc >= n {
			s.i++
		}
	}
}

// toAtLeast moves to the first step from here on with n or more free, if that starts by last.
// O(log v) but for the rest of the leaf.
func (c *cursor[U]) toAtLeast(n U, last bookahead.Time) bool {
	s := &c.path[c.leaf]
	for i := s.i; i < s.nd.n; i++ {
		if s.nd.low[i]+s.acc >= n {
			s.i = i
			return s.nd.start(i) <= last
		}
	}
	for level := c.leaf - 1; level >= 0 && c.path[level+1].end <= last; level-- {
		s := &c.path[level]
		for i := s.i + 1; i < s.nd.n; i++ {
			if s.nd.high[i]+s.acc >= n {
				if s.nd.start(i) > last {
					return false
				}
				s.i = i
				c.downToAtLeast(level, n)
				return c.start() <= last
			}
		}
	}
	return false
}

// downToAtLeast moves to the first step with n or more free below the entry that level is at.
// There is one.
func (c *cursor[U]) downToAtLeast(level int, n U) {
	for ; level < c.leaf; level++ {
		s := c.enter(level)
		most := s.nd.most()
		for most[s.i]+s.acc < n {
			s.i++
		}
	}
}

// backToBelow moves to the last step up to here with less than n free, if that ends after t.
// It leaves the node that it stands in before it looks further left, so that an inner node
// begins with the entry beside the way. O(log v) but for the leaf.
func (c *cursor[U]) backToBelow(n U, t bookahead.Time) bool {
	for level := c.leaf; level >= 0; level-- {
		s := &c.path[level]
		if level < c.leaf {
			s.i--
		}
		for ; s.i >= 0; s.i-- {
			if s.nd.end(s.i, s.end) <= t {
				return false
			}
			if s.nd.low[s.i]+s.acc < n {
				for ; level < c.leaf; level++ {
					below := c.enterLast(level)
					for below.nd.low[below.i]+below.acc >= n {
						below.i--
					}
				}
				return c.end() > t
			}
		}
	}
	return false
}

// backToAtLeast moves to the last step up to here with n or more free. O(log v) but for the
// leaf.
func (c *cursor[U]) backToAtLeast(n U) bool {
	for level := c.leaf; level >= 0; level-- {
		s := &c.path[level]
		if level < c.leaf {
			s.i--
		}
		for most := s.nd.most(); s.i >= 0; s.i-- {
			if most[s.i]+s.acc >= n {
				for ; level < c.leaf; level++ {
					below := c.enterLast(level)
					most := below.nd.most()
					for most[below.i]+below.acc < n {
						below.i--
					}
				}
				return true
			}
		}
	}
	return false
}

// enterLast sets the level below to the last entry of the kid that level is at.
func (c *cursor[U]) enterLast(level int) *spot[U] {
	below := c.enter(level)
	below.i = below.nd.n - 1
	return below
}
