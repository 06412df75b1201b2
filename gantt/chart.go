package gantt

import (
	"fmt"
	"io"
	"strconv"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

const (
	maxBytes    = 2 << 20 // a picture takes less, whatever is in the chart
	maxRows     = 1 << 24 // of a chart
	maxProfiles = 64      // of a chart
	maxLink     = 128     // bytes of a link, as it is written

	defaultWidth       = 960
	minWidth, maxWidth = 320, 4000
)

// Chart describes a picture. Window and either Rows or Profiles are required; the zero
// values of all other fields are good defaults.
type Chart struct {
	Title string
	// Window is the span of time that is shown. Bars and profiles are cut to it.
	Window bookahead.Interval
	// Now is the present. It is marked if it lies inside Window, and not at its start.
	Now  bookahead.Time
	Axis Axis

	// Profiles are drawn above the rows, the first on top; at most 64.
	Profiles []Profile

	// Rows is the number of rows for bars, at most 1<<24. Row 0 is on top. RowName returns the
	// name of a row; nil names rows by their number.
	Rows    int
	RowName func(row int) string
	// Bars may come in any order. A bar is drawn over the bars before it.
	Bars []Bar

	// Width is the width of the picture in pixels, 320 to 4000; 0 means 960. The height follows
	// from the content.
	Width int

	// Colour chooses the colour of a key, as a number whose remainder by twelve counts. So a key keeps its colour in
	// pictures of other windows, and two keys may share one. Nil gives each key of the picture a colour of its own as long as there
	// are colours.
	Colour func(key string) uint

	// Mapped writes into the picture how its pixels become times and lanes, for a script of the page. These are attributes of the svg
	// element: data-left, data-right, data-top and data-bottom are the edges of the plot; data-rows is the top of the first lane, and
	// data-row the height of a lane; data-lane is how many lanes share this height, 1 unless there are too many to be seen; data-start
	// and data-end are the ticks of Window.
	Mapped bool

	// perLane is the number of rows in a lane, which Fill of Nodes, Desk and Queue sets: a chart that was filled takes no other
	// rows afterwards; 0 counts as 1. Names and lines are then of
	// lanes: RowName is called with the number of a lane.
	perLane int
	// held is the meaning of Held bars, which Fill of Queue sets; "" counts as "on hold".
	held string
}

// Bar is a rectangle that takes some rows for some time.
type Bar struct {
	bookahead.Interval
	// Row is the first row of the bar.
	Row int
	// Rows is the number of rows of the bar; 0 counts as 1.
	Rows int
	// Label is written on the bar if there is room, and shown when the bar is pointed at.
	Label string
	// Key gives the bar its colour: bars with the same key look alike. Up to twelve keys that are not
	// labels are explained below the chart.
	Key string
	// Closed draws hatching without a colour: nothing can be booked there.
	Closed bool
	// Held draws the bar paler, with a dashed edge: the hold may still expire, or the place is promised.
	Held bool
	// Expected draws the bar palest, with a dotted edge: the place is a forecast.
	Expected bool
	// Link makes the bar a link to this address, of at most 128 bytes as it is written in XML, for pictures that are part of a page. Bars
	// that are drawn as shades are no links, and a text has none.
	Link string
}

func (b *Bar) rows() int { return max(b.Rows, 1) }

func (c *Chart) lane() int { return max(c.perLane, 1) }

// lanes returns how many lanes there are.
func (c *Chart) lanes() int { return c.Rows / c.lane() }

// check returns an error that wraps bookahead.ErrInvalid if the chart cannot be drawn.
func (c *Chart) check() error {
	switch {
	case c.Window.Empty():
		return limits.Invalid("Chart.Window", c.Window, "is empty")
	case c.Width != 0 && (c.Width < minWidth || c.Width > maxWidth):
		return limits.Invalid("Chart.Width", c.Width, fmt.Sprintf("is not in %d to %d", minWidth, maxWidth))
	case c.Rows < 0:
		return limits.Invalid("Chart.Rows", c.Rows, "is negative")
	case c.Rows > maxRows:
		return limits.Invalid("Chart.Rows", c.Rows, fmt.Sprintf("is more than %d", maxRows))
	case c.Rows%c.lane() != 0:
		return limits.Invalid("Chart.Rows", c.Rows, fmt.Sprintf("is not a multiple of the %d rows of a lane", c.perLane))
	case len(c.Profiles) > maxProfiles:
		return limits.Invalid("Chart.Profiles", len(c.Profiles), fmt.Sprintf("is more than %d", maxProfiles))
	case c.Rows == 0 && len(c.Profiles) == 0:
		return limits.Invalid("Chart.Rows", c.Rows, "is less than 1, and there are no Profiles: there is nothing to draw")
	}
	for i := range c.Profiles {
		if c.Profiles[i].capacity == 0 {
			return limits.Invalid(fmt.Sprintf("Chart.Profiles[%d]", i), c.Profiles[i].label, "was not made by ProfileOf")
		}
	}
	for i := range c.Bars {
		b := &c.Bars[i]
		field := func(name string) string { return fmt.Sprintf("Chart.Bars[%d].%s", i, name) }
		switch {
		case b.Empty():
			return limits.Invalid(field("Interval"), b.Interval, "is empty")
		case b.Row < 0 || b.Row >= c.Rows:
			return limits.Invalid(field("Row"), b.Row, fmt.Sprintf("is not one of the %d rows", c.Rows))
		case b.Rows < 0 || b.Rows > c.Rows-b.Row:
			return limits.Invalid(field("Rows"), b.Rows, fmt.Sprintf("is not in 0 to %d, from Row %d on", c.Rows-b.Row, b.Row))
		case len(escape(b.Link)) > maxLink:
			return limits.Invalid(field("Link"), cut(b.Link, maxLink), fmt.Sprintf("is longer than %d bytes as it is written", maxLink))
		}
	}
	return c.Axis.check()
}

// WriteTo writes the chart as an SVG picture; it implements io.WriterTo. If a field is
// out of range, the error wraps bookahead.ErrInvalid and nothing is written; other
// errors are those of w. The package comment has the costs.
func (c *Chart) WriteTo(w io.Writer) (int64, error) {
	if err := c.check(); err != nil {
		return 0, err
	}
	n, err := w.Write(c.svg())
	return int64(n), err
}

// split reports whether the present has a past and a future in the window.
func (c *Chart) split() bool { return c.Window.Start < c.Now && c.Now < c.Window.End }

func (c *Chart) rowName(row int) string {
	if c.RowName != nil {
		return c.RowName(row)
	}
	return strconv.Itoa(row)
}

// visible returns the bars in Window, cut to it, in their order.
func (c *Chart) visible() []Bar {
	bars := make([]Bar, 0, len(c.Bars))
	for _, b := range c.Bars {
		b.Interval = b.Intersect(c.Window)
		if !b.Empty() {
			bars = append(bars, b)
		}
	}
	return bars
}

var _ io.WriterTo = (*Chart)(nil)
