package gantt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// hatch is the ID of the pattern of closed bars. Pictures on one page may define it several times, because
// it is the same in all.
const hatch = "gantt-closed"

// hatching defines the pattern if a bar is closed. Its grey is seen on light and dark ground.
func (d *drawing) hatching(bars []Bar) {
	if slices.ContainsFunc(bars, func(b Bar) bool { return b.Closed }) {
		fmt.Fprintf(d, `<defs><pattern id="%s" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">`+
			`<path stroke="#8794a2" stroke-opacity=".6" stroke-width="2" d="M3 0V6"/></pattern></defs>`+"\n", hatch)
	}
}

func (d *drawing) bars(bars []Bar, place map[string]int) {
	ends := d.ends(bars)
	for i, b := range bars {
		x, y := d.x(b.Start), d.y(b.Row, 0)
		width, height := ends[i]-x, d.y(b.Row+b.rows()-1, 1)-y
		label := cut(b.Label, maxLabelLetters)
		told := strings.TrimSpace(fmt.Sprintf("%s %s to %s", label, d.Axis.format(b.Start), d.Axis.format(b.End)))
		open, end := "<g>", "</g>\n"
		if b.Link != "" {
			open, end = fmt.Sprintf(`<a href="%s">`, escape(b.Link)), "</a>\n"
		}
		fmt.Fprintf(d, `%s<title>%s</title>`, open, escape(told))
		inset := 0
		if d.lane() == 1 {
			inset = d.rowHeight / 12
		}
		class, fill, written := "bar", palette[place[b.Key]], "label"
		switch {
		case b.Closed:
			class, fill, written = "closed", "url(#"+hatch+")", "faint"
		case b.Expected:
			class, written = "bar expected", "faint"
		case b.Held:
			class, written = "bar held", ""
		}
		fmt.Fprintf(d, `<rect class="%s" fill="%s" x="%s" y="%s" width="%s" height="%s"/>`,
			class, fill, number(x), number(y+inset), number(width), number(height-2*inset))
		if height >= 12*px {
			short := fit(label, width-space/2)
			if short == label || utf8.RuneCountInString(short) > 3 { // fewer letters would be no help
				d.text(written, "middle", x+width/2, y+height/2+4*px, short)
			}
		}
		d.WriteString(end)
	}
}

// ends returns the places at which the bars end in the picture. A bar is at least a pixel
// wide, but does not reach into a bar that follows in one of its rows. Therefore bars are
// visited from the last start to the first, and next has the start of the bar that follows
// in each row.
func (d *drawing) ends(bars []Bar) []int {
	order := make([]int, len(bars))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bars[b].Start, bars[a].Start) })
	next := make([]int, d.Chart.Rows)
	for i := range next {
		next[i] = d.right
	}
	ends := make([]int, len(bars))
	for _, i := range order {
		b := &bars[i]
		from, limit := d.x(b.Start), d.right
		for row := b.Row; row < b.Row+b.rows(); row++ {
			limit = min(limit, next[row])
			next[row] = from
		}
		ends[i] = max(d.x(b.End), min(from+px, limit))
	}
	return ends
}
