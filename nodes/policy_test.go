package nodes

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Best fit compares shares in steps of 2^-14: two nodes with less between them are alike, and the
// largest amount does not overflow.
func TestBestFitComparesInSteps(t *testing.T) {
	const given = 1 << 15
	c := Config{Resources: []string{"bytes"}, Nodes: []Vector{{given}, {given}, {MaxAmount}}, Policy: BestFit()}
	m, err := New(c)
	require.NoError(t, err)
	for k, left := range []int64{3, 2} { // both are 1 step
		booked(t, m, Request{Duration: 10, Tasks: 1, Each: Vector{given - left}, Nodes: []int{k}})
	}
	offer, err := m.Search(Request{Duration: 10, Tasks: 4, Each: Vector{1}})
	require.NoError(t, err)
	require.Equal(t, []Share{{0, 3}, {1, 1}}, offer.Tasks)
	booked(t, m, Request{Duration: 10, Tasks: 1, Each: Vector{2}, Nodes: []int{0}})
	offer, err = m.Search(Request{Duration: 10, Tasks: 3, Each: Vector{1}})
	require.NoError(t, err)
	require.Equal(t, []Share{{0, 1}, {1, 2}}, offer.Tasks, "an empty node is the last")
}
