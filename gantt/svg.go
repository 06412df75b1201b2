package gantt

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"

	"github.com/bookahead/bookahead"
)

// style is bound to the class gantt, so that a picture inside a page does not change
// the rest of the page.
const style = `
.gantt{font:11px system-ui,sans-serif}
.gantt .ground{fill:#fff}.gantt .panel{fill:#f1f4f7}
.gantt text{fill:#1f2933}.gantt .title{font-size:16px;font-weight:600}.gantt .faint{fill:#52606d}
.gantt .grid{stroke:#cbd2d9;fill:none}.gantt .past{fill:#1f2933;fill-opacity:.07}
.gantt .high{fill:#a9c8e8}.gantt .low,.gantt .only{fill:#4a84c0}.gantt .shade{stroke:#2f6cab;fill:none}
.gantt .bar{stroke:#16202a;stroke-opacity:.45;stroke-width:.5}.gantt text.label{fill:#16202a}
.gantt .held{fill-opacity:.45;stroke-opacity:.9;stroke-width:1;stroke-dasharray:4 2}
.gantt .expected{fill-opacity:.18;stroke-opacity:.6;stroke-width:1;stroke-dasharray:1 3}
.gantt .past.key,.gantt .closed.key{stroke:#8794a2;stroke-width:.5}
.gantt .now{stroke:#c62f2f;stroke-width:1.5}.gantt text.present{fill:#c62f2f}
@media (prefers-color-scheme:dark){
.gantt .ground{fill:#12171c}.gantt .panel{fill:#1c242c}
.gantt text{fill:#e4e7eb}.gantt .faint{fill:#9aa5b1}
.gantt .grid{stroke:#3e4c59}.gantt .past{fill:#fff;fill-opacity:.08}
.gantt .high{fill:#2c4f73}.gantt .low,.gantt .only{fill:#5b9bdb}.gantt .shade{stroke:#6cabea}
.gantt text.label{fill:#16202a}.gantt .held,.gantt .expected{stroke:#e4e7eb}
.gantt .now{stroke:#ff7b72}.gantt text.present{fill:#ff7b72}
}
`

// drawing is a picture in the making.
type drawing struct {
	bytes.Buffer
	*Chart
	layout
}

// svg draws a chart that was checked, from the back to the front: ground, panels and
// marks, profiles and bars, and the present.
func (c *Chart) svg() []byte {
	bars := c.visible()
	shaded := c.lanes() > maxShown || len(bars) > maxBars
	group := max(1, (c.lanes()+maxShown-1)/maxShown)
	shown := (c.lanes() + group - 1) / group

	var place map[string]int
	if !shaded {
		place = c.places(bars)
	}
	legend := c.legend(bars, place, shaded)
	names := c.names(shown, group)
	beside := names
	for i := range c.Profiles {
		beside = append(beside, c.Profiles[i].top())
	}
	d := drawing{Chart: c, layout: c.lay(shown, beside, legend)}

	d.open(group)
	d.backdrop()
	for i := range c.Profiles {
		d.profile(i)
	}
	if shown > 0 {
		d.rows(names[len(c.Profiles):])
		if shaded {
			d.shades(bars)
		} else {
			d.hatching(bars)
			d.bars(bars, place)
		}
	}
	d.present()
	d.explain(legend)
	d.WriteString("</svg>\n")
	return d.Bytes()
}

// names returns the names of the profiles, and then of the lanes drawn. A group of lanes has
// the name of its first.
func (c *Chart) names(shown, group int) []string {
	var names []string
	for i := range c.Profiles {
		names = append(names, cut(c.Profiles[i].label, maxNameLetters))
	}
	for i := range shown {
		names = append(names, cut(c.rowName(i*group), maxNameLetters))
	}
	return names
}

