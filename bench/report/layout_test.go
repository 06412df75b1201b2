package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// box is the place of a text in a picture, from the upper left corner.
type box struct {
	text                   string
	left, top, right, base float64
}

// meets reports whether two texts cover each other, by more than a point and a half.
func (b box) meets(o box) bool {
	return min(b.right, o.right)-max(b.left, o.left) > 1.5 && min(b.base, o.base)-max(b.top, o.top) > 1.5
}

var (
	upright = regexp.MustCompile(`<g transform="rotate\(90\)">|</g>|<text x="([-0-9.e]+)" y="([-0-9.e]+)" transform="scale\(1, -1\)" font-size="([0-9.]+)" textLength="([0-9.]+)"[^>]*>([^<]*)</text>`)
	framed  = regexp.MustCompile(`viewBox="0 0 ([0-9.]+) ([0-9.]+)"`)
)

// boxes returns the size of a picture, and the places of its texts. Each text has the width that is reserved
// for it, in any font. The whole picture stands on its head, and so does each of its texts.
func boxes(t *testing.T, picture string) (width, height float64, all []box) {
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		return x
	}
	frame := framed.FindStringSubmatch(picture)
	require.NotNil(t, frame)
	width, height = number(frame[1]), number(frame[2])
	turned := false
	for _, m := range upright.FindAllStringSubmatch(picture, -1) {
		if m[5] == "" {
			turned = strings.HasPrefix(m[0], "<g")
			continue
		}
		x, y, size, long := number(m[1]), number(m[2]), number(m[3]), number(m[4])
		b := box{m[5], x, height + y - 0.72*size, x + long, height + y}
		if turned {
			b = box{m[5], y - 0.72*size, height - x - long, y, height - x}
		}
		all = append(all, b)
	}
	require.Len(t, all, strings.Count(picture, "<text "))
	return width, height, all
}

// TestTextsAreApart: no text of a picture covers another or leaves the picture, whatever the browser. Pictures scale
// as a whole, so that this holds for any width.
func TestTextsAreApart(t *testing.T) {
	p, failed := compose(stored, chapters)
	require.False(t, failed)
	seen := 0
	for _, s := range p.Sections {
		for _, f := range s.Figures {
			if !strings.Contains(string(f.Picture), `class="plot"`) {
				continue
			}
			width, height, all := boxes(t, string(f.Picture))
			for i, b := range all {
				require.True(t, b.left >= -1 && b.top >= -1 && b.right <= width+1 && b.base <= height+1, "%s: %q is cut: %+v", f.ID, b.text, b)
				for _, o := range all[i+1:] {
					require.False(t, b.meets(o), "%s: %q and %q overlap: %+v, %+v", f.ID, b.text, o.text, b, o)
				}
			}
			seen += len(all)
		}
	}
	require.Greater(t, seen, 500)
}

// TestMeets: boxes that share a corner are apart.
func TestMeets(t *testing.T) {
	a := box{"a", 0, 0, 10, 10}
	require.True(t, a.meets(box{"b", 5, 5, 20, 20}))
	require.False(t, a.meets(box{"b", 9, 0, 20, 10}))
	require.False(t, a.meets(box{"b", 0, 10, 10, 20}))
}

// TestContrast: by the formula of WCAG 2, texts have a contrast of 4.5 to their ground, and the colours of lines and
// bars one of 3, in the light and in the dark.
func TestContrast(t *testing.T) {
	grounds := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(styleCSS, -1)
	require.Len(t, grounds, 2, "light and dark")
	for i, m := range grounds {
		colours := map[string]float64{}
		for _, c := range regexp.MustCompile(`--(\w+): #(\w+);`).FindAllStringSubmatch(m[1], -1) {
			colours[c[1]] = luminance(t, c[2])
		}
		contrast := func(a, b string) float64 {
			return (max(colours[a], colours[b]) + 0.05) / (min(colours[a], colours[b]) + 0.05)
		}
		for _, name := range []string{"ink", "soft", "link", "good", "bad", "open", "none"} {
			for _, ground := range []string{"card", "ground"} {
				require.GreaterOrEqual(t, contrast(name, ground), 4.5, "%s on %s, palette %d", name, ground, i)
			}
		}
		for k := range hues {
			require.GreaterOrEqual(t, contrast(fmt.Sprintf("hue%d", k+1), "card"), 3.0, "hue%d, palette %d", k+1, i)
		}
	}
}

// luminance is the relative luminance of a colour of three or six digits.
func luminance(t *testing.T, digits string) float64 {
	if len(digits) == 3 {
		digits = regexp.MustCompile(`.`).ReplaceAllString(digits, "$0$0")
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	require.NoError(t, err)
	sum := 0.0
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
		x := float64(n>>(8*i)&0xff) / 255
		if x <= 0.03928 {
			x /= 12.92
		} else {
			x = math.Pow((x+0.055)/1.055, 2.4)
		}
		sum += weight * x
	}
	return sum
}
