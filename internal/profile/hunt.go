package profile

import "github.com/bookahead/bookahead"

// hunt is a search that goes by the bounds. It passes the rest of a leaf, then the leaves beside
// it, then the nodes beside their parent, and so on, as long as nothing can fit:
//
//	                      ┌────────────┬─ 4 ─┬─ ...
//	          ┌─ 2 ─┬─ 3 ─┤         ...
//	▒▒▒▒ 1    │     │     │
//	leaf      leaf  leaf  leaf
//
// A run may begin in a leaf that the hunt has passed and end in a leaf ahead, so carry bounds the
// length of the run that reaches up to here. Where carry and the next prefix are long enough
// together, the hunt lands at the start of that run, and the search goes on from there, gap by
// gap.
type hunt[U Units] struct {
	*cursor[U]

	// The request.
	n       U
	d, last bookahead.Time
	class   int    // of n
	enough  uint64 // d, packed
	half    uint64 // of d, packed
	astray  int    // after so many leaves, exact bounds are asked for

	// The way so far.
	carry  bookahead.Time // less than d, between two entries
	t      bookahead.Time // where the run starts, once one may be long enough
	leafIn *node[U]       // the leaf in which it stood last
	looked int            // leaves that it has looked into
}

type outcome int

const (
	passed outcome = iota // nothing fits there
	found                 // something may
	late                  // all runs that are left start after last
)

// leap moves from a step with less than n free to the next run that may be long enough, and
// reports whether there is one that starts by last. It stays in the leaf if a run there may be
// long enough. Otherwise the leaf's suffix goes on into the next leaf, as far as it lies after
// the step at which the hunt stands:
//
//	steps of 2 ticks   free  4 4 4 ▸1 4 4     a loose suffix may say 10; from ▸ on 6 ticks are left
func (h *hunt[U]) leap(p *Tree[U]) bool {
	s := &h.path[h.leaf]
	if s.nd != h.leafIn {
		h.leafIn = s.nd
		h.looked++
	}
	r := h.here()
	if r.best >= h.d { // a run of the leaf is left, or the bounds are for fewer units
		for i := s.i; i < s.nd.n; i++ {
			if s.nd.low[i]+s.acc >= h.n {
				s.i, h.t = i, s.nd.start(i)
				return h.t <= h.last
			}
		}
		h.carry = 0
	} else {
		h.carry = min(r.suffix, s.end-s.nd.start(s.i)) // a run that begins before here has failed
	}
	for level := h.leaf - 1; level >= 0; level-- {
		switch h.pass(level, h.path[level].i+1) { // the entries to the right of the way
		case found:
			return h.land(p)
		case late:
			return false
		}
	}
	return false
}

// land moves to the run that may start at t. The bounds may promise too much. Then t may have
// fewer than n units, and land moves on to the next step that has them.
func (h *hunt[U]) land(p *Tree[U]) bool {
	p.seekFor(h.cursor, h.t, h.t+h.d)
	if h.free() < h.n {
		if !h.toAtLeast(h.n, h.last) {
			return false
		}
		h.t = h.start()
	}
	return h.t <= h.last
}

// bounds returns the bounds of a node that the hunt uses. Once they have led the hunt astray
// often, these are exact. A hunt must ask again whenever that may have happened, even in the
// middle of a node. If the exact bounds began with the next node only, each search would enter
// the same leaves in vain.
func (h *hunt[U]) bounds(s *spot[U]) *bounds[U] {
	if h.looked > h.astray {
		return s.nd.exactly(h.class, s.acc, h.n)
	}
	return s.nd.bounds(h.class, s.acc, h.n)
}

// here returns the runs of the leaf in which the cursor stands. A loose word that would be long
// enough is measured first.
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

