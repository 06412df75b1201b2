package require

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// TestingT is the part of a testing.TB that a check needs. A rapid.T and a recorder of a test have it too.
type TestingT interface {
	Errorf(format string, args ...any)
	FailNow()
}

// helper marks the function as a helper, so that the test's log names the line of the caller.
type helper interface{ Helper() }

// fail reports a failure, with the message of the test and the way to the check, and ends the test.
func fail(t TestingT, message []any, format string, args ...any) {
	if h, ok := t.(helper); ok {
		h.Helper()
	}
	var b strings.Builder
	fmt.Fprintf(&b, format, args...)
	if said := text(message); said != "" {
		fmt.Fprintf(&b, "\nmessage: %s", said)
	}
	for _, frame := range callers() {
		fmt.Fprintf(&b, "\n     at: %s", frame)
	}
	t.Errorf("%s", b.String())
	t.FailNow()
}

// text returns a message: a format and its values, or a single value.
func text(message []any) string {
	if len(message) == 0 {
		return ""
	}
	format, ok := message[0].(string)
	switch {
	case ok && len(message) > 1:
		return fmt.Sprintf(format, message[1:]...)
	case ok:
		return format
	}
	return fmt.Sprintf("%+v", message[0])
}

// callers returns the calls that lead to a check, the nearest first, up to the package that runs the test.
// Checks that rapid runs need the list: rapid logs the line of its own.
func callers() []string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	var list []string
	for {
		frame, more := frames.Next()
		name := frame.Function
		switch {
		case strings.HasPrefix(name, "testing."), strings.HasPrefix(name, "pgregory.net/rapid."), strings.HasPrefix(name, "runtime."):
			if len(list) > 0 {
				return list
			}
		case strings.Contains(name, "/internal/require.") && !strings.HasSuffix(frame.File, "_test.go"):
		default:
			dir, file := filepath.Split(frame.File)
			list = append(list, fmt.Sprintf("%s/%s:%d", filepath.Base(dir), file, frame.Line))
		}
		if !more || len(list) == 10 {
			return list
		}
	}
}

// Fail fails the test.
func Fail(t TestingT, failure string, message ...any) {
	if h, ok := t.(helper); ok {
		h.Helper()
	}
	fail(t, message, "%s", failure)
}

// Failf fails the test. The message is a format and its values.
func Failf(t TestingT, failure, format string, args ...any) {
	if h, ok := t.(helper); ok {
		h.Helper()
	}
	fail(t, []any{fmt.Sprintf(format, args...)}, "%s", failure)
}

// FailNow fails the test, as every check does at once.
func FailNow(t TestingT, failure string, message ...any) {
	if h, ok := t.(helper); ok {
		h.Helper()
	}
	fail(t, message, "%s", failure)
}
