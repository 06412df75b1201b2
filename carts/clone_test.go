package carts

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
)

// TestClonesOfHighTrees clones a pool from several goroutines at once, beside searches.
// Searches on the original and on the clones make the index in nodes that all of them share,
// while the clones' writers copy these nodes. Run it with -race.
func TestClonesOfHighTrees(t *testing.T) {
	eachForm(t, pools, func(t *testing.T, f form) {
		w := newWork(t, workload.Churn{Kind: workload.AR, Capacity: 128, Live: 3000, Load: 0.9})
		original := f.new(t, w.Capacity, Config{Booked: w.booked})
		for round := range uint64(4) {
			var asked, written [3][]string
			var all sync.WaitGroup
			for k := range asked {
				all.Add(2)
				go func() {
					defer all.Done()
					asked[k] = w.ask(original, round)
				}()
				go func() {
					defer all.Done()
					c := original.(bookahead.Cloner).Clone()
					written[k] = append(w.write(c, round), w.ask(c, round)...)
				}()
			}
			all.Wait()
			before := w.ask(original, round)
			alone := append(w.write(original, round), w.ask(original, round)...)
			for k := range asked {
				require.Equal(t, before, asked[k])
				require.Equal(t, alone, written[k])
			}
			require.NoError(t, original.(interface{ Verify() error }).Verify())
		}
	})
}

// ask returns the answers to a few hundred searches. The same seed asks the same.
func (w *work) ask(s bookahead.Schedule, seed uint64) []string {
	rng := rand.New(rand.NewPCG(seed, 1))
	var answers []string
	for range 200 {
		o, err := s.Search(w.Request(rng, 0))
		answers = append(answers, fmt.Sprint(o, err))
	}
	return answers
}

// write books and releases, and returns the answers. The same seed makes the same calls.
func (w *work) write(s bookahead.Schedule, seed uint64) []string {
	rng := rand.New(rand.NewPCG(seed, 2))
	var answers []string
	for range 200 {
		res, err := s.Reserve(w.Request(rng, 0))
		id := bookahead.ID(1 + rng.IntN(w.Live))
		answers = append(answers, fmt.Sprint(res, err, s.Release(id)))
	}
	return answers
}
