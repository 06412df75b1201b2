package desk

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// Lists that share a slab do not write to each other, also if they grow.
func TestListsOfASlab(t *testing.T) {
	var x slab[int]
	var lists [][]int
	for n := range 3 * slabItems {
		n %= slabItems
		list := x.take(n)
		require.Empty(t, list)
		require.Equal(t, n, cap(list))
		for range n + n%2 {
			list = append(list, len(lists))
		}
		lists = append(lists, list)
	}
	for i, list := range lists {
		for _, v := range list {
			require.Equal(t, i, v)
		}
	}
}

// Bookings that were read lie beside others. A change of one leaves its neighbours as they are, and a clone too.
func TestBookingsOfASlab(t *testing.T) {
	d := many(t, 100)
	read, err := Read(bytes.NewReader(written(t, d)), Config{})
	require.NoError(t, err)
	before := written(t, read)
	clone := read.Clone()
	for id, r := range read.b.all.All(read.b.now) {
		if r.State != Booked {
			continue
		}
		for _, x := range []*Desk{d, read} {
			do(t, x, Change{ID: BookingID(id), To: Request{Shapes: []Shape{{
				{On: "gpus", Units: 1, Duration: 3}, {On: "gpus", Units: 1, Duration: 3},
			}}}})
		}
	}
	require.NoError(t, read.Verify())
	require.Equal(t, written(t, d), written(t, read))
	require.Equal(t, before, written(t, clone))
}
