package carts

import "github.com/bookahead/bookahead"

// earliest returns the first start from first to last at which n units are free
// for d ticks.
func (p *profile[U]) earliest(first, last, d bookahead.Time, n U) (bookahead.Time, bool) {
	var c cursor[U]
	return p.find(&c, first, last, d, n)
}

// find is earliest, and leads a cursor to what it finds or beyond. It goes from
// gap to gap, and asks the index once there are many.
func (p *profile[U]) find(c *cursor[U], first, last, d bookahead.Time, n U) (bookahead.Time, bool) {
	c.seek(p.root, first)
	t := first
	if c.free() < n {
		if !c.atLeast(n, last) {
			return 0, false
		}
		t = c.start()
	}
	h := hunt[U]{cursor: c, n: n, d: d, last: last, class: classOf(uint64(n)), enough: up(d), mayLand: p.mayLand}
	for gaps := 0; c.below(n, t+d); gaps++ {
		if gaps < p.patience || !p.far(c, last) {
			if !c.atLeast(n, last) {
				return 0, false
			}
			t = c.start()
			continue
		}
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
func (p *profile[U]) far(c *cursor[U], t bookahead.Time) bool {
	if c.leaf == 0 || p.near == 0 {
		return c.leaf > 0
	}
	nd := c.path[c.leaf-1].nd
	return (t-c.start())/bookahead.Time(p.near) > (nd.start(nd.n-1)-nd.start(0))/bookahead.Time(nd.n)
}

// hunt is a search that is led by the index. It passes the rest of a leaf, then
// the leaves beside it, then the nodes beside their parent, and so on, as long as
// nothing can fit:
//
//	                      ┌────────────┬─ 4 ─┬─ ...
//	          ┌─ 2 ─┬─ 3 ─┤         ...
//	▒▒▒▒ 1    │     │     │
//	leaf      leaf  leaf  leaf
//
// A run may begin in what has been passed and end in what comes: carry bounds its
// length so far. If that and the next prefix are long enough, the hunt lands
// where the run may begin, and the search goes on from there, gap by gap.
type hunt[U units] struct {
	*cursor[U]
	n       U
	d       bookahead.Time
	last    bookahead.Time
	class   int
	enough  uint64 // d, packed
	carry   bookahead.Time
	t       bookahead.Time // where the next run starts
	in      *node[U]       // the leaf that it has come to last
	lands   int            // how often it has come to a leaf in vain
	mayLand int
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
	if s.nd != h.in {
		h.in = s.nd
		h.lands++
	}
	h.carry = 0
	if r := h.here(); r.best < h.d {
		h.carry = min(r.suffix, s.end-s.nd.start(s.i)) // what came before has failed
	} else {
		for i := s.i; i < s.nd.n; i++ {
			if s.nd.low[i]+s.acc >= h.n {
				s.i, h.t = i, s.nd.start(i)
				return h.t <= h.last
			}
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

// known returns the bounds of a node that the hunt goes by: those that are there, or if it
// has been led astray often, exact ones.
func (h *hunt[U]) known(s *step[U]) *bounds[U] {
	if h.lands > h.mayLand {
		return s.nd.exactly(h.class, s.acc, h.n)
	}
	return s.nd.bounds(h.class, s.acc, h.n)
}

// here returns the runs of the leaf that the cursor is in.
func (h *hunt[U]) here() run {
	s, leaf := &h.path[h.leaf-1], &h.path[h.leaf]
	known := h.known(s)
	b := known.word[s.i].get()
	r := unpack(b, leaf.end-s.nd.start(s.i))
	if r.best >= h.d && b&loose != 0 {
		r = leaf.nd.measure(leaf.acc, leaf.end, known.units(s.acc))
		known.word[s.i].put(pack(r))
	}
	return r
}

// pass passes the entries of a node from one on. If it finds that something may
// fit, t is such that nothing before it does. Only what has been passed to its end
// is joined: of the rest, nothing new is known.
func (h *hunt[U]) pass(level, from int) outcome {
	s := &h.path[level]
	nd := s.nd
	known := h.known(s)
	for i := from; i < nd.n; i++ {
		begin, end := nd.start(i), nd.end(i, s.end)
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
		// There is too little in one slot of it at least, so that no run goes
		// through from end to end.
		b := known.word[i].get()
		if b.best() < h.enough && down(b.prefix()) < h.d-h.carry {
			h.carry = min(end-begin, down(b.suffix()))
			continue
		}
		r := unpack(b, end-begin)
		if !h.fits(r) {
			h.carry = r.suffix
			continue
		}
		kid, acc := nd.kid[i], s.acc+nd.add[i]
		if kid.inner != nil {
			s.i = i
			h.enter(level)
			if o := h.pass(level+1, 0); o != passed {
				return o
			}
			known = h.known(s)
			if known.word[i].get()&loose != 0 {
				known.word[i].put(kid.join(acc, end, h.class, known.units(s.acc)))
			}
			continue
		}
		if b&loose != 0 {
			r = kid.measure(acc, end, known.units(s.acc))
			known.word[i].put(pack(r))
		}
		if h.fits(r) && known.units(s.acc) < h.n {
			h.lands++
			known = h.known(s)
			r = kid.measure(acc, end, h.n)
			if known.units(s.acc) == h.n {
				known.word[i].put(pack(r))
			}
		}
		if h.fits(r) {
			h.t = begin
			if r.prefix >= h.d-h.carry {
				h.t -= h.carry
			}
			return found
		}
		h.carry = r.suffix
	}
	return passed
}

// fits reports whether r leaves it open that there is room.
func (h *hunt[U]) fits(r run) bool { return r.best >= h.d || r.prefix >= h.d-h.carry }
