package quota

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// usedIn returns how much a list uses in the period or window [w, w+length).
func usedIn(list []Use, w bookahead.Time, length bookahead.Duration) tally {
	end := bookahead.MaxTime
	if w <= bookahead.MaxTime-bookahead.Time(length) {
		end = w + bookahead.Time(length)
	}
	return area(list, 0, w, end)
}

// bendsOf returns where the use of some lists in a window bends.
func bendsOf(length bookahead.Duration, lists ...[]Use) (bends []bookahead.Time) {
	d := bookahead.Time(length)
	for _, list := range lists {
		for _, u := range list {
			bends = append(bends, u.Start-d, u.Start, u.End-d, u.End)
		}
	}
	slices.Sort(bends)
	return slices.Compact(bends)
}

// overAt reports whether more than the bound is used in some window or period that begins at w, which Over must list:
// it ends after now.
func overAt(b *Bounds, has []Use, w bookahead.Time, length bookahead.Duration, now bookahead.Time) bool {
	return w > now-bookahead.Time(length) && usedIn(has, w, length).above(tallyOf(b.Ticks))
}

// Over lists a period or window if and only if it is beyond the bound, with numbers up to 2^61. All windows at bends and
// beside them are tried, and all periods at edges of the use and beside them.
func TestOverIsAllThatIsBeyondAtTheEdgesOfNumbers(t *testing.T) {
	for _, kind := range []string{"units", "listed", "periods", "window"} {
		t.Run(kind, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(12, 12))
			some := 0
			for n := range cases() {
				b, has := edgyBounds(rng, kind), edgyUses(rng, 5, true)
				now := bookahead.Time(rng.Int64N(2) * edgy(rng))
				m := unlimited()
				got := b.Over(steps(has), now, m)
				some += len(got)
				about := fmt.Sprintf("case %d: %+v, %v from %d: %v", n, *b, has, now, got)
				require.Less(t, m.Steps(), int64(300), about)
				length, try := bookahead.Duration(1), []bookahead.Time{now}
				switch kind {
				case "listed":
					checkListed(t, b, has, now, got, about)
					continue
				case "periods":
					length = b.Every
					x := exact{b: b, has: has}
					for _, e := range append(bendsOf(1, has), now, b.From) {
						p, ok := x.periodOf(max(e, b.From))
						for i := bookahead.Time(-1); ok && i < 2; i++ {
							w := p + i*bookahead.Time(length)
							if w >= b.From && (i < 1 || w > p) {
								try = append(try, w)
							}
						}
					}
					try = try[1:]
				case "window":
					length = b.Window
					for _, w := range append(bendsOf(length, has), now-bookahead.Time(length)) {
						try = append(try, w-1, w, w+1)
					}
				case "units":
					b = &Bounds{Ticks: b.Units} // units at once are a window of one tick
					try = append(try, bendsOf(1, has)...)
				}
				most := make([]tally, len(got))
				for _, w := range try {
					if w <= now-bookahead.Time(length) {
						continue
					}
					want, listed := overAt(b, has, w, length, now), false
					for i, x := range got {
						last := x.End - bookahead.Time(length) // where the last window of the stretch begins
						cutOff := x.End == bookahead.MaxTime && x.Start <= w && w < x.End
						if max(0, w) >= x.Start && w <= last || cutOff {
							// Windows are cut off at both ends of the axis, so a stretch of them does not say which begin
							// before 0, or end behind it.
							cut := kind == "window" && (w < 0 || w > bookahead.MaxTime-bookahead.Time(length))
							listed = want || !cut
							use := usedIn(has, w, length)
							if use.above(most[i]) {
								most[i] = use
							}
						}
					}
					require.Equal(t, want, listed || want && w == bookahead.MaxTime, "%s at %d", about, w)
				}
				for i, x := range got {
					want := most[i].lo
					if most[i].above(tallyOf(1<<62)) && (most[i].hi > 0 || most[i].lo > Over) {
						want = Over
					}
					require.Equal(t, want, x.Use, about)
				}
			}
			require.Positive(t, some)
		})
	}
}

