package carts

import "github.com/bookahead/bookahead"

// earliest returns the first start from first to last at which n units are free
// for d ticks.
func (p *profile[U]) earliest(first, last, d bookahead.Time, n U) (bookahead.Time, bool) {
	var c cursor[U]
	return p.find(&c, first, last, d, n)
}

// find is earliest, and leads a cursor to what it finds or beyond.
func (p *profile[U]) find(c *cursor[U], first, last, d bookahead.Time, n U) (bookahead.Time, bool) {
	c.seek(p.root, first)
	t := first
	if c.free() < n {
		if !c.atLeast(n, last) {
			return 0, false
		}
		t = c.start()
	}
	for gaps := 0; c.below(n, t+d); gaps++ {
		if gaps < p.patience || !c.far(last) {
			if !c.atLeast(n, last) {
				return 0, false
			}
			t = c.start()
			continue
		}
		h := hunt[U]{cursor: c, n: n, d: d, last: last, class: classOf(uint64(n))}
		if !h.leap(p.root) {
			return 0, false
		}
		t = h.t
	}
	return t, true
}

// far reports whether t is more than some leaves away, of the length that leaves
// have here. For less the index is of no use, and it costs each update something
// once it is there.
func (c *cursor[U]) far(t bookahead.Time) bool {
	const some = 16
	if c.leaf == 0 {
		return false
	}
	nd := c.path[c.leaf-1].nd
	return (t-c.start())/some > (nd.start[nd.n-1]-nd.start[0])/bookahead.Time(nd.n)
}

// hunt is a search that is led by the index.
type hunt[U units] struct {
	*cursor[U]
	n     U
	d     bookahead.Time
	last  bookahead.Time
	class int
	// carry bounds the run that reaches the end of what has been passed, and
	// began in it.
	carry bookahead.Time
	t     bookahead.Time // where the next run starts
}

type outcome int

const (
	passed outcome = iota // nothing fits there
	found                 // something may
	late                  // all that is left starts after last
)

// leap moves from an entry with less than n free to the next run that may be
// long enough, and reports whether there is one.
func (h *hunt[U]) leap(root *node[U]) bool {
	s := &h.path[h.leaf]
	for i := s.i; i < s.nd.n; i++ { // the rest of the leaf
		if s.nd.low[i]+s.acc >= h.n {
			s.i, h.t = i, s.nd.start[i]
			return h.t <= h.last
		}
	}
	for level := h.leaf - 1; level >= 0; level-- {
		switch h.pass(level, h.path[level].i+1) {
		case found:
			h.seek(root, h.t)
			if h.free() < h.n {
				if !h.atLeast(h.n, h.last) {
					return false
				}
				h.t = h.start()
			}
			return h.t <= h.last
		case late:
			return false
		}
	}
	return false
}

// pass passes the entries of a node from one on. If it finds that something may
// fit, t is such that nothing before it does.
func (h *hunt[U]) pass(level, from int) outcome {
	s := &h.path[level]
	nd := s.nd
	known := nd.bounds(h.class, s.acc)
	for i := from; i < nd.n; i++ {
		begin, end := nd.start[i], nd.end(i, s.end)
		switch {
		case begin-h.carry > h.last:
			return late
		case nd.high[i]+s.acc < h.n:
			h.carry = 0
			continue
		case nd.low[i]+s.acc >= h.n:
			h.carry += end - begin
			if h.carry >= h.d {
				h.t = end - h.carry
				return found
			}
			continue
		}
		w := known.word[i].Load()
		r := unpack(w, end-begin)
		if !h.fits(r) {
			h.carry = r.then(h.carry, end-begin)
			continue
		}
		kid := nd.kid[i]
		if kid.inner == nil {
			if w&loose != 0 {
				r = kid.measure(s.acc+nd.add[i], end, threshold[U](h.class))
				known.word[i].Store(pack(r))
			}
			if h.fits(r) {
				h.t = begin - h.carry
				if h.carry+r.prefix < h.d {
					h.t = begin
				}
				return found
			}
			h.carry = r.then(h.carry, end-begin)
			continue
		}
		s.i = i
		h.enter(level)
		if o := h.pass(level+1, 0); o != passed {
			return o
		}
		if w&loose != 0 {
			known.word[i].Store(kid.join(s.acc+nd.add[i], end, h.class))
		}
	}
	return passed
}

// fits reports whether r leaves it open that there is room.
func (h *hunt[U]) fits(r run) bool { return r.best >= h.d || r.prefix >= h.d-h.carry }
