package gantt

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/desk"
)

// linked is what a page's script reads of a picture.
type linked struct {
	Role   string  `xml:"role,attr"`
	Left   float64 `xml:"data-left,attr"`
	Right  float64 `xml:"data-right,attr"`
	Top    float64 `xml:"data-top,attr"`
	Bottom float64 `xml:"data-bottom,attr"`
	Rows   float64 `xml:"data-rows,attr"`
	Row    float64 `xml:"data-row,attr"`
	Lane   int     `xml:"data-lane,attr"`
	Start  int64   `xml:"data-start,attr"`
	End    int64   `xml:"data-end,attr"`
	A      []struct {
		Href  string `xml:"href,attr"`
		Title string `xml:"title"`
		Rect  struct {
			X      float64 `xml:"x,attr"`
			Y      float64 `xml:"y,attr"`
			Width  float64 `xml:"width,attr"`
			Height float64 `xml:"height,attr"`
		} `xml:"rect"`
	} `xml:"a"`
	G []struct {
		Title string `xml:"title"`
	} `xml:"g"`
}

func readLinked(t require.TestingT, svg []byte) (p linked) {
	require.NoError(t, xml.Unmarshal(svg, &p))
	return p
}

// TestMapped: with the attributes of a picture, a script finds the time and the lane of each bar.
func TestMapped(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		w := bookahead.Interval{Start: bookahead.Time(rng.Int64N(1000)) - 500}
		w.End = w.Start + 1 + bookahead.Time(rng.Int64N(2000))
		c := &Chart{Title: "x", Window: w, Rows: 1 + rng.IntN(40), Width: minWidth + rng.IntN(2000), Mapped: true}
		if rng.IntN(2) == 0 {
			c.Profiles = []Profile{{label: "free", capacity: 4, window: w, levels: []level{{w.Start, 2}}}}
		}
		for i := range 1 + rng.IntN(10) {
			b := Bar{Interval: bookahead.Interval{Start: w.Start + bookahead.Time(rng.Int64N(int64(w.Len())))}, Row: rng.IntN(c.Rows), Link: fmt.Sprintf("/bookings/%d", i)}
			b.End = b.Start + 1 + bookahead.Time(rng.Int64N(int64(w.End-b.Start)))
			c.Bars = append(c.Bars, b)
		}
		p := readLinked(t, draw(t, c))
		require.Equal(t, "group", p.Role)
		require.Equal(t, w, bookahead.Interval{Start: bookahead.Time(p.Start), End: bookahead.Time(p.End)})
		require.Equal(t, 1, p.Lane)
		require.Len(t, p.A, len(c.Bars))
		require.InDelta(t, p.Bottom, p.Rows+p.Row*float64(c.Rows), .01)
		require.Equal(t, len(c.Profiles) == 0, p.Top == p.Rows)
		for i, b := range c.Bars {
			r := p.A[i].Rect
			perTick := (p.Right - p.Left) / float64(w.Len())
			require.InDelta(t, float64(b.Start-w.Start), (r.X-p.Left)/perTick, .011/perTick)
			require.Equal(t, b.Row, int((r.Y+r.Height/2-p.Rows)/p.Row))
			require.Equal(t, b.Link, p.A[i].Href)
		}
	}
	require.Equal(t, 3, readLinked(t, draw(t, &Chart{Window: bookahead.Interval{End: 9}, Rows: 3 * maxShown, Mapped: true})).Lane)
}

// TestLinks: a bar with a link is a link with the same title, and nothing else of the picture changes but its role.
func TestLinks(t *testing.T) {
	c := &Chart{Window: bookahead.Interval{End: 10}, Rows: 2, Bars: []Bar{
		{Interval: bookahead.Interval{Start: 1, End: 4}, Label: "a", Key: "ann"},
		{Interval: bookahead.Interval{Start: 5, End: 9}, Row: 1, Label: "<b>", Key: "bob"},
	}}
	plain := string(draw(t, c))
	require.NotContains(t, plain, "data-")
	text := textOf(t, c)
	c.Bars[1].Link = `/b?x="1"&y=<2>`
	svg := draw(t, c)
	p := readLinked(t, svg)
	require.Len(t, p.A, 1)
	require.Len(t, p.G, 1)
	require.Equal(t, `/b?x="1"&y=<2>`, p.A[0].Href)
	require.Equal(t, "<b> 5 to 9", p.A[0].Title)
	back := strings.NewReplacer(`<a href="`+escape(c.Bars[1].Link)+`">`, "<g>", "</a>", "</g>", `role="group"`, `role="img"`)
	require.Equal(t, plain, back.Replace(string(svg)))
	require.Equal(t, text, textOf(t, c))

	c.Bars[1].Link = strings.Repeat("x", maxLink)
	draw(t, c)
	for _, long := range []string{strings.Repeat("x", maxLink+1), strings.Repeat("&", maxLink/5+1)} {
		c.Bars[1].Link = long
		_, err := c.WriteTo(&bytes.Buffer{})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "Chart.Bars[1].Link")
	}
}

