package gantt

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func text(t *testing.T, c *Chart, columns int) string {
	var out bytes.Buffer
	n, err := c.WriteText(&out, columns)
	require.NoError(t, err)
	require.EqualValues(t, out.Len(), n)
	return "\n" + out.String()
}

// Row 0 has many short bars of one user, row 1 two bars that share a place, row 2 a bar
// that takes less than half, and row 3 a bar without a name.
func TestTextOfSmallBars(t *testing.T) {
	c := &Chart{Title: "Small\x07", Window: bookahead.Interval{Start: 0, End: 100}, Now: 55, Rows: 4}
	for at := bookahead.Time(0); at < 50; at += 2 {
		c.Bars = append(c.Bars, Bar{Interval: bookahead.Interval{Start: at, End: at + 1}, Key: "ana"})
	}
	c.Bars = append(c.Bars,
		Bar{Interval: bookahead.Interval{Start: 4, End: 10}, Row: 1, Key: "long\x1b[2J"},
		Bar{Interval: bookahead.Interval{Start: 0, End: 4}, Row: 1, Label: "short"},
		Bar{Interval: bookahead.Interval{Start: 20, End: 24}, Row: 2, Key: "ana"},
		Bar{Interval: bookahead.Interval{Start: 30, End: 200}, Row: 3},
	)
	require.Equal(t, `
Small�
0 │aaaaa
1 │b
2 │
3 │   ■■■■■■■
  └┬────▲────
   0    50
  a ana
  b long�[2J
  c short
  ■ taken
  ▲ now
`, text(t, c, 10))
}

// Of two bars that take as much of a place, the first one has it.
func TestTextOfTies(t *testing.T) {
	c := &Chart{Title: "Ties", Window: bookahead.Interval{Start: 0, End: 100}, Rows: 3}
	for row, keys := range [][2]string{{"ana", "bob"}, {"bob", "ana"}} {
		for k, at := range []bookahead.Time{20, 25} {
			c.Bars = append(c.Bars, Bar{Interval: bookahead.Interval{Start: at, End: at + 5}, Row: row, Key: keys[k]})
		}
	}
	for _, key := range []string{"bob", "ana"} { // over each other
		c.Bars = append(c.Bars, Bar{Interval: bookahead.Interval{Start: 50, End: 80}, Row: 2, Key: key})
	}
	require.Contains(t, text(t, c, 10), `
0 │  a
1 │  b
2 │     bbb
`)
}

// Of a hundred rows two make one. The upper half is busy in rows 0, 2, 4 and so on
// first, and then in all of them; the lower half is idle.
func TestTextShades(t *testing.T) {
	c := &Chart{Window: bookahead.Interval{Start: 0, End: 40}, Rows: 100}
	for row := range 50 {
		if row%2 == 0 {
			c.Bars = append(c.Bars, Bar{Interval: bookahead.Interval{Start: 0, End: 20}, Row: row})
		}
	}
	c.Bars = append(c.Bars, Bar{Interval: bookahead.Interval{Start: 20, End: 30}, Rows: 50}, Bar{Interval: bookahead.Interval{Start: 39, End: 40}})
	var want strings.Builder
	want.WriteString("\n")
	for i := range 50 {
		switch {
		case i == 0:
			want.WriteString(" 0 │▒▒▒▒▒▒▒▒▒▒█████    ░\n")
		case i < 25:
			want.WriteString(strings.Repeat(" ", 2-len(itoa(2*i))) + itoa(2*i) + " │▒▒▒▒▒▒▒▒▒▒█████\n")
		default:
			want.WriteString(itoa(2*i) + " │\n")
		}
	}
	want.WriteString("   └┬────┬────┬────┬────\n    0    10   20   30\n")
	require.Equal(t, want.String(), text(t, c, 20))
}

// One tick of a long window, in one row of many, is seen.
func TestTextShadeOfOneTick(t *testing.T) {
	c := &Chart{Window: bookahead.Interval{Start: 0, End: 1 << 40}, Rows: 128, Bars: []Bar{{Interval: bookahead.Interval{Start: 1 << 39, End: 1<<39 + 1}, Row: 127}}}
	require.Contains(t, text(t, c, 10), "126 │     ░\n")
}

func itoa(n int) string { return (&Chart{}).rowName(n) }

// A level of one tick in a long window is seen, and the time before and after a profile
// is empty.
func TestTextProfile(t *testing.T) {
	const column = 1 << 36
	w := bookahead.Interval{Start: 0, End: 10 * column}
	p := Profile{label: "peak", capacity: 8, window: bookahead.Interval{Start: 0, End: 8 * column}, levels: []level{{0, 0}, {3 * column, 8}, {3*column + 1, 4}, {5 * column, 0}, {7 * column, 2}}}
	require.Equal(t, `
peak │   █▄  ▂
     └┬─────────
      0
`, text(t, &Chart{Window: w, Profiles: []Profile{p}}, 10))
}

// As many columns as there can be, and more changes than that: empty, then busy at
// each other tick.
func TestTextProfileOfManyChanges(t *testing.T) {
	w := bookahead.Interval{Start: 0, End: 8 * maxTextColumns}
	p := Profile{capacity: 8, window: w, levels: []level{{0, 0}}}
	for at := w.End / 2; at < w.End; at++ {
		p.set(at, int64(8-at%2*8))
	}
	out := text(t, &Chart{Window: w, Profiles: []Profile{p}}, maxTextColumns)
	line, _, _ := strings.Cut(strings.TrimLeft(out, "\n"), "\n")
	require.Equal(t, " │"+strings.Repeat(" ", maxTextColumns/2)+strings.Repeat("█", maxTextColumns/2), line)
}

// A present with no past, or no future, is not marked: nothing is marked by the zero
// value.
func TestPresent(t *testing.T) {
	c := &Chart{Window: bookahead.Interval{Start: 0, End: 10}, Rows: 1}
	for now, marked := range map[bookahead.Time]bool{math.MinInt64: false, 0: false, 1: true, 9: true, 10: false} {
		c.Now = now
		require.Equal(t, marked, strings.Contains(text(t, c, 10), "▲"))
		require.Equal(t, marked, bytes.Contains(draw(t, c), []byte(`class="now"`)))
		require.Equal(t, marked, bytes.Contains(draw(t, c), []byte(`class="past"`)))
	}
}

// Steps are whole numbers of ticks, and times beyond wall time are written as numbers.
func TestWallClockSteps(t *testing.T) {
	a, err := WallClock(bookahead.Clock{Epoch: time.Date(2024, 1, 1, 0, 0, 20, 0, time.UTC)})
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(-20), a.Origin)
	require.Equal(t, "00:00:21", a.format(1))
	require.Equal(t, "Mon 1 Jan", a.format(-20))
	require.Equal(t, "00:01", a.format(40))
	require.Equal(t, "9223372036854775807", a.format(bookahead.MaxTime))
	require.Len(t, a.Steps, 20)
	b, err := WallClock(bookahead.Clock{Tick: 45 * time.Minute})
	require.NoError(t, err)
	require.Equal(t, []bookahead.Duration{4, 8, 16, 32, 64, 224}, b.Steps)
}
