package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/window"
)

// draw makes the pictures of Fig. 4 from the first environment.
func draw(folder string, s setting, seed uint64) error {
	e, err := s.environment(random(seed, 0))
	if err != nil {
		return err
	}
	for _, c := range []window.Criterion{window.Near, window.Far} {
		w, err := window.Exact(e, s.job, c)
		if err != nil {
			return err
		}
		picture := gantt(e, w.Window, s.interval)
		if err := os.WriteFile(filepath.Join(folder, "figure4-"+c.Name+".svg"), picture, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// gantt draws a window over its environment: a row for each node, its taken
// spans filled, and the window's tasks hollow.
func gantt(e *window.Environment, w window.Window, until bookahead.Time) []byte {
	const height, left, width = 6, 40, 900.0
	b := &bytes.Buffer{}
	x := func(t bookahead.Time) float64 { return left + width*float64(t)/float64(until) }
	bar := func(node int, from, to bookahead.Time, style string) {
		if from < to {
			fmt.Fprintf(b, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" %s/>\n", x(from), node*height+1, x(to)-x(from), height-1, style)
		}
	}
	fmt.Fprintf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n",
		left+int(width)+20, e.Nodes()*height+40)
	fmt.Fprintf(b, "<title>%v for %.1f</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", w.Interval, w.Cost)
	ends := make([]bookahead.Time, e.Nodes())
	for i := range e.Slots() {
		s := e.Slot(i)
		bar(s.Node, ends[s.Node], s.Start, "fill=\"#9aa5b1\"")
		ends[s.Node] = s.End
	}
	for node, end := range ends {
		bar(node, end, until, "fill=\"#9aa5b1\"")
	}
	for _, t := range w.Tasks {
		bar(t.Node, t.Start, t.End, "fill=\"#fff3c4\" stroke=\"#b44d12\"")
		fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%d</text>\n", left-4, t.Node*height+height, t.Node)
	}
	bottom := e.Nodes()*height + 4
	fmt.Fprintf(b, "<path d=\"M%d %dH%.0f\" stroke=\"black\"/>\n", left, bottom, left+width)
	for t := bookahead.Time(0); t <= until; t += until / 6 {
		fmt.Fprintf(b, "<text x=\"%.0f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", x(t), bottom+16, t)
	}
	fmt.Fprintln(b, "</svg>")
	return b.Bytes()
}
