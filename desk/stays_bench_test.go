package desk

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// overbookedTwice returns a desk on which n bookings are overbooked by a first closure, four at a time, and the
// command of a second one.
func overbookedTwice(t testing.TB, n int) (*Desk, Close) {
	d := deskWith(t, "pool", Pool{Units: 4})
	for range n {
		_, err := d.Do(Book{Request: Request{Shapes: []Shape{{{On: "pool", Units: 1, Duration: 10}}}}})
		require.NoError(t, err)
	}
	end := bookahead.Time((n + 3) / 4 * 10)
	_, err := d.Do(Close{On: "pool", Interval: ticks(0, end), Units: 2})
	require.NoError(t, err)
	return d, Close{On: "pool", Interval: ticks(0, end), Units: 1, Force: Anybody}
}

// BenchmarkStay closes units of a pool on which all bookings are overbooked already.
func BenchmarkStay(b *testing.B) {
	for _, n := range []int{1_000, 2_000, 6_000} {
		if testing.Short() && n > 1_000 {
			continue
		}
		d, c := overbookedTwice(b, n)
		b.Run(fmt.Sprintf("bookings=%d", n), func(b *testing.B) {
			for b.Loop() {
				_, err := d.Decide(c)
				require.NoError(b, err)
			}
		})
		split, long := stretched(b, n)
		b.Run(fmt.Sprintf("split/bookings=%d", n), func(b *testing.B) {
			for b.Loop() {
				_, err := split.Decide(long)
				require.NoError(b, err)
			}
		})
	}
}

// stretched returns a desk on which n bookings lie beside each other, where the first closure has overbooked
// the first half of their time, and the command of one that closes the whole.
func stretched(t testing.TB, n int) (*Desk, Close) {
	d := deskWith(t, "pool", Pool{Units: int64(n)})
	for range n {
		_, err := d.Do(Book{Request: Request{Shapes: []Shape{{{On: "pool", Units: 1, Duration: 10}}}}})
		require.NoError(t, err)
	}
	_, err := d.Do(Close{On: "pool", Interval: ticks(0, 5), Units: int64(n / 2)})
	require.NoError(t, err)
	return d, Close{On: "pool", Interval: ticks(0, 10), Units: int64(n / 4), Force: Anybody}
}
