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

const gmlText = `Creator "someone"
Version [ major 1 ]
graph [
  directed 0
  Network "Three &amp; more"
  node [ id 7 label "Here" Longitude 10.5 Latitude -3 graphics [ x 1 [ ] ] ]
  node [ id -2 ] # no name, no place
  node [
    id 9
    label "two
lines"
  ]
  edge [ source 7 target -2 id "e1" LinkSpeedRaw 2.5e9 ]
  edge [ source 7 target -2 ]
]
`

const graphMLText = `<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="Longitude" attr.type="double" for="node" id="d1"/>
  <key attr.name="Latitude" attr.type="double" for="node" id="d2"/>
  <key attr.name="label" attr.type="string" for="node" id="d3"/>
  <key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="d4"/>
  <key attr.name="Network" attr.type="string" for="graph" id="d5"/>
  <graph edgedefault="undirected">
    <data key="d5">Three &amp; more</data>
    <node id="7"><data key="d1">10.5</data><data key="d2">-3</data><data key="d3">Here</data></node>
    <node id="-2"/>
    <node id="9"><data key="d3">two
lines</data><graph><node id="7"/></graph></node>
    <edge source="7" target="-2" id="e1"><data key="d4">2.5e9</data></edge>
    <edge source="7" target="-2"/>
  </graph>
</graphml>
`

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

func TestFormats(t *testing.T) {
	for name, read := range map[string]func(io.Reader) (Graph, error){gmlText: ReadGML, graphMLText: ReadGraphML} {
		g, err := read(strings.NewReader(name))
		require.NoError(t, err)
		require.Equal(t, "Three & more", g.Name)
		require.False(t, g.Directed)
		require.Len(t, g.Nodes, 3)
		require.Equal(t, Node{"7", "Here", 10.5, -3}, g.Nodes[0])
		require.Equal(t, "-2", g.Nodes[1].Name)
		require.True(t, math.IsNaN(g.Nodes[1].Latitude))
		require.True(t, math.IsNaN(Kilometres(g.Nodes[0], g.Nodes[1])))
		require.Equal(t, "two\nlines", g.Nodes[2].Name)
		require.Len(t, g.Links, 2)
		require.Equal(t, Link{"e1", 0, 1, 2.5e9}, g.Links[0])
		require.True(t, math.IsNaN(g.Links[1].Capacity))
	}
	g, err := ReadSNDlib(strings.NewReader(sndText))
	require.NoError(t, err)
	require.Equal(t, "three", g.Name)
	require.Len(t, g.Nodes, 3)
	require.Equal(t, Node{"a", "a", 10.5, -3}, g.Nodes[0])
	require.Equal(t, Link{"e1", 0, 1, 2500}, g.Links[0])
	require.Equal(t, "e2", g.Links[1].ID)
}

