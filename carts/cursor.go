package carts

import "github.com/bookahead/bookahead"

// maxHeight is more than any tree has: with a quarter of fanout in each node, 10
// levels hold 10^11 entries.
const maxHeight = 10

// cursor stands on an entry of a leaf, and moves to later ones.
type cursor[U units] struct {
	path [maxHeight]step[U]
	leaf int // the level of the leaf
}

// seek moves to the entry that contains t.
func (c *cursor[U]) seek(root *node[U], t bookahead.Time) {
	c.path[0] = step[U]{nd: root, end: bookahead.MaxTime}
	c.leaf = 0
	for {
		s := &c.path[c.leaf]
		s.i = s.nd.at(t)
		if s.nd.inner == nil {
			return
		}
		c.enter(c.leaf)
		c.leaf++
	}
}

// enter sets the level below to the first entry of the one that level is at.
func (c *cursor[U]) enter(level int) *step[U] {
	s, below := &c.path[level], &c.path[level+1]
	below.nd, below.i = s.nd.kid[s.i], 0
	below.acc, below.end = s.acc+s.nd.add[s.i], s.nd.end(s.i, s.end)
	return below
}

// first moves to the first entry of the leaf that is first below the entry that
// level is at.
func (c *cursor[U]) first(level int) {
	for ; level < c.leaf; level++ {
		c.enter(level)
	}
}

// next moves to the next entry, and reports whether there is one.
func (c *cursor[U]) next() bool {
	for level := c.leaf; level >= 0; level-- {
		if s := &c.path[level]; s.i+1 < s.nd.n {
			s.i++
			c.first(level)
			return true
		}
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

// stride is after how many entries it is worth a look at the time.
const stride = 8

// below moves to the first entry from here on with less than n free, if that
// starts before until. O(log v) but for the rest of the leaf.
func (c *cursor[U]) below(n U, until bookahead.Time) bool {
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
				c.down(level, n)
				return c.start() < until
			}
		}
	}
	return false
}

// down moves to the first entry below the one that level is at with less than n
// free; there is one.
func (c *cursor[U]) down(level int, n U) {
	for ; level < c.leaf; level++ {
		s := c.enter(level)
		for s.nd.low[s.i]+s.acc >= n {
			s.i++
		}
	}
}

// atLeast moves to the first entry from here on with n or more free, if that
// starts by last. O(log v) but for the rest of the leaf.
func (c *cursor[U]) atLeast(n U, last bookahead.Time) bool {
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
				c.up(level, n)
				return c.start() <= last
			}
		}
	}
	return false
}

// up moves to the first entry below the one that level is at with n or more
// free; there is one.
func (c *cursor[U]) up(level int, n U) {
	for ; level < c.leaf; level++ {
		s := c.enter(level)
		for most := s.nd.most(); most[s.i]+s.acc < n; {
			s.i++
		}
	}
}
