package main

import (
	"math"
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

func TestSNDlib(t *testing.T) {
	g, err := readSNDlib(strings.NewReader(sndText))
	require.NoError(t, err)
	require.Equal(t, "three", g.name)
	require.Len(t, g.nodes, 3)
	require.Equal(t, place{"a", 10.5, -3}, g.nodes[0])
	require.True(t, math.IsNaN(g.nodes[1].latitude))
	require.True(t, math.IsNaN(kilometres(g.nodes[0], g.nodes[1])))
	require.Equal(t, []link{{0, 1}, {0, 1}}, g.links)
	for text, line := range map[string]string{
		"":                                "1:",
		"x":                               "1:",
		"NODES (\n a ( 1 )\n)":            "2:",
		"NODES (\n a ( 1 y )\n)":          "2:",
		"NODES (\n a\n":                   "3:",
		"NODES (\n a\n)\nLINKS (\n l a b": "5:",
		"NODES (\n a\n)\nLINKS (\n l ( a b ) 1\n)": "5:",
	} {
		_, err := readSNDlib(strings.NewReader(text))
		require.ErrorContains(t, err, "sndlib: line "+line, text)
	}
}

func TestKilometres(t *testing.T) {
	require.InDelta(t, 10_007.5, kilometres(place{"pole", 0, 90}, place{"equator", 7, 0}), 0.1)
}
