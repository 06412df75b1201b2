package route

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// A query is answered alike, and with as much effort, whatever has been asked before.
func TestQueriesAreForgotten(t *testing.T) {
	for seed := range uint64(depth.Cases(1500)) {
		fresh, _ := tied(t, rand.New(rand.NewPCG(7, seed)), Config{})
		used, _ := tied(t, rand.New(rand.NewPCG(7, seed)), Config{})
		rng := rand.New(rand.NewPCG(8, seed))
		for range 3 {
			_, err := used.Earliest(tiedTask(rng))
			require.True(t, err == nil || err == bookahead.ErrUnavailable)
		}
		task := tiedTask(rng)
		want, none := fresh.Earliest(task)
		got, err := used.Earliest(task)
		require.Equal(t, none, err)
		require.Equal(t, want, got, "network %d", seed)
	}
}

// Where all links are free, the shortest path is the answer: nothing else is looked at.
func TestFreeLinksNeedNoSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 5))
	for range depth.Cases(1000) {
		var links []Link
		for range 10 {
			l := Link{From: rng.IntN(4), Delay: bookahead.Duration(rng.IntN(3))}
			l.To = (l.From + 1 + rng.IntN(3)) % 4
			links = append(links, l)
		}
		clusters := []Cluster{
			{Node: rng.IntN(4), CPUs: 1, Speed: 1 + rng.Int64N(3), Pool: indexed(t, 1)},
			{Node: rng.IntN(4), CPUs: 2, Speed: 1 + rng.Int64N(3), Pool: indexed(t, 2)},
		}
		n, err := New(4, links, clusters, Config{Slots: 20, Wait: rng.IntN(2) == 0})
		require.NoError(t, err)
		task := tiedTask(rng)
		want, none := n.ECT(task)
		got, err := n.Earliest(task)
		require.Equal(t, none, err)
		if err == nil {
			require.Equal(t, got.Run.End, got.Bound)
		}
		got.Bound, got.Spent.Steps = want.Bound, want.Spent.Steps
		require.Equal(t, want, got)
	}
}

// How many ends of paths Earliest makes on networks where plans tie. More of them would
// be as right: it is the bounds that keep them few.
func TestEarliestLooksAtFewWays(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 6))
	sum := Spent{}
	for range depth.Cases(2000) {
		n, _ := tied(t, rng, configs(rng))
		p, _ := n.Earliest(tiedTask(rng))
		sum.Labels += p.Spent.Labels
		sum.Words += p.Spent.Words
	}
	require.LessOrEqual(t, sum.Labels, int64(6300))
	require.LessOrEqual(t, sum.Words, int64(70_000))
}

// failing is a pool that fails once it has been asked so often.
type failing struct {
	bookahead.Profiler
	left *int
}

var errPaper = errors.New("out of paper")

func (f failing) Search(r bookahead.Request) (bookahead.Offer, error) {
	*f.left--
	if *f.left < 0 {
		return bookahead.Offer{}, errPaper
	}
	return f.Profiler.Search(r)
}

// Whenever a pool fails, the query fails with that error; it never takes it for a pool
// that has no place.
func TestFaultsAreTold(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 7))
	late := 0 // faults behind the first answer
	for range 300 {
		n, _ := tied(t, rng, Config{})
		task := tiedTask(rng)
		task.Effort.Steps = rng.Int64N(3) * 100
		left := 0
		pools := make([]bookahead.Schedule, len(n.clusters))
		for m := range n.clusters {
			pools[m] = n.clusters[m].Pool
		}
		for _, plan := range []func(Task) (Plan, error){
			n.Earliest, n.ECT, n.MCB,
			func(t Task) (Plan, error) { return n.MCT(t, nil) },
			func(t Task) (Plan, error) { return n.AWMCT(t, nil) },
		} {
			for m := range n.clusters {
				n.clusters[m].Pool = pools[m]
			}
			want, none := plan(task)
			for m := range n.clusters {
				n.clusters[m].Pool = failing{pools[m].(bookahead.Profiler), &left}
			}
			for k := 0; ; k++ {
				left = k
				got, err := plan(task)
				if left >= 0 {
					require.Equal(t, none, err)
					require.Equal(t, want, got)
					break
				}
				require.Equal(t, errPaper, err)
				late += min(k, 1)
			}
		}
	}
	require.Greater(t, late, depth.Cases(1000))
}