func TestFaultsNameTheLine(t *testing.T) {
	for _, c := range []struct {
		read       func(io.Reader) (Graph, error)
		text, want string
	}{
		{ReadGML, "", "topology: gml: line 1: no graph"},
		{ReadGML, "graph [\n node [ id 1 ]\n", "topology: gml: line 3: the file ends inside a list"},
		{ReadGML, "graph [\n node [ ]\n]", "topology: gml: line 2: node without an id"},
		{ReadGML, "graph [\n node [ id 1 ]\n\n node [ id 1 ] ]", `topology: gml: line 4: node "1" appears twice`},
		{ReadGML, "graph [\n edge [ source 1 target 2 ]\n]", `topology: gml: line 2: link from unknown node "1"`},
		{ReadGML, "graph [\n edge [ source 1 ]\n]", "topology: gml: line 2: edge without a source or target"},
		{ReadGML, "graph [ node [\nid 1 Longitude x ] ]", `topology: gml: line 2: "x" is not a number`},
		{ReadGML, "graph [\n\"a\" 1 ]", `topology: gml: line 2: want a key, found "a"`},
		{ReadGML, "graph [\nlabel ]", `topology: gml: line 2: key "label" without a value`},
		{ReadGML, "graph [ label\n\"a", "topology: gml: line 2: the quotation does not end"},
		{ReadGraphML, "", "topology: graphml: line 1: no graph"},
		{ReadGraphML, "<graphml>\n<graph>\n<node/></graph></graphml>", "topology: graphml: line 3: node without an id"},
		{ReadGraphML, "<graphml>\n<graph></node></graph></graphml>", "topology: graphml: line 2: element <graph> closed by </node>"},
		{ReadGraphML, "<graphml><graph>\n<edge source=\"1\"/></graph></graphml>", "topology: graphml: line 2: edge without a source or target"},
		{ReadGraphML, "<graphml>\n<graph>", "topology: graphml: line 2: unexpected EOF"},
		{ReadSNDlib, "", "topology: sndlib: line 1: no nodes"},
		{ReadSNDlib, "?SNDlib native format\nNODES (\n a ( 1 )\n)", `topology: sndlib: line 3: "a ( 1 )" is not a node`},
		{ReadSNDlib, "NODES (\n a ( 1 y )\n)", `topology: sndlib: line 2: "y" is not a number`},
		{ReadSNDlib, "NODES (\n a\n", `topology: sndlib: line 1: section "NODES" does not end`},
		{ReadSNDlib, "NODES (\n a\n)\nLINKS (\n l a b\n)", `topology: sndlib: line 5: "l a b" is not a link`},
		{ReadSNDlib, "NODES (\n a\n)\nLINKS (\n l ( a b ) 1\n)", `topology: sndlib: line 5: link to unknown node "b"`},
		{ReadSNDlib, "NODES (\n a (\n b\n )\n c\n)", `topology: sndlib: line 2: section NODES: "a (" opens a list that does not end on its line`},
		{ReadSNDlib, "NODES (\n a\n b\n)\nLINKS (\n l ( a b ) (\n )\n)", `topology: sndlib: line 6: section LINKS: "l ( a b ) (" opens a list that does not end on its line`},
		{ReadSNDlib, "NODES (\n a\nLINKS (\n)\n)", `topology: sndlib: line 3: section NODES: "LINKS (" opens a list that does not end on its line`},
		{ReadSNDlib, "NODES (\n a\n)\nDEMANDS (\n d (\n)\nNODES (\n)\n", `topology: sndlib: line 4: section "DEMANDS" does not end`},
		{ReadSNDlib, "x", `topology: sndlib: line 1: want the start of a section, found "x"`},
		{ReadSNDlib, "?other", `topology: sndlib: line 1: "?other" is not the header of the native format`},
		{ReadSNDlib, strings.Repeat("x", MaxLine+1), "topology: sndlib: line 1: the line is longer than 1048576 bytes"},
	} {
		_, err := c.read(strings.NewReader(c.text))
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
		read func(io.Reader) (Graph, error)
		byte endless
		want string
	}{
		{ReadGML, '\n', "the file is larger than 16 MiB"},
		{ReadGML, 'x', "the file is larger than 16 MiB"},
		{ReadGraphML, '\n', "the file is larger than 16 MiB"},
		{ReadSNDlib, '\n', "the file is larger than 16 MiB"},
		{ReadSNDlib, 'x', "the line is longer than 1048576 bytes"},
	} {
		_, err := c.read(c.byte)
		require.ErrorContains(t, err, c.want)
	}
}

// TestReadingFails: an error of the reader is part of the *Error, at the line it reached.
func TestReadingFails(t *testing.T) {
	for _, read := range []func(io.Reader) (Graph, error){ReadGML, ReadGraphML, ReadSNDlib} {
		_, err := read(io.MultiReader(strings.NewReader("\n\n"), failing{}))
		require.ErrorContains(t, err, "line 3: out of paper")
	}
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
		"Abilene.gml": {11, 14}, "Cogentco.gml": {197, 245}, "Esnet.gml": {68, 92}, "Garr201201.gml": {61, 89},
		"Geant2012.gml": {40, 61}, "Renater2010.gml": {43, 56},
	}
	for name, size := range sizes {
		folder, read := "sndlib-native", ReadSNDlib
		if strings.HasSuffix(name, ".gml") {
			folder, read = "topozoo-gml", ReadGML
		}
		f, err := os.Open(filepath.Join(root, "topologies", folder, name))
		require.NoError(t, err)
		g, err := read(f)
		require.NoError(t, err, name)
		require.NoError(t, f.Close())
		require.Equal(t, size, [2]int{len(g.Nodes), len(g.Links)}, name)
	}
}
