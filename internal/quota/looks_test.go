package quota

import (
	"math"
	"math/rand/v2"
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
				require.True(t, looks[0] > 0 || name == "fullest", "%s counts its looks", name)
			}
		})
	}
}

// A claim with some parts beside many bookings looks no more often than the numbers of changes and parts allow, however
// the lengths of periods, windows, bookings and parts are to each other.
func TestLooksAreInTheNumberOfChanges(t *testing.T) {
	for _, kind := range []string{"units", "listed", "periods", "window", "all"} {
		t.Run(kind, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(14, 14))
			worst, most := 0.0, int64(0)
			for n := range cases() {
				b, has := edgyBounds(rng, kind), edgyUses(rng, 60, true)
				uses := append(edgyUses(rng, 6, false), long(0, edgy(rng), 1))
				claim := NewClaim(b, steps(has), uses)
				m := unlimited()
				claim.firstWithin(0, bookahead.MaxTime-claim.reach.End, m)
				changes := int64(2*len(has) + 2*len(uses) + 2)
				worst = max(worst, float64(m.Steps())/float64(changes))
				most = max(most, m.Steps())
				bounds := map[bool]int64{true: 4, false: 1}[kind == "all"]
				require.Less(t, m.Steps(), bounds*changes*changes*int64(len(uses)), "case %d: %+v, uses %v beside %v", n, *b, uses, has)
			}
			t.Logf("%d looks at most, at most %.0f for each change", most, worst)
		})
	}
}

// The use of two huge parts in one window is more than any bound: it does not wrap around to 0.
func TestHugePartsDoNotAddUpToNothing(t *testing.T) {
	parts := []Use{long(0, 1<<31, 1<<32), long(0, 1<<31, 1<<32)}
	for name, b := range map[string]Bounds{
		"listed":  {Ticks: 9, Periods: []bookahead.Interval{{Start: 0, End: 1 << 40}}},
		"periods": {Ticks: 9, Every: 1 << 40},
		"window":  {Ticks: 9, Window: 1 << 40},
	} {
		claim := NewClaim(&b, Steps{}, parts)
		x, over := claim.Breach(0, nil)
		require.True(t, over, name)
		require.Equal(t, Over, x.Asks)
		s, ok := claim.Next(0, bookahead.MaxTime-1<<31, nil)
		if name == "listed" {
			require.Equal(t, bookahead.Time(1<<40), s, "behind the last period")
			continue
		}
		require.False(t, ok, name)
	}
}

// A meter that has run out stops a search inside one call. The search says to which start it came.
func TestAMeterStopsASearch(t *testing.T) {
	b := Bounds{Ticks: 1, Every: 10}
	var has []Use
	for i := range int64(1000) {
		has = append(has, long(10*i, 1+i%3, 1)) // no period has room, and no two neighbours are equal
	}
	claim := NewClaim(&b, steps(has), []Use{long(0, 1, 1)})
	all := unlimited()
	first, ok := claim.Next(0, bookahead.MaxTime-1, all)
	require.True(t, ok)
	require.Equal(t, bookahead.Time(10_000), first)
	came := bookahead.Time(0)
	for _, steps := range []int64{10, 100, 1000, all.Steps() - 1} {
		m, err := effort.New(bookahead.Effort{Steps: steps})
		require.NoError(t, err)
		claim := NewClaim(&b, claim.has, claim.uses)
		s, _ := claim.Next(0, bookahead.MaxTime-1, &m)
		require.True(t, m.Stopped())
		require.LessOrEqual(t, m.Steps(), steps)
		require.Greater(t, s, came)
		require.LessOrEqual(t, s, first)
		came = s
	}
}

// A division of sums is exact for quotients of one word.
func TestOverIsAQuotient(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 15))
	for range cases() {
		n := rng.Uint64() >> rng.IntN(64)
		y := wideOf(edgy(rng)).times(uint64(edgy(rng)))
		rest := wide{}
		if y != (wide{low: 1}) {
			rest = y.minus(wide{low: 1})
		}
		require.Equal(t, n, y.times(n).plus(rest).over(y), "%v of %v", n, y)
		require.Equal(t, n, y.times(n).over(y))
	}
}
