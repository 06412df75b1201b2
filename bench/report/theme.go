package main

import (
	"fmt"
	"image/color"
	"strings"
)

// A drawing is made in colours that stand for the names of the page's colours,
// and gets these names when it is done: so it follows the reader's setting, light
// or dark, with the rest of the page.
var (
	ink   = stand(0xFE)
	faint = stand(0xFD)
)

// hues is how many colours there are for series; style.css has as many.
const hues = 8

// hue is the colour of a series.
func hue(series int) color.Color { return stand(uint8(series%hues + 1)) }

// stand is a colour that no drawing has otherwise.
func stand(n uint8) color.Color { return color.RGBA{R: 1, G: 0xA7, B: n, A: 0xFF} }

// named puts the names of the page's colours where others stand for them.
var named = func() *strings.Replacer {
	pairs := []string{hex(ink), "var(--ink)", hex(faint), "var(--line)"}
	for i := range hues {
		pairs = append(pairs, hex(hue(i)), fmt.Sprintf("var(--hue%d)", i+1))
	}
	return strings.NewReplacer(pairs...)
}()

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02X%02X%02X", r>>8, g>>8, b>>8)
}
