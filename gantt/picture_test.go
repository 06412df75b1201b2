package gantt

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// path is the area that a path of M, V, H and Z encloses above its first point.
func path(t require.TestingT, d string) (area, left, right float64) {
	var x, y, base float64
	for len(d) > 0 && d[0] != 'Z' {
		end := 1 + strings.IndexAny(d[1:], "MVHZ")
		var numbers []float64
		for _, s := range strings.Fields(d[1:end]) {
			v, err := strconv.ParseFloat(s, 64)
			require.NoError(t, err)
			numbers = append(numbers, v)
		}
		switch d[0] {
		case 'M':
			x, y = numbers[0], numbers[1]
			base, left = y, x
		case 'V':
			y = numbers[0]
		case 'H':
			require.GreaterOrEqual(t, numbers[0], x)
			area += (base - y) * (numbers[0] - x)
			x = numbers[0]
		}
		d = d[end:]
	}
	require.Equal(t, "Z", d)
	require.Equal(t, base, y, "the path does not return")
	return area, left, x
}

// pathsOf returns the paths of a class.
func pathsOf(t require.TestingT, svg []byte, class string) (paths []string) {
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return paths
		}
		require.NoError(t, err)
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "path" {
			at := map[string]string{}
			for _, a := range e.Attr {
				at[a.Name.Local] = a.Value
			}
			if at["class"] == class {
				paths = append(paths, at["d"])
			}
		}
	}
}

// writing is where a text of a picture is, if its letters are as wide as measured.
type writing struct {
	text           string
	left, right, y float64
}

func writings(t require.TestingT, svg []byte) (all []writing) {
	var picture struct {
		Text []writtenText `xml:"text"`
		G    []struct {
			Text []writtenText `xml:"text"`
		} `xml:"g"`
	}
	require.NoError(t, xml.Unmarshal(svg, &picture))
	for _, g := range picture.G {
		picture.Text = append(picture.Text, g.Text...)
	}
	for _, w := range picture.Text {
		width := float64(measure(w.Text)) / px
		if w.Class == "title" {
			width *= 1.6
		}
		left := w.X
		switch w.Anchor {
		case "middle":
			left -= width / 2
		case "end":
			left -= width
		}
		all = append(all, writing{w.Text, left, left + width, w.Y})
	}
	return all
}

type writtenText struct {
	Class  string  `xml:"class,attr"`
	Anchor string  `xml:"text-anchor,attr"`
	X      float64 `xml:"x,attr"`
	Y      float64 `xml:"y,attr"`
	Text   string  `xml:",chardata"`
}

// The drawn area of a profile is the used amount, tick by tick. If there are more changes
// than columns, the front has no more, and the back no less.
func TestProfilesArea(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const capacity = 7
		end := bookahead.Time(rapid.SampledFrom([]int{40, 333, 20_000}).Draw(t, "end"))
		pool, err := carts.NewIndexed(capacity, carts.Config{})
		require.NoError(t, err)
		used := make([]int64, end)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for range rapid.SampledFrom([]int{0, 1, 20, 4000}).Draw(t, "reservations") {
			booked, err := pool.Reserve(bookahead.Request{Ready: bookahead.Time(r.Int64N(int64(end))), Duration: bookahead.Duration(1 + r.Int64N(9)), Units: 1 + r.Int64N(capacity)})
			require.NoError(t, err)
			for at := booked.Start; at < min(booked.End, end); at++ {
				used[at] += booked.Units
			}
		}
		w := bookahead.Interval{Start: 0, End: end}
		p, err := ProfileOf("", pool, capacity, w)
		require.NoError(t, err)
		svg := draw(t, &Chart{Window: w, Profiles: []Profile{p}})
		var total int64
		for _, u := range used {
			total += u
		}
		_, _, rects := parse(t, svg)
		panel := rects[slices.IndexFunc(rects, func(r rect) bool { return r.class == "panel" })]
		want := float64(total) / float64(end) / capacity * panel.width * panel.height
		// Each place is a hundredth of a pixel off at most.
		slack := .01 * (panel.width + 2*panel.height*float64(len(p.levels)))
		if only := pathsOf(t, svg, "only"); len(only) > 0 {
			area, left, right := path(t, only[0])
			require.InDelta(t, want, area, slack)
			require.InDelta(t, panel.x, left, .001)
			require.InDelta(t, panel.x+panel.width, right, .001)
			return
		}
		high, _, _ := path(t, pathsOf(t, svg, "high")[0])
		low, _, _ := path(t, pathsOf(t, svg, "low")[0])
		require.Greater(t, len(p.levels), 900)
		require.LessOrEqual(t, low-slack, want)
		require.GreaterOrEqual(t, high+slack, want)
	})
}

