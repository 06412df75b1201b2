package topology

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
)

// ReadGraphML reads the first graph of a GraphML file (Brandes et al., 2002). It takes the
// data elements whose keys have the names of ReadGML: "label", "Longitude", "Latitude",
// "Network", "LinkSpeedRaw". It ignores XML namespaces, and skips a graph inside a node.
// O(n) for n bytes.
func ReadGraphML(in io.Reader) (Graph, error) {
	p := graphML{builder: newBuilder("graphml"), in: xml.NewDecoder(limit(in)), keys: map[string]string{}}
	for {
		t, err := p.in.Token()
		if err == io.EOF {
			break
		}
		switch t := t.(type) {
		case xml.StartElement:
			err = p.open(t)
		case xml.EndElement:
			err = p.shut(t.Name.Local)
		}
		if err != nil {
			return Graph{}, p.broken(err)
		}
	}
	if !p.seen {
		return Graph{}, p.fault(p.line(), "no graph")
	}
	return p.finish()
}

// graphML is the parser of ReadGraphML.
type graphML struct {
	*builder
	in     *xml.Decoder
	keys   map[string]string // attr.name by id
	seen   bool              // the graph has begun
	inside bool              // the graph has begun and not ended
	values map[string]value  // of the open node or edge; nil if none is open
	opened int               // the line of the open node or edge
}

func (p *graphML) line() int {
	line, _ := p.in.InputPos()
	return line
}

// broken returns err as an *Error: an error of the XML decoder gets a line.
func (p *graphML) broken(err error) error {
	var known *Error
	var syntax *xml.SyntaxError
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &syntax):
		return p.fault(syntax.Line, "%s", clip(syntax.Msg))
	}
	return p.fault(p.line(), "%v", err)
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// open takes the start of an element. It returns at once for an element whose children are
// read: the file, the graph, a node or an edge. It reads or skips any other element whole.
func (p *graphML) open(e xml.StartElement) error {
	kind := e.Name.Local
	switch {
	case kind == "graphml" && !p.inside:
		return nil
	case kind == "graph" && !p.seen:
		p.seen, p.inside = true, true
		p.graph.Directed = attribute(e, "edgedefault") == "directed"
		return nil
	case kind == "key" && !p.inside:
		p.keys[attribute(e, "id")] = attribute(e, "attr.name")
	case kind == "data" && p.inside:
		return p.data(e)
	case (kind == "node" || kind == "edge") && p.inside && p.values == nil:
		p.values, p.opened = map[string]value{}, p.line()
		for _, name := range identifying {
			p.values[name] = value{attribute(e, name), p.opened}
		}
		return nil
	}
	return p.in.Skip()
}

// data reads a value of the open node or edge or, if none is open, of the graph.
func (p *graphML) data(e xml.StartElement) error {
	name, line := p.keys[attribute(e, "key")], p.line()
	var text string
	err := p.in.DecodeElement(&text, &e)
	text = strings.TrimSpace(text)
	switch {
	case p.values == nil && (name == "Network" || name == "label"):
		p.graph.Name = text
	case p.values != nil && slices.Contains(describing, name):
		p.values[name] = value{text, line}
	}
	return err
}

// shut takes the end of an element whose children were read. A node or an edge is added
// then, since its data are complete.
func (p *graphML) shut(kind string) error {
	if kind == "graph" {
		p.inside = false
	}
	if p.values == nil {
		return nil
	}
	values := p.values
	p.values = nil
	return p.add(kind, p.opened, values)
}
