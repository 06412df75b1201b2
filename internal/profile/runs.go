package profile

import (
	"math/bits"
	"sync/atomic"

	"github.com/bookahead/bookahead"
)

// run tells how long the runs below an entry are, which are the stretches in which so many
// units are free: the one that begins where the entry does, the longest, and the one that
// ends where the entry does.
//
//	free  4 │  ┌──┐          ┌───
//	      2 │──┘  │    ┌─────┘
//	      1 │     └────┘                   runs of at least 2 units
//	        └┬────────────────────┬
//	         ├prefix┤    ├─suffix─┤        best is the longest of all
type run struct{ prefix, best, suffix bookahead.Time }

// bound is a run in one word, each length of which is rounded up, and a bit that says that
// the lengths may be too large. A length has 21 bits, an exponent above a mantissa of 15, so
// that packed lengths compare as the lengths do.
type bound uint64

const (
	bitsOf   = 21
	mantissa = 15
	loose    = bound(1)
	unknown  = ^bound(0) // and loose
)

// word holds a bound that searches may read and write at once.
type word struct{ atomic.Uint64 }

func (w *word) get() bound  { return bound(w.Load()) }
func (w *word) put(b bound) { w.Store(uint64(b)) }

// best and the others return what is packed of a length.
func (b bound) prefix() uint64 { return uint64(b >> (2*bitsOf + 1)) }
func (b bound) best() uint64   { return uint64(b>>(bitsOf+1)) % (1 << bitsOf) }
func (b bound) suffix() uint64 { return uint64(b>>1) % (1 << bitsOf) }

func pack(r run) bound {
	return bound(up(r.prefix)<<(2*bitsOf+1) | up(r.best)<<(bitsOf+1) | up(r.suffix)<<1)
}

// unpack returns the run that a bound is for, of an entry that is span long.
func unpack(b bound, span bookahead.Time) run {
	return run{min(span, down(b.prefix())), min(span, down(b.best())), min(span, down(b.suffix()))}
}

// up packs a length, rounded up.
func up(t bookahead.Time) uint64 {
	x := uint64(t)
	e := max(0, bits.Len64(x)-mantissa)
	m := (x + 1<<e - 1) >> e
	if m>>mantissa > 0 {
		m, e = m>>1, e+1
	}
	return uint64(e)<<mantissa | m
}

// down returns the length that is packed.
func down(x uint64) bookahead.Time {
	e, m := x>>mantissa, x%(1<<mantissa)
	if e > 63-mantissa {
		return bookahead.MaxTime
	}
	return bookahead.Time(m << e)
}

// measure returns the runs of at least n units in a leaf that ends at end, where acc is added.
func (nd *node[U]) measure(acc U, end bookahead.Time, n U) run {
	var r run
	low := nd.low[:nd.n]
	for i := 0; i < len(low); {
		first := i
		for i < len(low) && low[i]+acc >= n {
			i++
		}
		if i > first {
			r.suffix = nd.end(i-1, end) - nd.start(first)
			r.best = max(r.best, r.suffix)
			if first == 0 {
				r.prefix = r.suffix
			}
		}
		if i == len(low) {
			return r
		}
		for i < len(low) && low[i]+acc < n {
			i++
		}
	}
	r.suffix = 0
	return r
}

// join returns the bound, for runs of n units of a class, of all entries of an inner node that
// ends at end. It is loose if one of theirs is, or if they are for fewer units.
func (nd *node[U]) join(acc U, end bookahead.Time, class int, n U) bound {
	known := nd.bounds(class, acc, n)
	var all run
	begin, slack := nd.start(0), bound(0)
	for i := range nd.n {
		from, to := nd.start(i), nd.end(i, end)
		r := run{to - from, to - from, to - from}
		switch {
		case nd.high[i]+acc < n:
			r = run{}
		case nd.low[i]+acc < n:
			b := known.word[i].get()
			r = unpack(b, to-from)
			slack |= b & loose
		}
		if all.suffix >= from-begin {
			all.prefix = all.suffix + r.prefix
		}
		all.best = max(all.best, all.suffix+r.prefix, r.best)
		if r.suffix < to-from {
			all.suffix = r.suffix
		} else {
			all.suffix += r.suffix
		}
	}
	if known.units(acc) < n {
		slack = loose
	}
	return pack(all) | slack
}
