package topology

import (
	"bufio"
	"errors"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
)

// ReadGML reads a graph in the Graph Modelling Language (Himsolt, 1996): of the
// graph "directed" and "label" or "Network", of a node "id", "label", "Longitude"
// and "Latitude", of an edge "source", "target", "id" or "label", and
// "LinkSpeedRaw" as its capacity. Whatever else there is, is skipped. O(n) for n
// bytes.
func ReadGML(in io.Reader) (Graph, error) {
	p := gml{builder: newBuilder("gml"), in: limit(in), line: 1}
	seen := false
	for {
		key, err := p.token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return Graph{}, err
		}
		value, err := p.value(key)
		if err != nil {
			return Graph{}, err
		}
		if value.kind != opening {
			continue
		}
		if key.text == "graph" && !seen {
			seen = true
			err = p.graph()
		} else {
			err = p.skip()
		}
		if err != nil {
			return Graph{}, err
		}
	}
	if !seen {
		return Graph{}, p.fault(p.line, "no graph")
	}
	return p.finish()
}

// gml is a parser.
type gml struct {
	*builder
	in   *bufio.Reader
	line int // that of the next byte
}

type gmlKind int

const (
	word gmlKind = iota // a key or a number
	text                // between quotes
	opening
	closing
)

type gmlToken struct {
	kind gmlKind
	text string
	line int
}

// broken tells a fault of reading from the end.
func (p *gml) broken(err error) error {
	if err == io.EOF {
		return err
	}
	if errors.Is(err, errSize) {
		return p.fault(p.line, "the file %v", err)
	}
	return p.fault(p.line, "%v", err)
}

// token returns the next token, or io.EOF.
func (p *gml) token() (gmlToken, error) {
	for {
		c, err := p.in.ReadByte()
		if err != nil {
			return gmlToken{}, p.broken(err)
		}
		switch {
		case c == '\n':
			p.line++
		case c == ' ' || c == '\t' || c == '\r':
		case c == '#':
			for c != '\n' {
				if c, err = p.in.ReadByte(); err != nil {
					return gmlToken{}, p.broken(err)
				}
			}
			p.line++
		case c == '[':
			return gmlToken{opening, "[", p.line}, nil
		case c == ']':
			return gmlToken{closing, "]", p.line}, nil
		case c == '"':
			return p.quoted()
		default:
			return p.word(c)
		}
	}
}

func (p *gml) quoted() (gmlToken, error) {
	t := gmlToken{kind: text, line: p.line}
	var s strings.Builder
	for {
		c, err := p.in.ReadByte()
		switch {
		case err == io.EOF:
			return t, p.fault(t.line, "the quote does not end")
		case err != nil:
			return t, p.broken(err)
		case c == '"':
			t.text = html.UnescapeString(s.String())
			return t, nil
		case c == '\n':
			p.line++
		}
		s.WriteByte(c)
	}
}

func (p *gml) word(c byte) (gmlToken, error) {
	t := gmlToken{kind: word, line: p.line}
	var s strings.Builder
	for {
		s.WriteByte(c)
		var err error
		if c, err = p.in.ReadByte(); err == io.EOF {
			break
		} else if err != nil {
			return t, p.broken(err)
		}
		if strings.IndexByte(" \t\r\n[]\"#", c) >= 0 {
			if err := p.in.UnreadByte(); err != nil {
				return t, p.broken(err)
			}
			break
		}
	}
	t.text = s.String()
	return t, nil
}

// value returns what stands behind a key: an opening bracket for a list.
func (p *gml) value(key gmlToken) (gmlToken, error) {
	if key.kind != word {
		return key, p.fault(key.line, "%q where a key should be", clip(key.text))
	}
	v, err := p.token()
	if err == io.EOF || err == nil && v.kind == closing {
		return v, p.fault(key.line, "key %q without a value", clip(key.text))
	}
	return v, err
}

// skip passes over a list, however deep.
func (p *gml) skip() error {
	for depth := 1; depth > 0; {
		t, err := p.inside()
		if err != nil {
			return err
		}
		switch t.kind {
		case opening:
			depth++
		case closing:
			depth--
		}
	}
	return nil
}

// inside returns the next token of a list.
func (p *gml) inside() (gmlToken, error) {
	t, err := p.token()
	if err == io.EOF {
		err = p.fault(p.line, "a list does not end")
	}
	return t, err
}

// list calls f with each key of a list that has a simple value, and open with each
// that has a list, which it must read to its end.
func (p *gml) list(f func(key string, v gmlToken) error, open func(key gmlToken) error) error {
	for {
		key, err := p.inside()
		if err != nil {
			return err
		}
		if key.kind == closing {
			return nil
		}
		v, err := p.value(key)
		if err != nil {
			return err
		}
		if v.kind == opening {
			err = open(key)
		} else {
			err = f(key.text, v)
		}
		if err != nil {
			return err
		}
	}
}

func (p *gml) graph() error {
	return p.list(func(key string, v gmlToken) error {
		switch key {
		case "directed":
			p.builder.graph.Directed = v.text == "1"
		case "label", "Network":
			p.builder.graph.Name = v.text
		}
		return nil
	}, func(key gmlToken) error {
		switch key.text {
		case "node":
			return p.node(key.line)
		case "edge":
			return p.edge(key.line)
		}
		return p.skip()
	})
}

func (p *gml) node(line int) error {
	n := Node{Longitude: math.NaN(), Latitude: math.NaN()}
	err := p.list(func(key string, v gmlToken) (err error) {
		switch key {
		case "id":
			n.ID = v.text
		case "label":
			n.Name = v.text
		case "Longitude":
			n.Longitude, err = p.number(v)
		case "Latitude":
			n.Latitude, err = p.number(v)
		}
		return err
	}, func(gmlToken) error { return p.skip() })
	if err != nil {
		return err
	}
	if n.ID == "" {
		return p.fault(line, "node without an id")
	}
	return p.builder.node(n, line)
}

func (p *gml) edge(line int) error {
	l, e := Link{Capacity: math.NaN()}, ends{line: line}
	err := p.list(func(key string, v gmlToken) (err error) {
		switch key {
		case "source":
			e.from = v.text
		case "target":
			e.to = v.text
		case "id":
			l.ID = v.text
		case "LinkSpeedRaw":
			l.Capacity, err = p.number(v)
		}
		return err
	}, func(gmlToken) error { return p.skip() })
	if err != nil {
		return err
	}
	if e.from == "" || e.to == "" {
		return p.fault(line, "edge without a source or target")
	}
	p.link(l, e)
	return nil
}

func (p *gml) number(v gmlToken) (float64, error) {
	x, err := strconv.ParseFloat(v.text, 64)
	if err != nil || math.IsInf(x, 0) {
		return 0, p.fault(v.line, "%q is not a number", clip(v.text))
	}
	return x, nil
}
