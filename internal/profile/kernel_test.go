package profile

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The kernels return the same as loops that a reader can check, for any numbers, also for sums
// that wrap around.
func FuzzKernels(f *testing.F) {
	rng := rand.New(rand.NewPCG(5, 5))
	for n := range fanout + 1 {
		data := make([]byte, 4*n)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(data, int32(rng.Uint32()), int32(n-50), int32(rng.Uint32()))
	}
	f.Add(binary.LittleEndian.AppendUint32(nil, math.MaxInt32), int32(1), int32(math.MinInt32), int32(0))
	f.Fuzz(func(t *testing.T, data []byte, delta, acc, n int32) {
		var list []int32
		for len(data) >= 4 && len(list) < fanout {
			list = append(list, int32(binary.LittleEndian.Uint32(data)))
			data = data[4:]
		}
		has := atLeast(list, acc, n)
		for i, u := range list {
			require.Equal(t, u+acc >= n, has[i/64]>>(i%64)&1 == 1, "entry %d", i)
		}
		require.GreaterOrEqual(t, has.complement().from(0), 0)
		if len(list) == 0 {
			require.Equal(t, set{}, has)
			return
		}
		sums := make([]int32, len(list))
		for i, u := range list {
			sums[i] = u + acc
		}
		low, high := extremesOf(list, acc)
		require.Equal(t, slices.Min(sums), low)
		require.Equal(t, slices.Max(sums), high)

		// The numbers beside the list stay as they are.
		frame := append(append([]int32{7}, list...), 8)
		low, high = addTo(frame[1:len(list)+1], delta, acc)
		for i := range sums {
			sums[i] += delta
			require.Equal(t, list[i]+delta, frame[1+i])
		}
		require.Equal(t, []int32{7, 8}, []int32{frame[0], frame[len(list)+1]})
		require.Equal(t, slices.Min(sums), low)
		require.Equal(t, slices.Max(sums), high)
	})
}

// Entries of a set are found from any entry on.
func TestSetFrom(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 1000 {
		var list []int32
		for range 1 + rng.IntN(fanout) {
			list = append(list, rng.Int32N(2))
		}
		has := atLeast(list, 0, 1)
		lacks := has.complement()
		for i := range len(list) + 1 {
			one, none := i, i
			for one < len(list) && list[one] == 0 {
				one++
			}
			for none < len(list) && list[none] == 1 {
				none++
			}
			require.Equal(t, one, min(has.from(i), len(list)))
			require.Equal(t, none, lacks.from(i))
		}
	}
}
