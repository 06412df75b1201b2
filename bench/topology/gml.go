package topology

import (
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
)

// ReadGML reads the first graph of a file in the Graph Modelling Language (Himsolt,
// 1996). It takes from the graph "directed", and "label" or "Network"; from a node "id",
// "label", "Longitude" and "Latitude"; from an edge "source", "target", "id", and
// "LinkSpeedRaw" as its capacity. It skips all other keys. O(n) for n bytes.
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

// gml is the parser of ReadGML.
type gml struct {
	*builder
	rest  string // of the file, after the last token
	line  int    // of the beginning of rest
	depth int    // number of open lists
}

// gmlToken is a bracket, a text between quotes, or a word: a key or a number.
type gmlToken struct {
	kind byte // '[', ']', '"', or 'w' for a word; 0 at the end of the file
	value
}

// gmlTokens finds tokens and comments. Of a quotation without an end it finds the quotation
// mark alone, so that next can name its line.
var gmlTokens = regexp.MustCompile(`[\[\]]|"[^"]*"|"|#[^\n]*|[^ \t\r\n\[\]"#]+`)

// next returns the next token. The end of the file inside a list is an error.
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
				return t, p.fault(t.line, "the file ends inside a list")
			}
			return t, nil
		case t.text[0] == '#':
			continue
		case t.text == `"`:
			return t, p.fault(t.line, "the quotation does not end")
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
// value opens a list, f must read that list to its end.
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
			return p.fault(key.line, "want a key, found %q", clip(key.text))
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

// skip reads to the end of the list that was opened last, and of all lists in it. It counts
// the open lists instead of calling itself: a file may nest lists without bound.
func (p *gml) skip() error {
	for outer := p.depth - 1; p.depth > outer; {
		_, err := p.next()
		if err != nil {
			return err
		}
	}
	return nil
}

// part reads one key of the graph and its value.
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
