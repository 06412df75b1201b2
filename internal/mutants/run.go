package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// runner runs tests in the packages of the checkout, which is the current directory.
type runner struct {
	module string  // the module of the root
	dir    string  // results and suites
	temp   string  // an empty directory of the runner's own
	depth  string  // short or full
	bound  float64 // tests that cost more run only as long as a fault lives; in seconds
	least  float64 // the least limit of a test, in seconds
	log    io.Writer
	suites map[string]*suite
}

const (
	short = "short"
	full  = "full"
)

// outcome is a fault and the tests that ran with it.
type outcome struct {
	Fault   fault
	Depth   string
	Verdict string
	Runs    []run
	Seconds float64 // that passed, with the builds
}

const (
	killed  = "killed"
	alive   = "alive" // if no test ran, then none reaches it
	unbuilt = "unbuilt"
)

// run is a test that ran alone.
type run struct {
	Test      string // its package and its name
	Result    string
	CPU, Wall float64 // seconds
}

const (
	passes = ""
	fails  = "fails"
	hangs  = "hangs" // it used up its limit
)

// A test may use five times its cost of the processor, and the least limit at least. A test that waits
// for ever is cut off after six times that. After two tests that hang, no further test runs with
// the fault: each would hang as well.
const (
	timesCost  = 5
	timesWall  = 6
	enoughHang = 2
	hour       = 3600
)

// try runs the tests that reach a fault, each alone. Package by package, the cheap ones all run, so
// that all are known that find the fault, until a package has found it. If none has, the others run, the cheapest first,
// until one finds it.
func (r *runner) try(ctx context.Context, f fault) (o outcome, err error) {
	start := time.Now()
	o = outcome{Fault: f, Depth: r.depth, Verdict: alive}
	defer func() { o.Seconds = time.Since(start).Seconds() }()
	built := map[string]string{}
	defer os.RemoveAll(filepath.Join(r.temp, "fault"))
	overlay, err := r.overlay(f)
	if err != nil {
		return o, err
	}
	hung := 0
	one := func(dir string, t test) error { // runs a test, and builds its package if need be
		bin := built[dir]
		if bin == "" {
			bin = filepath.Join(r.temp, "fault", flat(dir)+".test")
			if out, err := r.build(ctx, dir, bin, "-overlay", overlay); err != nil {
				if ctx.Err() == nil && bytes.Contains(out, []byte("# ")) {
					o.Verdict = unbuilt
					return nil
				}
				return fmt.Errorf("%w: %s", err, out)
			}
			built[dir] = bin
		}
		ran, err := r.alone(ctx, dir, bin, t)
		if err != nil {
			return err
		}
		o.Runs = append(o.Runs, ran)
		if ran.Result != passes {
			o.Verdict = killed
		}
		if ran.Result == hangs {
			hung++
		}
		return nil
	}
	type dearTest struct {
		dir string
		test
	}
	var dear []dearTest
	for _, dir := range counted(f.dir()) {
		if o.Verdict != alive {
			break
		}
		s, err := r.suiteOf(ctx, dir)
		if err != nil {
			return o, err
		}
		tests, err := s.reaching(f)
		if err != nil {
			return o, err
		}
		for _, t := range tests {
			if t.Cost > r.bound {
				dear = append(dear, dearTest{dir, t})
			} else if o.Verdict != unbuilt && hung < enoughHang {
				if err := one(dir, t); err != nil {
					return o, err
				}
			}
		}
	}
	slices.SortStableFunc(dear, func(a, b dearTest) int { return cmp.Compare(a.Cost, b.Cost) })
	for _, t := range dear {
		if o.Verdict != alive {
			break
		}
		if err := one(t.dir, t.test); err != nil {
			return o, err
		}
	}
	return o, nil
}

// overlay writes the file with the fault, and a list for the go command that puts it in place of the original. So the
// checkout stays as it is.
func (r *runner) overlay(f fault) (name string, err error) {
	source, err := os.ReadFile(filepath.FromSlash(f.File))
	if err != nil {
		return "", err
	}
	original, err := filepath.Abs(filepath.FromSlash(f.File))
	if err != nil {
		return "", err
	}
	dir := filepath.Join(r.temp, "fault")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	changed := filepath.Join(dir, path.Base(f.File))
	if err := os.WriteFile(changed, slices.Concat(source[:f.From], []byte(f.By), source[f.To:]), 0o666); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	if err != nil {
		return "", err
	}
	name = filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, list, 0o666)
}

// build builds the tests of a package, in its directory, which may belong to another module.
func (r *runner) build(ctx context.Context, dir, bin string, flags ...string) (out []byte, err error) {
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"test", "-c", "-ldflags=-s -w", "-o", bin}, flags, []string{"."})...)
	cmd.Dir = filepath.FromSlash(dir)
	return cmd.CombinedOutput()
}

// names returns the names of the tests that a program has.
func (r *runner) names(ctx context.Context, dir, bin string) (names []string, err error) {
	cmd := exec.CommandContext(ctx, bin, "-test.list", ".")
	cmd.Dir = filepath.FromSlash(dir)
	out, err := cmd.Output()
	for _, name := range strings.Fields(string(out)) {
		if testName.MatchString(name) {
			names = append(names, name)
		}
	}
	return names, err
}

// alone runs one test of a program.
func (r *runner) alone(ctx context.Context, dir, bin string, t test, flags ...string) (run, error) {
	cpu := max(r.least, timesCost*t.Cost)
	wall := timesWall * max(cpu, timesCost*t.Wall)
	limited, cancel := context.WithTimeout(ctx, time.Duration(wall*float64(time.Second)))
	defer cancel()
	temp := filepath.Join(r.temp, "tmp")
	if err := os.MkdirAll(temp, 0o777); err != nil {
		return run{}, err
	}
	defer os.RemoveAll(temp)
	// The shell limits the time, and the room to 16 GB, as a loop with a fault may take all there is.
	const limits = `ulimit -t "$0"; ulimit -v 16000000 2>/dev/null; exec "$@"`
	args := []string{"-c", limits, strconv.Itoa(int(math.Ceil(cpu))), bin, "-test.timeout=0", "-test.run=^" + t.Name + "$"}
	if r.depth == short {
		args = append(args, "-test.short")
	}
	cmd := exec.CommandContext(limited, "sh", append(args, flags...)...)
	cmd.Dir = filepath.FromSlash(dir)
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	cmd.WaitDelay = time.Second
	start := time.Now()
	err := cmd.Run()
	if ctx.Err() != nil {
		return run{}, ctx.Err()
	}
	if cmd.ProcessState == nil {
		return run{}, err
	}
	ran := run{Test: path.Join(dir, t.Name), Wall: time.Since(start).Seconds()}
	ran.CPU = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	switch {
	case cmd.ProcessState.ExitCode() < 0:
		ran.Result = hangs
	case err != nil:
		ran.Result = fails
	}
	return ran, nil
}

func (r *runner) progress(format string, args ...any) { fmt.Fprintf(r.log, format, args...) }

func (o outcome) String() string {
	hits := 0
	first := ""
	for _, ran := range o.Runs {
		if ran.Result != passes {
			if hits++; hits == 1 {
				first = ", first " + ran.Test + " " + ran.Result
			}
		}
	}
	return fmt.Sprintf("%s by %d of %d tests%s: %v", o.Verdict, hits, len(o.Runs), first, o.Fault)
}
