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
	half    uint64 // of d, packed
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
func (h *hunt[U]) leap(p *Tree[U]) bool {
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
			return h.land(p)
		case late:
			return false
		}
	}
	return false
}

// land moves to the run that may start at t. The bounds may be too long. Then there need not be n
// units at t, and it moves to the next step that has them.
func (h *hunt[U]) land(p *Tree[U]) bool {
	p.fetch(h.t+h.d, h.t)
	h.seek(p.root, h.t)
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
//	a leaf otherwise, best < d          carry + prefix fits count both; found if it still fits
//	a leaf otherwise                    perhaps             measure it; found if it still fits
//
// If something may fit, t is such that nothing before it does. Bounds are made shorter only for
// entries that have been passed to their end: of the rest, nothing new is known.
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
		if begin-h.carry > h.last { // as do all runs from here on
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
			if short++; b.best() >= h.half {
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
			// It did not fit, so the bound was too long. The kid's bounds, which the hunt has
			// made shorter on its way, make a better one.
			known = h.bounds(s)
			if known.word[i].get()&loose != 0 {
				known.word[i].put(kid.joined(acc, end, h.class, known.units(s.acc)))
			}
			continue
		}
		if r.best < h.d {
			var fits bool
			if known, fits = h.across(s, known, from, i, r); fits {
				return found
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

// across looks at a run across the start of leaf i. No other in the leaf is long enough. It counts
// the suffix of the leaf before, unless that is free throughout or passed already, and the prefix of
// this one. If they still fit, t is where the run starts. The bounds may have become exact.
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
// long up to its end. Neither is free throughout. To count a run at an edge takes less time than
// to measure the leaf, and much less than to land there and fail.
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

// streak is after how many entries whose runs are all short a hunt skips more such entries. Where
// short ones and long ones alternate, a processor cannot foretell the end of a loop that
// skips, and each skip would take longer than it saves.
const streak = 4

// skip passes the entries from i on with runs that are all shorter than half the duration, and
// returns the next entry. The entry before i is one of them too. A run across the edge of two
// such entries is too short. So only the last of them says anything about the carry. An entry
// that is free throughout ends the skip, however short it is: many of them side by side are one run,
// and none of their words tells how long that is.
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

// fits reports whether r leaves it open that there is room.
func (h *hunt[U]) fits(r run) bool { return r.best >= h.d || r.prefix >= h.d-h.carry }
