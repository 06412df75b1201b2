package cow

import (
	"maps"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestMapAndItsClones writes to a few maps, which are clones of each other, and to plain maps beside them.
func TestMapAndItsClones(t *testing.T) {
	type key struct {
		n    uint8
		text string
	}
	rapid.Check(t, func(t *rapid.T) {
		real, plain := []Map[key, int]{{}}, []map[key]int{{}}
		at := func() int { return rapid.IntRange(0, len(real)-1).Draw(t, "map") }
		draw := func() key {
			return key{rapid.Uint8Range(0, 9).Draw(t, "n"), rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "text")}
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				for i := range real {
					require.Equal(t, plain[i], maps.Collect(real[i].All()))
					require.Equal(t, len(plain[i]), real[i].Len())
				}
			},
			"set": func(t *rapid.T) {
				i, k, v := at(), draw(), rapid.IntRange(0, 99).Draw(t, "v")
				real[i].Set(k, v)
				plain[i][k] = v
			},
			"remove": func(*rapid.T) {
				i, k := at(), draw()
				real[i].Remove(k)
				delete(plain[i], k)
			},
			"get": func(t *rapid.T) {
				i, k := at(), draw()
				v, ok := real[i].Get(k)
				want, has := plain[i][k]
				require.Equal(t, has, ok)
				require.Equal(t, want, v)
			},
			"own": func(*rapid.T) {
				i, k := at(), draw()
				real[i].Own(real[i].Shard(k), 3)[k] = 1
				plain[i][k] = 1
			},
			"remove in a loop": func(*rapid.T) {
				i, odd := at(), func(k key, _ int) bool { return k.n%2 == 1 }
				for k, v := range real[i].All() {
					if odd(k, v) {
						real[i].Remove(k)
					}
				}
				maps.DeleteFunc(plain[i], odd)
			},
			"clone": func(t *rapid.T) {
				if len(real) == 4 {
					t.Skip("there are enough")
				}
				i := at()
				real, plain = append(real, real[i].Clone()), append(plain, maps.Clone(plain[i]))
			},
		})
	})
}

// Clones that are made at once have the items of the original, and then their own. Run it with -race.
func TestMapClonesAtOnce(t *testing.T) {
	var original Map[int, int]
	for n := range 3 * shards {
		original.Set(n, n)
	}
	var all sync.WaitGroup
	clones := make([]Map[int, int], 4)
	for k := range clones {
		all.Add(1)
		go func() {
			defer all.Done()
			clones[k] = original.Clone()
			for n := k; n < 3*shards; n += len(clones) {
				clones[k].Remove(n)
			}
			if original.Len() != 3*shards {
				t.Error("the original has changed")
			}
		}()
	}
	all.Wait()
	original.Set(0, -1)
	for k := range clones {
		require.Equal(t, 3*shards/4*3, clones[k].Len())
		v, ok := clones[k].Get(0)
		require.Equal(t, [2]any{0, k != 0}, [2]any{v, ok})
	}
}
