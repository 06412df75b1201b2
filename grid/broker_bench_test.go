package grid

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// BenchmarkBroker books at one of several providers, and gives it back while the
// timer stands.
func BenchmarkBroker(b *testing.B) {
	live := 100_000
	if testing.Short() {
		live = 1_000
	}
	for _, providers := range []int{1, 4} {
		s := newSite(b, providers, live)
		var all []bookahead.Schedule
		for _, m := range s.members {
			all = append(all, m.(bookahead.Schedule))
		}
		requests := make([]bookahead.Request, 4096)
		for i := range requests {
			requests[i] = s.part(s.ready())
		}
		for _, name := range []string{"MCT", "Priority", "ShortestQueue", "LeastLoaded", "Random"} {
			b.Run(fmt.Sprintf("policy=%s/providers=%d/live=%d", name, providers, live), func(b *testing.B) {
				broker, err := NewBroker(Config{Policy: policies[name]}, all...)
				require.NoError(b, err)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					res, err := broker.Reserve(requests[i%len(requests)])
					if err != nil {
						b.Fatal(err)
					}
					b.StopTimer()
					require.NoError(b, broker.Release(res.ID))
					b.StartTimer()
				}
			})
		}
	}
}
