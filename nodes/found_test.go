package nodes

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// A resource of which no node has anything has room for more all the same, when a node comes that has it.
func TestExtendWithAResourceThatNoNodeHad(t *testing.T) {
	m, err := New(Config{Resources: []string{"gpus", "cores"}, Nodes: []Vector{{0, 4}}})
	require.NoError(t, err)
	_, err = m.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: bookahead.MaxTime}}, []Added{{Has: Vector{1, 4}}})
	require.NoError(t, err)
	require.NoError(t, m.Verify())
	o, err := m.Search(Request{Duration: 5, Tasks: 1, Each: Vector{1, 1}})
	require.NoError(t, err)
	require.Equal(t, []Share{{1, 1}}, o.Tasks)
}

// Amounts lie in another way after larger nodes came. A zone must not be read as if it were packed so.
func TestZonesAfterLargerNodes(t *testing.T) {
	m, err := New(Config{Resources: []string{"gpus", "cores"}, Nodes: []Vector{{8, 64}, {8, 64}}})
	require.NoError(t, err)
	m.index.limit = 2
	for i := range bookahead.Time(40) {
		_, err = m.Reserve(Request{Ready: 10 * i, Deadline: 10*i + 10, Duration: 10, Tasks: 2, PerNode: 1, Each: Vector{4, 1 + int64(i%3)}})
		require.NoError(t, err)
	}
	_, err = m.find(Request{Duration: 10, Tasks: 1, Each: Vector{8, 0}}, true)
	require.NoError(t, err)
	require.NotEmpty(t, m.index.dead.list)
	_, err = m.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 1000, End: 1001}}, []Added{{Has: Vector{1 << 20, 1 << 20}}})
	require.NoError(t, err)
	for gpus := range int64(9) {
		for cores := range int64(65) {
			r := Request{Duration: 10, Tasks: 1, PerNode: 1, Each: Vector{gpus, cores}}
			want, wantErr := m.plainSearch(r, 0)
			got, err := m.Search(r)
			require.Equal(t, wantErr, err)
			require.Equal(t, want, got, "%v", r.Each)
		}
	}
}

// So many tasks that a sum with them overflows are too many.
func TestMoreTasksThanAnything(t *testing.T) {
	m, err := New(Config{Resources: []string{"gpus"}, Nodes: []Vector{{8}, {8}, {8}}, Levels: []Level{{Name: "rack", Groups: [][]int{{0, 1}, {2}}}}})
	require.NoError(t, err)
	for _, tasks := range []int64{25, 1 << 32, 1<<32 + 1, math.MaxInt64 - 1, math.MaxInt64} {
		for each := range int64(8) {
			var q query
			r := Request{Duration: 5, Tasks: tasks, Each: Vector{each + 1}}
			require.NoError(t, m.ask(r, &q))
			require.Greater(t, q.few, 3, "%d tasks of %d", tasks, each+1)
			_, err = m.Search(r)
			require.ErrorIs(t, err, bookahead.ErrUnavailable)
			r.Within = "rack"
			_, err = m.Search(r)
			require.ErrorIs(t, err, bookahead.ErrUnavailable)
		}
	}
}

// A machine that learns, books and releases leaves its clone alone, which is read at the same time, and
// so does the clone. It is most telling with the race detector.
func TestOneLearnsWhileTheOtherIsRead(t *testing.T) {
	for _, cloneWrites := range []bool{false, true} {
		s := newScale(t, 5)
		var requests []Request
		for range 60 {
			r := s.request()
			requests = append(requests, r)
			_, _ = s.m.find(r, true)
		}
		writer, reader := s.m, s.m.Clone()
		if cloneWrites {
			writer, reader = reader, writer
		}
		var before []Offer
		for _, r := range requests {
			o, _ := reader.Search(r)
			before = append(before, o)
		}
		done := make(chan error)
		go func() {
			var ids []bookahead.ID
			for i, r := range requests {
				res, err := writer.Reserve(r)
				if err == nil {
					ids = append(ids, res.ID)
				}
				if i%3 == 2 && len(ids) > 0 {
					_ = writer.Release(ids[0])
					ids = ids[1:]
				}
			}
			_ = writer.Advance(writer.bounds.Now + 3)
			_, _ = writer.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 100, End: 200}}, []Added{{Has: writer.given[0]}})
			done <- writer.Verify()
		}()
		for i, r := range requests {
			o, _ := reader.Search(r)
			require.Equal(t, before[i], o)
		}
		require.NoError(t, <-done)
		require.NoError(t, reader.Verify())
	}
}
