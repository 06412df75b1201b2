package gantt

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		s       string
		letters int
		want    string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"ééé", 3, "ééé"}, {"éééé", 3, "éé…"}, {"ab", 1, "…"}, {"a", 1, "a"}, {"\xff\xff\xff", 2, "\xff…"},
	} {
		require.Equal(t, c.want, cut(c.s, c.letters))
	}
}

// A fitted text is no wider than it may be, is the beginning of the text, and is not
// shortened without need.
func TestFit(t *testing.T) {
	require.Equal(t, "node…", fit("node-12-rack", 5*letter+2*px+wideLetter-letter))
	require.Empty(t, fit("W", wideLetter-1))
	require.Equal(t, "W", fit("W", wideLetter))
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-zA-Z0-9 ]{0,30}`)).Draw(t, "s")
		width := rapid.IntRange(-10, 200*px).Draw(t, "width")
		got := fit(s, width)
		if measure(s) <= width || s == "" {
			require.Equal(t, s, got)
			return
		}
		require.LessOrEqual(t, measure(got), max(width, 0))
		head, shortened := strings.CutSuffix(got, "…")
		require.True(t, got == "" || shortened && head != "")
		require.True(t, strings.HasPrefix(s, head))
		if got != "" { // another letter would be too much
			_, size := utf8.DecodeRuneInString(s[len(head):])
			require.Greater(t, measure(s[:len(head)+size])+wideLetter, width)
		}
	})
}
