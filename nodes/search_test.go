package nodes

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// fill books jobs on single nodes, so that the nodes have gaps at different times. It draws evenly:
// rapid prefers small numbers, and would leave most nodes empty.
func (x *world) fill(t *rapid.T, rng *rand.Rand) {
	for k, v := range x.o.c.Nodes {
		at := x.o.now
		for range 1 + rng.IntN(6) {
			d := bookahead.Duration(1 + rng.IntN(6))
			if at > bookahead.MaxTime-bookahead.Time(d) {
				break
			}
			r := Request{Ready: at, Deadline: at + bookahead.Time(d), Duration: d, Tasks: 1, Each: evenly(rng, v), Nodes: []int{k}}
			want, _ := x.o.reserve(r)
			got, _ := x.m.Reserve(r)
			require.Equal(t, want, got)
			at += bookahead.Time(rng.IntN(5))
		}
	}
}

// evenly returns a part of a vector.
func evenly(rng *rand.Rand, v Vector) Vector {
	part := make(Vector, len(v))
	for i, amount := range v {
		part[i] = rng.Int64N(amount + 1)
	}
	return part
}

// Most searches on nodes full of gaps find a start that is late, and not the same for the tasks of
// a node and for the head.
func TestSearchAgainstOracle(t *testing.T) {
	late, heads := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		x := drawWorld(t, newReal)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		x.fill(t, rng)
		for range 12 {
			r := x.drawRequest(t)
			r.Ready, r.Deadline, r.Duration = x.o.now, 0, min(r.Duration, 6)
			if rng.IntN(4) > 0 {
				r.Nodes, r.Set, r.Except, r.Within = nil, "", nil, ""
			}
			if rng.IntN(2) > 0 {
				r.Head = evenly(rng, x.o.c.Nodes[0])
			}
			r.Tasks = 1 + rng.Int64N(int64(len(x.o.c.Nodes)))
			r.Each = evenly(rng, x.o.c.Nodes[0])
			want, wantErr := x.o.search(r, 0)
			got, err := x.m.Search(r)
			require.Equal(t, kindOf(wantErr), kindOf(err), "%+v", r)
			require.Equal(t, want, got, "%+v", r)
			if err == nil && got.Start > x.o.now {
				late++
				if r.Head != nil {
					heads++
				}
			}
		}
	})
	t.Logf("%d starts were late, %d of them with a head", late, heads)
}