// open begins the picture. A picture with links, or with a script, is a group that its page names: nobody reaches the links inside an
// img.
func (d *drawing) open(lanes int) {
	role := "img"
	if d.Mapped || slices.ContainsFunc(d.Bars, func(b Bar) bool { return b.Link != "" }) {
		role = "group"
	}
	fmt.Fprintf(d, `<svg xmlns="http://www.w3.org/2000/svg" class="gantt" role="%[3]s" width="%[1]s" height="%[2]s" viewBox="0 0 %[1]s %[2]s"`,
		number(d.width), number(d.height), role)
	if d.Mapped {
		fmt.Fprintf(d, ` data-left="%s" data-right="%s" data-top="%s" data-bottom="%s" data-rows="%s" data-row="%s" data-lane="%d" data-start="%d" data-end="%d"`,
			number(d.left), number(d.right), number(d.top), number(d.bottom), number(d.rowsTop), number(d.rowHeight), lanes, d.Window.Start, d.Window.End)
	}
	d.WriteString(">\n")
	title := cut(d.Title, maxTitleLetters)
	if title != "" {
		fmt.Fprintf(d, "<title>%s</title>\n", escape(title))
	}
	fmt.Fprintf(d, "<style>%s</style>\n", style)
	d.rect("ground", 0, 0, d.width, d.height)
	d.WriteByte('\n')
	if title != "" {
		// Its letters are 16 pixels high instead of 11, and bold.
		d.text("title", "start", space, lineHeight, fit(title, (d.width-2*space)*10/16))
	}
}

// backdrop draws the panels, the marks of the axis across them, and the past.
func (d *drawing) backdrop() {
	for i := range d.Profiles {
		d.rect("panel", d.left, d.profileTop(i), d.plot(), d.profileHeight)
	}
	if d.shownRows > 0 {
		d.rect("panel", d.left, d.rowsTop, d.plot(), d.bottom-d.rowsTop)
	}
	d.WriteString("\n<path class=\"grid\" d=\"")
	marks := d.Axis.marks(d.Window, d.plot()/letter, 2)
	for _, m := range marks {
		fmt.Fprintf(d, "M%s %sV%s", number(d.x(m.at)), number(d.top), number(d.bottom+4*px))
	}
	d.WriteString("\"/>\n")
	for _, m := range marks {
		d.centred("faint", d.x(m.at), d.bottom+lineHeight, m.label)
	}
	if d.split() {
		d.rect("past", d.left, d.top, d.x(d.Now)-d.left, d.bottom-d.top)
		d.WriteByte('\n')
	}
}

func (d *drawing) profileTop(i int) int { return d.top + i*(d.profileHeight+2*space) }

// profile draws the used area. If several levels share a column, the least is drawn in
// front of the greatest.
func (d *drawing) profile(i int) {
	p := &d.Profiles[i]
	top := d.profileTop(i)
	base := top + d.profileHeight
	name := cut(p.label, maxNameLetters)
	d.beside("", top+d.profileHeight/2+4*px, name)
	if d.profileHeight >= 60*px {
		d.beside("faint", top+8*px, p.top())
		d.beside("faint", base, "0")
	}
	n := min(d.plot()/px, manyColumns/len(d.Profiles))
	cs := p.columns(d.Window, n, d.plot())
	if len(cs) == 0 {
		return
	}
	low, high := extent(cs)
	fmt.Fprintf(d, "<g><title>%s: of %d, from %d to %d are used</title>", escape(name), p.capacity, low, high)
	if slices.ContainsFunc(cs, func(c column) bool { return c.low < c.high }) {
		d.area("high", cs, base, p, func(c column) int64 { return c.high })
		d.area("low", cs, base, p, func(c column) int64 { return c.low })
	} else {
		d.area("only", cs, base, p, func(c column) int64 { return c.low })
	}
	d.WriteString("</g>\n")
}

func (d *drawing) area(class string, cs []column, base int, p *Profile, used func(column) int64) {
	fmt.Fprintf(d, `<path class="%s" d="M%s %s`, class, number(d.left+cs[0].from), number(base))
	at := base
	for i, c := range cs {
		y := base - p.height(used(c), d.profileHeight)
		if y != at {
			fmt.Fprintf(d, "V%s", number(y))
			at = y
		}
		if i+1 == len(cs) || used(cs[i+1]) != used(c) {
			fmt.Fprintf(d, "H%s", number(d.left+c.to))
		}
	}
	fmt.Fprintf(d, `V%sZ"/>`, number(base))
}

