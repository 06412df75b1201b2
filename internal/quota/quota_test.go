package quota

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/internal/effort"
)

// cases is how many cases of each kind are tried.
func cases() int { return depth.Cases(1_000) }

// cells is a step function as an array, tick by tick.
type cells []int64

func (c cells) at(t int) int64 {
	if t < 0 || t >= len(c) {
		return 0
	}
	return c[t]
}

func (c cells) area(start, end int) (sum int64) {
	for t := max(0, start); t < min(end, len(c)); t++ {
		sum += c[t]
	}
	return sum
}

func owner() (o cow.Owner) {
	o.Renew()
	return o
}

// random returns a function both as Steps and as cells.
func random(rng *rand.Rand, ends int) (Steps, cells) {
	var s Steps
	c := make(cells, ends)
	by := owner()
	for range rng.IntN(7) {
		start := rng.IntN(ends - 1)
		end := start + 1 + rng.IntN(min(9, ends-1-start))
		n := 1 + rng.Int64N(3)
		s.Add(by, span(start, end), n)
		for t := start; t < end; t++ {
			c[t] += n
		}
	}
	return s, c
}

func span(start, end int) bookahead.Interval {
	return bookahead.Interval{Start: bookahead.Time(start), End: bookahead.Time(end)}
}

// breaks reports whether has and add together break the bounds, tick by tick. Windows and periods
// that add does not use do not count.
func breaks(b *Bounds, has, add cells) bool {
	n := max(len(has), len(add))
	for t := range n {
		if (b.Units > 0 || b.None) && add.at(t) > 0 && has.at(t)+add.at(t) > b.Units {
			return true
		}
	}
	if b.Ticks == 0 {
		return false
	}
	over := func(start, end int) bool {
		a := add.area(start, end)
		return a > 0 && a+has.area(start, end) > b.Ticks
	}
	for _, p := range b.Periods {
		if over(int(p.Start), int(p.End)) {
			return true
		}
	}
	for start := int(b.From); b.Every > 0 && start < n; start += int(b.Every) {
		if over(start, start+int(b.Every)) {
			return true
		}
	}
	for start := -int(b.Window); b.Window > 0 && start < n; start++ {
		if over(start, start+int(b.Window)) {
			return true
		}
	}
	return false
}

// kinds draw bounds of each kind, some of them so tight that they are broken already.
var kinds = map[string]func(rng *rand.Rand) *Bounds{
	"none":    func(*rand.Rand) *Bounds { return &Bounds{None: true} },
	"units":   func(rng *rand.Rand) *Bounds { return &Bounds{Units: 1 + rng.Int64N(6)} },
	"listed":  func(rng *rand.Rand) *Bounds { return &Bounds{Ticks: 1 + rng.Int64N(14), Periods: periods(rng)} },
	"periods": func(rng *rand.Rand) *Bounds { return every(rng) },
	"window": func(rng *rand.Rand) *Bounds {
		return &Bounds{Ticks: 1 + rng.Int64N(20), Window: bookahead.Duration(1 + rng.IntN(12))}
	},
	"all": func(rng *rand.Rand) *Bounds {
		b := every(rng)
		b.Units, b.Periods = rng.Int64N(6), periods(rng)
		b.Window = bookahead.Duration(rng.IntN(12))
		return b
	},
}

func every(rng *rand.Rand) *Bounds {
	return &Bounds{Ticks: 1 + rng.Int64N(14), From: bookahead.Time(rng.IntN(20)), Every: bookahead.Duration(1 + rng.IntN(9))}
}

func periods(rng *rand.Rand) (list []bookahead.Interval) {
	t := rng.IntN(8)
	for range rng.IntN(4) {
		end := t + 1 + rng.IntN(9)
		list = append(list, span(t, end))
		t = end + rng.IntN(3)*rng.IntN(4)
	}
	return list
}

func someUses(rng *rand.Rand) (list []Use) {
	for range 1 + rng.IntN(3)*rng.IntN(2) {
		start := rng.IntN(2) * rng.IntN(6)
		list = append(list, Use{span(start, start+1+rng.IntN(8)), 1 + rng.Int64N(3)})
	}
	return list
}

func (c cells) with(uses []Use, s int) cells {
	for _, u := range uses {
		for t := s + int(u.Start); t < s+int(u.End); t++ {
			c[t] += u.Amount
		}
	}
	return c
}

// Next finds the first of all starts, tick by tick, that break no bound, also if there is none up
// to a last start far away.
func TestNextIsTheFirstOfAllStarts(t *testing.T) {
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(4, 4))
			found, later, none := 0, 0, 0
			for n := range cases() {
				b := kind(rng)
				has, c := random(rng, 40)
				uses := someUses(rng)
				ready := rng.IntN(30)
				const hi = 110 // 40 ticks of use, then a whole period and a window, as if empty for ever
				want, ok := 0, false
				for s := ready; s < hi && !ok; s++ {
					want, ok = s, !breaks(b, c, make(cells, 140).with(uses, s))
				}
				last := bookahead.Time(math.MaxInt64 - 99)
				if rng.IntN(3) == 0 {
					last = bookahead.Time(rng.IntN(60))
					ok = ok && want <= int(last)
				}
				claim := NewClaim(b, has, uses)
				got, can := claim.first(bookahead.Time(ready), last)
				about := fmt.Sprintf("case %d: %+v, uses %v beside %v from %d", n, *b, uses, c, ready)
				require.Equal(t, ok, can, about)
				if !ok {
					none++
					continue
				}
				require.Equal(t, bookahead.Time(want), got, about)
				found++
				if want > ready {
					later++
				}
			}
			t.Logf("%d found, %d of them later, %d never", found, later, none)
			require.True(t, name == "none" && found == 0 || later*none > 0)
		})
	}
}

