package cow

import (
	"slices"
	"sync"
	"testing"

	"github.com/google/btree"
	"github.com/stretchr/testify/require"
)

// list returns the numbers in a tree.
func list(t *Tree[int]) []int {
	var all []int
	t.Ascend(func(n int) bool {
		all = append(all, n)
		return true
	})
	return all
}

// Clones that are made at once, and beside queries, have the numbers of the original and
// then their own. Run it with -race.
func TestTreeClonesAtOnce(t *testing.T) {
	const size = 2000 // three levels
	original := NewTree(btree.NewG(4, func(a, b int) bool { return a < b }))
	var want []int
	for n := range size {
		original.ReplaceOrInsert(3 * n)
		want = append(want, 3*n)
	}
	var clones [4]*Tree[int]
	var made, all sync.WaitGroup // after many writes, the race detector would forget the Clone before them
	made.Add(len(clones))
	for k := range clones {
		all.Add(2)
		go func() {
			defer all.Done()
			clones[k] = original.Clone()
			made.Done()
			made.Wait()
			for n := k; n < size; n += 4 {
				clones[k].Delete(3 * n)
				clones[k].ReplaceOrInsert(3*n + 1)
			}
		}()
		go func() {
			defer all.Done()
			for range 10 {
				if !slices.Equal(want, list(original)) {
					t.Error("the original has changed")
				}
			}
		}()
	}
	all.Wait()
	original.ReplaceOrInsert(-1)
	require.Equal(t, append([]int{-1}, want...), list(original))
	for k, c := range clones {
		own := slices.Clone(want)
		for n := k; n < size; n += 4 {
			own[n]++
		}
		require.Equal(t, own, list(c), "of clone %d", k)
	}
}
