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
	require.Equal(t, []string{"a", "b"}, distinct(p.texts(p.column("kind"))))
	require.Equal(t, []value{{2.5, 0.5, true}, {}, {-1000, 0, true}}, p.numbers(p.column("y")))
	require.Equal(t, []float64{1, 4, 3}, p.positions("x"))
	require.Equal(t, []value{{3, 0, true}, {}, {}}, p.numbers(p.beside(2, "paper")))
	require.Equal(t, -1, p.beside(1, "paper"))
	require.Equal(t, -1, p.beside(3, "paper"))
	require.Equal(t, [][]string{{"a", "3", "-1e3", ""}}, p.keep("kind", "a").keep("x", "3").rows)
	require.Equal(t, []string{"a, 1", "b, (2, 4]", "a, 3"}, p.joined([]string{"kind", "x"}))
	require.NoError(t, p.err)
	p = parsed(t, "x,y,y_ci95\n1,2,0.5\n2,,\n")
	require.Equal(t, []value{{2, 0.5, true}, {}}, p.numbers(1))
	require.NoError(t, p.err)
}

func TestView(t *testing.T) {
	p := parsed(t, "kind,x,y,paper,z\na,1,2.5 ± 0.5,3,\nb,\"(2, 4]\",,,\na,3,-1e3,,\n")
	c := view{by: "kind", x: "x", y: []string{"y"}, factor: 2, labels: []string{"kind %s"}}.chart(p)
	require.Equal(t, []series{
		{"kind a", []value{{5, 1, true}, {}, {-2000, 0, true}}},
		{"kind b", []value{{}, {}, {}}},
	}, c.series)
	require.Equal(t, [][]string{{"1", "5 ± 1", "–"}, {"3", "-2000", "–"}, {"4", "–", "–"}}, c.grid().Rows)
	c = view{x: "x", y: []string{"paper", "z"}}.chart(p)
	require.Len(t, c.series, 1, "a column without values is no line")
	c = view{names: "kind,x", y: []string{"y"}}.chart(p)
	require.Equal(t, grid{[]string{"", here, there}, [][]string{{"a, 1", "2.5 ± 0.5", "3"}, {"b, (2, 4]", "–", "–"}, {"a, 3", "-1000", "–"}}}, c.grid())
	require.NoError(t, p.err)
	require.EqualError(t, new(section).figure("", view{only: "kind", cell: "c"}, p), `some.csv: no kind is "c", but ["a" "b"]`)
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
	for says, of := range map[string]func(p *table){
		`some.csv, row 2, b: "two" is not a number`:                      func(p *table) { p.numbers(1) },
		`some.csv, row 3, a: "3 ± -1" has no half width`:                 func(p *table) { p.numbers(0) },
		`some.csv, row 2, b: "two" is no number, nor a class of numbers`: func(p *table) { p.positions("b") },
		`some.csv: there is no column "c"`:                               func(p *table) { view{names: "a", y: []string{"c"}}.chart(p) },
		`some.csv: there is no column "d"`:                               func(p *table) { p.column("d"); p.column("e") },
	} {
		p := parsed(t, "a,b\n1,two\n3 ± -1,4\n")
		of(p)
		require.EqualError(t, p.err, says)
	}
	p := parsed(t, "a,b\n1,two\n")
	require.EqualError(t, p.keep("c", "1").err, `some.csv: there is no column "c"`)
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

func TestBenchmarks(t *testing.T) {
	p, err := parseBenchmarks("bench.txt", strings.NewReader(`goos: linux
BenchmarkBook/impl=desk/live=1000-2    10000    11855 ns/op    4891 book-ns
BenchmarkBook
BenchmarkLog/impl=slotted.Scan-60/log=none-16    5    1e+06 ns/op
PASS
`))
	require.NoError(t, err)
	require.Equal(t, []string{"benchmark", "impl", "live", "iterations", "ns/op", "book-ns", "log"}, p.header)
	require.Equal(t, [][]string{
		{"Book", "desk", "1000", "10000", "11855", "4891", ""},
		{"Log", "slotted.Scan-60", "", "5", "1e+06", "", "none"},
	}, p.rows)
	for text, says := range map[string]string{
		"PASS\n":                     "bench.txt: has no benchmark",
		"BenchmarkA 5 1 ns/op 2\n":   `bench.txt, line 1: "2" has no unit`,
		"\nBenchmarkA 5 one ns/op\n": `bench.txt, line 2: "one" is not a number`,
	} {
		_, err := parseBenchmarks("bench.txt", strings.NewReader(text))
		require.EqualError(t, err, says)
	}
}

// TestKeepAll keeps rows in the order of the cells, and says which column is missing.
func TestKeepAll(t *testing.T) {
	p := parsed(t, "a,b\nx,1\ny,2\nx,3\n")
	require.Equal(t, [][]string{{"y", "2"}, {"x", "1"}, {"x", "3"}}, p.keepAll("a", []string{"y", "z", "x"}).rows)
	require.EqualError(t, p.keepAll("c", []string{"x"}).err, `some.csv: there is no column "c"`)
}