// pass passes the entries of a node, from entry from on. The last column is the example of the
// package comment, with 4 units for 12 ticks:
//
//	the entry                            means               then                              example
//	high < n                             no run              carry = 0                         C: 3 units at most
//	low >= n                             all of it is one    carry += length; found if it is d E: carry 5+6 = 11
//	best < d and carry + prefix < d      none long enough    carry = suffix                    B: 5+5 < 12, carry 0
//	an inner node otherwise              perhaps             pass its entries
//	a leaf otherwise, best < d           carry + prefix fits count both; found if still enough F: 11+5 >= 12, found
//	a leaf otherwise                     perhaps             measure it; found if still enough
//
// If something may fit, nothing fits before h.t. Bounds are made shorter only for entries that
// have been passed to their end: nothing new is known about the rest.
func (h *hunt[U]) pass(level, from int) outcome {
	s := &h.path[level]
	nd := s.nd
	known := h.bounds(s)
	end := nd.end(from-1, s.end)
	short := 0 // entries just passed with runs shorter than half of d
	for i := from; i < nd.n; i++ {
		if short == streak {
			short = 0
			i = h.skip(s, known, i)
			if i == nd.n {
				return passed
			}
			end = nd.start(i)
		}
		begin := end
		end = nd.end(i, s.end)
		if begin-h.carry > h.last { // all runs from here on start later too
			return late
		}
		if nd.high[i]+s.acc < h.n {
			h.carry = 0
			continue
		}
		if nd.low[i]+s.acc >= h.n {
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
			short++
			if b.best() >= h.half {
				short = 0
			}
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
			// No run of it was long enough, so the bound was too long. The bounds of the kid,
			// which the hunt has made shorter on its way, give a shorter one.
			known = h.bounds(s)
			if known.word[i].get()&loose != 0 {
				known.word[i].put(kid.joined(acc, end, h.class, known.units(s.acc)))
			}
			continue
		}
		if r.best < h.d {
			var fits bool
			known, fits = h.across(s, known, from, i, r)
			if fits {
				return found
			}
			continue
		}
		if b&loose != 0 {
			r = kid.measure(acc, end, known.units(s.acc))
			known.word[i].put(pack(r))
		}
		if h.fits(r) && known.units(s.acc) < h.n {
			// The run is long enough for the fewer units that the bounds are for. To measure the
			// leaf for n units is cheaper than to land there and fail.
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

// across looks at a run across the start of leaf i. No other run in the leaf is long enough. The
// words may be loose, so across counts the steps on both sides of the edge, with n = 4 and d =
// 12:
//
//	leaf i-1, suffix 10     leaf i, prefix 10      steps of 5 ticks
//	... 1 4 2 4          |  4 1 5 ...              counted: carry 5, prefix 5, so nothing fits
//
// It does not count the leaf before if that leaf is free throughout, or if this pass did not go
// through it. If the run is still long enough, t is where it starts. The bounds may have become
// exact, so across returns them.
func (h *hunt[U]) across(s *spot[U], known *bounds[U], from, i int, r run) (*bounds[U], bool) {
	if known.units(s.acc) < h.n {
		h.looked++
		known = h.bounds(s)
	}
	if i > from && s.nd.low[i-1]+s.acc < h.n {
		h.carry = h.suffix(s, known, i-1)
	}
	r.prefix = h.prefix(s, known, i)
	if !h.fits(r) {
		h.carry = r.suffix
		return known, false
	}
	h.t = s.nd.start(i) - h.carry
	return known, true
}

// prefix returns for how long n units are free from the start of leaf i on, and suffix for how
// long up to its end. The leaf must have a step with fewer units. To count the run at an edge
// takes less time than to measure the leaf, and much less than to land there and fail.
func (h *hunt[U]) prefix(s *spot[U], known *bounds[U], i int) bookahead.Time {
	kid, acc, k := s.nd.kid[i], s.acc+s.nd.add[i], 0
	for kid.low[k]+acc >= h.n {
		k++
	}
	p := kid.start(k) - kid.start(0)
	if known.units(s.acc) == h.n {
		known.word[i].put(known.word[i].get().withPrefix(p))
	}
	return p
}

func (h *hunt[U]) suffix(s *spot[U], known *bounds[U], i int) bookahead.Time {
	kid, acc := s.nd.kid[i], s.acc+s.nd.add[i]
	k := kid.n
	for kid.low[k-1]+acc >= h.n {
		k--
	}
	end := s.nd.end(i, s.end)
	p := end - kid.end(k-1, end)
	if known.units(s.acc) == h.n {
		known.word[i].put(known.word[i].get().withSuffix(p))
	}
	return p
}

// streak is the number of entries with short runs after which a hunt skips more such entries.
// Where short and long runs alternate, a processor cannot foretell the end of a loop that skips,
// and each skip would take longer than it saves.
const streak = 4

// skip passes the entries from i on whose runs are all shorter than half the duration, and
// returns the next entry. The entry before i is such an entry too. A run across the edge of two
// of them is too short, so only the last of them matters for the carry:
//
//	d = 12     prefix, best, suffix   2 5 4 | 0 3 3 | 1 5 2 | 7 7 0
//	                                  4+0, 3+1 < 12: skipped   7 is no less than 6: carry 2, stop
//
// An entry that is free throughout ends the skip, however short it is: many of them side by side
// are one run, and no single word tells how long that run is.
func (h *hunt[U]) skip(s *spot[U], known *bounds[U], i int) int {
	nd := s.nd
	low := nd.low[:nd.n]
	word := known.word[:len(low)]
	j := i
	for j < len(low) && low[j]+s.acc < h.n && word[j].get().best() < h.half {
		j++
	}
	if j > i {
		h.carry = 0
		if nd.high[j-1]+s.acc >= h.n {
			h.carry = min(nd.end(j-1, s.end)-nd.start(j-1), down(word[j-1].get().suffix()))
		}
	}
	return j
}

// fits reports whether a run within the entry, or one that the carry leads into it, may be long
// enough.
func (h *hunt[U]) fits(r run) bool { return r.best >= h.d || r.prefix >= h.d-h.carry }
