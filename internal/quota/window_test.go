package quota

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// Next allows the first start at which Breach finds nothing, beside so many steps that windows are passed in
// stretches, and bends looked at in several turns. Half of the cases lie at the end of the axis, where windows are cut
// off.
func TestNextAgreesWithBreachBesideManySteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	found, later, none := 0, 0, 0
	for n := range cases() / 10 {
		const ends = 600
		shift := bookahead.Time(n%2) * (bookahead.MaxTime - ends)
		var has Steps
		by := owner()
		total := int64(0)
		for range rng.IntN(400) {
			start := rng.IntN(ends - 1)
			w := span(start, start+1+rng.IntN(min(1+rng.IntN(50), ends-start)))
			amount := 1 + rng.Int64N(5)
			total += amount * int64(w.Len())
			has.Add(by, bookahead.Interval{Start: w.Start + shift, End: w.End + shift}, amount)
		}
		length := 1 + rng.Int64N(200)
		b := &Bounds{Ticks: 1 + total*length/ends*(50+rng.Int64N(100))/100 + rng.Int64N(60), Window: bookahead.Duration(length)}
		claim := NewClaim(b, has, someUses(rng))
		ready := shift + bookahead.Time(rng.IntN(ends/2))
		last := min(ready+bookahead.Time(rng.IntN(ends)), shift+ends-claim.reach.End)
		want, ok := ready, false
		for ; want <= last && !ok; want++ {
			_, broken := claim.Breach(want, nil)
			ok = !broken
		}
		got, can := claim.first(ready, last)
		require.Equal(t, ok, can, "case %d", n)
		if !ok {
			none++
			continue
		}
		require.Equal(t, want-1, got, "case %d", n)
		found++
		if got > ready {
			later++
		}
	}
	t.Logf("%d found, %d of them later, %d never", found, later, none)
	require.Positive(t, later*none)
}
