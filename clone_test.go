package bookahead_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// world is a schedule, its clock, and the reservations that were made and not released.
type world struct {
	bookahead.Keeper
	now    bookahead.Time
	booked []bookahead.ID
}

// clone returns a world with a clone of the schedule.
func (w *world) clone() *world {
	c, _ := bookahead.Clone(w.Keeper)
	return &world{c, w.now, slices.Clone(w.booked)}
}

// ask returns the answers to all queries. The same seed asks the same.
func (w *world) ask(seed uint64) []any { return interrogate(w.Keeper, seed, w.now) }

// write books, releases, rebooks and advances, and returns the answers to that and to
// queries afterwards. The same seed makes the same calls.
func (w *world) write(seed uint64) []any {
	rng := rand.New(rand.NewPCG(seed, 3))
	var answers []any
	for range 12 {
		res, err := w.Reserve(randomRequest(rng, w.now))
		answers = append(answers, res, err)
		if err == nil {
			w.booked = append(w.booked, res.ID)
		}
	}
	for range min(len(w.booked), 5) {
		i := rng.IntN(len(w.booked))
		answers = append(answers, w.Release(w.booked[i]))
		w.booked = slices.Delete(w.booked, i, i+1)
	}
	if len(w.booked) > 0 {
		id := w.booked[rng.IntN(len(w.booked))]
		res, err := w.Rebook(id, randomRequest(rng, w.now))
		answers = append(answers, res, err)
	}
	w.now += bookahead.Time(rng.IntN(6))
	answers = append(answers, w.Advance(w.now))
	return append(answers, w.ask(seed)...)
}

// TestClonesSideBySide clones a schedule from several goroutines at once, while others ask the
// schedule everything. Each clone is cloned again, and both clones are written to at once. All of
// them must get the answers that the schedule gives afterwards, when it makes the same calls
// alone. Run it with -race.
func TestClonesSideBySide(t *testing.T) {
	each(t, func(t *testing.T, s bookahead.Keeper) {
		original := &world{Keeper: s}
		original.write(100)
		for seed := range uint64(15) {
			const unheard = 1000 // added to a seed: questions that have not been asked yet
			before := original.ask(seed)
			var during [2][]any
			var written [6][]any
			var all sync.WaitGroup
			start := func(work func()) {
				all.Add(1)
				go func() {
					defer all.Done()
					work()
				}()
			}
			for k := range during {
				start(func() { during[k] = original.ask(unheard + seed) })
			}
			for k := 0; k < len(written); k += 2 {
				start(func() {
					first := original.clone()
					second := first.clone()
					start(func() { written[k] = first.write(seed) })
					written[k+1] = second.write(seed)
				})
			}
			all.Wait()
			require.Equal(t, before, original.ask(seed), "of the original, with clones")
			after := original.ask(unheard + seed)
			for k := range during {
				require.Equal(t, after, during[k], "of the original, beside clones")
			}
			alone := original.write(seed)
			for k := range written {
				require.Equal(t, alone, written[k], "of clone %d", k)
			}
		}
	})
}
