package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// fault replaces the bytes from From to To of a file, which are Was, by By.
//
// Func, Code, Nth and Column find the fault in a checkout whose bytes have moved: line Code stands
// in function Func, after Nth others like it, and the fault starts at byte Column of the line. In a
// list without Code, From and To must fit.
type fault struct {
	File     string // from the root of the checkout, with slashes
	From, To int
	Was, By  string
	Line     int    // of From
	Func     string // the function around the fault, or "" outside of all
	Code     string // line Line without the space at both ends
	Nth      int
	Column   int
}

func (f fault) String() string {
	return fmt.Sprintf("%s:%d: %q for %q", f.File, f.Line, firstLine(f.By), firstLine(f.Was))
}

func firstLine(text string) string {
	line, _, more := strings.Cut(text, "\n")
	if more {
		line += " ..."
	}
	return line
}

// dir returns the package of the fault.
func (f fault) dir() string { return path.Dir(f.File) }

// source is a file of Go.
type source struct {
	name string // from the root of the checkout, with slashes
	text []byte
	set  *token.FileSet
	tree *ast.File
}

func read(name string) (*source, error) {
	text, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	s := &source{name: name, text: text, set: token.NewFileSet()}
	s.tree, err = parser.ParseFile(s.set, name, text, parser.SkipObjectResolution)
	return s, err
}

func (s *source) offset(at token.Pos) int { return s.set.Position(at).Offset }

// function returns the function declared around an offset, or nil.
func (s *source) function(at int) *ast.FuncDecl {
	for _, decl := range s.tree.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && s.offset(fn.Pos()) <= at && at < s.offset(fn.End()) {
			return fn
		}
	}
	return nil
}

// line returns the line around an offset, without the space at both ends, and where it starts.
func (s *source) line(at int) (code string, start int) {
	start = bytes.LastIndexByte(s.text[:at], '\n') + 1
	line, _, _ := bytes.Cut(s.text[start:], []byte("\n"))
	start += len(line) - len(bytes.TrimLeft(line, "\t "))
	return string(bytes.TrimSpace(line)), start
}

// fault returns the fault that replaces the bytes from from to to.
func (s *source) fault(from, to int, by string) fault {
	code, start := s.line(from)
	f := fault{File: s.name, From: from, To: to, Was: string(s.text[from:to]), By: by, Code: code, Column: from - start}
	f.Line = bytes.Count(s.text[:from], []byte("\n")) + 1
	body := 0
	if fn := s.function(from); fn != nil {
		f.Func, body = fn.Name.Name, s.offset(fn.Pos())
	}
	f.Nth = strings.Count(string(s.text[body:start]), code)
	return f
}

// find returns the fault at its place in this checkout: where the bytes are, or where the line stands
// in a function of the same name, which may have moved to another file of the package.
func find(f fault) (fault, bool) {
	if s, err := read(f.File); err == nil && f.To <= len(s.text) && string(s.text[f.From:f.To]) == f.Was {
		here := s.fault(f.From, f.To, f.By)
		if f.Code == "" || here.Code == f.Code && here.Func == f.Func {
			return here, true
		}
	}
	names, err := filepath.Glob(filepath.Join(f.dir(), "*.go"))
	if err != nil || f.Code == "" {
		return fault{}, false
	}
	var same, other []fault // in the same file, and in others
	for _, name := range names {
		s, err := read(filepath.ToSlash(name))
		switch {
		case err != nil || strings.HasSuffix(name, "_test.go"):
		case s.name == f.File:
			same = append(same, s.search(f)...)
		default:
			other = append(other, s.search(f)...)
		}
	}
	switch {
	case len(same) == 1:
		return same[0], true
	case len(same) == 0 && len(other) == 1:
		return other[0], true
	}
	return fault{}, false
}

// search returns the places of a fault in a file: one at most in each function of the name.
func (s *source) search(f fault) (list []fault) {
	look := func(from, to int) {
		rest := string(s.text[from:to])
		at := from
		for n := f.Nth; ; n-- {
			k := strings.Index(rest, f.Code)
			if k < 0 {
				return
			}
			if at += k; n == 0 {
				break
			}
			at, rest = at+len(f.Code), rest[k+len(f.Code):]
		}
		at += f.Column
		if bytes.HasPrefix(s.text[at:], []byte(f.Was)) {
			list = append(list, s.fault(at, at+len(f.Was), f.By))
		}
	}
	if f.Func == "" && s.name == f.File {
		look(0, len(s.text))
	}
	for _, decl := range s.tree.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == f.Func {
			look(s.offset(fn.Pos()), s.offset(fn.End()))
		}
	}
	return list
}
