package topology

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// MaxLine is the length in bytes of the longest line of an SNDlib file.
const MaxLine = 1 << 20

// ReadSNDlib reads a network in SNDlib's native format: the nodes with their places, and
// the links with the capacity installed at first. It skips all other sections, such as
// demands. O(n) for n bytes.
func ReadSNDlib(in io.Reader) (Graph, error) {
	b := &builder{index: map[string]int{}}
	lines := bufio.NewScanner(limit(in))
	lines.Buffer(nil, MaxLine)
	line := 0
	section, opened := "", 0 // the open section, and its line
	inner := 0               // number of open lists in the section; a list may span lines
	for lines.Scan() {
		line++
		text := strings.TrimSpace(lines.Text())
		switch {
		case text == "":
		case text[0] == '#':
			if name, ok := strings.CutPrefix(text, "# network "); ok && line == 2 {
				b.graph.Name = name
			}
		case text[0] == '?':
			if line > 1 || !strings.Contains(text, "SNDlib native format") {
				return Graph{}, fault(line, "%q is not the header of the native format", clip(text))
			}
		case section == "":
			name, ok := strings.CutSuffix(text, "(")
			if !ok {
				return Graph{}, fault(line, "want the start of a section, found %q", clip(text))
			}
			section, opened = strings.TrimSpace(name), line
		case text == ")" && inner > 0:
			inner--
		case text == ")":
			section = ""
		case strings.HasSuffix(text, "(") && (section == "NODES" || section == "LINKS"):
			return Graph{}, fault(line, "section %s: %q opens a list that does not end on its line", section, clip(text))
		case strings.HasSuffix(text, "("):
			inner++
		case section == "NODES":
			if err := b.sndNode(text, line); err != nil {
				return Graph{}, err
			}
		case section == "LINKS":
			if err := b.sndLink(text, line); err != nil {
				return Graph{}, err
			}
		}
	}
	err := lines.Err()
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return Graph{}, fault(line+1, "the line is longer than %d bytes", MaxLine)
	case err != nil:
		return Graph{}, fault(line+1, "%v", err)
	case section != "":
		return Graph{}, fault(opened, "section %q does not end", clip(section))
	case len(b.graph.Nodes) == 0:
		return Graph{}, fault(max(line, 1), "no nodes")
	}
	return b.finish()
}

// fields splits a line at spaces and brackets. Each bracket is a field too.
func fields(text string) []string {
	return strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))
}

// sndNode reads "id [ ( longitude latitude ) ]".
func (b *builder) sndNode(text string, line int) error {
	f := fields(text)
	var longitude, latitude value
	switch {
	case f[0] == "(" || f[0] == ")":
		return fault(line, "node without a name")
	case len(f) == 1:
	case len(f) == 5 && f[1] == "(" && f[4] == ")":
		longitude, latitude = value{f[2], line}, value{f[3], line}
	default:
		return fault(line, "%q is not a node", clip(text))
	}
	return b.node(line, f[0], longitude, latitude)
}

// sndLink reads "id ( source target ) capacity …".
func (b *builder) sndLink(text string, line int) error {
	f := fields(text)
	if len(f) < 5 || f[1] != "(" || f[4] != ")" {
		return fault(line, "%q is not a link", clip(text))
	}
	var capacity value
	if len(f) > 5 {
		capacity = value{f[5], line}
	}
	return b.link(f[0], capacity, ends{f[2], f[3], line})
}
