package nodes

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Best fit compares shares exactly: node 0 has more left than node 1 by less than 2^-14 of what it has.
func TestBestFitComparesExactly(t *testing.T) {
	const tib = 1 << 40
	for _, left := range []int64{1, 2, 1 << 20, 64<<20 - 1} {
		c := Config{Resources: []string{"bytes"}, Nodes: []Vector{{tib}, {tib}, {MaxAmount}}, Policy: BestFit()}
		m, err := New(c)
		require.NoError(t, err)
		booked(t, m, Request{Duration: 10, Tasks: 1, Each: Vector{tib / 2}, Nodes: []int{0}})
		booked(t, m, Request{Duration: 10, Tasks: 1, Each: Vector{tib/2 + left}, Nodes: []int{1}})
		offer, err := m.Search(Request{Duration: 10, Tasks: 1, Each: Vector{1}})
		require.NoError(t, err)
		require.Equal(t, []Share{{1, 1}}, offer.Tasks, "node 1 is fuller by %d bytes", left)
	}
}

// The shares 1/3 of node 0 and 333333333333/999999999999 of node 1 are equal, and those of node 2 and 3 are a
// little less, so little that 60 bits do not show it.
func TestBestFitTellsEqualFromNearlyEqual(t *testing.T) {
	const nines = 999_999_999_999
	given := []Vector{{3, 1 << 46}, {nines, 1 << 46}, {nines, 1 << 46}, {nines - 1, 1 << 46}}
	free := []Vector{{1, 7}, {nines / 3, 7}, {nines/3 - 1, 7 + (1<<46)/nines}, {nines/3 - 1, 7}}
	exact := func(a, b int) int {
		x, y := Candidate{Free: free[a], Given: given[a]}, Candidate{Free: free[b], Given: given[b]}
		require.Equal(t, x.share().Cmp(y.share()), fuller(x, y), "%d and %d", a, b)
		return fuller(x, y)
	}
	for a := range given {
		for b := range given {
			require.Equal(t, -exact(a, b), exact(b, a))
		}
	}
	require.Zero(t, exact(0, 1))
	require.Positive(t, exact(0, 3))
	near := Candidate{Free: Vector{1 << 46, 1<<47 - 1}, Given: Vector{1<<47 - 1, 1 << 48}}
	nearer := Candidate{Free: Vector{1<<46 + 1, 1<<47 - 3}, Given: Vector{1<<47 + 1, 1 << 48}}
	require.Equal(t, near.share().Cmp(nearer.share()), fuller(near, nearer))
}

// The head takes 6 of node 0, so that node 0 is the fullest, and gets the task.
func TestBestFitCountsTheHead(t *testing.T) {
	for name, policy := range map[string]Policy{
		"best fit": BestFit(),
		"own":      Own(func(a, b Candidate) bool { return a.Free[0] < b.Free[0] }),
	} {
		m, err := New(Config{Resources: []string{"gpus"}, Nodes: []Vector{{8}, {8}}, Policy: policy})
		require.NoError(t, err)
		booked(t, m, Request{Duration: 10, Tasks: 1, Each: Vector{1}, Nodes: []int{1}})
		offer, err := m.Search(Request{Duration: 10, Tasks: 1, Each: Vector{1}, Head: Vector{6}})
		require.NoError(t, err)
		require.Equal(t, 0, offer.Head)
		require.Equal(t, []Share{{0, 1}}, offer.Tasks, name)
	}
}

// The rounded slack is at most the exact sum, and the sum is less than the slack and its rest.
func TestSlackBoundsTheExactSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 7))
	draw := func() int64 { return 1 + rng.Int64N(1<<rng.IntN(48)) }
	for range 20_000 {
		given, free := Vector{draw(), draw(), MaxAmount, 8}, make(Vector, 4)
		for r := range free {
			free[r] = rng.Int64N(given[r] + 1)
		}
		s := slackOf(free, given)
		exact := Candidate{Free: free, Given: given}.share()
		exact.Mul(exact, big.NewRat(1<<60, 1))
		low, high := new(big.Rat).SetInt(new(big.Int).SetUint64(s.least)), new(big.Rat).SetInt(new(big.Int).SetUint64(s.least+s.rough))
		require.LessOrEqual(t, low.Cmp(exact), 0, "%v of %v", free, given)
		if s.rough == 0 {
			require.Zero(t, low.Cmp(exact), "%v of %v", free, given)
		} else {
			require.Negative(t, exact.Cmp(high), "%v of %v", free, given)
		}
	}
}
