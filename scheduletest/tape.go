package scheduletest

import "pgregory.net/rapid"

// tape is a test that keeps its log to itself until it fails, because Small runs millions of
// sequences of operations, and prints only one.
type tape struct {
	rapid.TB
	lines []line
	query bool // the calls that are logged now are queries
}

// line is a line of the log. It is formatted only when it is printed.
type line struct {
	format string
	args   []any
	query  bool
}

// rewind drops all lines but the first n.
func (p *tape) rewind(n int) { p.lines = p.lines[:n] }

// queries runs f, and keeps only the last line that f logs: if f fails, the query that failed.
func (p *tape) queries(f func()) {
	n := len(p.lines)
	p.query = true
	f()
	p.query = false
	p.rewind(n)
}

// Helper implements rapid.TB. It does nothing, because the Helper of testing would take a tenth
// of the time.
func (*tape) Helper() {}

// Logf implements rapid.TB.
func (p *tape) Logf(format string, args ...any) {
	last := len(p.lines) - 1
	if p.query && p.lines[last].query {
		p.rewind(last)
	}
	p.lines = append(p.lines, line{format, args, p.query})
}

// Fatalf implements rapid.TB.
func (p *tape) Fatalf(format string, args ...any) {
	p.TB.Helper()
	p.print()
	p.TB.Fatalf(format, args...)
}

func (p *tape) print() {
	p.TB.Helper()
	for _, l := range p.lines {
		p.TB.Logf(l.format, l.args...)
	}
}
