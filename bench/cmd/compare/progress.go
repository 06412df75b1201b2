package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress shows how far a long run has come, on a terminal only.
type progress struct {
	out   io.Writer // nil if it is no terminal
	name  string
	total int
	shown time.Time
}

func newProgress(out io.Writer, name string, total int) *progress {
	p := &progress{name: name, total: total, shown: time.Now()}
	if f, ok := out.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.out = out
		}
	}
	return p
}

func (p *progress) update(done int) {
	if p.out != nil && time.Since(p.shown) > 200*time.Millisecond {
		p.shown = time.Now()
		fmt.Fprintf(p.out, "\r%s: %d of %d\x1b[K", p.name, done, p.total)
	}
}

// clear wipes the line.
func (p *progress) clear() {
	if p.out != nil {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
