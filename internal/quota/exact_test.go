package quota

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// tally is a sum of two words, for numbers that no int64 holds.
type tally struct{ hi, lo uint64 }

func (x tally) plus(y tally) tally {
	lo, carry := bits.Add64(x.lo, y.lo, 0)
	return tally{x.hi + y.hi + carry, lo}
}

func (x tally) minus(y tally) tally {
	lo, borrow := bits.Sub64(x.lo, y.lo, 0)
	return tally{x.hi - y.hi - borrow, lo}
}

func (x tally) above(y tally) bool { return x.hi > y.hi || x.hi == y.hi && x.lo > y.lo }

func tallyOf(n int64) tally { return tally{0, uint64(n)} }

// exact is the oracle for large numbers. It has the use and the parts of a claim as lists, not as a tree, and adds up
// each sum from the lists. It knows no leap: it tries each start at which a first start can lie.
type exact struct {
	b    *Bounds
	has  []Use
	uses []Use
}

// area returns the unit-ticks of a list, moved by s, in [start, end).
func area(list []Use, s, start, end bookahead.Time) (sum tally) {
	for _, u := range list {
		from, to := max(u.Start+s, start), min(u.End+s, end)
		if to > from {
			hi, lo := bits.Mul64(uint64(u.Amount), uint64(to-from))
			sum = sum.plus(tally{hi, lo})
		}
	}
	return sum
}

// over reports whether the claim at s breaks the bound of Ticks in [w, w+length).
func (x *exact) over(s, w bookahead.Time, length bookahead.Duration) bool {
	end := bookahead.MaxTime
	if w <= bookahead.MaxTime-bookahead.Time(length) {
		end = w + bookahead.Time(length)
	}
	mine := area(x.uses, s, w, end)
	return mine != tally{} && mine.plus(area(x.has, 0, w, end)).above(tallyOf(x.b.Ticks))
}

// bends returns where the sum of use and claim in a window bends, or begins or ceases to have a part of the claim.
func (x *exact) bends(s bookahead.Time, length bookahead.Duration) (list []bookahead.Time) {
	d := bookahead.Time(length)
	for _, u := range x.has {
		list = append(list, u.Start-d, u.Start, u.End-d, u.End)
	}
	for _, u := range x.uses {
		a, z := s+u.Start, s+u.End
		list = append(list, a-d, a-d+1, a, z-d, z-1, z)
	}
	return list
}

// periodOf returns the start of the period that contains t; false before From.
func (x *exact) periodOf(t bookahead.Time) (bookahead.Time, bool) {
	if t < x.b.From {
		return 0, false
	}
	return t - (t-x.b.From)%bookahead.Time(x.b.Every), true
}

// breaks reports whether the claim breaks a bound at s. Between two bends the sum is straight, so of the periods
// between them the first or the last has the most.
func (x *exact) breaks(s bookahead.Time) bool {
	b := x.b
	if b.Units > 0 || b.None {
		for _, t := range x.bends(s, 1) {
			mine := area(x.uses, s, t, t+1)
			if t >= 0 && t < bookahead.MaxTime && mine != (tally{}) && mine.plus(area(x.has, 0, t, t+1)).above(tallyOf(b.Units)) {
				return true
			}
		}
	}
	if b.Ticks == 0 {
		return false
	}
	for _, p := range b.Periods {
		if x.over(s, p.Start, bookahead.Duration(p.End-p.Start)) {
			return true
		}
	}
	if b.Every > 0 {
		for _, t := range append(x.bends(s, b.Every), b.From) {
			p, ok := x.periodOf(t)
			if ok && (x.over(s, p, b.Every) || p <= bookahead.MaxTime-bookahead.Time(b.Every) && x.over(s, p+bookahead.Time(b.Every), b.Every)) {
				return true
			}
		}
	}
	if b.Window > 0 {
		for _, w := range x.bends(s, b.Window) {
			if x.over(s, w, b.Window) {
				return true
			}
		}
	}
	return false
}

// within returns where the area of a list in [x, x+length) comes to be within a bound: for each straight piece, the last
// x before it rises above the bound, if rises is set, or the first x after it fell to the bound.
func within(list []Use, length bookahead.Duration, bound tally, rises bool) (at []bookahead.Time) {
	var bends []bookahead.Time
	d := bookahead.Time(length)
	for _, u := range list {
		bends = append(bends, u.Start-d, u.Start, u.End-d, u.End)
	}
	slices.Sort(bends)
	bends = slices.Compact(bends)
	end := func(x bookahead.Time) bookahead.Time {
		if x > bookahead.MaxTime-d {
			return bookahead.MaxTime
		}
		return x + d
	}
	for i, lo := range bends {
		if i+1 == len(bends) {
			break
		}
		hi := bends[i+1]
		a, z := area(list, 0, lo, end(lo)), area(list, 0, hi, end(hi))
		if rises == a.above(bound) || rises != z.above(bound) {
			continue
		}
		for hi-lo > 1 { // halves the piece: no division, unlike the search
			mid := lo + (hi-lo)/2
			if area(list, 0, mid, end(mid)).above(bound) == rises {
				hi = mid
			} else {
				lo = mid
			}
		}
		if rises {
			at = append(at, lo)
		} else {
			at = append(at, hi)
		}
	}
	return at
}