// rows draws the lines between the rows, if there is room, and the names of as many
// rows as can be read.
func (d *drawing) rows(names []string) {
	if d.rowHeight >= 8*px {
		d.WriteString(`<path class="grid" d="`)
		for i := 1; i < d.shownRows; i++ {
			fmt.Fprintf(d, "M%s %sH%s", number(d.left), number(d.rowsTop+i*d.rowHeight), number(d.right))
		}
		d.WriteString("\"/>\n")
	}
	every := (13*px + d.rowHeight - 1) / d.rowHeight
	for i := 0; i < d.shownRows; i += every {
		d.beside("", d.rowsTop+i*d.rowHeight+d.rowHeight/2+4*px, names[i])
	}
}

// shades draws the taken amounts, with one path for each level.
func (d *drawing) shades(bars []Bar) {
	columns := min(maxColumns, d.plot()/(4*px))
	r := newRaster(d.Chart, bars, maxShown, columns, maxLevel)
	var paths [maxLevel + 1]bytes.Buffer
	for n := range r.runs {
		from, to := n.from*d.plot()/columns, n.to*d.plot()/columns
		y := d.rowsTop + n.row*d.rowHeight + d.rowHeight/2
		fmt.Fprintf(&paths[n.level], "M%s %sh%s", number(d.left+from), number(y), number(to-from))
	}
	for level := range paths {
		path := &paths[level]
		if path.Len() > 0 {
			fmt.Fprintf(d, `<path class="shade" stroke-width="%s" stroke-opacity="%s" d="%s"/>`+"\n",
				number(d.rowHeight), number(px*level/maxLevel), path)
		}
	}
}

// present draws the mark of the present.
func (d *drawing) present() {
	if !d.split() {
		return
	}
	x := d.x(d.Now)
	fmt.Fprintf(d, `<path class="now" d="M%s %sV%s"/>`, number(x), number(d.top-4*px), number(d.bottom))
	d.centred("present", x, d.top-8*px, "now "+d.Axis.format(d.Now))
}

// y returns the top of a row, and with by = 1 its bottom. There is a gap above the rows of a lane, so that
// full lanes do not merge.
func (d *drawing) y(row, by int) int {
	lane, gap := d.lane(), 0
	if lane > 1 {
		gap = d.rowHeight / 12
	}
	return d.rowsTop + row/lane*d.rowHeight + gap + (row%lane+by)*(d.rowHeight-gap)/lane
}

// x returns the place of a time in the window.
func (d *drawing) x(t bookahead.Time) int { return d.left + scale(t, d.Window, d.plot()) }

func (d *drawing) rect(class string, x, y, width, height int) {
	fmt.Fprintf(d, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, number(x), number(y), number(width), number(height))
}

func (d *drawing) text(class, anchor string, x, y int, s string) {
	if s == "" {
		return
	}
	d.WriteString("<text")
	if class != "" {
		fmt.Fprintf(d, ` class="%s"`, class)
	}
	fmt.Fprintf(d, ` x="%s" y="%s" text-anchor="%s">%s</text>`+"\n", number(x), number(y), anchor, escape(s))
}

// beside writes s to the left of the plot.
func (d *drawing) beside(class string, y int, s string) {
	d.text(class, "end", d.left-space, y, fit(s, d.left-3*space/2))
}

// centred writes s around x, or as near to x as the picture allows.
func (d *drawing) centred(class string, x, y int, s string) {
	half := measure(s) / 2
	d.text(class, "middle", max(half, min(x, d.width-half)), y, s)
}

// number writes hundredths as a decimal number.
func number(hundredths int) string {
	s := strconv.Itoa(hundredths / px)
	rest := hundredths % px
	switch {
	case rest == 0:
		return s
	case rest%10 == 0:
		return s + "." + strconv.Itoa(rest/10)
	default:
		return s + "." + strconv.Itoa(rest/10) + strconv.Itoa(rest%10)
	}
}

func escape(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a Buffer returns no error
	return b.String()
}
