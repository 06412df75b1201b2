package gantt

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
)

var update = flag.Bool("update", false, "write testdata anew")

// rect is a rectangle of a picture.
type rect struct {
	class               string
	x, y, width, height float64
}

// parse reads a picture, and checks that it is XML; it returns its size and its
// rectangles.
func parse(t require.TestingT, svg []byte) (width, height float64, rects []rect) {
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err)
		return x
	}
	d := xml.NewDecoder(bytes.NewReader(svg))
	depth := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		switch e := token.(type) {
		case xml.EndElement:
			depth--
		case xml.StartElement:
			depth++
			at := map[string]string{}
			for _, a := range e.Attr {
				at[a.Name.Local] = a.Value
			}
			switch e.Name.Local {
			case "svg":
				width, height = number(at["width"]), number(at["height"])
			case "rect":
				rects = append(rects, rect{at["class"], number(at["x"]), number(at["y"]), number(at["width"]), number(at["height"])})
			}
		}
	}
	require.Zero(t, depth)
	return width, height, rects
}

func draw(t require.TestingT, c *Chart) []byte {
	var out bytes.Buffer
	n, err := c.WriteTo(&out)
	require.NoError(t, err)
	require.EqualValues(t, out.Len(), n)
	return out.Bytes()
}

// drawChart draws a chart of bars that do not overlap, with names that nobody would
// choose.
func drawChart(t *rapid.T) *Chart {
	name := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "<&>\"'", "\x00\x1b[31m", "\xff\xfe", "]]>", strings.Repeat("é", 500), "a\nb"}))
	start := rapid.OneOf(rapid.Int64Range(0, 100), rapid.Just(int64(bookahead.MaxTime)-400)).Draw(t, "start")
	c := &Chart{
		Title:  name.Draw(t, "title"),
		Window: bookahead.Interval{Start: bookahead.Time(start), End: bookahead.Time(start + rapid.Int64Range(1, 400).Draw(t, "length"))},
		Now:    bookahead.Time(start + rapid.Int64Range(-10, 400).Draw(t, "now")),
		Rows:   rapid.IntRange(1, 40).Draw(t, "rows"),
		Width:  rapid.SampledFrom([]int{0, 320, 390, 4000}).Draw(t, "width"),
	}
	if rapid.Bool().Draw(t, "named") {
		c.RowName = func(row int) string { return fmt.Sprint("row <", row, ">") }
	}
	c.perLane = rapid.SampledFrom([]int{0, 1, c.Rows}).Draw(t, "lane")
	for row := range c.Rows {
		at := bookahead.Time(start) - 20
		for range rapid.IntRange(0, 4).Draw(t, "bars") {
			at += bookahead.Time(rapid.IntRange(0, 30).Draw(t, "gap"))
			if at > bookahead.MaxTime-50 {
				break
			}
			end := at + bookahead.Time(rapid.IntRange(1, 50).Draw(t, "length"))
			c.Bars = append(c.Bars, Bar{Interval: bookahead.Interval{Start: at, End: end}, Row: row, Label: name.Draw(t, "label"), Key: name.Draw(t, "key"), Closed: rapid.Bool().Draw(t, "closed")})
			at = end
		}
	}
	return c
}

// Whatever is in a chart, its picture is XML, with all of it inside, the same each
// time; and bars of a row do not overlap.
func TestPictures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawChart(t)
		svg := draw(t, c)
		require.True(t, bytes.Equal(svg, draw(t, c)), "not the same again")
		require.LessOrEqual(t, len(svg), maxBytes)
		width, height, rects := parse(t, svg)
		rows := map[float64][]rect{}
		for _, r := range rects {
			require.True(t, r.x >= 0 && r.y >= 0 && r.x+r.width <= width && r.y+r.height <= height, "%+v is not in %g × %g", r, width, height)
			if r.class == "bar" {
				rows[r.y] = append(rows[r.y], r)
			}
		}
		for _, row := range rows {
			slices.SortFunc(row, func(a, b rect) int { return int(100 * (a.x - b.x)) })
			for i := 1; i < len(row); i++ {
				require.LessOrEqual(t, row[i-1].x+row[i-1].width, row[i].x+1e-6)
			}
		}
		var text bytes.Buffer
		_, err := c.WriteText(&text, 60)
		require.NoError(t, err)
		require.True(t, utf8.Valid(text.Bytes()))
		require.NotContains(t, text.String(), "\x1b")
	})
}

