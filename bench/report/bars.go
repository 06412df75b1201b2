package main

import (
	"fmt"
	"html/template"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bars are lying rectangles, with a row for each name and a bar in it for each
// measure.
type bars struct {
	axis     string // what is measured, and its unit
	names    []string
	measures []quantity
}

// quantity is a number for each name. One that is missing has no bar.
type quantity struct {
	name   string
	values []value
	// upTo, if there are any, are further numbers, to which a line leads from
	// the end of the bar.
	upTo   []value
	beyond string // what these are
}

// beside are the values measured here, and those of the paper if it has any.
func beside(ours, theirs []value) []quantity {
	all := []quantity{{name: here, values: ours}}
	if slices.ContainsFunc(theirs, func(v value) bool { return v.known }) {
		all = append(all, quantity{name: there, values: theirs})
	}
	return all
}

const (
	barHeight  = 12
	rowPadding = 7
	labelShare = 0.2 // of the axis, for the numbers at its end
)

// svg draws the bars, on a logarithmic axis if they span decades.
func (b bars) svg(label string) (template.HTML, error) {
	if len(b.names) == 0 {
		return "", fmt.Errorf("%q has no bars", label)
	}
	s := nothing()
	for _, m := range b.measures {
		for _, v := range slices.Concat(m.values, m.upTo) {
			if v.known && v.x > 0 {
				s.add(v.x)
			}
		}
	}
	if s.min > s.max {
		s = span{0, 1}
	}
	log := s.logarithmic()
	if log {
		s.min /= 2 // the shortest bar is one
	} else {
		s.min = 0
		for _, m := range b.measures {
			for _, v := range m.values {
				s.min = min(s.min, v.x)
			}
		}
	}
	p := newPlot(b.axis, "")
	scale(&p.X, s, log, 6)
	p.X.Max = p.X.Min + (s.max-s.min)/(1-labelShare)
	if log {
		p.X.Max = s.min * pow(s.max/s.min, 1/(1-labelShare))
	}
	names := slices.Clone(b.names)
	slices.Reverse(names)
	p.NominalY(names...)
	p.Y.Min, p.Y.Max = -0.5, float64(len(names))-0.5
	p.Y.LineStyle.Width = 0
	p.Y.Tick.Length = 0
	p.X.Tick.Marker = until{p.X.Tick.Marker, s.max}
	p.Add(gridLines{vertical: true}, rectangles{b})
	row := barHeight*len(b.measures) + rowPadding
	return svg(p, float64(row*len(names)+48), label)
}

// until has the ticks of another up to a number: where the bars end.
type until struct {
	plot.Ticker
	last float64
}

// Ticks implements plot.Ticker.
func (u until) Ticks(min, max float64) []plot.Tick {
	return slices.DeleteFunc(u.Ticker.Ticks(min, max), func(t plot.Tick) bool { return t.Value > u.last*(1+1e-9) })
}

// rectangles draws the bars, and their numbers at the end of the axis.
type rectangles struct{ bars }

// Plot implements plot.Plotter.
func (r rectangles) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(v float64) vg.Length { return x(max(v, p.X.Min)) }
	style := text.Style{Color: ink, Font: sans(fontSize - 1), XAlign: draw.XRight, YAlign: draw.YCenter, Handler: p.X.Tick.Label.Handler}
	zero := at(0)
	for i := range r.names {
		middle := y(float64(len(r.names) - 1 - i))
		top := middle + vg.Points(barHeight*float64(len(r.measures))/2)
		for k, m := range r.measures {
			high := top - vg.Points(barHeight*float64(k))
			low := high - (barHeight - 1)
			v := m.values[i]
			if !v.known {
				c.FillText(style, vg.Point{X: c.Max.X, Y: (high + low) / 2}, "–")
				continue
			}
			c.FillPolygon(hue(k), []vg.Point{{X: zero, Y: low}, {X: at(v.x), Y: low}, {X: at(v.x), Y: high}, {X: zero, Y: high}})
			line := draw.LineStyle{Color: ink, Width: 1}
			if m.upTo != nil && m.upTo[i].known {
				end := at(m.upTo[i].x)
				c.StrokeLine2(line, at(v.x), (high+low)/2, end, (high+low)/2)
				c.StrokeLine2(line, end, low+2, end, high-2)
			}
			c.FillText(style, vg.Point{X: c.Max.X, Y: (high + low) / 2}, short(v.x))
		}
	}
}

// legend explains the colours, if there are several.
func (b bars) legend() []entry {
	var all []entry
	for i, m := range b.measures {
		name := m.name
		if m.upTo != nil {
			name += "; line: " + m.beyond
		}
		all = append(all, entry{Hue: i%hues + 1, Name: name})
	}
	if len(all) == 1 && b.measures[0].upTo == nil {
		return nil
	}
	return all
}

// grid has the numbers.
func (b bars) grid() grid {
	g := grid{Header: []string{""}}
	for _, m := range b.measures {
		g.Header = append(g.Header, m.name)
		if m.upTo != nil {
			g.Header = append(g.Header, m.beyond)
		}
	}
	for i, name := range b.names {
		row := []string{name}
		for _, m := range b.measures {
			row = append(row, m.values[i].String())
			if m.upTo != nil {
				row = append(row, m.upTo[i].String())
			}
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}
