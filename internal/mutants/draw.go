package main

import (
	"encoding/json"
	"go/ast"
	"go/build"
	"go/token"
	"math/rand/v2"
	"os"
	"path"
	"strconv"
	"strings"
)

// draw returns n of all possible faults of some packages, in the order of the draw. Each possible
// fault is as likely as any other, so a package has its share of them.
func draw(dirs []string, n int, seed uint64) ([]fault, error) {
	var all []fault
	for _, dir := range dirs {
		list, err := possible(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	return all[:min(n, len(all))], nil
}

// readList reads faults as JSON, and finds each of them in this checkout. Lost are those that have
// no place here.
func readList(name string) (list, lost []fault, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	var all []fault
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, nil, err
	}
	for _, f := range all {
		here, ok := find(f)
		if ok {
			list = append(list, here)
		} else {
			lost = append(lost, f)
		}
	}
	return list, lost, nil
}

// possible returns all faults of a package: of the files that a build takes, without the tests.
func possible(dir string) (all []fault, err error) {
	pkg, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	for _, name := range pkg.GoFiles {
		s, err := read(path.Join(dir, name))
		if err != nil {
			return nil, err
		}
		ast.Inspect(s.tree, func(node ast.Node) bool {
			if hardlyMatters(node) {
				return false
			}
			for _, e := range edits(node) {
				from, to := s.offset(e.from), s.offset(e.to)
				all = append(all, s.fault(from, to, strings.Replace(e.by, "$", string(s.text[from:to]), 1)))
			}
			return true
		})
	}
	return all, nil
}

// hardlyMatters reports whether faults below a node are mostly equivalent. No caller reads the
// values returned beside an error or a false. The arguments of make only reserve room, or are a
// length that panics at once if it is wrong.
func hardlyMatters(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.ReturnStmt:
		if len(node.Results) < 2 {
			return false
		}
		last := node.Results[len(node.Results)-1]
		_, call := last.(*ast.CallExpr)
		return call || isNamed(last, "err") || isNamed(last, "false")
	case *ast.CallExpr:
		return isNamed(node.Fun, "make")
	}
	return false
}

func isNamed(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// edit is a fault in terms of the syntax tree. In by, $ stands for the replaced text.
type edit struct {
	from, to token.Pos
	by       string
}

// others has, for each operator, the operators that replace it.
var others = map[token.Token][]string{
	token.LSS: {"<=", ">"}, token.LEQ: {"<", ">="}, token.GTR: {">=", "<"}, token.GEQ: {">", "<="},
	token.EQL: {"!="}, token.NEQ: {"=="}, token.LAND: {"||"}, token.LOR: {"&&"},
	token.ADD: {"-"}, token.SUB: {"+"}, token.MUL: {"+"}, token.QUO: {"*"}, token.REM: {"/"},
	token.AND: {"|"}, token.OR: {"&"}, token.XOR: {"|"}, token.AND_NOT: {"&"}, token.SHL: {">>"}, token.SHR: {"<<"},
}

// edits returns the possible edits of a node itself, without the nodes below it.
func edits(node ast.Node) (list []edit) {
	switch node := node.(type) {
	case *ast.BinaryExpr:
		for _, by := range others[node.Op] {
			list = append(list, edit{node.OpPos, node.OpPos + token.Pos(len(node.Op.String())), by})
		}
	case *ast.BasicLit:
		if _, err := strconv.ParseInt(node.Value, 0, 64); err == nil && node.Kind == token.INT {
			list = append(list, edit{node.Pos(), node.End(), "($+1)"})
		}
	case *ast.IfStmt:
		list = append(list, edit{node.Cond.Pos(), node.Cond.End(), "(false && ($))"}, edit{node.Cond.Pos(), node.Cond.End(), "(true || ($))"})
	case *ast.ExprStmt:
		list = append(list, edit{node.Pos(), node.End(), ""})
	case *ast.IncDecStmt:
		list = append(list, edit{node.Pos(), node.End(), ""})
	case *ast.AssignStmt:
		if node.Tok != token.DEFINE {
			list = append(list, edit{node.Pos(), node.End(), ""})
		}
	case *ast.BranchStmt:
		list = append(list, edit{node.Pos(), node.End(), ""})
	}
	return list
}
