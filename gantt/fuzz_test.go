package gantt

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// FuzzChart draws charts of any texts and times: the picture is always XML, and nothing
// is drawn of a chart that is refused.
func FuzzChart(f *testing.F) {
	f.Add("title", "label", "key", "row", int64(0), int64(10), int64(2), int64(5), 0, 1)
	f.Add("<&>\"'", "]]>", "\x00\x1b", "\xff", int64(-5), int64(1)<<62, int64(3), int64(1)<<61, 1, 3)
	f.Add("\u202ex", "<script>", "", "&#0;", int64(9), int64(9), int64(9), int64(8), -1, 0)
	f.Fuzz(func(t *testing.T, title, label, key, row string, from, to, start, end int64, at, rows int) {
		w := bookahead.Interval{Start: bookahead.Time(from), End: bookahead.Time(to)}
		c := Chart{
			Title: title, Window: w, Now: bookahead.Time(start),
			Rows: rows, RowName: func(int) string { return row },
			Bars: []Bar{{Interval: bookahead.Interval{Start: bookahead.Time(start), End: bookahead.Time(end)}, Row: at, Label: label, Key: key}},
		}
		var svg, text bytes.Buffer
		_, err := c.WriteTo(&svg)
		_, err2 := c.WriteText(&text, 80)
		require.Equal(t, err == nil, err2 == nil)
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.Zero(t, svg.Len()+text.Len())
			return
		}
		require.LessOrEqual(t, svg.Len(), maxBytes)
		require.True(t, utf8.Valid(text.Bytes()))
		require.False(t, strings.ContainsAny(text.String(), "\x00\x1b"), "control characters reach the terminal")
		d := xml.NewDecoder(&svg)
		for {
			token, err := d.Token()
			if err == io.EOF {
				return
			}
			require.NoError(t, err)
			if e, ok := token.(xml.StartElement); ok {
				require.NotEqual(t, "script", e.Name.Local)
			}
		}
	})
}
