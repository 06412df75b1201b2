package main

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func parsed(t *testing.T, text string) *table {
	p, err := parseTable("some.csv", strings.NewReader(text))
	require.NoError(t, err)
	return p
}

func TestTable(t *testing.T) {
	p := parsed(t, "kind,x,y,paper\na,1,2.5 ± 0.5,3\nb,\"(2, 4]\",,\na,3,-1e3,\n")
	kinds, err := p.distinct("kind")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, kinds)
	y, err := p.numbers("y")
	require.NoError(t, err)
	require.Equal(t, []value{{2.5, 0.5, true}, {}, {-1000, 0, true}}, y)
	x, err := p.positions("x")
	require.NoError(t, err)
	require.Equal(t, []float64{1, 4, 3}, x)
	theirs, err := p.beside("y")
	require.NoError(t, err)
	require.Equal(t, []value{{3, 0, true}, {}, {}}, theirs)
	kept, err := p.keep("kind", "a", "x", "3")
	require.NoError(t, err)
	require.Equal(t, [][]string{{"a", "3", "-1e3", ""}}, kept.rows)
	names, err := p.joined("kind", "x")
	require.NoError(t, err)
	require.Equal(t, []string{"a, 1", "b, (2, 4]", "a, 3"}, names)

	lines, err := columns{key: "kind", x: "x", y: "y", factor: 2, label: "kind %s"}.lines(p)
	require.NoError(t, err)
	require.Equal(t, []series{
		{"kind a", []float64{1, 3}, []value{{5, 1, true}, {-2000, 0, true}}},
		{"kind b", []float64{4}, []value{{}}},
	}, lines)
	lines, err = wide(p, "x", "y", "paper")
	require.NoError(t, err)
	require.Len(t, lines, 2)
	lines, err = wide(parsed(t, "x,y\n1,\n2,\n"), "x", "y")
	require.NoError(t, err)
	require.Empty(t, lines, "a column without values is no line")
}

func TestTableErrors(t *testing.T) {
	for text, says := range map[string]string{
		"":           "some.csv: has no header",
		"a,b\n1\n":   "some.csv: record on line 2: wrong number of fields",
		"a,\"b\n1\n": "some.csv: record on line 1",
	} {
		_, err := parseTable("some.csv", strings.NewReader(text))
		require.ErrorContains(t, err, says)
	}
	p := parsed(t, "a,b\n1,two\n3 ± -1,4\n")
	_, err := p.numbers("b")
	require.EqualError(t, err, `some.csv, row 2, b: "two" is not a number`)
	_, err = p.numbers("a")
	require.EqualError(t, err, `some.csv, row 3, a: "3 ± -1" has no half width`)
	_, err = p.positions("b")
	require.EqualError(t, err, `some.csv, row 2, b: "two" is no number, nor a class of numbers`)
	_, err = p.beside("a")
	require.EqualError(t, err, `some.csv: there is nothing of the paper beside "a"`)
	_, err = p.keep("c", "1")
	require.EqualError(t, err, `some.csv: there is no column "c"`)
	_, err = columns{key: "a", x: "a", y: "c"}.lines(parsed(t, "a\n1\n"))
	require.EqualError(t, err, `some.csv: there is no column "c"`)
}

func TestNumbersAreShort(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1", -2.5: "-2.5", 0.00123456: "0.00123", 0.05: "0.05", 99.96: "100", 123.4: "123", 9999: "9999",
		10_000: "10 k", 12_345: "12.3 k", 1.5e6: "1.5 M", 2e9: "2 G", 1e-6: "1e-06", math.Inf(1): "∞",
	} {
		require.Equal(t, want, short(x))
	}
	for x, want := range map[float64]string{0: "0", 45639.4: "45639", 0.466152: "0.46615", 447123.9: "447124", 1e-7: "1e-07", 3e12: "3e+12"} {
		require.Equal(t, want, full(x))
	}
	require.Equal(t, "1.5 ± 0.25", value{1.5, 0.25, true}.String())
	require.Equal(t, "–", value{}.String())
}

func TestTicks(t *testing.T) {
	labels := func(ticks []string) string { return strings.Join(ticks, " ") }
	at := func(d interface {
		labels(min, max float64) []string
	}, min, max float64) string {
		return labels(d.labels(min, max))
	}
	require.Equal(t, "0.1 1 10 100", at(decades{4}, 0.07, 300))
	require.Equal(t, "1 100 10 k 1 M", at(decades{5}, 1, 3e6))
	require.Equal(t, "2 3 5 7 10", at(decades{6}, 2, 12))
	require.Equal(t, "0 20 40 60 80", at(steps{6}, 0, 97))
	require.Equal(t, "-0.5 0 0.5 1", at(steps{5}, -0.6, 1))
}

func (d decades) labels(min, max float64) (all []string) {
	for _, t := range d.Ticks(min, max) {
		all = append(all, t.Label)
	}
	return all
}

func (s steps) labels(min, max float64) (all []string) {
	for _, t := range s.Ticks(min, max) {
		all = append(all, t.Label)
	}
	return all
}
