package profile

import "github.com/bookahead/bookahead"

// maxHeight is more levels than any tree has: with a quarter of fanout in each node, 10 levels
// hold 10^14 steps, and with the narrow nodes of tests tens of thousands.
const maxHeight = 10

// cursor stands on a step, and moves to later or to earlier steps. It goes along its leaf, then
// up until an entry beside the way has a step to stop at, and down to that step:
//
//	n = 3            low  1   2   1
//	                 high 2   4   5         2. up: the next entry has high 4, which is enough
//	               ╱      │      ╲
//	free      ▸2 1 2    2 4 3    1 5 2      1. along the leaf: no step has 3 units
//	                                        3. down: the first step with 3 or more has 4
//
// So the next step with n units or more, or with fewer, is O(log v) away, however far.
type cursor[U Units] struct {
	path [maxHeight]spot[U]
	leaf int // the level of the leaf; the root is at 0
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

// enter moves the level below to the first entry of the kid at which level stands, and returns
// the spot there. acc sums up the adds on the way, so the numbers of the kid plus acc are free
// units.
func (c *cursor[U]) enter(level int) *spot[U] {
	s, below := &c.path[level], &c.path[level+1]
	below.nd, below.i = s.nd.kid[s.i], 0
	below.acc, below.end = s.acc+s.nd.add[s.i], s.nd.end(s.i, s.end)
	return below
}

// next moves to the next step, and reports whether there is one. It climbs until a node has
// another entry, and from there enters the first kids down to a leaf.
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

// free returns the free units of the step.
func (c *cursor[U]) free() U {
	s := &c.path[c.leaf]
	return s.nd.low[s.i] + s.acc
}

// start returns when the step starts.
func (c *cursor[U]) start() bookahead.Time {
	s := &c.path[c.leaf]
	return s.nd.start(s.i)
}

// end returns when the step ends: where the next one starts, even if that is in another leaf.
func (c *cursor[U]) end() bookahead.Time {
	s := &c.path[c.leaf]
	return s.nd.end(s.i, s.end)
}

// stride is how many entries toBelow passes before it looks at the time. The units lie side by
// side in memory, the starts elsewhere, and a run of the usual length ends within one or two
// strides.
const stride = 8

// toBelow moves to the first step from here on with less than n free, if that step starts before
// until. O(log v) but for the rest of the leaf.
//
// A search asks whether n units stay free up to until. So toBelow gives up once all entries left
// start at until or later:
//
//	n = 3, until = 40   start   0   10  20  30  40  50
//	                    free   ▸4   4   5   3   1   4     the step at 40 is too late: false
func (c *cursor[U]) toBelow(n U, until bookahead.Time) bool {
	s := &c.path[c.leaf]
	// Along the rest of the leaf.
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
	// Up: the entries to the right of the way. Where one has a step with less, down to it.
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

// downToBelow moves to the first step with less than n free below the entry at which level
// stands. The caller knows that there is one, since the entry's low is less than n.
func (c *cursor[U]) downToBelow(level int, n U) {
	for ; level < c.leaf; level++ {
		s := c.enter(level)
		for s.nd.low[s.i]+s.acc >= n {
			s.i++
		}
	}
}

// toAtLeast moves to the first step from here on with n or more free, if that step starts by
// last. O(log v) but for the rest of the leaf.
func (c *cursor[U]) toAtLeast(n U, last bookahead.Time) bool {
	s := &c.path[c.leaf]
	// Along the rest of the leaf.
	for i := s.i; i < s.nd.n; i++ {
		if s.nd.low[i]+s.acc >= n {
			s.i = i
			return s.nd.start(i) <= last
		}
	}
	// Up, and down to the first step with enough.
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

// downToAtLeast moves to the first step with n or more free below the entry at which level
// stands. The caller knows that there is one, since the entry's high is n or more.
func (c *cursor[U]) downToAtLeast(level int, n U) {
	for ; level < c.leaf; level++ {
		s := c.enter(level)
		most := s.nd.most()
		for most[s.i]+s.acc < n {
			s.i++
		}
	}
}

// backToBelow moves to the last step up to here with less than n free, if that step ends after t.
// O(log v) but for the leaf.
//
// In the leaf it begins with the step at which it stands. In an inner node it begins one entry
// further left, as the entry on the way was looked through already:
//
//	n = 3           low   2   3   3
//	                    ╱     │     ╲       1. in the leaf: 4 and 3 are no less than 3
//	free          5 2 4     3 6     3▸4 5   2. up, then left: low 3 is no less, low 2 is
//	                                        3. down, from the right: 4 is no less, 2 is the step
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
					// Found: down by last entries, to the left as long as they have enough.
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

// backToAtLeast moves to the last step up to here with n or more free, as backToBelow does for
// less. O(log v) but for the leaf.
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

// enterLast moves the level below to the last entry of the kid at which level stands.
func (c *cursor[U]) enterLast(level int) *spot[U] {
	below := c.enter(level)
	below.i = below.nd.n - 1
	return below
}
