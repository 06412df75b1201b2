package gantt

import (
	"fmt"
	"io"
	"strconv"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

const (
	// maxBytes is more than any picture takes, whatever is in the chart.
	maxBytes = 2 << 20
	// maxRows is how many rows a chart can have.
	maxRows = 1 << 24
	// maxLane is how many rows a lane can have.
	maxLane = 1 << 10
	// maxProfiles is how many profiles a chart can have.
	maxProfiles = 64

	defaultWidth       = 960
	minWidth, maxWidth = 320, 4000
)

// Chart is what to draw. Window is required, and Rows or Profiles; the zero
// values of all else are good defaults.
type Chart struct {
	Title string
	// Window is the span of time that is shown. What reaches beyond is cut.
	Window bookahead.Interval
	// Now is the present, which is marked if some of Window is past by then, and
	// some is not.
	Now  bookahead.Time
	Axis Axis

	// Profiles are drawn above the rows, the first on top; at most 64.
	Profiles []Profile

	// Rows is how many rows there are for bars, at most 1<<24, counted from 0, the first on
	// top; RowName names them, nil by their number.
	Rows    int
	RowName func(row int) string
	// Lane is how many rows make a lane, at most 1024; 0 counts as 1. Names and lines are then those of
	// lanes: RowName is asked for the lanes, counted from 0. Rows must be a multiple of Lane.
	Lane int
	// Bars may come in any order. One that overlaps another is drawn over it.
	Bars []Bar

	// Colours gives the keys of the bars their colours. Nil gives them for this chart alone: a key
	// then has the same colour in each chart, unless another key there has it.
	Colours *Colours

	// Width is that of the picture, in pixels, 320 to 4000; 0 means 960. The
	// height follows from what is in it.
	Width int
}

// Bar is a rectangle: something that takes some rows for some time.
type Bar struct {
	bookahead.Interval
	// Row is the first of its rows.
	Row int
	// Rows is how many rows it takes; 0 counts as 1.
	Rows int
	// Label is written on it where there is room, and shown when it is pointed
	// at.
	Label string
	// Key gives it its colour: bars with the same key look alike. Up to twelve keys that are not
	// labels are explained below the chart.
	Key string
	// Closed draws it as hatching instead, without a colour: nothing can be booked there.
	Closed bool
	// Held draws it paler, and with a dashed edge: it may still expire.
	Held bool
}

func (b *Bar) rows() int { return max(b.Rows, 1) }

func (c *Chart) lane() int { return max(c.Lane, 1) }

// lanes returns how many lanes there are.
func (c *Chart) lanes() int { return c.Rows / c.lane() }

// check says what cannot be drawn.
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
	case c.Lane < 0 || c.Lane > maxLane:
		return limits.Invalid("Chart.Lane", c.Lane, fmt.Sprintf("is not in 0 to %d", maxLane))
	case c.Rows%c.lane() != 0:
		return limits.Invalid("Chart.Rows", c.Rows, fmt.Sprintf("is not a multiple of Lane, %d", c.Lane))
	case len(c.Profiles) > maxProfiles:
		return limits.Invalid("Chart.Profiles", len(c.Profiles), fmt.Sprintf("are more than %d", maxProfiles))
	case c.Rows == 0 && len(c.Profiles) == 0:
		return limits.Invalid("Chart.Rows", c.Rows, "and no Profiles: there is nothing to draw")
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
			return limits.Invalid(field("Rows"), b.Rows, fmt.Sprintf("from row %d on are not in 0 to %d", b.Row, c.Rows-b.Row))
		}
	}
	return c.Axis.check()
}

// WriteTo writes the chart as an SVG picture; it implements io.WriterTo. The
// error wraps bookahead.ErrInvalid, and nothing is written, if a field is out of
// range; otherwise it is that of w. The package comment says what it costs.
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

// visible returns the bars that Window shows, cut to it, in their order.
func (c *Chart) visible() []Bar {
	bars := make([]Bar, 0, len(c.Bars))
	for _, b := range c.Bars {
		if b.Interval = b.Intersect(c.Window); !b.Empty() {
			bars = append(bars, b)
		}
	}
	return bars
}

var _ io.WriterTo = (*Chart)(nil)
