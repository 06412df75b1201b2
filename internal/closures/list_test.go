package closures

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

func span(start, end bookahead.Time) bookahead.Interval {
	return bookahead.Interval{Start: start, End: end}
}

// three returns a list of closures with the IDs 1 to 3.
func three() (l List) {
	l.Add(bookahead.Closure{Interval: span(5, 10), Units: 2})
	l.Add(bookahead.Closure{Interval: span(5, bookahead.MaxTime), Servers: []int{4}, Units: 1})
	l.Add(bookahead.Closure{Interval: span(8, 20), Units: 3, Added: true})
	return l
}

func ids(l *List) (list []bookahead.ClosureID) {
	for c := range l.All() {
		list = append(list, c.ID)
	}
	return list
}

func TestCheckCutsThePast(t *testing.T) {
	c, err := Check(bookahead.Closure{Interval: span(3, 9)}, 5)
	require.NoError(t, err)
	require.Equal(t, span(5, 9), c.Interval)
	for w, text := range map[bookahead.Interval]string{
		span(9, 9): "is empty", span(9, 8): "is empty", span(2, 5): "ends by now, 5",
	} {
		_, err := Check(bookahead.Closure{Interval: w}, 5)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "Closure.Interval")
		require.ErrorContains(t, err, text)
	}
}

func TestEnd(t *testing.T) {
	l := three()
	old, gone, err := l.End(1, 7, 0)
	require.NoError(t, err)
	require.Equal(t, span(5, 10), old.Interval)
	require.Equal(t, span(7, 10), gone)
	require.Equal(t, []bookahead.ClosureID{1, 2, 3}, ids(&l), "it is shorter")

	_, gone, err = l.End(2, 0, 6)
	require.NoError(t, err)
	require.Equal(t, span(6, bookahead.MaxTime), gone)
	require.Equal(t, []bookahead.ClosureID{1, 3}, ids(&l), "it is over now")

	_, gone, err = l.End(3, 8, 6)
	require.NoError(t, err)
	require.Equal(t, span(8, 20), gone)
	require.Equal(t, []bookahead.ClosureID{1}, ids(&l), "it has never been")

	_, _, err = l.End(3, 8, 6)
	require.Equal(t, bookahead.ErrNotFound, err)
	_, _, err = l.End(1, 8, 6)
	require.ErrorContains(t, err, "at 8 is after the End 7 of closure 1")
	_, gone, err = l.End(1, 7, 6)
	require.NoError(t, err)
	require.True(t, gone.Empty())
	require.Equal(t, bookahead.ClosureID(4), l.Add(bookahead.Closure{Interval: span(6, 9)}).ID)
}

func TestForget(t *testing.T) {
	l := three()
	require.False(t, l.Forget(9))
	require.True(t, l.Forget(10))
	require.Equal(t, []bookahead.ClosureID{2, 3}, ids(&l))
	require.False(t, l.Forget(19))
	_, _, err := l.End(2, 12, 11) // it would be the next that is over
	require.NoError(t, err)
	require.True(t, l.Forget(12))
	require.True(t, l.Has(3))
	require.False(t, l.Has(2))
	require.True(t, l.Forget(bookahead.MaxTime))
	require.Empty(t, ids(&l))
	require.True(t, l.Ever())
}

// Changes that a caller or a clone makes to its closures do not show elsewhere.
func TestListsAreApart(t *testing.T) {
	l := three()
	c := l.Clone()
	for x := range l.All() {
		if x.Servers != nil {
			x.Servers[0] = 9
		}
	}
	_, _, err := l.End(1, 0, 0)
	require.NoError(t, err)
	require.Equal(t, []bookahead.ClosureID{1, 2, 3}, ids(&c))
	require.Equal(t, []int{4}, slices.Collect(c.All())[1].Servers)
	c.Add(bookahead.Closure{Interval: span(1, 2)})
	require.Equal(t, []bookahead.ClosureID{2, 3}, ids(&l))
}

func TestReadWhatWasWritten(t *testing.T) {
	for name, l := range map[string]List{"empty": {}, "three": three()} {
		w := snapshot.Begin("list")
		l.Write(w, func(c bookahead.Closure) { w.Uint(uint64(c.Units)) })
		data, err := w.End()
		require.NoError(t, err)
		r := snapshot.Open(data, "list")
		got := Read(r, 6, func(c *bookahead.Closure) { c.Units = int64(r.Uint("units", 9)) })
		require.NoError(t, r.Close(), name)
		require.Equal(t, ids(&l), ids(&got), name)
		for i, c := range got.live {
			require.Equal(t, l.live[i].Interval, c.Interval)
			require.Equal(t, l.live[i].Added, c.Added)
		}
		require.Equal(t, l.last, got.last)
	}
	for name, list := range map[string][]uint64{
		"an ID that was not given": {1, 2, 0, 5, 5, 1, 0},
		"over by now":              {1, 1, 0, 2, 4, 1, 0},
		"beyond the axis":          {1, 1, 0, 1 << 62, 1 << 62, 1, 0},
		"empty":                    {1, 1, 0, 8, 0, 1, 0},
		"neither kind":             {1, 1, 2, 5, 5, 1, 0},
		"cut off":                  {1, 1, 0},
	} {
		r := snapshot.Open(snapshot.Numbers("list", list...), "list")
		Read(r, 6, func(c *bookahead.Closure) { c.Units = int64(r.Uint("units", 9)) })
		require.ErrorIs(t, r.Close(), bookahead.ErrInvalid, name)
	}
}