// A chart that shows a part of a profile begins with the level that is held there.
func TestPartOfAProfile(t *testing.T) {
	p := Profile{capacity: 9, window: bookahead.Interval{Start: 10, End: 50}, levels: []level{{10, 1}, {20, 5}, {30, 2}}}
	for _, c := range []struct {
		start, end bookahead.Time
		want       []column
	}{
		{0, 100, []column{{10, 20, 1, 1}, {20, 30, 5, 5}, {30, 50, 2, 2}}},
		{25, 125, []column{{0, 5, 5, 5}, {5, 25, 2, 2}}},
		{20, 120, []column{{0, 10, 5, 5}, {10, 30, 2, 2}}},
		{-70, 30, []column{{80, 90, 1, 1}, {90, 100, 5, 5}}},
		{50, 150, nil},
		{-90, 10, nil},
	} {
		require.Equal(t, c.want, p.columns(bookahead.Interval{Start: c.start, End: c.end}, 10, 100))
	}
}

// Where there are more changes than columns, a column holds the least and the most
// of its ticks, exactly.
func TestColumnsHoldLeastAndMost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "columns")
		w := bookahead.Interval{Start: 3, End: 3 + bookahead.Time(n*rapid.IntRange(2, 9).Draw(t, "each"))}
		p := Profile{capacity: 9, window: w, levels: []level{{w.Start, 0}}}
		used := make([]int64, w.Len())
		for i := range used {
			used[i] = rapid.Int64Range(0, 9).Draw(t, "used")
			p.set(w.Start+bookahead.Time(i), used[i])
		}
		cs := p.columns(w, n, 1000*n)
		if len(p.levels) <= n {
			require.Len(t, cs, len(p.levels))
			return
		}
		require.Len(t, cs, n)
		each := len(used) / n
		for k, c := range cs {
			of := used[k*each : (k+1)*each]
			require.Equal(t, column{1000 * k, 1000 * (k + 1), slices.Min(of), slices.Max(of)}, c)
		}
	})
}

// Bars of many rows, over each other, beyond the window, before time zero: all of
// it is inside, and so is every place where text begins or ends.
func TestWildBars(t *testing.T) {
	hostile := rapid.SampledFrom([]string{"", "<script>", "&amp;", "\"'", "\x00", "\xc3\x28", "\u202e", "]]>", strings.Repeat("W", 100_000), "重い", "\ufffe"})
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(hostile, 8, 8).Draw(t, "names")
		start := rapid.SampledFrom([]int64{math.MinInt64, -50, 0, math.MaxInt64 - 100}).Draw(t, "start")
		end := rapid.SampledFrom([]int64{start + 1, start + 100, math.MaxInt64}).Draw(t, "end")
		c := &Chart{
			Title: names[0], Window: bookahead.Interval{Start: bookahead.Time(start), End: bookahead.Time(end)},
			Now: bookahead.Time(start + 50), Width: rapid.SampledFrom([]int{0, 320}).Draw(t, "width"),
			Rows:    rapid.SampledFrom([]int{1, 5, 128, 129, 4000}).Draw(t, "rows"),
			RowName: func(row int) string { return names[row%8] },
			Axis:    Axis{Format: func(at bookahead.Time) string { return names[uint64(at)%8] }},
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for i := range rapid.SampledFrom([]int{0, 1, 30, 1600}).Draw(t, "bars") {
			row, from := r.IntN(c.Rows), start+r.Int64N(90)
			c.Bars = append(c.Bars, Bar{
				Interval: bookahead.Interval{Start: bookahead.Time(from), End: bookahead.Time(from + 1 + r.Int64N(9))},
				Row:      row, Rows: r.IntN(min(9, c.Rows-row) + 1), Label: names[i%8], Key: names[i/8%8],
			})
		}
		svg := draw(t, c)
		require.True(t, utf8.Valid(svg))
		require.Less(t, len(svg), maxBytes)
		width, height, rects := parse(t, svg)
		for _, r := range rects {
			require.True(t, r.x >= 0 && r.y >= 0 && r.width >= 0 && r.height > 0 && r.x+r.width <= width+1e-6 && r.y+r.height <= height+1e-6, "%+v is not in %g × %g", r, width, height)
		}
		for _, w := range writings(t, svg) {
			require.True(t, w.left >= 0 && w.right <= width && w.y <= height, "%+v is not in %g × %g", w, width, height)
		}
		_, err := c.WriteText(io.Discard, 10)
		require.NoError(t, err)
	})
}

