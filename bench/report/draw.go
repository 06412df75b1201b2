package main

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Pictures are as wide as a telephone shows them, in points; on a larger screen
// there are some beside each other.
const (
	width    = 380
	fontSize = 12
)

// gridLine is the style of the thin lines at the ticks.
var gridLine = draw.LineStyle{Color: faint, Width: 0.6}

// newPlot returns an empty plot in the page's colours.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Tick.Color = ink, ink
		a.Label.TextStyle.Color, a.Tick.Label.Color = ink, ink
		a.Label.TextStyle.Font, a.Tick.Label.Font = sans(fontSize), sans(fontSize)
		a.Tick.Length = 4
		a.Padding = 4
	}
	return p
}

func sans(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
}

// written matches a text of a drawing, with its size and its words.
var written = regexp.MustCompile(`(<text [^>]*?)\s+style="[^"]*?font-size:([0-9.]+)px[^"]*"(?:>)([^<]*)</text>`)

// fitted makes every text as wide as it was when its place was chosen, whatever
// font the reader's machine has: a wider font would run into the text beside it.
func fitted(drawing string) string {
	return written.ReplaceAllStringFunc(drawing, func(text string) string {
		m := written.FindStringSubmatch(text)
		size, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return text
		}
		face := font.DefaultCache.Lookup(sans(size), vg.Points(size))
		wide := face.Width(html.UnescapeString(m[3]))
		return fmt.Sprintf(`%s font-size="%g" textLength="%.1f" lengthAdjust="spacingAndGlyphs">%s</text>`, m[1], size, wide.Points(), m[3])
	})
}

// svg draws a plot of some height as a part of an HTML page. The label is for
// readers who cannot see the picture.
func svg(p *plot.Plot, height float64, label string) (template.HTML, error) {
	canvas := vgsvg.New(width, vg.Points(height))
	p.Draw(draw.Crop(draw.New(canvas), 2, -12, 2, -6))
	var drawn bytes.Buffer
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return "", err
	}
	// The library's own root has a size in points, which does not shrink.
	_, root, _ := strings.Cut(drawn.String(), "<svg")
	_, inner, ok := strings.Cut(root, ">")
	if !ok {
		return "", fmt.Errorf("drawing %q: there is no picture", label)
	}
	return template.HTML(fmt.Sprintf(`<svg class="plot" role="img" aria-label="%s" viewBox="0 0 %d %g">`, html.EscapeString(label), width, height) +
		named(fitted(inner))), nil
}