func checkListed(t *testing.T, b *Bounds, has []Use, now bookahead.Time, got []Excess, about string) {
	for _, p := range b.Periods {
		length := bookahead.Duration(p.End - p.Start)
		i := slices.IndexFunc(got, func(x Excess) bool { return x.Interval == p })
		require.Equal(t, overAt(b, has, p.Start, length, now), i >= 0, about)
	}
}

// Worse is so somewhere, with numbers up to 2^61: at a bend, or beside the place where one of the two conditions begins
// or ceases to hold.
func TestWorseIsSoSomewhereAtTheEdgesOfNumbers(t *testing.T) {
	for _, kind := range []string{"units", "listed", "periods", "window"} {
		t.Run(kind, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(13, 13))
			is := map[bool]int{}
			for n := range cases() {
				b, both := edgyBounds(rng, kind), edgyUses(rng, 4, true)
				old, to := edgyUses(rng, 3, true), edgyUses(rng, 3, true)
				if len(old)+len(to) == 0 {
					continue
				}
				before, after := slices.Concat(both, old), slices.Concat(both, to)
				w := bookahead.Interval{Start: bookahead.MaxTime}
				for _, u := range slices.Concat(old, to) {
					w.Start, w.End = min(w.Start, u.Start), max(w.End, u.End)
				}
				now := bookahead.Time(rng.Int64N(2) * edgy(rng))
				want := worseAtEdges(b, before, after, w, now)
				m := unlimited()
				got := b.Worse(steps(before), steps(after), w, now, m)
				about := fmt.Sprintf("case %d: %+v, %v instead of %v from %d", n, *b, after, before, now)
				require.Equal(t, want, got, about)
				require.Less(t, m.Steps(), int64(300), about)
				is[want]++
			}
			t.Log(is)
			require.Positive(t, is[true]*is[false])
		})
	}
}

// worseAtEdges is the oracle of Worse. Only windows and periods that meet w, from now on, can be worse.
func worseAtEdges(b *Bounds, before, after []Use, w bookahead.Interval, now bookahead.Time) bool {
	w.Start = max(w.Start, now)
	worse := func(at bookahead.Time, length bookahead.Duration, bound int64) bool {
		d := bookahead.Time(length)
		if at >= w.End || at <= w.Start-d {
			return false
		}
		is := usedIn(after, at, length)
		return is.above(tallyOf(bound)) && is.above(usedIn(before, at, length))
	}
	if b.Units > 0 {
		return slices.ContainsFunc(append(bendsOf(1, before, after), w.Start), func(t bookahead.Time) bool { return worse(t, 1, b.Units) })
	}
	for _, p := range b.Periods {
		if worse(p.Start, bookahead.Duration(p.End-p.Start), b.Ticks) {
			return true
		}
	}
	if b.Every > 0 {
		x := exact{b: b}
		for _, e := range append(bendsOf(1, before, after), w.Start, b.From) {
			p, _ := x.periodOf(max(e, b.From))
			next := p
			if p <= bookahead.MaxTime-bookahead.Time(b.Every) {
				next += bookahead.Time(b.Every)
			}
			if worse(p, b.Every, b.Ticks) || worse(next, b.Every, b.Ticks) || p > b.From && worse(p-bookahead.Time(b.Every), b.Every, b.Ticks) {
				return true
			}
		}
	}
	if b.Window == 0 {
		return false
	}
	bends := append(bendsOf(b.Window, before, after), w.Start-bookahead.Time(b.Window)+1, w.End-1)
	slices.Sort(bends)
	for i, lo := range bends {
		if worse(lo, b.Window, b.Ticks) || worse(lo+1, b.Window, b.Ticks) || worse(lo-1, b.Window, b.Ticks) {
			return true
		}
		if i+1 == len(bends) {
			break
		}
		// Between two bends the difference changes its sign once at most: halving finds where.
		hi := bends[i+1]
		more := func(at bookahead.Time) bool {
			return usedIn(after, at, b.Window).above(usedIn(before, at, b.Window))
		}
		if more(lo) == more(hi) {
			continue
		}
		first := more(lo)
		for hi-lo > 1 {
			mid := lo + (hi-lo)/2
			if more(mid) == first {
				lo = mid
			} else {
				hi = mid
			}
		}
		if worse(lo, b.Window, b.Ticks) || worse(hi, b.Window, b.Ticks) {
			return true
		}
	}
	return false
}
