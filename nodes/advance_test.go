package nodes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// At the end of the axis no tick is left to book, and the machine stays whole.
func TestAdvanceToTheLastTick(t *testing.T) {
	m, err := New(Config{Resources: []string{"cores"}, Nodes: []Vector{{1<<40 + 1}, {5}, {3}}, Origin: 1 << 31})
	require.NoError(t, err)
	_, err = m.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 2, End: 1<<31 + 1<<20 + 1}}, []Added{{Has: Vector{4}}})
	require.NoError(t, err)
	require.NoError(t, m.Advance(bookahead.MaxTime))
	require.NoError(t, m.Verify())
}