func textOf(t testing.TB, c *Chart) string {
	var b bytes.Buffer
	_, err := c.WriteText(&b, 40)
	require.NoError(t, err)
	return b.String()
}

// TestColour: a chosen colour does not depend on the other keys of the picture, and without a choice it is as before.
func TestColour(t *testing.T) {
	fills := func(colour func(string) uint, keys ...string) (list []string) {
		c := &Chart{Window: bookahead.Interval{End: 10}, Rows: len(keys), Colour: colour}
		for i, key := range keys {
			c.Bars = append(c.Bars, Bar{Interval: bookahead.Interval{End: 9}, Row: i, Key: key, Label: key})
		}
		for _, part := range strings.Split(string(draw(t, c)), `<rect class="bar" fill="`)[1:] {
			list = append(list, part[:7])
		}
		return list
	}
	chosen := func(key string) uint { return uint(len(key)) }
	require.Equal(t, []string{palette[2], palette[0], palette[2], palette[1]}, fills(chosen, "a", "", "b", strings.Repeat("x", colours)))
	require.Equal(t, []string{palette[2]}, fills(chosen, "b"))
	require.Equal(t, palette[1:], func() []string {
		list := fills(nil, "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")
		slices.SortFunc(list, func(a, b string) int { return slices.Index(palette[:], a) - slices.Index(palette[:], b) })
		return list
	}(), "twelve keys have twelve colours")
}

// TestDeskLinks: each bar of a booking has its link, and an outage has none.
func TestDeskLinks(t *testing.T) {
	d := randomDesk(t, rand.New(rand.NewPCG(2, 3)))
	c := &Chart{Window: bookahead.Interval{Start: d.Now() - 40, End: d.Now() + 60}}
	require.NoError(t, Desk{
		Desk: d, Name: func(b desk.Booking) (label, key string) { return strconv.Itoa(int(b.ID)), "" },
		Link: func(b desk.Booking) string { return "/" + strconv.Itoa(int(b.ID)) },
	}.Fill(c))
	links, closed := 0, 0
	for _, b := range c.Bars {
		if b.Closed {
			require.Empty(t, b.Link)
			closed++
			continue
		}
		require.Equal(t, "/"+b.Label, b.Link)
		links++
	}
	require.Positive(t, links)
	require.Positive(t, closed)
}

// TestProfileOfSteps: the steps of a pool make the profile that the pool makes.
func TestProfileOfSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		pool, err := carts.NewIndexed(5, carts.Config{})
		require.NoError(t, err)
		for range rng.IntN(20) {
			_, _ = pool.Reserve(bookahead.Request{Ready: bookahead.Time(rng.Int64N(60)), Duration: bookahead.Duration(1 + rng.Int64N(20)), Units: 1 + rng.Int64N(5)})
		}
		w := bookahead.Interval{Start: bookahead.Time(rng.Int64N(30)), End: 31 + bookahead.Time(rng.Int64N(60))}
		want, err := ProfileOf("pool", pool, 5, w)
		require.NoError(t, err)
		steps, ok := bookahead.Steps(pool, w)
		require.True(t, ok)
		got, err := ProfileOfSteps("pool", steps, 5)
		require.NoError(t, err)
		require.Equal(t, want, got)
		got, err = ProfileOfSteps("pool", func(yield func(bookahead.Step) bool) { // full steps may be left out
			for s := range steps {
				if s.Free > 0 && !yield(s) {
					return
				}
			}
		}, 5)
		require.NoError(t, err)
		for _, l := range got.levels {
			i := slices.IndexFunc(want.levels, func(x level) bool { return x.at == l.at })
			require.Equal(t, want.levels[i], l)
		}
	}
	step := func(start, end bookahead.Time, free int64) bookahead.Step {
		return bookahead.Step{Interval: bookahead.Interval{Start: start, End: end}, Free: free}
	}
	for want, steps := range map[string][]bookahead.Step{
		"step [3, 3) is empty":         {step(3, 3, 1)},
		"step [4, 6) is empty, or beg": {step(3, 5, 1), step(4, 6, 1)},
		"step 6 units are free at 3":   {step(3, 5, 6)},
		"step -1 units are free at 3":  {step(3, 5, -1)},
	} {
		_, err := ProfileOfSteps("", slices.Values(steps), 5)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
	_, err := ProfileOfSteps("", iter.Seq[bookahead.Step](nil), 0)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	empty, err := ProfileOfSteps("empty", slices.Values([]bookahead.Step(nil)), 5)
	require.NoError(t, err)
	draw(t, &Chart{Window: bookahead.Interval{End: 9}, Profiles: []Profile{empty}})
}
