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

func gmlSeeds() []string {
	return seeds(gmlText, func(n string) string {
		return fmt.Sprintf("graph [ node [ id %[1]s Longitude %[1]s Latitude %[1]s ] edge [ source %[1]s target %[1]s LinkSpeedRaw %[1]s ] ]", n)
	},
		"graph [ node [ id 1 ] ]",
		"graph "+strings.Repeat("[ a ", deep),
		"graph [ a "+strings.Repeat("[ a ", deep)+"1"+strings.Repeat(" ]", deep)+" node [ id 1 ] ]",
		"graph [ node [ id 1 a "+strings.Repeat("[ a ", deep)+"1"+strings.Repeat(" ]", deep)+" ] ]",
		"graph [ node [ id \""+notUTF8+"\" label \""+notUTF8+"\" ] edge [ source \""+notUTF8+"\" target \""+notUTF8+"\" ] ]",
		"graph [ "+notUTF8+" 1 node [ id 1 "+notUTF8+" 2 ] ]",
		"graph [ label \"&#x110000;&#0;&#xd800;&bogus;&amp\" ]",
		"graph [ ] graph [ node [ id 1 ] ]",
		"] [ graph",
	)
}

func graphMLSeeds() []string {
	nested := func(open, shut string) string { return strings.Repeat(open, deep) + strings.Repeat(shut, deep) }
	graph := func(body string) string {
		return `<graphml><key id="d" attr.name="label"/><key id="x" attr.name="Longitude"/><key id="c" attr.name="LinkSpeedRaw"/>` +
			"<graph>" + body + "</graph></graphml>"
	}
	return seeds(graphMLText, func(n string) string {
		return graph(fmt.Sprintf(`<node id="%[1]s"><data key="x">%[1]s</data></node><edge source="%[1]s" target="%[1]s"><data key="c">%[1]s</data></edge>`, n))
	},
		graph(nested("<graph>", "</graph>")),
		graph("<node id=\"1\"><data key=\"d\">"+nested("<a>", "</a>")+"</data></node>"),
		"<graphml><graph>"+strings.Repeat("<node id=\"1\"><graph>", deep),
		nested("<graphml>", "</graphml>"),
		graph("<node id=\"1\"><data key=\"d\">"+notUTF8+"</data></node>"),
		graph("<node id=\""+notUTF8+"\"/>"),
		graph("<node id=\"1\"><data key=\"d\">a<!-- b -->c<![CDATA[<d>]]>e<f>g</f>h</data></node>"),
		graph("<data key=\"d\">name</data><other/><node id=\"1\"><other/></node>"),
		"<?xml version=\"1.0\" encoding=\"latin1\"?>"+graph(""),
		"<?xml version=\"1.1\"?>"+graph(""),
		`<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;&b;">]>`+graph("<node id=\"&d;\"/>"),
		"<a:graphml xmlns:a=\"b\"><a:graph><a:node a:id=\"1\"/></a:graph></a:graphml>",
	)
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

// fuzz checks that a reader returns a sound graph or an *Error with a line, and the same
// graph if the text comes byte by byte.
func fuzz(f *testing.F, read func(io.Reader) (Graph, error), seeds []string) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := read(strings.NewReader(text))
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
			require.NotEmpty(t, n.Name)
			ids[n.ID] = true
		}
		for _, l := range g.Links {
			require.Less(t, max(l.From, l.To), len(g.Nodes))
			require.GreaterOrEqual(t, min(l.From, l.To), 0)
		}
		again, err := read(iotest.OneByteReader(strings.NewReader(text)))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(g), fmt.Sprint(again))
	})
}

func FuzzGML(f *testing.F)     { fuzz(f, ReadGML, gmlSeeds()) }
func FuzzGraphML(f *testing.F) { fuzz(f, ReadGraphML, graphMLSeeds()) }
func FuzzSNDlib(f *testing.F)  { fuzz(f, ReadSNDlib, sndSeeds()) }

// TestReadingFailsAnywhere: if the reader fails, at any byte, the error is an *Error and
// there is no graph. A file cut off at that byte is a graph or an *Error too.
func TestReadingFailsAnywhere(t *testing.T) {
	out := errors.New("out of paper")
	for _, c := range []struct {
		text string
		read func(io.Reader) (Graph, error)
	}{{gmlText, ReadGML}, {graphMLText, ReadGraphML}, {sndText, ReadSNDlib}} {
		for n := range c.text {
			g, err := c.read(io.MultiReader(strings.NewReader(c.text[:n]), iotest.ErrReader(out)))
			var fault *Error
			require.ErrorAs(t, err, &fault, c.text[:n])
			require.Zero(t, g)
			_, err = c.read(strings.NewReader(c.text[:n]))
			require.True(t, err == nil || errors.As(err, &fault), c.text[:n])
		}
	}
}
