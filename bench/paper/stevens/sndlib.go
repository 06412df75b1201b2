package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// graph is a network: nodes, their places, and links both ways.
type graph struct {
	name  string
	nodes []place
	links []link
}

// place is a node, at degrees east and north; NaN if they are not given.
type place struct {
	id                  string
	longitude, latitude float64
}

// link joins two nodes.
type link struct{ from, to int }

// kilometres returns the great-circle distance between two nodes (haversine formula), or NaN if
// one of them has no place.
func kilometres(a, b place) float64 {
	const degree, earthRadius = math.Pi / 180, 6371.0
	p, q := a.latitude*degree, b.latitude*degree
	x, y := math.Sin((q-p)/2), math.Sin((b.longitude-a.longitude)*degree/2)
	return 2 * earthRadius * math.Asin(math.Min(1, math.Sqrt(x*x+math.Cos(p)*math.Cos(q)*y*y)))
}

// readSNDlib reads a network in SNDlib's native format (Orlowski et al., 2010). The section NODES comes before
// the section LINKS. readSNDlib skips other sections, such as DEMANDS. The error names the line.
func readSNDlib(in io.Reader) (graph, error) {
	var g graph
	index := map[string]int{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	section, depth, line := "", 0, 0
	for lines.Scan() {
		line++
		text := strings.TrimSpace(lines.Text())
		words := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))
		var err error
		switch {
		case text == "" || text[0] == '?':
		case text[0] == '#':
			if name, ok := strings.CutPrefix(text, "# network "); ok {
				g.name = name
			}
		case text == ")":
			depth--
		case depth == 0 && !strings.HasSuffix(text, "("):
			err = fmt.Errorf("%.40q does not open a section", text)
		case strings.HasSuffix(text, "("):
			if depth == 0 {
				section = words[0]
			}
			depth++
		case section == "NODES":
			index[words[0]] = len(g.nodes)
			err = g.node(words)
		case section == "LINKS":
			err = g.link(words, index)
		}
		if err != nil {
			return graph{}, fmt.Errorf("sndlib: line %d: %w", line, err)
		}
	}
	err := lines.Err()
	if err == nil && (depth != 0 || len(g.nodes) == 0) {
		err = fmt.Errorf("there are no nodes, or a section does not end")
	}
	if err != nil {
		return graph{}, fmt.Errorf("sndlib: line %d: %w", line+1, err)
	}
	return g, nil
}

// node reads "id [ ( longitude latitude ) ]".
func (g *graph) node(words []string) error {
	p := place{words[0], math.NaN(), math.NaN()}
	if len(words) > 1 {
		if len(words) != 5 {
			return fmt.Errorf("%.40q is not a node", words)
		}
		for i, x := range []*float64{&p.longitude, &p.latitude} {
			var err error
			*x, err = strconv.ParseFloat(words[2+i], 64)
			if err != nil {
				return err
			}
		}
	}
	g.nodes = append(g.nodes, p)
	return nil
}

// link reads "id ( source target ) …".
func (g *graph) link(words []string, index map[string]int) error {
	if len(words) < 5 {
		return fmt.Errorf("%.40q is not a link", words)
	}
	from, known := index[words[2]]
	to, too := index[words[3]]
	if !known || !too {
		return fmt.Errorf("link between unknown nodes %.40q", words[2:4])
	}
	g.links = append(g.links, link{from, to})
	return nil
}