// free returns how much of Ticks the use leaves in [w, w+length).
func (x *exact) free(w bookahead.Time, length bookahead.Duration) tally {
	end := bookahead.MaxTime
	if w <= bookahead.MaxTime-bookahead.Time(length) {
		end = w + bookahead.Time(length)
	}
	used := area(x.has, 0, w, end)
	if used.above(tallyOf(x.b.Ticks)) {
		return tally{}
	}
	return tallyOf(x.b.Ticks).minus(used)
}

// starts returns all starts from ready to last at which the first start that breaks nothing can lie: ready, or a start
// just behind those that a bound forbids.
func (x *exact) starts(ready, last bookahead.Time) []bookahead.Time {
	b, list := x.b, []bookahead.Time{ready}
	add := func(w, x bookahead.Time) {
		if x >= 0 || w <= bookahead.MaxTime+x {
			list = append(list, w-x)
		}
	}
	for _, u := range x.has {
		for _, mine := range x.uses {
			add(u.End, mine.Start)
		}
	}
	for _, p := range b.Periods {
		length := bookahead.Duration(p.End - p.Start)
		for _, at := range within(x.uses, length, x.free(p.Start, length), true) {
			add(p.Start, at)
		}
	}
	if b.Window > 0 {
		d := bookahead.Time(b.Window)
		for _, u := range x.has {
			for _, w := range []bookahead.Time{u.Start - d, u.Start, u.End - d, u.End} {
				for _, at := range within(x.uses, b.Window, x.free(w, b.Window), true) {
					add(w, at)
				}
			}
		}
		for _, u := range x.uses {
			for _, at := range []bookahead.Time{u.Start - d, u.Start - d + 1, u.Start, u.End - d, u.End - 1, u.End} {
				mine := area(x.uses, 0, at, at+d)
				if mine.above(tallyOf(b.Ticks)) {
					continue
				}
				for _, w := range within(x.has, b.Window, tallyOf(b.Ticks).minus(mine), false) {
					add(w, at)
				}
			}
		}
	}
	if b.Every > 0 {
		list = append(list, x.behindPeriods(ready, last)...)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(s bookahead.Time) bool { return s < ready || s > last })
}

// behindPeriods returns the starts just behind those that a period forbids. Starts that equal periods forbid repeat
// each Every ticks. So the first allowed start lies less than Every ticks after ready, or after the last start that
// some run of equal periods forbids.
func (x *exact) behindPeriods(ready, last bookahead.Time) (list []bookahead.Time) {
	every := bookahead.Time(x.b.Every)
	ends, behind := []bookahead.Time{ready}, []bookahead.Time{}
	look := func(p bookahead.Time, free tally) {
		for _, at := range within(x.uses, x.b.Every, free, true) {
			if at >= 0 || p <= bookahead.MaxTime+at {
				ends = append(ends, p-at)
			}
			behind = append(behind, ((x.b.From-at)%every+every)%every)
		}
	}
	for _, u := range x.has {
		for _, t := range []bookahead.Time{u.Start, u.End} {
			p, ok := x.periodOf(t)
			if ok {
				look(p, x.free(p, x.b.Every))
			}
			if ok && p-x.b.From >= every {
				look(p-every, x.free(p-every, x.b.Every))
			}
		}
	}
	p, _ := x.periodOf(max(x.b.From, bookahead.MaxTime-1))
	look(p, tallyOf(x.b.Ticks))
	slices.Sort(behind)
	behind = slices.Compact(behind)
	for _, e := range ends {
		if e < ready || e > last {
			continue
		}
		list = append(list, e)
		for _, at := range behind {
			on := (at - e%every + every) % every
			if e <= bookahead.MaxTime-on {
				list = append(list, e+on)
			}
		}
	}
	return list
}

// edgesOfNumbers are durations and times at which sums and products overflow, or nearly so.
var edgesOfNumbers = []int64{1, 2, 3, 5, 20, 100, 1 << 20, 1 << 31, 1 << 40, 1 << 52, 1 << 60, 1 << 61}

