package main

import (
	"fmt"
	"slices"
)

// chart is a picture of numbers: lying bars in rows, or lines through points.
type chart struct {
	xAxis, yAxis string // the names of the axes, with their units
	bars         bool
	names        []string  // of the rows of bars, from above
	at           []float64 // where values stand on the x axis, or in which row of bars
	series       []series
	upTo         bool   // the second series are lines, which lead on from the bars of the first
	positive     bool   // points at 0 are left out, so that the y axis may be logarithmic
	linear       bool   // no axis is logarithmic, whatever the numbers span
	mark         string // name of the series that is the default; its line is thick
}

// series is a line, or bars of one colour: a value for each row, or for each place.
// A value that is missing has no point and no bar.
type series struct {
	name   string
	values []value
}

// known reports whether there is a value at all.
func (s series) known() bool {
	return slices.ContainsFunc(s.values, func(v value) bool { return v.known })
}

// split returns a series for each different key, with the values that have the key. The series has
// the name of its key; with format, the name of s is the format of the key.
func (s series) split(keys []string, format bool) []series {
	var all []series
	for _, key := range distinct(keys) {
		one := series{key, make([]value, len(keys))}
		if format {
			one.name = fmt.Sprintf(s.name, key)
		}
		for i, v := range s.values {
			if keys[i] == key {
				one.values[i] = v
			}
		}
		all = append(all, one)
	}
	return all
}

// spansDecades reports whether an axis is logarithmic, which goes from min to max.
func (c chart) spansDecades(min, max float64) bool { return !c.linear && spansDecades(min, max) }

// legend explains the colours, if there are several or lines.
func (c chart) legend() []entry {
	switch {
	case c.upTo:
		return []entry{{Hue: 1, Name: c.series[0].name + "; line: " + c.series[1].name}}
	case c.bars && len(c.series) == 1:
		return nil
	}
	var all []entry
	for i, s := range c.series {
		e := entry{Hue: i%hues + 1, Name: s.name}
		if s.name == c.mark {
			e.Mark = "the default"
		}
		all = append(all, e)
	}
	return all
}

// unit is the name of the axis of the values, with its unit.
func (c chart) unit() string {
	if c.bars {
		return c.xAxis
	}
	return c.yAxis
}

// grid has the numbers, a row for each row of bars, or for each place in order.
func (c chart) grid() grid {
	g := grid{Header: []string{""}}
	if !c.bars {
		g.Header[0] = c.xAxis
	}
	for _, s := range c.series {
		g.Header = append(g.Header, s.name)
	}
	for _, x := range slices.Compact(slices.Sorted(slices.Values(c.at))) {
		row := []string{full(x)}
		if c.bars {
			row[0] = c.names[int(x)]
		}
		for _, s := range c.series {
			var v value
			for i, other := range s.values {
				if c.at[i] == x && other.known {
					v = other
				}
			}
			row = append(row, v.String())
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}
