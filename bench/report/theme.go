package main

import (
	"fmt"
	"image/color"
	"strings"
)

// A drawing is made in colours that stand for the names of the page's colours. When it is
// done, the names replace the colours: so a picture follows the reader's setting, light
// or dark, with the rest of the page.
var (
	ink     = stand(0)
	faint   = stand(1)
	colours = []string{"ink", "line", "hue1", "hue2", "hue3", "hue4", "hue5", "hue6", "hue7", "hue8"}
)

// hues is how many colours there are for series; style.css has as many.
const hues = 8

// hue is the colour of a series.
func hue(series int) color.Color { return stand(2 + series%hues) }

// stand is the colour that stands for a name. No drawing has this colour for another reason.
func stand(name int) color.Color { return color.RGBA{R: 1, G: 0xA7, B: uint8(name), A: 0xFF} }

// named puts the names of the page's colours where others stand for them.
func named(drawing string) string {
	for i, name := range colours {
		drawing = strings.ReplaceAll(drawing, fmt.Sprintf("#01A7%02X", i), "var(--"+name+")")
	}
	return drawing
}
