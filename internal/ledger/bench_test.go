package ledger

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bookahead/bookahead"
)

// BenchmarkLedger adds an entry and removes another, with a number of live entries: in the order
// in which they were added, or in no order.
func BenchmarkLedger(b *testing.B) {
	for _, live := range []int{1_000, 100_000} {
		for _, order := range []string{"oldest", "any"} {
			b.Run(fmt.Sprintf("live=%d/remove=%s", live, order), func(b *testing.B) {
				var l Ledger[entry]
				e := entry{bookahead.Interval{Start: 0, End: 10}}
				ids := make([]bookahead.ID, live)
				for i := range ids {
					ids[i] = l.Add(e, 0)
				}
				rng := rand.New(rand.NewPCG(1, 1))
				next := 0
				step := func() {
					if order == "any" {
						next = rng.IntN(live)
					}
					if _, ok := l.Remove(ids[next], 0); !ok {
						b.Fatal("it is gone")
					}
					ids[next] = l.Add(e, 0)
					next = (next + 1) % live
				}
				for range 3 * live { // until the pages are as full as they stay
					step()
				}
				for b.Loop() {
					step()
				}
			})
		}
	}
}
