package topology

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// deep is the number of lists or elements that a deeply nested seed opens.
const deep = 10_000

// notUTF8 is not valid UTF-8.
const notUTF8 = "\xff\xfe\xc0\x80\xed\xa0\x80"

// hugeNumbers are at the ends of the range of numbers, and beyond.
var hugeNumbers = []string{
	"1e308", "-1e308", "1e309", "-1e309", "5e-324", "1e-400", "9223372036854775807", "18446744073709551616",
	"0x1p1023", "0x1p1024", "NaN", "Inf", "-infinity", strings.Repeat("9", 400), "0." + strings.Repeat("0", 400) + "1", "1_000",
}

// seeds returns files of a format: a good one, the same cut at each eighth, files with bytes
// that are not UTF-8, one for each huge number, in a node and a link, and more.
func seeds(good string, withNumber func(number string) string, more ...string) []string {
	list := append(more, good, "", notUTF8, good+notUTF8, notUTF8+good, "\xef\xbb\xbf"+good, strings.ReplaceAll(good, "\n", "\r\n"))
	for k := range 8 {
		list = append(list, good[:len(good)*k/8])
	}
	for _, n := range hugeNumbers {
		list = append(list, withNumber(n))
	}
	return list
}

func sndSeeds() []string {
	return seeds(sndText, func(n string) string {
		return fmt.Sprintf("NODES (\n a ( %[1]s %[1]s )\n %[1]s\n)\nLINKS (\n l ( a %[1]s ) %[1]s\n)\n", n)
	},
		"NODES (\n a\n)\nDEMANDS (\n"+strings.Repeat("d (\n", deep)+strings.Repeat(")\n", deep)+")\n",
		"NODES (\n a\n)\nDEMANDS (\n"+strings.Repeat("d (\n", deep),
		"NODES (\n"+strings.Repeat("( ", deep)+"\n)\n",
		"NODES (\n "+notUTF8+" ( 1 2 )\n)\nLINKS (\n l ( "+notUTF8+" "+notUTF8+" ) 1\n)\n",
		"NODES (\n a ( 1 2 3 )\n)\n", "NODES (\n a )1 2(\n)\n", "NODES (\n ( )\n)\n", "NODES (\n ()\n)\n",
		"?SNDlib native format\x00\n# network \x00\n", "(\n)\n", ")\n", "NODES (", strings.Repeat(" ", 1<<16)+"\n",
	)
}

// FuzzSNDlib checks that the reader returns a sound graph or an *Error with a line, and the same
// graph if the text comes byte by byte.
func FuzzSNDlib(f *testing.F) {
	for _, s := range sndSeeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ReadSNDlib(strings.NewReader(text))
		if err != nil {
			var fault *Error
			require.ErrorAs(t, err, &fault)
			require.Positive(t, fault.Line)
			require.Zero(t, g)
			return
		}
		require.LessOrEqual(t, len(g.Nodes)+len(g.Links), len(text))
		ids := map[string]bool{}
		for _, n := range g.Nodes {
			require.False(t, ids[n.ID])
			require.NotEmpty(t, n.ID)
			ids[n.ID] = true
		}
		for _, l := range g.Links {
			require.Less(t, max(l.From, l.To), len(g.Nodes))
			require.GreaterOrEqual(t, min(l.From, l.To), 0)
		}
		again, err := ReadSNDlib(iotest.OneByteReader(strings.NewReader(text)))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(g), fmt.Sprint(again))
	})
}

// TestReadingFailsAnywhere: if the reader fails, at any byte, the error is an *Error and
// there is no graph. A file cut off at that byte is a graph or an *Error too.
func TestReadingFailsAnywhere(t *testing.T) {
	out := errors.New("out of paper")
	for n := range sndText {
		g, err := ReadSNDlib(io.MultiReader(strings.NewReader(sndText[:n]), iotest.ErrReader(out)))
		var fault *Error
		require.ErrorAs(t, err, &fault, sndText[:n])
		require.Zero(t, g)
		_, err = ReadSNDlib(strings.NewReader(sndText[:n]))
		require.True(t, err == nil || errors.As(err, &fault), sndText[:n])
	}
}
