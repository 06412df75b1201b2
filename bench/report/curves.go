package main

import (
	"html/template"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

func pow(x, y float64) float64 { return math.Pow(x, y) }

// curves are lines through points.
type curves struct {
	x, y   string // what the axes show, and the units
	series []series
	// positive leaves out what is 0, so that the y axis may be logarithmic.
	positive bool
}

// series is a line: a value for each x. One that is missing has no point.
type series struct {
	name   string
	x      []float64
	values []value
}

const (
	curveHeight = 270
	// legible is how many lines may have confidence intervals.
	legible = 4
)

// shapes tell the lines apart beside their colours.
var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{},
	draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}}

// svg draws the curves, on logarithmic axes where they span decades.
func (c curves) svg(label string) (template.HTML, error) {
	xs, ys := nothing(), nothing()
	for _, s := range c.series {
		for i, v := range s.values {
			if c.has(v) {
				xs.add(s.x[i])
				ys.add(v.x)
			}
		}
	}
	if xs.min > xs.max {
		xs, ys = span{0, 1}, span{0, 1}
	}
	log := ys.logarithmic()
	switch {
	case log:
		ys.min, ys.max = ys.min/1.3, ys.max*1.3
	case ys.min >= 0 && ys.min < ys.max/2:
		ys.min, ys.max = 0, ys.max*1.05
	default:
		room := max(0.08*(ys.max-ys.min), 0.01*math.Abs(ys.max), 1e-9)
		ys.min, ys.max = ys.min-room, ys.max+room
	}
	if ys.min == ys.max {
		ys.max++
	}
	logX := xs.logarithmic()
	if logX {
		xs.min, xs.max = xs.min/1.1, xs.max*1.1
	} else {
		room := max(0.03*(xs.max-xs.min), 1e-9)
		xs.min, xs.max = xs.min-room, xs.max+room
	}

	p := newPlot(c.x, c.y)
	scale(&p.X, xs, logX, 7)
	scale(&p.Y, ys, log, 6)
	p.Add(gridLines{})
	for i, s := range c.series {
		if err := c.add(p, i, s); err != nil {
			return "", err
		}
	}
	return svg(p, curveHeight, label)
}

// has reports whether there is a point for a value.
func (c curves) has(v value) bool { return v.known && (v.x > 0 || !c.positive) }

// add adds the ith line.
func (c curves) add(p *plot.Plot, i int, s series) error {
	var xy plotter.XYs
	var halves []float64
	for k, v := range s.values {
		if c.has(v) {
			xy = append(xy, plotter.XY{X: s.x[k], Y: v.x})
			halves = append(halves, v.half)
		}
	}
	if len(xy) == 0 {
		return nil
	}
	line, points, err := plotter.NewLinePoints(xy)
	if err != nil {
		return err
	}
	line.Color, line.Width = hue(i), 1.6
	points.Color, points.Radius, points.Shape = hue(i), 3, shapes[i%len(shapes)]
	if len(c.series) <= legible {
		p.Add(intervals{xy, halves, hue(i)})
	}
	p.Add(line, points)
	return nil
}

// legend names the lines.
func (c curves) legend() []entry {
	var all []entry
	for i, s := range c.series {
		all = append(all, entry{Hue: i%hues + 1, Name: s.name})
	}
	return all
}

// grid has the numbers, a row for each x.
func (c curves) grid() grid {
	g := grid{Header: []string{c.x}}
	var xs []float64
	for _, s := range c.series {
		g.Header = append(g.Header, s.name)
		for _, x := range s.x {
			if !slices.Contains(xs, x) {
				xs = append(xs, x)
			}
		}
	}
	slices.Sort(xs)
	for _, x := range xs {
		row := []string{full(x)}
		for _, s := range c.series {
			cell := value{}
			if k := slices.Index(s.x, x); k >= 0 {
				cell = s.values[k]
			}
			row = append(row, cell.String())
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// intervals are confidence intervals. Those that reach beyond the plot are left to
// the table: at a small scale they would hide all else.
type intervals struct {
	xy     plotter.XYs
	halves []float64
	color  interface{ RGBA() (r, g, b, a uint32) }
}

// Plot implements plot.Plotter.
func (e intervals) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	line := draw.LineStyle{Color: e.color, Width: 0.8}
	for i, at := range e.xy {
		low, high := at.Y-e.halves[i], at.Y+e.halves[i]
		if e.halves[i] == 0 || low < p.Y.Min || high > p.Y.Max {
			continue
		}
		c.StrokeLine2(line, x(at.X), y(low), x(at.X), y(high))
		for _, end := range []float64{low, high} {
			c.StrokeLine2(line, x(at.X)-3, y(end), x(at.X)+3, y(end))
		}
	}
}

// gridLines are thin lines at the ticks.
type gridLines struct{ vertical bool }

// Plot implements plot.Plotter.
func (g gridLines) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	line := draw.LineStyle{Color: faint, Width: 0.6}
	if g.vertical {
		for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
			c.StrokeLine2(line, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
		}
		return
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		c.StrokeLine2(line, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
	}
}

var _ = []plot.Plotter{rectangles{}, intervals{}, gridLines{}}
