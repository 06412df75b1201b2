package idletree

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// goldenTree has bookings, a release, a closure, an extension and a clock that has moved.
func goldenTree(t *testing.T) *Tree {
	t.Helper()
	x, err := NewTree(5, Config{Origin: 3, Horizon: 1000})
	require.NoError(t, err)
	for k := range bookahead.Time(12) {
		_, err := x.Reserve(bookahead.Request{Ready: 3 + 7*k, Duration: bookahead.Duration(5 + k%4), Units: int64(1 + k%3)})
		require.NoError(t, err)
	}
	require.NoError(t, x.Release(4))
	_, err = x.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 200, End: 300}, Servers: []int{1, 4}})
	require.NoError(t, err)
	_, err = x.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 150, End: 400}, Units: 2})
	require.NoError(t, err)
	require.NoError(t, x.Advance(20))
	return x
}

// A change of these bytes needs a new version, which still reads this file.
func TestGoldenSnapshot(t *testing.T) {
	x := goldenTree(t)
	data, err := x.MarshalBinary()
	require.NoError(t, err)
	name := filepath.Join("testdata", "snapshot.v1.hex")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	golden, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	require.NoError(t, err)
	require.Equal(t, golden, data, "%x", data)
	var y Tree
	require.NoError(t, y.UnmarshalBinary(golden))
	require.NoError(t, y.Verify())
	for k := range bookahead.Time(50) {
		r := bookahead.Request{Ready: 20 + 9*k, Duration: 12, Units: 1 + int64(k%7)}
		want, wantErr := x.Search(r)
		got, err := y.Search(r)
		require.Equal(t, wantErr, err)
		require.Equal(t, want, got)
	}
}
