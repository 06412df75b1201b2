package quota

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// naiveBreach finds the breach of a claim tick by tick.
func naiveBreach(b *Bounds, has cells, uses []Use, s int) (best Breach, found bool) {
	mine := make(cells, 140).with(uses, s)
	if b.Units > 0 || b.None {
		var edges []int // the edges of the claim: between two of them its amount is the same
		for t := range 139 {
			if t == 0 || mine[t] != mine[t-1] || startsOrEnds(uses, t-s) {
				edges = append(edges, t)
			}
		}
		for i, t := range edges[:len(edges)-1] {
			most := int64(0)
			for k := t; k < edges[i+1]; k++ {
				most = max(most, has.at(k))
			}
			if mine[t] > 0 && most+mine[t] > b.Units {
				return Breach{span(t, edges[i+1]), 0, uint64(most), uint64(mine[t])}, true
			}
		}
	}
	look := func(start, length int) (Breach, bool) {
		use, asks := has.area(start, start+length), mine.area(start, start+length)
		return Breach{span(max(0, start), start+length), bookahead.Duration(length), uint64(use), uint64(asks)}, asks > 0 && use+asks > b.Ticks
	}
	if b.Ticks == 0 {
		return Breach{}, false
	}
	for _, p := range b.Periods {
		x, over := look(int(p.Start), int(p.End-p.Start))
		if over {
			return x, true
		}
	}
	for t := int(b.From); b.Every > 0 && t < 120; t += int(b.Every) {
		x, over := look(t, int(b.Every))
		if over {
			return x, true
		}
	}
	for t := -int(b.Window); b.Window > 0 && t < 120; t++ {
		x, over := look(t, int(b.Window))
		if over && (!found || x.Use+x.Asks > best.Use+best.Asks) {
			best, found = x, true
		}
	}
	return best, found
}

func startsOrEnds(uses []Use, t int) bool {
	for _, u := range uses {
		if t == int(u.Start) || t == int(u.End) {
			return true
		}
	}
	return false
}

// TestBreachIsTheFirst compares breaches with those found tick by tick. A claim has one at a start if and only if Next
// does not allow the start.
func TestBreachIsTheFirst(t *testing.T) {
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(6, 6))
			is := map[bool]int{}
			for n := range cases() {
				b := kind(rng)
				has, c := random(rng, 40)
				uses := someUses(rng)
				s := rng.IntN(50)
				want, broken := naiveBreach(b, c, uses, s)
				claim := NewClaim(b, has, uses)
				got, ok := claim.Breach(bookahead.Time(s), nil)
				about := fmt.Sprintf("case %d: %+v, uses %v beside %v at %d", n, *b, uses, c, s)
				require.Equal(t, broken, ok, about)
				if broken {
					require.Equal(t, want, got, about)
				}
				_, fits := claim.Next(bookahead.Time(s), bookahead.Time(s), nil)
				require.Equal(t, broken, !fits, about)
				is[broken]++
			}
			require.True(t, is[true] > 0 && (is[false] > 0 || name == "none"))
		})
	}
}
