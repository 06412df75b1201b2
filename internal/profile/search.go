package profile

import "github.com/bookahead/bookahead"

// earliest returns the first start from first to last at which n units are free for d ticks. It
// leads c to that start, or past it. It goes from gap to gap, and asks the index once
// it has met many.
func (p *Tree[U]) earliest(c *cursor[U], first, last, d bookahead.Time, n U) (bookahead.Time, bool) {
	c.seek(p.root, first)
	t := first
	if c.free() < n {
		if !c.toAtLeast(n, last) {
			return 0, false
		}
		t = c.start()
	}
	h := hunt[U]{cursor: c, n: n, d: d, last: last, class: classOf(uint64(n)), enough: up(d), astray: p.Astray}
	for gaps := 0; c.toBelow(n, t+d); gaps++ {
		if gaps < p.Patience || !p.far(c, last) {
			if !c.toAtLeast(n, last) {
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

// far reports whether last is more than Knobs.Near leaves ahead. For less the index does not pay:
// each update keeps up the bounds that are there. The leaves beside this one tell about how
// long a leaf is here.
func (p *Tree[U]) far(c *cursor[U], last bookahead.Time) bool {
	if c.leaf == 0 || p.Near == 0 {
		return c.leaf > 0
	}
	nd := c.path[c.leaf-1].nd
	return (last-c.start())/bookahead.Time(p.Near) > (nd.start(nd.n-1)-nd.start(0))/bookahead.Time(nd.n)
}

// hunt is a search that goes by the bounds. It passes the rest of a leaf, then the leaves beside
// it, then the nodes beside their parent, and so on, as long as nothing can fit:
//
//	                      ┌────────────┬─ 4 ─┬─ ...
//	          ┌─ 2 ─┬─ 3 ─┤         ...
//	▒▒▒▒ 1    │     │     │
//	leaf      leaf  leaf  leaf
//
// A run may begin in a leaf that it has passed and end in one to come. carry bounds its length so
// far.
// Where carry and the next prefix are long enough, the hunt lands at the start of that run, and
// the search goes on from there, gap by gap.
type hunt[U Units] struct {
	*cursor[U]

	// What is wanted.
	n       U
	d, last bookahead.Time
	class   int    // of n
	enough  uint64 // d, packed
	astray  int    // leaves that it looks into before its bounds become exact

	// How far it has come.
	carry  bookahead.Time // less than d, between two entries
	t      bookahead.Time // where the next run may start, once there is one
	leafIn *node[U]       // the leaf in which it stood last
	looked int            // leaves that it has looked into
}

type outcome int

const (
	passed outcome = iota // nothing fits there
	found                 // something may
	late                  // all that is left starts after last
)

// leap moves from a step with less than n free to the next run that may be long enough, and
// reports whether there is one that starts by last. It stays in the leaf if a run there may be
// long enough. Otherwise the leaf's suffix goes on into the next leaf. No bound makes that
// longer than the rest of the leaf.
func (h *hunt[U]) leap(root *node[U]) bool {
	s := &h.path[h.leaf]
	if s.nd != h.leafIn {
		h.leafIn = s.nd
		h.looked++
	}
	r := h.here()
	if r.best >= h.d { // so the leaf has one more to try, or its bounds are for fewer units
		for i := s.i; i < s.nd.n; i++ {
			if s.nd.low[i]+s.acc >= h.n {
				s.i, h.t = i, s.nd.start(i)
				return h.t <= h.last
			}
		}
		h.carry = 0
	} else {
		h.carry = min(r.suffix, s.end-s.nd.start(s.i)) // a run that began before has failed
	}
	for level := h.leaf - 1; level >= 0; level-- {
		switch h.pass(level, h.path[level].i+1) { // the nodes beside the way
		case found:
			return h.land(root)
		case late:
			return false
		}
	}
	return false
}

// land moves to the run that may start at t. The bounds may be too long. Then there need not be n
// units at t, and it moves to the next step that has them.
func (h *hunt[U]) land(root *node[U]) bool {
	h.seek(root, h.t)
	if h.free() < h.n {
		if !h.toAtLeast(h.n, h.last) {
			return false
		}
		h.t = h.start()
	}
	return h.t <= h.last
}

// bounds returns those of a node that the hunt goes by. Once it has been led astray often, they
// are exact. A hunt must ask again whenever that may have become so, even in the middle of a
// node: if the exact bounds began with the next node only, each search would enter the same
// leaves in vain.
func (h *hunt[U]) bounds(s *spot[U]) *bounds[U] {
	if h.looked > h.astray {
		return s.nd.exactly(h.class, s.acc, h.n)
	}
	return s.nd.bounds(h.class, s.acc, h.n)
}

// here returns the runs of the leaf that the cursor is in.
func (h *hunt[U]) here() run {
	s, leaf := &h.path[h.leaf-1], &h.path[h.leaf]
	known := h.bounds(s)
	b := known.word[s.i].get()
	r := unpack(b, leaf.end-s.nd.start(s.i))
	if r.best >= h.d && b&loose != 0 {
		r = leaf.nd.measure(leaf.acc, leaf.end, known.units(s.acc))
		known.word[s.i].put(pack(r))
	}
	return r
}

// pass passes the entries of a node from one on:
//
//	the entry                           means               then
//	high < n                            no run              carry = 0
//	low >= n                            all of it is one    carry += length; found if it is d
//	best < d and carry + prefix < d     none is long enough carry = suffix
//	an inner node otherwise             perhaps             pass its entries
//	a leaf otherwise                    perhaps             measure it; found if it still fits
//
// If something may fit, t is such that nothing before it does. Bounds are made shorter only for
// entries that have been passed to their end: of the rest, nothing new is known.
func (h *hunt[U]) pass(level, from int) outcome {
	s := &h.path[level]
	nd := s.nd
	known := h.bounds(s)
	for i := from; i < nd.n; i++ {
		begin, end := nd.start(i), nd.end(i, s.end)
		switch {
		case begin-h.carry > h.last: // as do all runs from here on
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
		// One step at least has too little, so that no run goes through from end to end, and
		// the carry begins anew with the suffix. Most entries end here, and only the prefix and
		// the suffix of their words were unpacked.
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
			o := h.pass(level+1, 0)
			if o != passed {
				return o
			}
			// It did not fit, so the bound was too long. The kid's bounds, which the hunt has
			// made shorter on its way, make a better one.
			known = h.bounds(s)
			if known.word[i].get()&loose != 0 {
				known.word[i].put(kid.joined(acc, end, h.class, known.units(s.acc)))
			}
			continue
		}
		if b&loose != 0 {
			r = kid.measure(acc, end, known.units(s.acc))
			known.word[i].put(pack(r))
		}
		if h.fits(r) && known.units(s.acc) < h.n {
			// It fits for the fewer units that the bounds are for. To measure the leaf for n
			// units is cheaper than to land there and fail.
			h.looked++
			known = h.bounds(s)
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

// latest returns the last start from first to last at which n units are free for d ticks. It
// goes from gap to gap, backwards, without the index. end is the latest end that is left. For 4
// units and 6 ticks, and 18 as the last start:
//
//	free  4 1 4 1 4    from 0, 4, 7, 14 and 20 on
//	end   24           [14, 20) has too little, and ends after 24-6
//	      14           4 are free from 7 on, no later than 14-6: the start is 8
func (p *Tree[U]) latest(first, last, d bookahead.Time, n U) (bookahead.Time, bool) {
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
