// Mutants seeds faults into a package, one at a time, and runs the tests that should find each.
//
//	BOOKAHEAD_OPS=4000 go run ./internal/mutants -n 20 -seed 1 ./internal/ledger ./carts
//
// draws 20 of the possible faults of internal/ledger: a comparison turned around or off by
// one, a number off by one, another operator, a branch that is never or always taken, a
// statement left out. The tests of internal/ledger and of carts run with each fault. Flags
// of go test may follow the packages: ./grid -short. The checkout stays as it is. If a mutant
// survives, a test is missing, or the mutant is equivalent: it behaves like the original, and
// no test could find it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	n := flag.Int("n", 20, "how many mutants to try")
	seed := flag.Uint64("seed", 1, "the same seed draws the same mutants")
	limit := flag.Duration("timeout", 0, "time limit for the tests of one mutant, which is killed if they take longer; 0 means the limit of go test")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "mutants: name the package to mutate, then further packages to test and flags of go test")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *n, *seed, limit.String(), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, n int, seed uint64, limit string, tests []string) error {
	all, err := mutants(tests[0])
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := all[0].pass(ctx, dir, limit, tests); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	tried, killed := 0, 0
	for _, m := range all {
		if tried == n || ctx.Err() != nil {
			break
		}
		verdict, err := m.try(ctx, dir, limit, tests)
		if err != nil {
			return err
		}
		if verdict == unbuilt {
			continue
		}
		tried++
		if verdict == dead {
			killed++
		}
		fmt.Printf("%d of %d: %s %v\n", tried, n, verdict, m)
	}
	fmt.Printf("%d of %d mutants of %s are killed; %d were possible, seed %d\n", killed, tried, tests[0], len(all), seed)
	return ctx.Err()
}

// mutant is a fault: by replaces the bytes of source in [from, to).
type mutant struct {
	file     string
	source   []byte
	from, to int
	at       token.Position // of from
	by       string
}

func (m mutant) String() string {
	return fmt.Sprintf("%v: %q for %q", m.at, firstLine(m.by), firstLine(string(m.source[m.from:m.to])))
}

func firstLine(text string) string {
	line, _, more := strings.Cut(text, "\n")
	if more {
		line += " ..."
	}
	return line
}

const (
	dead    = "killed  "
	alive   = "SURVIVES"
	unbuilt = "does not build"
)

// try runs the tests with the mutant in place of its file. An overlay of the go command
// does that, so the checkout stays as it is.
func (m mutant) try(ctx context.Context, dir, limit string, tests []string) (verdict string, err error) {
	changed := append(append(append([]byte(nil), m.source[:m.from]...), m.by...), m.source[m.to:]...)
	file, list := filepath.Join(dir, filepath.Base(m.file)), filepath.Join(dir, "overlay.json")
	path, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: file}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file, changed, 0o600); err != nil {
		return "", err
	}
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return "", err
	}
	args := []string{"test", "-failfast", "-vet=off", "-overlay", list}
	if limit != "0s" {
		args = append(args, "-timeout", limit)
	}
	out, err := exec.CommandContext(ctx, "go", append(args, tests...)...).CombinedOutput()
	switch {
	case err == nil:
		return alive, nil
	case strings.Contains(string(out), "[build failed]"):
		return unbuilt, nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	return dead, nil
}

// pass returns an error unless the tests pass without the mutant: tests that always fail
// would kill every mutant.
func (m mutant) pass(ctx context.Context, dir, limit string, tests []string) error {
	m.by = string(m.source[m.from:m.to])
	verdict, err := m.try(ctx, dir, limit, tests)
	if err == nil && verdict != alive {
		err = fmt.Errorf("go test %s fails without a mutant, or takes longer than -timeout %s", strings.Join(tests, " "), limit)
	}
	return err
}

// mutants returns all mutants of a package without its tests.
func mutants(dir string) (all []mutant, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, source, 0)
		if err != nil {
			return nil, err
		}
		ast.Inspect(tree, func(node ast.Node) bool {
			if hardlyMatters(node) {
				return false
			}
			for _, e := range edits(node) {
				at := set.Position(e.from)
				to := set.Position(e.to).Offset
				all = append(all, mutant{file, source, at.Offset, to, at, strings.Replace(e.by, "$", string(source[at.Offset:to]), 1)})
			}
			return true
		})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("package %s has no mutants", dir)
	}
	return all, nil
}

// hardlyMatters reports whether mutants below a node are mostly equivalent. No caller reads the
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

// edit is a mutant in terms of the syntax tree. In by, $ stands for the replaced text.
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
