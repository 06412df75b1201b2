package topology

import (
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
)

// ReadGML reads a graph in the Graph Modelling Language (Himsolt, 1996): of the
// graph "directed" and "label" or "Network", of a node "id", "label", "Longitude"
// and "Latitude", of an edge "source", "target", "id", and "LinkSpeedRaw" as its
// capacity. Whatever else there is, is skipped. O(n) for n bytes.
func ReadGML(in io.Reader) (Graph, error) {
	var text strings.Builder
	_, err := io.Copy(&text, limit(in))
	p := gml{builder: newBuilder("gml"), rest: text.String(), line: 1}
	if err != nil {
		return Graph{}, p.fault(1+strings.Count(p.rest, "\n"), "%v", err)
	}
	seen := false
	err = p.list(func(key, v gmlToken) error {
		switch {
		case v.kind != '[':
			return nil
		case key.text != "graph" || seen:
			return p.skip()
		}
		seen = true
		return p.list(p.part)
	})
	if err != nil {
		return Graph{}, err
	}
	if !seen {
		return Graph{}, p.fault(p.line, "no graph")
	}
	return p.finish()
}

// gml is a parser.
type gml struct {
	*builder
	rest  string // of the file, behind the last token
	line  int    // where the rest begins
	depth int    // number of lists that are open
}

// gmlToken is a bracket, a text between quotes, or a word: a key or a number.
type gmlToken struct {
	kind byte // '[', ']', '"', or 'w' for a word; 0 at the end of the file
	value
}

// gmlTokens finds tokens and comments; a quote that does not end is found alone.
var gmlTokens = regexp.MustCompile(`[\[\]]|"[^"]*"|"|#[^\n]*|[^ \t\r\n\[\]"#]+`)

// next returns the next token. A file does not end inside a list.
func (p *gml) next() (gmlToken, error) {
	for {
		at := gmlTokens.FindStringIndex(p.rest)
		if at == nil {
			at = []int{len(p.rest), len(p.rest)}
		}
		p.line += strings.Count(p.rest[:at[0]], "\n")
		t := gmlToken{value: value{p.rest[at[0]:at[1]], p.line}}
		p.line += strings.Count(t.text, "\n")
		p.rest = p.rest[at[1]:]
		switch {
		case t.text == "":
			if p.depth > 0 {
				return t, p.fault(t.line, "a list does not end")
			}
			return t, nil
		case t.text[0] == '#':
			continue
		case t.text == `"`:
			return t, p.fault(t.line, "the quote does not end")
		case t.text[0] == '"':
			t.kind, t.text = '"', html.UnescapeString(t.text[1:len(t.text)-1])
		case t.text == "[":
			t.kind = '['
			p.depth++
		case t.text == "]":
			t.kind = ']'
			p.depth--
		default:
			t.kind = 'w'
		}
		return t, nil
	}
}

// list calls f with each key and value up to the end of the list, or of the file. If the
// value opens a list, f reads that to its end.
func (p *gml) list(f func(key, v gmlToken) error) error {
	outermost := p.depth == 0
	for {
		key, err := p.next()
		switch {
		case err != nil:
			return err
		case key.kind == 0, key.kind == ']' && !outermost:
			return nil
		case key.kind != 'w':
			return p.fault(key.line, "%q where a key should be", clip(key.text))
		}
		v, err := p.next()
		if err != nil {
			return err
		}
		if v.kind == 0 || v.kind == ']' {
			return p.fault(key.line, "key %q without a value", clip(key.text))
		}
		err = f(key, v)
		if err != nil {
			return err
		}
	}
}

// skip passes over the list that has been opened, however deep.
func (p *gml) skip() error {
	for outer := p.depth - 1; p.depth > outer; {
		_, err := p.next()
		if err != nil {
			return err
		}
	}
	return nil
}

// part reads a key and a value of the graph.
func (p *gml) part(key, v gmlToken) error {
	switch {
	case v.kind == '[' && (key.text == "node" || key.text == "edge"):
		values := map[string]value{}
		err := p.list(func(key, v gmlToken) error {
			if v.kind == '[' {
				return p.skip()
			}
			if slices.Contains(identifying, key.text) || slices.Contains(describing, key.text) {
				values[key.text] = v.value
			}
			return nil
		})
		if err != nil {
			return err
		}
		return p.add(key.text, key.line, values)
	case v.kind == '[':
		return p.skip()
	case key.text == "directed":
		p.graph.Directed = v.text == "1"
	case key.text == "label", key.text == "Network":
		p.graph.Name = v.text
	}
	return nil
}