// A bar is seen: it is a pixel wide, however short, unless another one follows; and
// it begins where its time is.
func TestShortBarsAreSeen(t *testing.T) {
	at := func(start, end bookahead.Time) Bar { return Bar{Interval: bookahead.Interval{Start: start, End: end}} }
	svg := draw(t, &Chart{Window: bookahead.Interval{Start: 0, End: 1 << 40}, Rows: 1, Bars: []Bar{at(1<<39, 1<<39+1), at(1<<20, 1<<20+1), at(1<<30, 1<<30+1)}})
	_, _, rects := parse(t, svg)
	rects = slices.DeleteFunc(rects, func(r rect) bool { return r.class != "bar" })
	require.Len(t, rects, 3)
	left, plot := 37.0, 907.0
	require.Equal(t, 1.0, rects[0].width)
	require.InDelta(t, left+plot/2, rects[0].x, .01)
	require.InDelta(t, left, rects[1].x, .01)
	require.InDelta(t, rects[2].x-rects[1].x, rects[1].width, .001) // 0.88 pixels apart
	require.Equal(t, 1.0, rects[2].width)
}

// A label is written whole, or so that three letters are left, or not at all.
func TestLabelsOfNarrowBars(t *testing.T) {
	// A tick is 9.07 pixels wide. With four of them kept free, four ticks take three
	// letters and the ellipsis, and two take two short letters.
	for _, c := range []struct {
		label string
		ticks bookahead.Time
		want  []string
	}{
		{"chemistry", 4, []string{"che…"}}, {"chemistry", 3, nil}, {"chemistry", 9, []string{"chemistry"}}, {"#1", 2, []string{"#1"}}, {"#1", 1, nil},
	} {
		svg := draw(t, &Chart{Window: bookahead.Interval{Start: 0, End: 100}, Rows: 1, Bars: []Bar{{Interval: bookahead.Interval{Start: 50, End: 50 + c.ticks}, Label: c.label}}})
		var got []string
		for _, w := range writings(t, svg) {
			if w.text[0] == c.label[0] {
				got = append(got, w.text)
			}
		}
		require.Equal(t, c.want, got, "%s in %d ticks", c.label, c.ticks)
	}
}

// The worst of everything at once is still less than maxBytes: as many bars as are
// drawn, each letter escaped, and profiles that change in every column.
func TestMaxBytes(t *testing.T) {
	w := bookahead.Interval{Start: 0, End: 1 << 20}
	quotes := strings.Repeat("\"", 200)
	c := &Chart{
		Title: quotes, Window: w, Now: 5, Width: maxWidth, Rows: maxShown,
		RowName: func(int) string { return quotes },
		Axis:    Axis{Format: func(bookahead.Time) string { return quotes }},
	}
	p := Profile{label: quotes, capacity: math.MaxInt64, window: w, levels: []level{{0, 0}}}
	for at := range w.End {
		p.set(at, (math.MaxInt64/97)*(int64(at)*31%97))
	}
	for range maxProfiles {
		c.Profiles = append(c.Profiles, p)
	}
	for i := range maxBars {
		c.Bars = append(c.Bars, Bar{Interval: bookahead.Interval{Start: bookahead.Time(i) % 3, End: w.End - bookahead.Time(i)}, Row: i % maxShown, Label: quotes, Key: quotes[:1+i%9], Link: quotes[:maxLink/5]})
	}
	svg := draw(t, c)
	parse(t, svg)
	require.Less(t, len(svg), maxBytes)
	require.Greater(t, len(svg), maxBytes/4) // the picture comes near the bound

	c.Rows = 1 << 20 // and shades that change in every place
	for i := range maxShown * maxColumns {
		group := c.Rows / maxShown
		start := bookahead.Time(i%maxColumns) * (w.End / maxColumns)
		c.Bars = append(c.Bars, Bar{Interval: bookahead.Interval{Start: start, End: start + 1 + bookahead.Time(i%7)*500}, Row: i / maxColumns * group, Rows: 1 + i*37%group})
	}
	require.Less(t, len(draw(t, c)), maxBytes)
}
