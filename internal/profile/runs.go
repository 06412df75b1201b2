package profile

import (
	"math/bits"
	"sync/atomic"

	"github.com/bookahead/bookahead"
)

// run says for how long n units are free below an entry: from its start on (prefix), anywhere in
// it (best), and up to its end (suffix). For 2 units:
//
//	free  4 │  ┌──┐         ┌──────
//	      2 │──┘  │   ┌─────┘
//	      1 │     └───┘
//	        └┬─────┬───┬───────────┬
//	         0     6   10          22
//	         ├─────┤   ├───────────┤    prefix 6, best 12, suffix 12
//
// Three lengths are enough to join two entries side by side. A run of both is in one of them, or
// it is the suffix of the left and the prefix of the right:
//
//	best = max(best left, best right, suffix left + prefix right)
type run struct{ prefix, best, suffix bookahead.Time }

// bound is a run in one word, so that a search can read and write it at once, beside other
// searches:
//
//	bit   63 ... 43   42 ... 22   21 ... 1   0
//	      prefix      best        suffix     loose
//
// A length has an exponent of 6 bits above a mantissa of 15, so that packed lengths compare as
// the lengths do. Lengths are rounded up, since a bound may be too long but never too short. A
// bound is loose if it may be too long for a reason other than rounding. Then a measurement is
// worth its time.
type bound uint64

const (
	bitsOf   = 21
	mantissa = 15
	loose    = bound(1)
	unknown  = ^bound(0) // longer than any span, and loose
)

// word holds a bound; searches may read and write it beside each other.
type word struct{ atomic.Uint64 }

func (w *word) get() bound  { return bound(w.Load()) }
func (w *word) put(b bound) { w.Store(uint64(b)) }

// prefix, best and suffix return packed lengths.
func (b bound) prefix() uint64 { return uint64(b >> (2*bitsOf + 1)) }
func (b bound) best() uint64   { return uint64(b>>(bitsOf+1)) % (1 << bitsOf) }
func (b bound) suffix() uint64 { return uint64(b>>1) % (1 << bitsOf) }

func pack(r run) bound {
	return bound(up(r.prefix)<<(2*bitsOf+1) | up(r.best)<<(bitsOf+1) | up(r.suffix)<<1)
}

// withPrefix and withSuffix return b with another prefix or suffix.
func (b bound) withPrefix(t bookahead.Time) bound {
	return b&(1<<(2*bitsOf+1)-1) | bound(up(t))<<(2*bitsOf+1)
}

func (b bound) withSuffix(t bookahead.Time) bound {
	return b&^((1<<bitsOf-1)<<1) | bound(up(t))<<1
}

// unpack returns the run of an entry that is span long. No run of the entry is longer.
func unpack(b bound, span bookahead.Time) run {
	return run{min(span, down(b.prefix())), min(span, down(b.best())), min(span, down(b.suffix()))}
}

// up packs a length. If rounding up gives a mantissa one bit too long, the exponent grows by 1:
//
//	32 767  exponent 0, mantissa 32 767
//	65 535  exponent 1, mantissa 32 768, so exponent 2 and mantissa 16 384: 65 536
func up(t bookahead.Time) uint64 {
	x := uint64(t)
	e := max(0, bits.Len64(x)-mantissa)
	m := (x + 1<<e - 1) >> e
	if m>>mantissa > 0 {
		m, e = m>>1, e+1
	}
	return uint64(e)<<mantissa | m
}

// down returns the length that was packed.
func down(x uint64) bookahead.Time {
	e, m := x>>mantissa, x%(1<<mantissa)
	if e > 63-mantissa {
		return bookahead.MaxTime
	}
	return bookahead.Time(m << (e & 63)) // the mask saves the check of e that Go would make
}

// measure returns the runs of n units in a leaf that ends at end. It jumps from the start of a
// run to its end and on to the next start, by the sets of steps that have n units and that lack
// them.
func (nd *node[U]) measure(acc U, end bookahead.Time, n U) run {
	var r run
	has := atLeast(nd.low[:nd.n], acc, n)
	lacks := has.complement()
	last := 0
	for i := has.from(0); i < nd.n; i = has.from(last) {
		last = lacks.from(i)
		length := nd.end(last-1, end) - nd.start(i)
		r.best = max(r.best, length)
		if i == 0 {
			r.prefix = length
		}
		if last == nd.n {
			r.suffix = length
		}
	}
	return r
}

// joined returns the bound for runs of n units of a class in an inner node that ends at end, from
// the bounds of its entries, left to right:
//
//	entry     [0, 10)    [10, 16), all free    [16, 40)
//	run       4 4 3      6 6 6                 5 8 2
//	joined    4 4 3      4 9 9                 4 14 2       best 3+6+5
//
// The joined bound is loose if a bound in it is loose, or if the bounds are for fewer units. Only
// the least units of an entry show that it is free throughout: a bound as long as the entry may
// have been rounded up.
func (nd *node[U]) joined(acc U, end bookahead.Time, class int, n U) bound {
	known := nd.bounds(class, acc, n)
	var all run
	slack, free := bound(0), true // free: n units from the start of the node up to here
	for i := range nd.n {
		from, to := nd.start(i), nd.end(i, end)
		if nd.low[i]+acc >= n {
			all.suffix += to - from
			all.best = max(all.best, all.suffix)
			if free {
				all.prefix = all.suffix
			}
			continue
		}
		var r run
		if nd.high[i]+acc >= n {
			b := known.word[i].get()
			r = unpack(b, to-from)
			slack |= b & loose
		}
		if free {
			all.prefix = all.suffix + r.prefix
		}
		all.best = max(all.best, all.suffix+r.prefix, r.best)
		all.suffix, free = r.suffix, false
	}
	if known.units(acc) < n {
		slack = loose
	}
	return pack(all) | slack
}
