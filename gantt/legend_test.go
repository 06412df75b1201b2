package gantt

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// legendOf returns the names in the legend of a picture, each with the class and the fill of its square.
func legendOf(t *testing.T, c *Chart) map[string][2]string {
	found := map[string][2]string{}
	entry := regexp.MustCompile(`<rect class="([\w ]+) key"(?: fill="([^"]*)")?[^>]*/><text[^>]*>([^<]*)</text>`)
	for _, m := range entry.FindAllStringSubmatch(string(draw(t, c)), -1) {
		found[m[3]] = [2]string{m[1], m[2]}
	}
	return found
}

// The legend explains the grey of the past and of bars without a name, and hatching; a text explains its
// signs.
func TestLegendExplainsSigns(t *testing.T) {
	w := bookahead.Interval{Start: 0, End: 10}
	plain := &Chart{Window: w, Rows: 4, Bars: []Bar{{Interval: w, Label: "named", Key: "named"}}}
	require.Empty(t, legendOf(t, plain))
	require.NotContains(t, text(t, plain, 20), "▲")

	c := &Chart{Window: w, Now: 5, Rows: 4, Bars: []Bar{
		{Interval: w},
		{Interval: w, Row: 1, Closed: true},
		{Interval: w, Row: 2, Held: true, Label: "held"},
		{Interval: w, Row: 3, Label: "#1", Key: "ada"},
	}}
	own := palette[places([]string{"ada"})["ada"]]
	require.Equal(t, map[string][2]string{
		"past":    {"past", ""},
		"taken":   {"bar", palette[0]},
		"on hold": {"bar held", palette[0]},
		"closed":  {"closed", "url(#" + hatch + ")"},
		"ada":     {"bar", own},
	}, legendOf(t, c))
	written := text(t, c, 20)
	for _, line := range []string{"▲ now", "■ taken", "╱ closed", "a held", "b ada"} {
		require.Contains(t, written, line+"\n")
	}
}
