package main

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	barHeight  = 12
	rowPadding = 7
	labelShare = 0.2 // of the axis, for the numbers at its right end
)

// drawBars draws the bars, on a logarithmic axis if they span decades, and returns
// the height that the picture needs.
func (c chart) drawBars(p *plot.Plot) (height float64) {
	low, least, most := 0.0, math.Inf(1), 0.0 // least of those above 0
	for _, s := range c.series {
		for _, v := range s.values {
			low, most = min(low, v.x), max(most, v.x)
			if v.known && v.x > 0 {
				least = min(least, v.x)
			}
		}
	}
	if most == 0 {
		most = 1
	}
	if c.spansDecades(least, most) {
		low = least / 2 // the shortest bar is one
		p.X.Max = low * math.Pow(most/low, 1/(1-labelShare))
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, until{decades{6}, most}
	} else {
		p.X.Max = low + (most-low)/(1-labelShare)
		p.X.Tick.Marker = until{steps{6}, most}
	}
	p.X.Min = low

	names := slices.Clone(c.names)
	slices.Reverse(names)
	p.NominalY(names...)
	p.Y.Min, p.Y.Max = -0.5, float64(len(names))-0.5
	p.Y.LineStyle.Width = 0
	p.Y.Tick.Length = 0
	p.Add(&plotter.Grid{Vertical: gridLine}, rectangles{c})
	return float64((barHeight*c.deep()+rowPadding)*len(names) + 48)
}

// deep returns how many bars a row has.
func (c chart) deep() int {
	if c.upTo {
		return 1
	}
	return len(c.series)
}

// until has the ticks of another ticker up to the end of the longest bar: numbers stand to the right of it.
type until struct {
	plot.Ticker
	last float64
}

// Ticks implements plot.Ticker.
func (u until) Ticks(min, max float64) []plot.Tick {
	return slices.DeleteFunc(u.Ticker.Ticks(min, max), func(t plot.Tick) bool { return t.Value > u.last*(1+1e-9) })
}

// rectangles draws the bars, and their numbers at the end of the axis.
type rectangles struct{ chart }

// Plot implements plot.Plotter.
func (r rectangles) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(v float64) vg.Length { return x(max(v, p.X.Min)) }
	style := text.Style{Color: ink, Font: sans(fontSize - 1), XAlign: draw.XRight, YAlign: draw.YCenter, Handler: p.X.Tick.Label.Handler}
	line := draw.LineStyle{Color: ink, Width: 1}
	zero := at(0)
	for i := range r.names {
		top := y(float64(len(r.names)-1-i)) + vg.Points(barHeight*float64(r.deep())/2)
		for k, s := range r.series[:r.deep()] {
			high := top - vg.Points(barHeight*float64(k))
			low := high - (barHeight - 1)
			middle, number := (high+low)/2, vg.Point{X: c.Max.X, Y: (high + low) / 2}
			v := s.values[i]
			if !v.known {
				c.FillText(style, number, "–")
				continue
			}
			end := at(v.x)
			c.FillPolygon(hue(k), []vg.Point{{X: zero, Y: low}, {X: end, Y: low}, {X: end, Y: high}, {X: zero, Y: high}})
			if r.upTo && r.series[1].values[i].known {
				far := at(r.series[1].values[i].x)
				c.StrokeLine2(line, end, middle, far, middle)
				c.StrokeLine2(line, far, low+2, far, high-2)
			}
			c.FillText(style, number, short(v.x))
		}
	}
}
