package scheduletest

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// recorder is a test that may fail without a failure of the test that runs it.
type recorder struct {
	rapid.TB
	failed bool
	log    []string
}

// within limits how long rapid shortens a run that fails, until the test ends.
func within(t *testing.T, limit string) {
	shorten := flag.Lookup("rapid.shrinktime").Value
	usual := shorten.String()
	t.Cleanup(func() { _ = shorten.Set(usual) })
	if err := shorten.Set(limit); err != nil {
		t.Fatal(err)
	}
}

// stop ends the goroutine of a recorded test, as testing does.
type stop struct{}

// check looks for a failure, and for the shortest one, from the same seed on
// every machine.
func (r *recorder) check(seed int, prop func(*rapid.T)) {
	set := func(seed int) {
		if err := flag.Set("rapid.seed", strconv.Itoa(seed)); err != nil {
			panic(err)
		}
	}
	set(seed)
	defer func() {
		set(0) // random seeds again
		if p := recover(); p != nil && p != (stop{}) {
			panic(p)
		}
	}()
	rapid.Check(r, prop)
}

func (r *recorder) Helper()                   {}
func (r *recorder) Name() string              { return "recorder" }
func (r *recorder) Failed() bool              { return r.failed }
func (r *recorder) Log(args ...any)           { r.log = append(r.log, fmt.Sprint(args...)) }
func (r *recorder) Logf(f string, a ...any)   { r.log = append(r.log, fmt.Sprintf(f, a...)) }
func (r *recorder) Error(args ...any)         { r.Log(args...); r.Fail() }
func (r *recorder) Errorf(f string, a ...any) { r.Logf(f, a...); r.Fail() }
func (r *recorder) Fatal(args ...any)         { r.Log(args...); r.FailNow() }
func (r *recorder) Fatalf(f string, a ...any) { r.Logf(f, a...); r.FailNow() }
func (r *recorder) Fail()                     { r.failed = true }
func (r *recorder) FailNow()                  { r.failed = true; panic(stop{}) }

// operations lists the operations of the shortest failing run.
func (r *recorder) operations() []string {
	var ops []string
	for _, line := range r.log {
		if strings.HasPrefix(line, "op ") {
			ops = append(ops, line[len("op "):])
		}
	}
	return ops
}

// TestMain keeps rapid from writing a file for each fault it finds.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
