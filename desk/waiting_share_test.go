package desk

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// comb returns a desk whose pool a is booked at every other tick up to 2n, and whose pool b is booked until then.
//
//	a    █ █ █ █ █ █ █ █ ·····      a step on a, and one on b at once behind it: the first place
//	b    ████████████████·····      is behind all of the comb, and takes a search for each gap
func comb(t testing.TB, n bookahead.Time) *Desk {
	d := deskWith(t, "a", Pool{Units: 1}, "b", Pool{Units: 1})
	for i := range n {
		for _, on := range []string{"a", "b"} {
			_, err := d.Do(Book{Request: at(2*i, on, 1, 1)})
			require.NoError(t, err)
		}
	}
	return d
}

// narrow returns a chain of three steps on a, and one on b when all of b is booked.
func narrow() Request {
	shape := Shape{{On: "a", Units: 1, Duration: 1}}
	for len(shape) < 3 {
		shape = append(shape, Part{On: "a", Units: 1, Duration: 1, After: &Gap{1, 1}})
	}
	return Request{Shapes: []Shape{append(shape, Part{On: "b", Units: 1, Duration: 1, After: &Gap{}})}}
}

// crowdFor enters bookings that wait for units of a pool.
func crowdFor(t testing.TB, d *Desk, n int, on string, units int64) {
	for range n {
		r := at(0, on, units, 1)
		r.Deadline = 1
		out, err := d.Do(Book{Request: r, Wait: 1})
		require.NoError(t, err)
		require.Equal(t, Waiting, out.Booking.State)
	}
}

// Waiting bookings share the searches of their chains: the more bookings wait, the fewer searches each of them has.
func TestThoseThatWaitShareTheirSearches(t *testing.T) {
	if testing.Short() {
		t.Skip("2 000 that wait, each with its own search of 150 gaps, take as long as all other tests of the desk")
	}
	d := comb(t, 150)
	blocked := must(t, d, Book{Request: at(300, "b", 1, 2000)})
	r := narrow()
	r.Deadline = 1000
	k := must(t, d, Book{Request: r, Wait: 900})
	require.Equal(t, Waiting, k.State)

	few := d.Clone()
	must(t, few, Cancel{blocked.ID})
	require.Empty(t, turns(few), "one that waits alone has all steps")

	for range 2_000 { // they may use what comes free, but it is not long enough
		r := at(0, "b", 1, 2150)
		r.Deadline = 2400
		require.Equal(t, Waiting, must(t, d, Book{Request: r, Wait: 1}).State)
	}
	must(t, d, Cancel{blocked.ID})
	require.True(t, slices.Contains(turns(d), k.ID), "of 2 001 that wait each has 32 searches beside its steps")
	_, err := d.Search(r, bookahead.Effort{})
	require.NoError(t, err)

	must(t, d, Advance{1})
	require.Empty(t, turns(d), "when the others have lapsed it is booked")
}

// A full list lets each wish whose gaps are not narrow have its turn, also one of as many steps as there may be.
func TestManyStepsHaveTheirTurn(t *testing.T) {
	d := deskWith(t, "a", Pool{Units: 1}, "c", Pool{Units: 1})
	must(t, d, Book{Request: at(0, "c", 1, 5)})
	blocked := must(t, d, Book{Request: at(0, "a", 1, 200)})
	shape := Shape{{On: "a", Units: 1, Duration: 1}}
	for len(shape) < MaxParts {
		shape = append(shape, Part{On: "a", Units: 1, Duration: 1, After: &Gap{1, 300}})
	}
	r := Request{Shapes: []Shape{shape}}
	r.Deadline = 200
	crowdFor(t, d, MaxWaiting-1, "c", 1)
	k := must(t, d, Book{Request: r, Wait: 90})
	require.Equal(t, Waiting, k.State)
	must(t, d, Cancel{blocked.ID})
	got, err := d.Booking(k.ID)
	require.NoError(t, err)
	require.Equal(t, Running, got.State)
}
