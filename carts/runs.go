package carts

import (
	"math/bits"
	"sync/atomic"

	"github.com/bookahead/bookahead"
)

// index bounds, for each entry of an inner node and for each class of requests,
// how long something can be booked below it. The classes are requests for 1, 2,
// 3, 4-5, 6-7, 8-11, 12-15, 16-23, ... units, two for each power of two; a run is
// a stretch in which at least the fewest units of a class are free. Where there are
// many gaps with enough for these but not for the request, the class is narrowed
// to requests for as many units or more, until one comes for fewer.
//
//	free  4 │  ┌──┐          ┌───
//	      2 │──┘  │    ┌─────┘
//	      1 │     └────┘                   runs of at least 2 units
//	        └┬────────────────────┬
//	         ├prefix┤    ├─suffix─┤        best is the longest of all
//
// Bounds are found by searches that could not do without: what they write is
// no more than what the tree says already, and atomic, so that any number of
// searches may do it at once, in nodes that are shared with clones, too. An
// update marks the bounds of the classes whose threshold it crosses: if it
// lowers what is free, they hold on but may be loose; else they are unknown.
// What an add further up does to a subtree is told by acc: bounds are those of
// the node with just that added to it, and are dropped when the node changes
// with another.
type index[U units] struct {
	used  [2]atomic.Uint64 // a bit for each class of which there may be bounds
	class [classes]atomic.Pointer[bounds[U]]
}

type bounds[U units] struct {
	acc  U
	n    U // what is a run: so many units are free
	word [fanout]atomic.Uint64
}

// A bound is packed into a word: prefix, best and suffix, of bitsOf bits each,
// rounded up, and a bit that says that it may be loose.
const (
	bitsOf   = 21
	mantissa = 15 // of these; the others are an exponent
	loose    = 1
	unknown  = ^uint64(0) // and loose
)

// run is a bound, unpacked.
type run struct{ prefix, best, suffix bookahead.Time }

const classes = 126

// classOf returns the class of a request for n units.
func classOf(n uint64) int {
	k := bits.Len64(n) - 1
	return 2*k + int(n<<1>>k&1)
}

// threshold returns the fewest units of a class.
func threshold[U units](class int) U {
	if class < 2 {
		return 1
	}
	return U(2+class&1) << (class/2 - 1)
}

// runs returns the index of an inner node; nil if nothing is known.
func (nd *node[U]) runs() *index[U] { return nd.known.Load() }

// bounds returns those of a class that are good for n units: for exactly so many,
// or for fewer. It makes them if there are none.
func (nd *node[U]) bounds(class int, acc, n U, exactly bool) *bounds[U] {
	x := nd.runs()
	if x == nil {
		nd.known.CompareAndSwap(nil, new(index[U]))
		x = nd.runs()
	}
	b := x.class[class].Load()
	if b == nil || b.acc != acc || b.n > n || exactly && b.n < n {
		b = &bounds[U]{acc: acc, n: n}
		if !exactly {
			b.n = threshold[U](class)
		}
		for i := range b.word {
			b.word[i].Store(unknown)
		}
		x.class[class].Store(b)
		x.used[class/64].Or(1 << (class % 64))
	}
	return b
}

// each calls do for the bounds of each class.
func (x *index[U]) each(do func(class int, b *bounds[U])) {
	if x == nil {
		return
	}
	for word := range x.used {
		for used := x.used[word].Load(); used != 0; used &= used - 1 {
			class := 64*word + bits.TrailingZeros64(used)
			do(class, x.class[class].Load())
		}
	}
}

// mark says that below entry i something has changed by delta, to what is given.
// acc is to be added to all.
func (x *index[U]) mark(i int, acc U, is extent[U], delta U) {
	if x == nil {
		return
	}
	low, high := min(is.low, is.low-delta), max(is.high, is.high-delta)
	x.each(func(class int, b *bounds[U]) {
		switch {
		case b.acc != acc:
			x.drop(class)
		case high < b.n || low >= b.n: // below or above before and after
		case delta > 0:
			b.word[i].Store(unknown)
		default:
			b.word[i].Store(b.word[i].Load() | loose)
		}
	})
}

func (x *index[U]) drop(class int) {
	x.class[class].Store(nil)
	x.used[class/64].And(^(uint64(1) << (class % 64)))
}

// fold says that add has become part of what is in the node.
func (x *index[U]) fold(add U) {
	x.each(func(_ int, b *bounds[U]) { b.acc -= add })
}

// unknow says that of entry i no bound is known any more.
func (x *index[U]) unknow(i int) {
	x.each(func(_ int, b *bounds[U]) { b.word[i].Store(unknown) })
}

// open makes room for m entries at i, where there are n. Of these nothing is
// known.
func (x *index[U]) open(i, m, n int) {
	x.each(func(_ int, b *bounds[U]) {
		for j := n - 1; j >= i; j-- {
			b.word[j+m].Store(b.word[j].Load())
		}
		for j := range m {
			b.word[i+j].Store(unknown)
		}
	})
}

// cut takes the entries [i, j) of n away.
func (x *index[U]) cut(i, j, n int) {
	x.each(func(_ int, b *bounds[U]) {
		for k := j; k < n; k++ {
			b.word[k-(j-i)].Store(b.word[k].Load())
		}
	})
}

// copyRuns copies what is known of the entries [i, j) of o to entry k and after.
func (nd *node[U]) copyRuns(k int, o *node[U], i, j int) {
	o.runs().each(func(class int, b *bounds[U]) {
		to := nd.bounds(class, b.acc, b.n, true)
		for m := range j - i {
			to.word[k+m].Store(b.word[i+m].Load())
		}
	})
}

// measure returns the runs of at least n units in a leaf that ends at end.
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

// join returns the word, for runs of n units, of all entries of an inner node that
// ends at end. It may be loose if one of them may.
func (nd *node[U]) join(acc U, end bookahead.Time, class int, n U) uint64 {
	known := nd.bounds(class, acc, n, false)
	var all run
	begin, slack := nd.start(0), uint64(0)
	for i := range nd.n {
		from, to := nd.start(i), nd.end(i, end)
		r := run{to - from, to - from, to - from}
		switch {
		case nd.high[i]+acc < n:
			r = run{}
		case nd.low[i]+acc < n:
			w := known.word[i].Load()
			r = unpack(w, to-from)
			slack |= w & loose
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
	if known.n < n {
		slack = loose
	}
	return pack(all) | slack
}

func pack(r run) uint64 {
	return up(r.prefix)<<(2*bitsOf+1) | up(r.best)<<(bitsOf+1) | up(r.suffix)<<1
}

// unpack returns the bound that a word holds, on what is span long.
func unpack(w uint64, span bookahead.Time) run {
	return run{
		min(span, down(w>>(2*bitsOf+1))),
		min(span, down(w>>(bitsOf+1))),
		min(span, down(w>>1)),
	}
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

// down unpacks the last bits of a word.
func down(w uint64) bookahead.Time {
	w &= 1<<bitsOf - 1
	e, m := w>>mantissa, w&(1<<mantissa-1)
	if e > 63-mantissa {
		return bookahead.MaxTime
	}
	return bookahead.Time(m << e)
}