// A profile has the booked units, tick by tick.
func TestProfileOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const capacity, end = 5, 60
		pool, err := carts.NewIndexed(capacity, carts.Config{})
		require.NoError(t, err)
		used := make([]int64, end)
		for range rapid.IntRange(0, 12).Draw(t, "reservations") {
			r, err := pool.Reserve(bookahead.Request{
				Ready: bookahead.Time(rapid.IntRange(0, 50).Draw(t, "ready")), Duration: bookahead.Duration(rapid.IntRange(1, 20).Draw(t, "duration")),
				Units: rapid.Int64Range(1, capacity).Draw(t, "units"),
			})
			require.NoError(t, err)
			for at := r.Start; at < min(r.End, end); at++ {
				used[at] += r.Units
			}
		}
		w := bookahead.Interval{Start: bookahead.Time(rapid.IntRange(0, 30).Draw(t, "start")), End: end}
		p, err := ProfileOf("pool", pool, capacity, w)
		require.NoError(t, err)
		k := 0
		for at := w.Start; at < w.End; at++ {
			for k+1 < len(p.levels) && p.levels[k+1].at <= at {
				k++
			}
			require.Equal(t, used[at], p.levels[k].used, at)
		}
		// As columns: with exact levels, or with the least and the greatest.
		for _, n := range []int{1000, 7} {
			for _, c := range p.columns(w, n, 3000) {
				require.Less(t, c.from, c.to)
				for at := w.Start; at < w.End; at++ {
					x := scale(at, w, 3000)
					if x >= c.from && scale(at+1, w, 3000) <= c.to {
						require.True(t, c.low <= used[at] && used[at] <= c.high)
					}
				}
			}
		}
		parse(t, draw(t, &Chart{Window: w, Profiles: []Profile{p}}))
	})
}

// Lanes takes as many rows as there are reservations at one time, and lays no bar over
// another; BusyBars finds all reservations again.
func TestLanesAndBusyBars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const servers, end = 4, 80
		tree, err := idletree.NewTree(servers, idletree.Config{})
		require.NoError(t, err)
		var booked []bookahead.Reservation
		var at [end]int
		var busy [servers][end]bool
		for range rapid.IntRange(0, 12).Draw(t, "reservations") {
			r, err := tree.Reserve(bookahead.Request{
				Ready: bookahead.Time(rapid.IntRange(0, 30).Draw(t, "ready")), Deadline: end, Duration: bookahead.Duration(rapid.IntRange(1, 20).Draw(t, "duration")),
				Units: rapid.Int64Range(1, servers).Draw(t, "units"),
			})
			if err != nil {
				continue
			}
			booked = append(booked, r)
			for k := r.Start; k < r.End; k++ {
				at[k]++
				for _, s := range r.Servers {
					busy[s][k] = true
				}
			}
		}
		bars, rows, err := Lanes(booked, nil)
		require.NoError(t, err)
		require.Equal(t, slices.Max(at[:]), rows)
		for i, a := range bars {
			for _, b := range bars[:i] {
				require.False(t, a.Row == b.Row && a.Overlaps(b.Interval))
			}
		}
		w := bookahead.Interval{Start: 0, End: end}
		mine, err := ServerBars(booked, func(r bookahead.Reservation) (string, string) { return "x", "y" })
		require.NoError(t, err)
		found, err := BusyBars(tree, servers, w)
		require.NoError(t, err)
		for _, bars := range [][]Bar{mine, found} {
			var got [servers][end]bool
			for _, b := range bars {
				for k := b.Start; k < b.End; k++ {
					for s := b.Row; s < b.Row+b.rows(); s++ {
						got[s][k] = true
					}
				}
			}
			require.Equal(t, busy, got)
		}
	})
}

// More than can be seen is drawn as shades, and the picture stays small.
func TestManyBars(t *testing.T) {
	c := &Chart{Window: bookahead.Interval{Start: 0, End: 1 << 40}, Rows: 100_000}
	for i := range 300_000 {
		start := bookahead.Time(i) << 21
		c.Bars = append(c.Bars, Bar{Interval: bookahead.Interval{Start: start, End: start + 1<<22}, Row: i % 99_000, Rows: 1 + i%1000, Label: "job", Key: strconv.Itoa(i)})
	}
	svg := draw(t, c)
	require.Less(t, len(svg), maxBytes)
	width, height, _ := parse(t, svg)
	require.Less(t, height, 1000.0)
	require.Equal(t, 960.0, width)
	require.Contains(t, string(svg), `class="shade"`)
	var text bytes.Buffer
	_, err := c.WriteText(&text, 80)
	require.NoError(t, err)
	require.Less(t, strings.Count(text.String(), "\n"), 70)
}

