package topology

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// MaxBytes is the size of the largest file that is read.
const MaxBytes = 16 << 20

// Graph is a topology. Parallel links, and links from a node to itself, are kept.
type Graph struct {
	Name  string
	Nodes []Node
	Links []Link
}

// Node is a place.
type Node struct {
	ID string // no two nodes have the same
	// Longitude and Latitude are in degrees, east and north; NaN if not given.
	Longitude, Latitude float64
}

// Link joins two nodes.
type Link struct {
	ID       string // "" for a link without an ID
	From, To int    // indices of Graph.Nodes
	// Capacity is the capacity installed at first, in the network's own unit. NaN if not
	// given.
	Capacity float64
}

// Error is a fault in a file.
type Error struct {
	Line   int // from 1
	Reason string
}

// Error formats the error as "topology: sndlib: line 3: node without a name".
func (e *Error) Error() string { return fmt.Sprintf("topology: sndlib: line %d: %s", e.Line, e.Reason) }

// earthRadius is the mean radius in kilometres.
const earthRadius = 6371.0

// Kilometres returns the great-circle distance between two nodes (haversine
// formula), or NaN if one of them has no place. O(1).
func Kilometres(a, b Node) float64 {
	const degree = math.Pi / 180
	p, q := a.Latitude*degree, b.Latitude*degree
	x, y := math.Sin((q-p)/2), math.Sin((b.Longitude-a.Longitude)*degree/2)
	return 2 * earthRadius * math.Asin(math.Min(1, math.Sqrt(x*x+math.Cos(p)*math.Cos(q)*y*y)))
}

// builder collects a graph. Links name their nodes by ID, and may come before them.
type builder struct {
	graph Graph
	index map[string]int // of the nodes by ID
	ends  []ends         // of the links, until all nodes are known
}

// ends are the IDs of the two nodes of a link, and the line of the link.
type ends struct {
	from, to string
	line     int
}

func fault(line int, format string, args ...any) error {
	return &Error{line, fmt.Sprintf(format, args...)}
}

// value is a text in a file, and its line. The zero value stands for a missing value.
type value struct {
	text string
	line int
}

// node adds a node.
func (b *builder) node(line int, id string, longitude, latitude value) error {
	_, ok := b.index[id]
	if ok {
		return fault(line, "node %q appears twice", clip(id))
	}
	x, err := number(longitude)
	if err != nil {
		return err
	}
	y, err := number(latitude)
	if err != nil {
		return err
	}
	b.index[id] = len(b.graph.Nodes)
	b.graph.Nodes = append(b.graph.Nodes, Node{id, x, y})
	return nil
}

func (b *builder) link(id string, capacity value, e ends) error {
	c, err := number(capacity)
	b.graph.Links = append(b.graph.Links, Link{ID: id, Capacity: c})
	b.ends = append(b.ends, e)
	return err
}

// number returns NaN for a missing value.
func number(v value) (float64, error) {
	if v == (value{}) {
		return math.NaN(), nil
	}
	x, err := strconv.ParseFloat(v.text, 64)
	if err != nil || math.IsInf(x, 0) {
		return 0, fault(v.line, "%q is not a number", clip(v.text))
	}
	return x, nil
}

// finish finds the nodes of the links, and returns the graph.
func (b *builder) finish() (Graph, error) {
	for i, e := range b.ends {
		from, ok := b.index[e.from]
		if !ok {
			return Graph{}, fault(e.line, "link from unknown node %q", clip(e.from))
		}
		to, ok := b.index[e.to]
		if !ok {
			return Graph{}, fault(e.line, "link to unknown node %q", clip(e.to))
		}
		b.graph.Links[i].From, b.graph.Links[i].To = from, to
	}
	return b.graph, nil
}

// clip shortens a text that is quoted in an error. It cuts no rune in two.
func clip(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}

var errSize = errors.New("the file is larger than 16 MiB")

// limit returns a reader of the first MaxBytes of in, which fails with errSize if in has
// more.
func limit(in io.Reader) io.Reader {
	return io.MultiReader(io.LimitReader(in, MaxBytes), nothing{in})
}

// nothing expects the end of in, and fails with errSize if in has another byte.
type nothing struct{ in io.Reader }

func (r nothing) Read([]byte) (int, error) {
	n, err := r.in.Read(make([]byte, 1))
	if n > 0 {
		return 0, errSize
	}
	return 0, err
}
