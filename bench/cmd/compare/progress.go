package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/bookahead/bookahead/bench/replay"
)

// progress says how far a long run has come: in a line of its own that changes all
// the time on a terminal, and with a plain line now and then elsewhere.
type progress struct {
	out      io.Writer
	now      func() time.Time
	terminal bool
	shown    time.Time // when something was said last

	name string // of the structure that runs
	k, n int    // it is the k-th of n
}

// How often something is said.
const (
	onTerminal = 200 * time.Millisecond
	elsewhere  = 5 * time.Second
)

func newProgress(out io.Writer, now func() time.Time, structures int) *progress {
	p := &progress{out: out, now: now, shown: now(), n: structures}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// begin names the next structure.
func (p *progress) begin(name string) {
	p.name = name
	p.k++
	p.say("is made")
}

// update says how far the structure is.
func (p *progress) update(s replay.Step) {
	if !p.due() {
		return
	}
	if s.Pass == 0 {
		p.say(fmt.Sprintf("%d of %d jobs", s.Done, s.Of))
		return
	}
	p.say(fmt.Sprintf("is weighed (%d of at most %d times): %d of %d jobs", s.Pass, replay.Weighings, s.Done, s.Of))
}

func (p *progress) due() bool {
	every := elsewhere
	if p.terminal {
		every = onTerminal
	}
	return p.now().Sub(p.shown) >= every
}

// say writes if it is time to.
func (p *progress) say(what string) {
	if !p.due() {
		return
	}
	p.shown = p.now()
	line := fmt.Sprintf("%s (%d of %d): %s", p.name, p.k, p.n, what)
	if p.terminal {
		fmt.Fprintf(p.out, "\r%s\x1b[K", line)
	} else {
		fmt.Fprintf(p.out, "compare: %s\n", line)
	}
}

// clear wipes the line of a terminal.
func (p *progress) clear() {
	if p.terminal {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
