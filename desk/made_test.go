package desk

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/idletree"
)

// An entry that adds a schedule may be applied to several desks, which share nothing.
func TestDesksShareNoSchedule(t *testing.T) {
	d := deskWith(t)
	e, err := d.Decide(AddSchedule{"c", Pool{Units: 4}})
	require.NoError(t, err)
	other := d.Clone()
	for _, at := range []*Desk{d, other} {
		_, err = at.Apply(e)
		require.NoError(t, err)
	}
	do(t, d, Book{Request: asks(Part{On: "c", Units: 4, Duration: 5})})
	require.NoError(t, d.Verify())
	require.NoError(t, other.Verify())
}

// TestServersTakeTheMemoryOfOneTree compares the memory that AddSchedule allocates with that of the tree alone.
func TestServersTakeTheMemoryOfOneTree(t *testing.T) {
	const count = 1 << 18
	allocated := func(f func()) uint64 {
		var a, b runtime.MemStats
		runtime.ReadMemStats(&a)
		f()
		runtime.ReadMemStats(&b)
		return b.TotalAlloc - a.TotalAlloc
	}
	one := allocated(func() {
		_, err := idletree.NewTree(count, idletree.Config{})
		require.NoError(t, err)
	})
	d := deskWith(t)
	got := allocated(func() {
		_, err := d.Do(AddSchedule{"lab", Servers{Count: count}})
		require.NoError(t, err)
	})
	require.Less(t, float64(got), 1.2*float64(one), fmt.Sprint(got, " bytes, and one tree has ", one))
}
