package desk

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// BenchmarkForce decides on a demand for half a pool of 128 units, in a window in which so many bookings
// lie that give way.
func BenchmarkForce(b *testing.B) {
	for _, rivals := range []int{10, 1_000, 100_000} {
		if testing.Short() && rivals > 1_000 {
			continue
		}
		d := deskWith(b, "pool", Pool{Units: 128})
		for range rivals {
			_, err := d.Do(Book{Request: Request{Shapes: []Shape{{{On: "pool", Units: 16, Duration: 10}}}}})
			require.NoError(b, err)
		}
		end := bookahead.Time((rivals + 7) / 8 * 10)
		c := Book{Force: Anybody, Request: Request{Deadline: end, Shapes: []Shape{{{On: "pool", Units: 120, Duration: 10}}}}}
		shut := Close{On: "pool", Interval: bookahead.Interval{Start: end / 2, End: end/2 + 10}, Units: 64, Force: Anybody}
		for name, c := range map[string]Command{"book": c, "close": shut} {
			b.Run(fmt.Sprintf("command=%s/rivals=%d", name, rivals), func(b *testing.B) {
				for b.Loop() {
					_, err := d.Decide(c)
					require.NoError(b, err)
				}
			})
		}
	}
}
