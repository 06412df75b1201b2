package radix

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

type item struct {
	at bookahead.Time
	n  int // the length of the list
}

func (x *item) when() bookahead.Time { return x.at }

// Sort gives the order of a stable comparison sort: for few and many items, and for times that
// are far apart, equal, negative, or sorted already.
func TestSortAsByComparison(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	draws := map[string]func(i int) bookahead.Time{
		"near":    func(int) bookahead.Time { return 1_000_000 + bookahead.Time(rng.IntN(3000)) },
		"far":     func(int) bookahead.Time { return bookahead.Time(rng.Uint64()) },
		"alike":   func(int) bookahead.Time { return 7 },
		"extreme": func(int) bookahead.Time { return []bookahead.Time{math.MinInt64, -1, 0, 1, math.MaxInt64}[rng.IntN(5)] },
		"sorted":  func(i int) bookahead.Time { return bookahead.Time(i / 2) },
		"falling": func(i int) bookahead.Time { return bookahead.Time(-i / 2) },
	}
	for name, draw := range draws {
		for _, n := range []int{0, 1, 2, short - 1, short, short + 1, 5000} {
			t.Run(fmt.Sprintf("%s/n=%d", name, n), func(t *testing.T) {
				list := make([]item, n)
				for i := range list {
					list[i] = item{draw(i), i}
				}
				want := slices.Clone(list)
				slices.SortFunc(want, func(a, b item) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.n, b.n)) })
				Sort(list, (*item).when)
				require.Equal(t, want, list)
			})
		}
	}
}