// Of many rows, as few as must make one, and each is in one of those drawn.
func TestRowsAreGrouped(t *testing.T) {
	for rows := 1; rows <= 3*maxShown+1; rows++ {
		var asked []int
		c := &Chart{Window: bookahead.Interval{Start: 0, End: 9}, Rows: rows, RowName: func(row int) string {
			asked = append(asked, row)
			return ""
		}}
		draw(t, c)
		slices.Sort(asked)
		asked = slices.Compact(asked)
		require.LessOrEqual(t, len(asked), maxShown, "of %d rows", rows)
		group := 1
		for group*maxShown < rows {
			group++
		}
		for i, row := range asked {
			require.Equal(t, i*group, row, "of %d rows", rows)
		}
		require.Less(t, asked[len(asked)-1], rows)
		require.GreaterOrEqual(t, len(asked)*group, rows)
	}
}

// A schedule of one server is a schedule too.
func TestBusyBarsOfFewServers(t *testing.T) {
	for _, servers := range []int{1, 2, 64} {
		s, err := idletree.NewTree(int64(servers), idletree.Config{})
		require.NoError(t, err)
		_, err = s.Reserve(bookahead.Request{Ready: 2, Duration: 3, Units: int64(servers)})
		require.NoError(t, err)
		bars, err := BusyBars(s, servers, bookahead.Interval{Start: 0, End: 10})
		require.NoError(t, err)
		require.Len(t, bars, servers)
		require.Equal(t, bookahead.Interval{Start: 2, End: 5}, bars[servers-1].Interval)
	}
}

// The error names a field that cannot be drawn, and nothing is written.
func TestBadCharts(t *testing.T) {
	w := bookahead.Interval{Start: 0, End: 10}
	for want, c := range map[string]Chart{
		"Chart.Window [5, 5) is empty":                           {Window: bookahead.Interval{Start: 5, End: 5}, Rows: 1},
		"Chart.Width 319 is not in 320 to 4000":                  {Window: w, Rows: 1, Width: 319},
		"Chart.Rows -1 is negative":                              {Window: w, Rows: -1},
		"Chart.Rows 16777217 is more than":                       {Window: w, Rows: maxRows + 1},
		"Chart.Rows 0 is less than 1, and there are no Prof":     {Window: w},
		"Chart.Rows 5 is not a multiple of the 2 rows of a lane": {Window: w, Rows: 5, perLane: 2},
		"Chart.Profiles 65 is more than 64":                      {Window: w, Profiles: make([]Profile, 65)},
		"Chart.Profiles[0]":                                      {Window: w, Profiles: make([]Profile, 1)},
		"Chart.Bars[0].Interval [0, 0) is empty":                 {Window: w, Rows: 1, Bars: []Bar{{}}},
		"Chart.Bars[0].Row 1 is not one of the 1 rows":           {Window: w, Rows: 1, Bars: []Bar{{Interval: w, Row: 1}}},
		"Chart.Bars[0].Rows 3 is not in 0 to 2, from Row 0 on":   {Window: w, Rows: 2, Bars: []Bar{{Interval: w, Rows: 3}}},
		"Chart.Bars[1].Rows 2 is not in 0 to 1, from Row 1 on":   {Window: w, Rows: 2, Bars: []Bar{{Interval: w}, {Interval: w, Row: 1, Rows: 2}}},
		"Axis.Steps[1] 5 does not ascend":                        {Window: w, Rows: 1, Axis: Axis{Steps: []bookahead.Duration{5, 5}}},
		"Axis.Steps[0] 0 is less than 1":                         {Window: w, Rows: 1, Axis: Axis{Steps: []bookahead.Duration{0}}},
	} {
		var out bytes.Buffer
		for _, write := range []func() (int64, error){
			func() (int64, error) { return c.WriteTo(&out) },
			func() (int64, error) { return c.WriteText(&out, 80) },
		} {
			_, err := write()
			require.ErrorIs(t, err, bookahead.ErrInvalid, want)
			require.ErrorContains(t, err, want)
			require.Zero(t, out.Len())
		}
	}
	good := Chart{Window: w, Rows: 1}
	_, err := good.WriteText(io.Discard, 9)
	require.ErrorContains(t, err, "columns 9 is not in 10 to 1000")
	_, err = good.WriteTo(failing{})
	require.ErrorIs(t, err, errFull)

	r := bookahead.Reservation{ID: 1, Offer: bookahead.Offer{Interval: w, Units: 1}}
	pool, err := carts.NewIndexed(4, carts.Config{})
	require.NoError(t, err)
	for want, f := range map[string]func() error{
		"names no servers": func() error { _, err := ServerBars([]bookahead.Reservation{r}, nil); return err },
		"names a negative server": func() error {
			r := r
			r.Servers = []int{-1}
			_, err := ServerBars([]bookahead.Reservation{r}, nil)
			return err
		},
		"are not in ascending": func() error {
			r := r
			r.Servers = []int{2, 1}
			_, err := ServerBars([]bookahead.Reservation{r}, nil)
			return err
		},
		"Reservation.Interval":                        func() error { _, _, err := Lanes(make([]bookahead.Reservation, 1), nil); return err },
		"capacity 0 is less than 1":                   func() error { _, err := ProfileOf("", pool, 0, w); return err },
		"capacity 3 is less than the units free at 0": func() error { _, err := ProfileOf("", pool, 3, w); return err },
		"window [0, 0) is empty":                      func() error { _, err := ProfileOf("", pool, 4, bookahead.Interval{}); return err },
		"servers 0 is not in 1":                       func() error { _, err := BusyBars(pool, 0, w); return err },
		"block [0, 10) names no servers":              func() error { _, err := BusyBars(pool, 4, w); return err },
	} {
		require.ErrorContains(t, f(), want)
		require.ErrorIs(t, f(), bookahead.ErrInvalid)
	}
	_, err = WallClock(bookahead.Clock{Tick: -1})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

var errFull = errors.New("full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

// Times are marked at round numbers, and never so close that labels touch.
func TestMarks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.Int64Range(0, int64(bookahead.MaxTime)-1).Draw(t, "start")
		w := bookahead.Interval{Start: bookahead.Time(start), End: bookahead.Time(rapid.Int64Range(start+1, int64(bookahead.MaxTime)).Draw(t, "end"))}
		a := Axis{Origin: bookahead.Time(rapid.Int64Range(0, 100).Draw(t, "origin"))}
		letters := rapid.IntRange(30, 200).Draw(t, "letters")
		marks := a.marks(w, letters, 2)
		require.NotEmpty(t, marks)
		for i, m := range marks {
			require.True(t, w.Contains(m.at))
			require.Equal(t, fmt.Sprint(int64(m.at)), m.label)
			if i > 0 {
				near := scale(m.at, w, letters) - scale(marks[i-1].at, w, letters)
				require.GreaterOrEqual(t, near+1, max(len(m.label), len(marks[i-1].label))+2)
			}
		}
	})
	day, err := WallClock(bookahead.Clock{Epoch: time.Date(2027, 1, 4, 8, 0, 0, 0, time.UTC), Tick: time.Minute})
	require.NoError(t, err)
	var labels []string
	for _, m := range day.marks(bookahead.Interval{Start: 0, End: 24 * 60}, 60, 2) {
		labels = append(labels, m.label)
	}
	require.Equal(t, []string{"12:00", "18:00", "Tue 5 Jan", "06:00"}, labels)
}

