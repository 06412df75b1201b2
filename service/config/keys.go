package config

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// maxFile is the most bytes of a file, and maxDepth how deep lists and keys may lie in each other. The library takes a time that
// grows with the square of the items of a list: a list of 65 000 items takes a minute, and one of 3 000 a third of a second.
const (
	maxFile  = 1 << 18
	maxDepth = 64
)

// keys are where the keys of a file are: "schedules[2].units" is in line 12, and the key of line 12, column 9 is this.
type keys struct {
	lines map[string]int
	at    map[[2]int]string
}

// line returns the line of a key, or of the nearest that the file has around it; 0 if there is none.
func (k *keys) line(key string) int {
	for key != "" {
		line, ok := k.lines[key]
		if ok {
			return line
		}
		key = key[:max(0, strings.LastIndexAny(key, ".["))]
	}
	return 0
}

// given reports whether the file has a key.
func (k *keys) given(key string) bool { return k.lines[key] > 0 }

// parse notes where the keys are, and refuses what would be passed over, or be read as something else.
func (x *checker) parse(data []byte) {
	x.keys = keys{map[string]int{}, map[[2]int]string{}}
	switch {
	case len(data) > maxFile:
		x.fail("", "has more than %d bytes", maxFile)
		return
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		x.fail("", "is no text in UTF-8")
		return
	case tooDeep(data):
		x.fail("", "has lists and keys more than %d deep", maxDepth)
		return
	}
	parsed, err := parser.ParseBytes(data, 0)
	if err != nil {
		x.err = x.syntax(err)
		return
	}
	if len(parsed.Docs) > 1 {
		x.err = &Error{File: x.file, Line: parsed.Docs[1].GetToken().Position.Line, What: "a second document begins here, and a file has one"}
		return
	}
	for _, d := range parsed.Docs {
		if d.Body != nil {
			ast.Walk(visitor{x, x.note}, d.Body)
		}
	}
}

// tooDeep reports whether a file is so deep that no reader should go down. It counts brackets and the lists of a line wherever
// they are, also in texts, of which the files of this service have a few.
func tooDeep(data []byte) bool {
	depth := 0
	for line := range bytes.Lines(data) {
		depth += bytes.Count(line, []byte("[")) + bytes.Count(line, []byte("{"))
		if depth > maxDepth || bytes.Count(line, []byte("- "))+bytes.Count(line, []byte("? ")) > maxDepth {
			return true
		}
		depth = max(0, depth-bytes.Count(line, []byte("]"))-bytes.Count(line, []byte("}")))
	}
	return false
}

// visitor visits the nodes of a file.
type visitor struct {
	*checker
	visit func(n ast.Node)
}

func (v visitor) Visit(n ast.Node) ast.Visitor {
	if n != nil && n.GetToken() != nil {
		v.visit(n)
	}
	return v
}

// keyOf returns the key of a node.
func keyOf(n ast.Node) string { return strings.TrimPrefix(strings.TrimPrefix(n.GetPath(), "$"), ".") }

// note notes where a key is.
func (x *checker) note(n ast.Node) {
	key := keyOf(n)
	p := n.GetToken().Position
	if !x.keys.given(key) {
		x.keys.lines[key] = p.Line
	}
	here := [2]int{p.Line, p.Column}
	if len(key) > len(x.keys.at[here]) {
		x.keys.at[here] = key
	}
	switch {
	case n.Type() == ast.AliasType || n.Type() == ast.AnchorType:
		x.fail(key, "is an alias or an anchor: write out what is meant")
	case n.Type() == ast.FloatType && key != "limits.rate":
		x.fail(key, "%s is no whole number", n.GetToken().Value)
	}
}

// syntax returns an error of the library with its line, and with the key at which it is.
func (x *checker) syntax(err error) error {
	e := &Error{File: x.file, What: err.Error()}
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		p := at.GetToken().Position
		e.Line, e.Key, e.What = p.Line, x.keys.at[[2]int{p.Line, p.Column}], at.GetMessage()
	}
	return e
}
