package topology

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sndText = `?SNDlib native format; type: network; version: 1.0
# network three
META (
  origin = someone (of old), http://x
)
NODES (
  a ( 10.5 -3 )
  b
  c (1 2)
)
LINKS (
  e1 ( a b ) 2500 0.00 0.00 0.00 ( 40.00 3290.00 )
  e2 ( a b )
)
DEMANDS (
  d ( a c ) 1 195.00 UNLIMITED
)
ADMISSIBLE_PATHS (
  d (
    P ( e1 e2 )
  )
)
`

func TestFormat(t *testing.T) {
	g, err := ReadSNDlib(strings.NewReader(sndText))
	require.NoError(t, err)
	require.Equal(t, "three", g.Name)
	require.Len(t, g.Nodes, 3)
	require.Equal(t, Node{"a", 10.5, -3}, g.Nodes[0])
	require.Equal(t, "b", g.Nodes[1].ID)
	require.True(t, math.IsNaN(g.Nodes[1].Latitude))
	require.True(t, math.IsNaN(Kilometres(g.Nodes[0], g.Nodes[1])))
	require.Len(t, g.Links, 2)
	require.Equal(t, Link{"e1", 0, 1, 2500}, g.Links[0])
	require.Equal(t, "e2", g.Links[1].ID)
	require.True(t, math.IsNaN(g.Links[1].Capacity))
}

func TestFaultsNameTheLine(t *testing.T) {
	for _, c := range []struct {
		text, want string
	}{
		{"", "topology: sndlib: line 1: no nodes"},
		{"?SNDlib native format\nNODES (\n a ( 1 )\n)", `topology: sndlib: line 3: "a ( 1 )" is not a node`},
		{"NODES (\n a ( 1 y )\n)", `topology: sndlib: line 2: "y" is not a number`},
		{"NODES (\n a\n", `topology: sndlib: line 1: section "NODES" does not end`},
		{"NODES (\n a\n)\nLINKS (\n l a b\n)", `topology: sndlib: line 5: "l a b" is not a link`},
		{"NODES (\n a\n)\nLINKS (\n l ( a b ) 1\n)", `topology: sndlib: line 5: link to unknown node "b"`},
		{"NODES (\n a (\n b\n )\n c\n)", `topology: sndlib: line 2: section NODES: "a (" opens a list that does not end on its line`},
		{"NODES (\n a\n b\n)\nLINKS (\n l ( a b ) (\n )\n)", `topology: sndlib: line 6: section LINKS: "l ( a b ) (" opens a list that does not end on its line`},
		{"NODES (\n a\nLINKS (\n)\n)", `topology: sndlib: line 3: section NODES: "LINKS (" opens a list that does not end on its line`},
		{"NODES (\n a\n)\nDEMANDS (\n d (\n)\nNODES (\n)\n", `topology: sndlib: line 4: section "DEMANDS" does not end`},
		{"x", `topology: sndlib: line 1: want the start of a section, found "x"`},
		{"?other", `topology: sndlib: line 1: "?other" is not the header of the native format`},
		{strings.Repeat("x", MaxLine+1), "topology: sndlib: line 1: the line is longer than 1048576 bytes"},
	} {
		_, err := ReadSNDlib(strings.NewReader(c.text))
		require.EqualError(t, err, c.want)
		var fault *Error
		require.ErrorAs(t, err, &fault)
	}
}

// endless is a reader of one byte, again and again.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestSizeIsBounded(t *testing.T) {
	for _, c := range []struct {
		byte endless
		want string
	}{
		{'\n', "the file is larger than 16 MiB"},
		{'x', "the line is longer than 1048576 bytes"},
	} {
		_, err := ReadSNDlib(c.byte)
		require.ErrorContains(t, err, c.want)
	}
}

// TestReadingFails: an error of the reader is part of the *Error, at the line it reached.
func TestReadingFails(t *testing.T) {
	_, err := ReadSNDlib(io.MultiReader(strings.NewReader("\n\n"), failing{}))
	require.ErrorContains(t, err, "line 3: out of paper")
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("out of paper") }

func TestKilometres(t *testing.T) {
	berlin, paris := Node{Longitude: 13.405, Latitude: 52.52}, Node{Longitude: 2.3522, Latitude: 48.8566}
	require.InDelta(t, 878, Kilometres(berlin, paris), 1)
	require.Zero(t, Kilometres(paris, paris))
	require.InDelta(t, math.Pi*earthRadius, Kilometres(Node{}, Node{Longitude: 180}), 1e-6)
}

// TestData reads published topologies, if they are at hand, and checks their sizes.
func TestData(t *testing.T) {
	root := os.Getenv("BOOKAHEAD_DATA")
	if root == "" {
		t.Skip("BOOKAHEAD_DATA, the folder of the data, is not set")
	}
	sizes := map[string][2]int{
		"abilene.txt": {12, 15}, "cost266.txt": {37, 57}, "geant.txt": {22, 36}, "germany50.txt": {50, 88},
		"nobel-eu.txt": {28, 41}, "nobel-us.txt": {14, 21}, "polska.txt": {12, 18}, "ta2.txt": {65, 108},
	}
	for name, size := range sizes {
		f, err := os.Open(filepath.Join(root, "topologies", "sndlib-native", name))
		require.NoError(t, err)
		g, err := ReadSNDlib(f)
		require.NoError(t, err, name)
		require.NoError(t, f.Close())
		require.Equal(t, size, [2]int{len(g.Nodes), len(g.Links)}, name)
	}
}
