package quota

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// unlimited returns a meter that counts, and stops nothing.
func unlimited() *effort.Meter {
	m, err := effort.New(bookahead.Effort{Steps: math.MaxInt64})
	if err != nil {
		panic(err)
	}
	return &m
}

// long is a use of the given length, and a claim beside it.
func long(start, ticks, amount int64) Use {
	return Use{bookahead.Interval{Start: bookahead.Time(start), End: bookahead.Time(start + ticks)}, amount}
}

// looksCases are bounds with a use and a claim that are so many ticks long.
var looksCases = []struct {
	name string
	b    Bounds
	has  func(ticks int64) []Use
	uses func(ticks int64) []Use
}{
	{"a window beside the same booking", Bounds{Ticks: 60, Window: 20},
		func(n int64) []Use { return []Use{long(0, n, 1)} },
		func(n int64) []Use { return []Use{long(0, n, 1)} }},
	{"a window that refuses until the end", Bounds{Ticks: 60, Window: 20},
		func(n int64) []Use { return []Use{long(0, n, 2)} },
		func(n int64) []Use { return []Use{long(0, n, 2)} }},
	{"a window over steps", Bounds{Ticks: 61, Window: 20},
		func(n int64) []Use { return []Use{long(0, n, 1), long(n/3, n/3, 1), long(n/2, 9, 1)} },
		func(n int64) []Use { return []Use{long(0, n/4, 1), long(5, 7, 1)} }},
	{"a part longer than a run of periods", Bounds{Ticks: 1, Every: 5, From: 1<<12 - 1},
		func(n int64) []Use { return []Use{long(0, 1<<10, 1), long(1<<10, n, 2)} },
		func(n int64) []Use { return []Use{long(0, n, 2)} }},
	{"two runs of periods that refuse in turn", Bounds{Ticks: 9, Every: 7, From: 3},
		func(n int64) []Use { return []Use{long(0, n, 1), long(n/2, n/2, 1)} },
		func(n int64) []Use { return []Use{long(0, 2, 1), long(n/2+n/8, 1, 1)} }},
	{"a part that is never short enough", Bounds{Ticks: 28, Every: 14, From: 3},
		func(n int64) []Use { return []Use{long(9, n, 1)} },
		func(n int64) []Use { return []Use{long(0, n/2, 3)} }},
	{"units", Bounds{Units: 2},
		func(n int64) []Use { return []Use{long(9, n, 1), long(40, n/2, 1)} },
		func(n int64) []Use { return []Use{long(0, n/4, 1), long(n/8, 3, 1)} }},
}

// lengths are powers of two, of which looksCases have about as many ticks. The periods of 5 and 7 ticks do not divide
// the length, its half, its quarter or its eighth, and leave the same rests for each power.
var lengths = []int64{20, 40, 61}

func lengthOf(power int64) int64 {
	n := int64(1) << power
	return n - n%(5*7*8) + 8
}

// The looks are the same however long the use and the claim are: a first start, and all that it asks.
func TestLooksDoNotDependOnTicks(t *testing.T) {
	for _, c := range looksCases {
		t.Run(c.name, func(t *testing.T) {
			asks := map[string]func(claim *Claim, m *effort.Meter, n int64){
				"next": func(claim *Claim, m *effort.Meter, n int64) {
					claim.firstWithin(0, bookahead.MaxTime-claim.reach.End, m)
				},
				"breach": func(claim *Claim, m *effort.Meter, n int64) {
					for _, s := range []bookahead.Time{0, bookahead.Time(n / 4)} {
						claim.Breach(s, m)
					}
				},
				"fullest": func(claim *Claim, m *effort.Meter, n int64) {
					if claim.bounds.Window > 0 {
						claim.fullest(bookahead.Time(n / 4))
						claim.spend(m)
					}
				},
				"over": func(claim *Claim, m *effort.Meter, n int64) {
					claim.bounds.Over(claim.has, 0, m)
				},
				"worse": func(claim *Claim, m *effort.Meter, n int64) {
					after := claim.has
					for _, u := range claim.uses {
						after.Add(owner(), u.Interval, u.Amount)
					}
					w := claim.reach
					claim.bounds.Worse(claim.has, after, w, 0, m)
					claim.bounds.Worse(after, claim.has, w, 0, m)
				},
			}
			for name, ask := range asks {
				var looks []int64
				for _, e := range lengths {
					n := lengthOf(e)
					m := unlimited()
					claim := NewClaim(&c.b, steps(c.has(n)), c.uses(n))
					ask(&claim, m, n)
					looks = append(looks, m.Steps())
				}
				t.Logf("%s: %v looks at about 2^%v ticks", name, looks, lengths)
				require.Equal(t, looks[0], looks[1], name)
				require.Equal(t, looks[0], looks[2], name)
			}
		})
	}
}
