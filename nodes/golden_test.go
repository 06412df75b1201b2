package nodes

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// goldenMachine has racks, sets, a head, a release, a closure, an added node and a clock that has moved.
func goldenMachine(t *testing.T) *Machine {
	t.Helper()
	m, err := New(Config{
		Origin: 3, Horizon: 1000, Resources: []string{"gpus", "cores"},
		Nodes:  []Vector{{8, 64}, {8, 64}, {4, 32}, {0, 128}},
		Levels: []Level{{Name: "rack", Groups: [][]int{{0, 1}, {2, 3}}}},
		Sets:   map[string][]int{"fast": {0, 2}},
	})
	require.NoError(t, err)
	for k := range bookahead.Time(10) {
		r := Request{Ready: 3 + 5*k, Duration: bookahead.Duration(6 + k%3), Tasks: 1 + int64(k%4), Each: Vector{2, 8}}
		if k%3 == 0 {
			r.Within, r.Head = "rack", Vector{0, 4}
		}
		_, err := m.Reserve(r)
		require.NoError(t, err)
	}
	require.NoError(t, m.Release(4))
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 200, End: 300}, Servers: []int{1}})
	require.NoError(t, err)
	_, err = m.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 150, End: 400}},
		[]Added{{Has: Vector{2, 16}, Groups: map[string]int{"rack": 1}, Sets: []string{"fast"}}})
	require.NoError(t, err)
	require.NoError(t, m.Advance(20))
	return m
}

// golden returns the bytes of a file.
func golden(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	data, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	require.NoError(t, err)
	return data
}

// A change of these bytes needs a new version, which still reads this file.
func TestGoldenSnapshot(t *testing.T) {
	m := goldenMachine(t)
	data, err := m.MarshalBinary()
	require.NoError(t, err)
	want := golden(t, "snapshot.terms.hex")
	require.Equal(t, want, data, "%x", data)
	var n Machine
	require.NoError(t, n.UnmarshalBinary(want))
	require.NoError(t, n.Verify())
	sameAnswers(t, m, &n)
	all := m.Frame().Window()
	require.Equal(t, slices.Collect(m.Reservations(all)), slices.Collect(n.Reservations(all)))
}

// The bytes from before there were terms read as a machine whose reservations have none, and such a machine
// writes the same bytes.
func TestGoldenSnapshotWithoutTerms(t *testing.T) {
	m, want := goldenMachine(t), golden(t, "snapshot.v1.hex")
	var n Machine
	require.NoError(t, n.UnmarshalBinary(want))
	require.NoError(t, n.Verify())
	sameAnswers(t, m, &n)
	for res := range n.Reservations(n.Frame().Window()) {
		was, err := m.Reservation(res.ID)
		require.NoError(t, err)
		was.Terms = nil
		require.Equal(t, was, res)
	}
	data, err := n.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, want, data, "%x", data)
}

// The bytes of exclusive tasks, of tasks on two levels, and of bundles.
func TestGoldenSnapshotOfGangs(t *testing.T) {
	gangs := []Request{
		{Ready: 60, Duration: 9, Tasks: 3, Each: Vector{2, 8}, Exclusive: true},
		{Ready: 60, Duration: 9, Tasks: 2, Each: Vector{2, 8}, Head: Vector{0, 4}, Within: "rack", Together: "rack", Exclusive: true, PerNode: 1},
		{Ready: 80, Duration: 9, Tasks: 2, Each: Vector{2, 8}, Within: "rack", Together: "rack"},
	}
	goldenGangs(t, "snapshot.gangs.hex", gangs)
	goldenGangs(t, "snapshot.bundles.hex", append(gangs,
		Request{Ready: 90, Duration: 9, Tasks: 4, Each: Vector{2, 8}, Bundle: 2, Bundled: "rack"},
		Request{Ready: 90, Duration: 9, Tasks: 150, Each: Vector{0, 1}, PerNode: 140, Within: "rack", Together: "rack", Bundle: 150, Bundled: "rack"}))
}

// goldenGangs checks the bytes of a machine with some gangs.
func goldenGangs(t *testing.T, name string, gangs []Request) {
	m := goldenMachine(t)
	for _, r := range gangs {
		booked(t, m, r)
	}
	data, err := m.MarshalBinary()
	require.NoError(t, err)
	want := golden(t, name)
	require.Equal(t, want, data, "%x", data)
	var n Machine
	require.NoError(t, n.UnmarshalBinary(want))
	require.NoError(t, n.Verify())
	sameAnswers(t, m, &n)
	all := m.Frame().Window()
	require.Equal(t, slices.Collect(m.Reservations(all)), slices.Collect(n.Reservations(all)))
}

// sameAnswers checks that two machines have the same places for requests.
func sameAnswers(t *testing.T, m, n *Machine) {
	t.Helper()
	for k := range bookahead.Time(50) {
		r := Request{Ready: 20 + 9*k, Duration: 12, Tasks: 1 + int64(k%5), Each: Vector{2, 8}}
		want, wantErr := m.Search(r)
		got, err := n.Search(r)
		require.Equal(t, wantErr, err)
		require.Equal(t, want, got)
	}
}
