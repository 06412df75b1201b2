package gantt

// px is a pixel: places in a picture are in hundredths of a pixel.
const px = 100

const (
	maxBars     = 1500 // more bars are drawn as shades
	maxShown    = 128  // more lanes are drawn as shades
	maxColumns  = 256  // of shades
	maxLevel    = 8
	manyColumns = 20_000 // of all profiles together

	maxNameLetters  = 24
	maxLabelLetters = 40
	maxTitleLetters = 120

	lineHeight = 18 * px
	space      = 8 * px
	key        = 18 * px // a legend's square, and the space before its name
)

// layout has the places of all parts of a picture.
type layout struct {
	width, height int
	left, right   int // of the plot
	top           int // of the first panel
	profileHeight int
	rowsTop       int // of the rows
	rowHeight     int // of a lane
	shownRows     int // lanes drawn, each one or more of the chart's
	bottom        int // of the last panel
	legendTop     int
}

func (l *layout) plot() int { return l.right - l.left }

// lay returns the layout of a chart with so many lanes drawn, names beside them, and a
// legend.
func (c *Chart) lay(shownRows int, names []string, legend []explanation) layout {
	l := layout{width: defaultWidth * px, shownRows: shownRows}
	if c.Width != 0 {
		l.width = c.Width * px
	}
	widest := 3 * letter
	for _, n := range names {
		widest = max(widest, measure(n))
	}
	l.left = min(space+widest+space, l.width/3)
	l.right = l.width - 2*space
	l.top = lineHeight + space // room for the present's label
	if c.Title != "" {
		l.top += lineHeight + space
	}
	l.rowsTop = l.top
	n := len(c.Profiles)
	if n > 0 {
		l.profileHeight = max(24, min(90, 640/n)) * px
		l.rowsTop += n * (l.profileHeight + 2*space)
	}
	l.bottom = l.rowsTop - 2*space
	if shownRows > 0 {
		l.rowHeight = max(4, min(22, 640/shownRows)) * px
		if c.lane() > 1 { // heights within a lane need room to be read
			l.rowHeight = max(10, min(36, 1280/shownRows)) * px
		}
		l.bottom = l.rowsTop + shownRows*l.rowHeight
	}
	l.legendTop = l.bottom + lineHeight + 2*space
	l.height = l.legendTop
	if len(legend) > 0 {
		last := 0
		for i := range legend {
			last, _ = l.legendPlace(legend, i)
		}
		l.height += (last+1)*lineHeight + space/2
	}
	return l
}