// The picture that was looked at.
func TestGolden(t *testing.T) {
	servers, err := idletree.NewTree(4, idletree.Config{})
	require.NoError(t, err)
	var booked []bookahead.Reservation
	for _, r := range []bookahead.Request{{Duration: 60, Units: 3}, {Ready: 30, Duration: 120, Units: 1}, {Ready: 30, Duration: 60, Units: 2}} {
		res, err := servers.Reserve(r)
		require.NoError(t, err)
		booked = append(booked, res)
	}
	morning := bookahead.Interval{Start: 0, End: 240}
	profile, err := ProfileOf("in use", servers, 4, morning)
	require.NoError(t, err)
	bars, err := ServerBars(booked, func(r bookahead.Reservation) (string, string) {
		return fmt.Sprint("#", r.ID), "group " + fmt.Sprint(r.ID%2)
	})
	require.NoError(t, err)
	axis, err := WallClock(bookahead.Clock{Epoch: time.Date(2027, 1, 4, 8, 0, 0, 0, time.UTC), Tick: time.Minute})
	require.NoError(t, err)
	got := draw(t, &Chart{Title: "Morning", Window: morning, Now: 45, Axis: axis, Profiles: []Profile{profile}, Rows: 4, Bars: bars})
	file := filepath.Join("testdata", "morning.svg")
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

func BenchmarkWriteTo(b *testing.B) {
	for _, n := range []int{100, 10_000, 1_000_000} {
		if testing.Short() && n > 10_000 {
			continue
		}
		c := &Chart{Window: bookahead.Interval{Start: 0, End: 1 << 30}, Rows: 1000}
		for i := range n {
			start := bookahead.Time(i) * (1 << 30) / bookahead.Time(n)
			c.Bars = append(c.Bars, Bar{Interval: bookahead.Interval{Start: start, End: start + 1<<12}, Row: i % 1000, Key: strconv.Itoa(i % 20)})
		}
		b.Run(fmt.Sprintf("op=draw/bars=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := c.WriteTo(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
