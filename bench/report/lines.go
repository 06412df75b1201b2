package main

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

const (
	lineHeight = 270 // of the picture
	// legible is how many lines may have confidence intervals.
	legible = 4
)

// shapes are the marks of the points, so that lines differ not in their colours only.
var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{},
	draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}}

// drawLines draws the lines, on logarithmic axes where they span decades.
func (c chart) drawLines(p *plot.Plot) error {
	p.Add(&plotter.Grid{Horizontal: gridLine})
	for i, s := range c.series {
		xy, _ := c.points(s)
		if len(xy) == 0 {
			continue
		}
		line, points, err := plotter.NewLinePoints(xy)
		if err != nil {
			return err
		}
		line.Color, line.Width = hue(i), 1.6
		points.Color, points.Radius, points.Shape = hue(i), 3, shapes[i%len(shapes)]
		if s.name == c.mark {
			line.Width, points.Radius = 4, 5
		}
		p.Add(line, points)
	}
	if p.Y.Min >= 0 && p.Y.Min < p.Y.Max/2 && !c.spansDecades(p.Y.Min, p.Y.Max) {
		p.Y.Min, p.Y.Max = 0, p.Y.Max*1.05
		p.Y.Tick.Marker = steps{6}
	} else {
		c.fit(&p.Y, 0.08, 6)
	}
	c.fit(&p.X, 0.03, 7)
	if len(c.series) <= legible {
		for i, s := range c.series {
			p.Add(c.intervals(p, i, s))
		}
	}
	return nil
}

// points returns the points of a line, and the half widths of their intervals.
func (c chart) points(s series) (plotter.XYs, []float64) {
	var xy plotter.XYs
	var halves []float64
	for k, v := range s.values {
		if v.known && (v.x > 0 || !c.positive) {
			xy = append(xy, plotter.XY{X: c.at[k], Y: v.x})
			halves = append(halves, v.half)
		}
	}
	return xy, halves
}

// intervals returns the confidence intervals of the ith line. Intervals that reach
// beyond the plot are in the table only: at a small scale they would hide the lines.
func (c chart) intervals(p *plot.Plot, i int, s series) plot.Plotter {
	bars := &plotter.YErrorBars{LineStyle: draw.LineStyle{Color: hue(i), Width: 0.8}, CapWidth: 6}
	xy, halves := c.points(s)
	for k, half := range halves {
		if half > 0 && xy[k].Y-half >= p.Y.Min && xy[k].Y+half <= p.Y.Max {
			bars.XYs = append(bars.XYs, xy[k])
			bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{half, half})
		}
	}
	return bars
}

// fit scales an axis to its data, with a share of it as room at both ends.
func (c chart) fit(a *plot.Axis, room float64, ticks int) {
	switch {
	case a.Min > a.Max: // no data
		a.Min, a.Max = 0, 1
	case c.spansDecades(a.Min, a.Max):
		factor := math.Pow(a.Max/a.Min, room)
		a.Min, a.Max = a.Min/factor, a.Max*factor
		a.Scale, a.Tick.Marker = plot.LogScale{}, decades{ticks}
		return
	}
	margin := max(room*max(a.Max-a.Min, math.Abs(a.Max)/8), 1e-9)
	a.Min, a.Max = a.Min-margin, a.Max+margin
	a.Tick.Marker = steps{ticks}
}
