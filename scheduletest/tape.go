package scheduletest

import (
	"pgregory.net/rapid"
)

// tape is a test that keeps its log to itself, and prints it when it fails: of
// millions of sequences of operations, the one that matters.
type tape struct {
	rapid.TB
	lines []line
	quiet bool // of what is logged now, only the last line is kept
	extra bool // the last line is one of these
	doing deed
}

// line is a line of the log, formatted if it is printed.
type line struct {
	format string
	args   []any
}

// rewind forgets all lines but the first few.
func (p *tape) rewind(to int) {
	p.lines, p.quiet, p.extra = p.lines[:to], false, false
}

// Helper implements rapid.TB. It does nothing, as it would take a tenth of the time.
func (*tape) Helper() {}

// Logf implements rapid.TB.
func (p *tape) Logf(format string, args ...any) {
	if p.extra {
		p.lines = p.lines[:len(p.lines)-1]
	}
	p.lines, p.extra = append(p.lines, line{format, args}), p.quiet
}

// Fatalf implements rapid.TB.
func (p *tape) Fatalf(format string, args ...any) {
	p.TB.Helper()
	p.print()
	p.TB.Fatalf(format, args...)
}

func (p *tape) print() {
	for _, l := range p.lines {
		p.TB.Logf(l.format, l.args...)
	}
}

// played prints the log if a panic ends the test.
func (p *tape) played() {
	if cause := recover(); cause != nil {
		if !p.Failed() {
			p.print()
			p.TB.Logf("op %v panics", p.doing)
		}
		panic(cause)
	}
}
