package freelist

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// Reference: Schneider and Linnert, "List-based data structures for efficient
// management of advance reservations", 2012.

func each(t *testing.T, capacity int64, test func(t *testing.T, s bookahead.Schedule)) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			s, err := v.open(capacity, Config{})
			require.NoError(t, err)
			test(t, s)
		})
	}
}

func book(t *testing.T, s bookahead.Schedule, ready bookahead.Time, d bookahead.Duration, units int64) bookahead.ID {
	res, err := s.Reserve(bookahead.Request{Ready: ready, Duration: d, Units: units})
	require.NoError(t, err)
	require.Equal(t, ready, res.Start)
	return res.ID
}

func draw(s bookahead.Schedule, w bookahead.Interval) string {
	var lines []string
	for b := range s.(bookahead.Profiler).Blocks(w) {
		lines = append(lines, fmt.Sprintf("%v %d", b.Interval, b.Units))
	}
	return strings.Join(lines, ", ")
}

// §5, Figure 3: the same free area, cut in three ways. (The figure gives no
// numbers; these are ours.)
func TestFigure3(t *testing.T) {
	w := bookahead.Interval{Start: 0, End: 30}
	want := map[string]string{
		"TimeExclusive":        "[0, 6) 2, [6, 12) 3, [12, 18) 1, [18, 30) 3",
		"CapacityHierarchical": "[0, 30) 1, [0, 12) 1, [6, 12) 1, [18, 30) 2",
		"Mixed":                "[0, 12) 2, [6, 30) 1, [18, 30) 2",
		"Used":                 "[0, 6) 2, [6, 12) 3, [12, 18) 1, [18, 30) 3",
		"UsedList":             "[0, 6) 2, [6, 12) 3, [12, 18) 1, [18, 30) 3",
	}
	each(t, 3, func(t *testing.T, s bookahead.Schedule) {
		before := draw(s, w)
		a := book(t, s, 0, 6, 1)
		b := book(t, s, 12, 6, 2)
		name := t.Name()[len("TestFigure3/"):]
		require.Equal(t, want[name], draw(s, w))
		require.NoError(t, s.Release(a))
		require.NoError(t, s.Release(b))
		require.Equal(t, before, draw(s, w), "joined again")
	})
}

// §5: "two adjacent blocks which have more capacity left than requested, but can
// only serve the job together in the time dimension".
func TestAdjacentBlocksServeTogether(t *testing.T) {
	each(t, 4, func(t *testing.T, s bookahead.Schedule) {
		book(t, s, 0, 10, 1) // 3 free
		book(t, s, 10, 10, 2)
		book(t, s, 20, 1000, 4)
		res, err := s.Reserve(bookahead.Request{Ready: 0, Deadline: 20, Duration: 20, Units: 2})
		require.NoError(t, err)
		require.Equal(t, bookahead.Time(0), res.Start)
	})
}

// Figure 4, line 6 compares durations where it must be units: with d_f' < d_j
// this search would refuse the short block in the middle.
func TestFigure4ComparesUnits(t *testing.T) {
	each(t, 4, func(t *testing.T, s bookahead.Schedule) {
		book(t, s, 10, 2, 1) // a short block with 3 free
		o, err := s.Search(bookahead.Request{Ready: 0, Duration: 30, Units: 3})
		require.NoError(t, err)
		require.Equal(t, bookahead.Time(0), o.Start)
	})
}

// Figure 4: the start is clipped to the booking interval's, and the end to its
// end.
func TestFigure4ClipsToTheBookingInterval(t *testing.T) {
	each(t, 4, func(t *testing.T, s bookahead.Schedule) {
		o, err := s.Search(bookahead.Request{Ready: 7, Deadline: 20, Duration: 5, Units: 4})
		require.NoError(t, err)
		require.Equal(t, bookahead.Time(7), o.Start, "not where the block starts")
		book(t, s, 0, 16, 1)
		_, err = s.Search(bookahead.Request{Ready: 7, Deadline: 20, Duration: 5, Units: 4})
		require.Equal(t, bookahead.ErrUnavailable, err)
	})
}

// Figure 5 is complete only if the blocks are as long as they can be: when the
// middle is given back, the parts must be joined.
func TestFigure5NeedsMaximalBlocks(t *testing.T) {
	each(t, 4, func(t *testing.T, s bookahead.Schedule) {
		id := book(t, s, 10, 5, 2)
		book(t, s, 0, 100, 1)
		book(t, s, 100, 1000, 4)
		fixed := bookahead.Request{Ready: 0, Deadline: 100, Duration: 100, Units: 3}
		_, err := s.Search(fixed)
		require.Equal(t, bookahead.ErrUnavailable, err)
		require.NoError(t, s.Release(id))
		_, err = s.Search(fixed)
		require.NoError(t, err)
	})
}

// §5: a block without capacity is deleted, and one that ends within a
// reservation is split.
func TestFullBlocksAreDeleted(t *testing.T) {
	l, err := NewTimeExclusive(2, Config{})
	require.NoError(t, err)
	book(t, l, 5, 10, 2)
	require.Equal(t, "[0, 5) 2, [15, 20) 2", draw(l, bookahead.Interval{Start: 0, End: 20}))
	book(t, l, 0, 5, 1)
	book(t, l, 2, 3, 1)
	require.Equal(t, "[0, 2) 1, [15, 20) 2", draw(l, bookahead.Interval{Start: 0, End: 20}))
}