// Worse returns true if and only if some cell, period or window exceeds its bound, and by more
// than before.
func TestWorseIsSoSomewhere(t *testing.T) {
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 5))
			is := map[bool]int{}
			for range cases() {
				b := kind(rng)
				before, was := random(rng, 40)
				after, now := before, append(cells(nil), was...)
				by := owner()
				for range 1 + rng.IntN(3) {
					start := 10 + rng.IntN(20)
					end := start + 1 + rng.IntN(9)
					n := rng.Int64N(5) - 2
					after.Add(by, span(start, end), n)
					for t := start; t < end; t++ {
						now[t] += n
					}
				}
				if negative(now) {
					continue
				}
				clock := rng.IntN(25)
				want := worse(b, was, now, clock)
				is[want]++
				require.Equal(t, want, b.Worse(before, after, span(10, 40), bookahead.Time(clock), nil), "%+v: %v after %v", *b, now, was)
			}
			t.Log(is)
			require.Positive(t, is[true]*is[false])
		})
	}
}

func negative(c cells) bool {
	for _, n := range c {
		if n < 0 {
			return true
		}
	}
	return false
}

func worse(b *Bounds, was, now cells, clock int) bool {
	for t := range now {
		if t >= clock && (b.Units > 0 || b.None) && now[t] > b.Units && now[t] > was[t] {
			return true
		}
	}
	over := func(start, end int) bool {
		a := now.area(start, end)
		return end > clock && b.Ticks > 0 && a > b.Ticks && a > was.area(start, end)
	}
	for _, p := range b.Periods {
		if over(int(p.Start), int(p.End)) {
			return true
		}
	}
	for start := int(b.From); b.Every > 0 && start < len(now); start += int(b.Every) {
		if over(start, start+int(b.Every)) {
			return true
		}
	}
	for start := -int(b.Window); b.Window > 0 && start < len(now); start++ {
		if over(start, start+int(b.Window)) {
			return true
		}
	}
	return false
}

// Over lists each tick, period and window that exceeds its bound, and no other.
func TestOverIsAllThatIsBeyond(t *testing.T) {
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(6, 6))
			some := 0
			for range cases() {
				b := kind(rng)
				has, c := random(rng, 40)
				now := rng.IntN(30)
				got := b.Over(has, bookahead.Time(now), nil)
				some += len(got)
				require.Equal(t, beyond(b, c, now), got, "%+v: %v from %d", *b, c, now)
			}
			require.Positive(t, some)
		})
	}
}

func beyond(b *Bounds, c cells, now int) (list []Excess) {
	add := func(join bool, w bookahead.Interval, length bookahead.Duration, use int64) {
		if n := len(list) - 1; join && n >= 0 && list[n].Length == length {
			list[n].End, list[n].Use = w.End, max(list[n].Use, uint64(use))
			return
		}
		list = append(list, Excess{w, length, uint64(use)})
	}
	joined := false
	for t := now; t < len(c) && (b.Units > 0 || b.None); t++ {
		if c[t] > b.Units {
			add(joined, span(t, t+1), 0, c[t])
		}
		joined = c[t] > b.Units
	}
	if b.Ticks == 0 {
		return list
	}
	for _, p := range b.Periods {
		use := c.area(int(p.Start), int(p.End))
		if use > b.Ticks && int(p.End) > now {
			add(false, p, bookahead.Duration(p.End-p.Start), use)
		}
	}
	flat := false // nothing changes from the start of the period before to that of this one, and in this one
	for start := int(b.From); b.Every > 0 && start < len(c); start += int(b.Every) {
		end := start + int(b.Every)
		use := c.area(start, end)
		from := start - int(b.Every)
		flat = from >= int(b.From) && from+int(b.Every) > now
		for t := from; t < end; t++ {
			flat = flat && c.at(t) == c.at(from)
		}
		if use > b.Ticks && end > now {
			add(flat, span(start, end), b.Every, use)
		}
	}
	joined = false
	for w := now - int(b.Window) + 1; b.Window > 0 && w < len(c); w++ {
		use := c.area(w, w+int(b.Window))
		if use > b.Ticks {
			add(joined, span(max(0, w), w+int(b.Window)), b.Window, use)
		}
		joined = use > b.Ticks
	}
	return list
}

// first calls Next until all bounds agree.
func (c *Claim) first(s, last bookahead.Time) (bookahead.Time, bool) {
	return c.firstWithin(s, last, nil)
}

func (c *Claim) firstWithin(s, last bookahead.Time, m *effort.Meter) (bookahead.Time, bool) {
	for {
		next, ok := c.Next(s, last, m)
		if !ok || next == s {
			return next, ok
		}
		s = next
	}
}
