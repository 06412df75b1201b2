package topology

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
)

// ReadGraphML reads the first graph of a GraphML file (Brandes et al., 2002). Of
// the data of nodes and edges it takes those whose key is named as in ReadGML:
// "label", "Longitude", "Latitude", "Network", "LinkSpeedRaw". Names of XML
// namespaces do not matter. A graph inside a node is skipped. O(n) for n bytes.
func ReadGraphML(in io.Reader) (Graph, error) {
	p := graphML{builder: newBuilder("graphml"), in: xml.NewDecoder(limit(in)), keys: map[string]string{}}
	p.in.CharsetReader = nil
	for {
		t, err := p.in.Token()
		if err == io.EOF {
			if !p.seen {
				return Graph{}, p.fault(p.line(), "no graph")
			}
			return p.finish()
		}
		if err != nil {
			return Graph{}, p.broken(err)
		}
		start, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "graphml": // its children come next
		case "key":
			p.keys[attribute(start, "id")] = attribute(start, "attr.name")
			err = p.in.Skip()
		case "graph":
			if p.seen {
				err = p.in.Skip()
				break
			}
			p.seen = true
			p.graph.Directed = attribute(start, "edgedefault") == "directed"
			err = p.body()
		default:
			err = p.in.Skip()
		}
		if err != nil {
			return Graph{}, p.broken(err)
		}
	}
}

type graphML struct {
	*builder
	in   *xml.Decoder
	keys map[string]string // attr.name by id
	seen bool
}

func (p *graphML) line() int {
	line, _ := p.in.InputPos()
	return line
}

// broken gives an error of the decoder a line.
func (p *graphML) broken(err error) error {
	var known *Error
	var syntax *xml.SyntaxError
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &syntax):
		return p.fault(syntax.Line, "%s", clip(syntax.Msg))
	case errors.Is(err, errSize):
		return p.fault(p.line(), "the file %v", err)
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

// body reads the graph up to its end.
func (p *graphML) body() error {
	return p.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "data":
			text, err := p.text()
			if name := p.keys[attribute(e, "key")]; name == "Network" || name == "label" {
				p.graph.Name = text
			}
			return err
		case "node":
			return p.node(e)
		case "edge":
			return p.edge(e)
		}
		return p.in.Skip()
	})
}

// children calls f with each element inside the one that has been opened; f reads
// it to its end.
func (p *graphML) children(f func(xml.StartElement) error) error {
	for {
		t, err := p.in.Token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if err := f(t); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

// text returns the text of the element that has been opened, up to its end.
func (p *graphML) text() (string, error) {
	var s strings.Builder
	for {
		t, err := p.in.Token()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.CharData:
			s.Write(t)
		case xml.StartElement:
			if err := p.in.Skip(); err != nil {
				return "", err
			}
		case xml.EndElement:
			return strings.TrimSpace(s.String()), nil
		}
	}
}

// data calls f with the name, the text and the line of each data element.
func (p *graphML) data(f func(name, text string, line int) error) error {
	return p.children(func(e xml.StartElement) error {
		if e.Name.Local != "data" {
			return p.in.Skip()
		}
		line := p.line()
		text, err := p.text()
		if err != nil {
			return err
		}
		return f(p.keys[attribute(e, "key")], text, line)
	})
}

func (p *graphML) node(e xml.StartElement) error {
	n, line := Node{ID: attribute(e, "id"), Longitude: math.NaN(), Latitude: math.NaN()}, p.line()
	if n.ID == "" {
		return p.fault(line, "node without an id")
	}
	err := p.data(func(name, text string, line int) (err error) {
		switch name {
		case "label":
			n.Name = text
		case "Longitude":
			n.Longitude, err = p.number(text, line)
		case "Latitude":
			n.Latitude, err = p.number(text, line)
		}
		return err
	})
	if err != nil {
		return err
	}
	return p.builder.node(n, line)
}

func (p *graphML) edge(e xml.StartElement) error {
	l := Link{ID: attribute(e, "id"), Capacity: math.NaN()}
	to := ends{attribute(e, "source"), attribute(e, "target"), p.line()}
	if to.from == "" || to.to == "" {
		return p.fault(to.line, "edge without a source or target")
	}
	err := p.data(func(name, text string, line int) (err error) {
		if name == "LinkSpeedRaw" {
			l.Capacity, err = p.number(text, line)
		}
		return err
	})
	if err != nil {
		return err
	}
	p.link(l, to)
	return nil
}