// edgy draws a number of 1 or more, at most 2^61, at an edge or beside it, or anywhere up to an edge.
func edgy(rng *rand.Rand) int64 {
	n := edgesOfNumbers[rng.IntN(len(edgesOfNumbers))]
	switch rng.IntN(4) {
	case 0:
		n = 1 + rng.Int64N(n)
	case 1:
		n = min(1<<61, max(1, n+rng.Int64N(7)-3))
	}
	return n
}

// edgyUses draws a list of parts or of bookings. Now and then one lasts to the end of the axis.
func edgyUses(rng *rand.Rand, most int, end bool) (list []Use) {
	for range rng.IntN(most) {
		start := bookahead.Time(0)
		if rng.IntN(3) > 0 {
			start = bookahead.Time(min(1<<60, edgy(rng)))
		}
		u := Use{bookahead.Interval{Start: start, End: start + bookahead.Time(edgy(rng))}, 1 + rng.Int64N(3)}
		if rng.IntN(8) == 0 {
			u.Amount = min(1<<40, edgy(rng))
		}
		if end && rng.IntN(12) == 0 {
			u.End = bookahead.MaxTime
		}
		list = append(list, u)
	}
	return list
}

// edgyBounds draws bounds of each kind.
func edgyBounds(rng *rand.Rand, kind string) *Bounds {
	b := &Bounds{}
	if kind == "units" || kind == "all" {
		b.Units = 1 + rng.Int64N(6)
	}
	if kind == "units" {
		return b
	}
	length := edgy(rng)
	hi, lo := bits.Mul64(uint64(length), uint64(1+rng.Int64N(7))) // as much as a few units use in a period
	b.Ticks = int64(min(lo, 1<<62))
	if hi > 0 || rng.IntN(3) == 0 {
		b.Ticks = edgy(rng)
	}
	b.Ticks = max(1, b.Ticks+rng.Int64N(5)-2)
	if kind == "listed" || kind == "all" {
		for t := bookahead.Time(rng.Int64N(1 << rng.IntN(50))); len(b.Periods) < 1+rng.IntN(4) && t < 1<<61; {
			end := t + bookahead.Time(edgy(rng))
			b.Periods = append(b.Periods, bookahead.Interval{Start: t, End: end})
			t = end + bookahead.Time(rng.Int64N(2)*edgy(rng))
		}
	}
	if kind == "periods" || kind == "all" {
		b.Every = bookahead.Duration(length)
		b.From = bookahead.Time(rng.Int64N(2) * min(1<<60, edgy(rng)))
	}
	if kind == "window" || kind == "all" {
		b.Window = bookahead.Duration(length)
	}
	return b
}

// steps returns a list of bookings as a step function.
func steps(list []Use) (s Steps) {
	by := owner()
	for _, u := range list {
		s.Add(by, u.Interval, u.Amount)
	}
	return s
}

// Next finds the first start with numbers up to 2^61, where no oracle can go tick by tick.
func TestNextIsTheFirstOfAllStartsAtTheEdgesOfNumbers(t *testing.T) {
	for _, kind := range []string{"units", "listed", "periods", "window", "all"} {
		t.Run(kind, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(11, 11))
			found, later, none, most := 0, 0, 0, int64(0)
			for n := range cases() {
				x := &exact{edgyBounds(rng, kind), edgyUses(rng, 5, true), append(edgyUses(rng, 3, false), Use{span(0, 1), 1})}
				x.uses[0].Amount = min(x.uses[0].Amount, 5)
				if len(x.uses) > 1 {
					x.uses = x.uses[:len(x.uses)-1]
				}
				claim := NewClaim(x.b, steps(x.has), x.uses)
				ready, last := bookahead.Time(rng.Int64N(2)*edgy(rng)), bookahead.MaxTime-claim.reach.End
				want, ok := bookahead.Time(0), false
				for _, s := range x.starts(ready, last) {
					if !x.breaks(s) {
						want, ok = s, true
						break
					}
				}
				about := fmt.Sprintf("case %d: %+v, uses %v beside %v from %d", n, *x.b, x.uses, x.has, ready)
				m := unlimited()
				got, can := claim.firstWithin(ready, last, m)
				require.Equal(t, ok, can, about)
				_, broken := claim.Breach(ready, m)
				require.Equal(t, x.breaks(ready), broken, about)
				require.Less(t, m.Steps(), int64(10_000), about)
				most = max(most, m.Steps())
				if !ok {
					none++
					continue
				}
				require.Equal(t, want, got, about)
				found++
				if want > ready {
					later++
				}
			}
			t.Logf("%d found, %d of them later, %d never; %d looks at most", found, later, none, most)
			require.Positive(t, later)
		})
	}
}
