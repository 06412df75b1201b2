package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// stored are the numbers of a small run.
const stored = "testdata/stored"

func rendered(t *testing.T, p page) string {
	var b bytes.Buffer
	require.NoError(t, p.write(&b))
	return b.String()
}

// TestPage draws the stored numbers, and looks at the structure of the page.
func TestPage(t *testing.T) {
	p, failed := compose(stored, chapters)
	require.False(t, failed)
	text := rendered(t, p)

	var ids []string
	for _, m := range regexp.MustCompile(`id="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		require.NotContains(t, ids, m[1], "an id is used twice")
		ids = append(ids, m[1])
	}
	for _, m := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(text, -1) {
		require.Contains(t, ids, m[1], "the contents lead nowhere")
	}
	for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		require.Regexp(t, `^(#|data:)`, m[1], "outside of the page")
	}
	for _, outside := range []string{"url(", "@import", "<script", "<link rel=\"stylesheet", "<iframe"} {
		require.NotContains(t, text, outside)
	}
	require.NotContains(t, strings.NewReplacer("http://www.w3.org/2000/svg", "", "http://www.w3.org/1999/xlink", "").Replace(text), "http")
	require.Contains(t, text, `<meta name="viewport" content="width=device-width, initial-scale=1">`)
	require.Contains(t, text, "Example 1000")
	require.NotContains(t, text, "Something is missing")
	require.Contains(t, text, "<small>note: ", "claims.csv has notes")

	require.Len(t, p.Sections, len(chapters)+1)
	for _, s := range p.Sections {
		require.NotEmpty(t, s.Figures, s.ID)
		if s.ID != "gantt" {
			require.NotEmpty(t, s.Command, s.ID)
		}
		if !slices.Contains([]string{"live", "growth", "nodes", "cluster", "kube", "desk", "replicated", "malleable", "compare", "gantt", "peers"}, s.ID) {
			require.NotEmpty(t, s.Verdicts, s.ID)
		}
		for _, v := range s.Verdicts {
			require.Contains(t, trial.Verdicts, v.Outcome, v.Claim)
			require.NotEmpty(t, v.Where)
			require.NotEmpty(t, v.Claim)
		}
		for _, f := range s.Figures {
			require.NotEmpty(t, f.Caption, f.ID)
			if !strings.HasPrefix(string(f.Picture), "<img") {
				require.NotEmpty(t, f.Table.Rows, f.ID)
			}
			for _, row := range f.Table.Rows {
				require.Len(t, row, len(f.Table.Header), f.ID)
			}
			wellFormed(t, f)
		}
	}
}

// wellFormed parses a picture as XML, and refuses colours that no setting changes.
func wellFormed(t *testing.T, f figure) {
	if f.Picture == "" || strings.HasPrefix(string(f.Picture), "<img") {
		return
	}
	d := xml.NewDecoder(strings.NewReader(string(f.Picture)))
	for {
		_, err := d.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err, f.ID)
	}
	if strings.Contains(string(f.Picture), `class="plot"`) {
		require.NotRegexp(t, `#[0-9A-F]{6}`, string(f.Picture), f.ID)
		require.Contains(t, string(f.Picture), "var(--", f.ID)
		require.Equal(t, strings.Count(string(f.Picture), "<text "), strings.Count(string(f.Picture), " textLength="), "%s: a wide font would run into the picture", f.ID)
	}
}

// TestSamePage: the same numbers give the same bytes.
func TestSamePage(t *testing.T) {
	a, _ := compose(stored, chapters)
	b, _ := compose(stored, chapters)
	require.Equal(t, rendered(t, a), rendered(t, b))
}

func TestNothingMeasured(t *testing.T) {
	path := filepath.Join(t.TempDir(), "below", "page.html")
	var out, stderr strings.Builder
	require.Equal(t, 0, run([]string{"-from", t.TempDir(), "-out", path}, &out, &stderr), stderr.String())
	require.Equal(t, path+"\n", out.String())
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	apart := 0 // is left out
	for _, c := range chapters {
		if c.apart {
			apart++
		}
	}
	require.Equal(t, len(chapters)-apart, strings.Count(string(page), "This was not measured."))
	require.Contains(t, string(page), "<dt>Processor</dt><dd>unknown</dd>")
	require.Contains(t, string(page), "<dt>Commit</dt><dd>unknown</dd>")
	require.Contains(t, string(page), "<dt>Load average</dt><dd>unknown</dd>")
}

// TestBrokenNumbers leave a note, and the page is written nevertheless.
func TestBrokenNumbers(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS(stored)))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "schneider", "fig7.csv"), []byte("figure,units\n7,<b>\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "castillo", failure), []byte("castillo failed: exit status 1\n\n<script>"), 0o644))
	path := filepath.Join(folder, "page.html")
	var out, stderr strings.Builder
	require.Equal(t, 1, run([]string{"-from", folder, "-out", path}, &out, &stderr))
	require.Contains(t, stderr.String(), "something is missing in the page")
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(page), "Something is missing here."))
	require.Contains(t, string(page), `Its numbers cannot be drawn: fig7.csv: there is no column &#34;mean_interarrival_s&#34;.`)
	require.Contains(t, string(page), "castillo failed: exit status 1\n\n&lt;script&gt;")
	require.Contains(t, string(page), `id="toporkov-Fig-3-quality-of-the-window"`, "whole chapters are drawn")
	require.NotContains(t, string(page), `id="schneider-Figure-6`)
}

// TestMeasure runs two programs: one that does as it is told, and one that fails.
func TestMeasure(t *testing.T) {
	folder := t.TempDir()
	two := []chapter{
		{id: "compare", output: comparison, views: compared.views,
			command: "run ./bench/cmd/compare -jobs 60 -impl carts.Flat,carts.Indexed -format csv"},
		{id: "toporkov", views: toporkov.views, command: "run ./bench/paper/toporkov -environments 0 -out %s"},
	}
	var stderr strings.Builder
	require.NoError(t, measure(folder, two, &stderr))
	p, failed := compose(folder, two)
	require.True(t, failed)
	require.Empty(t, p.Sections[0].Note)
	require.NotEmpty(t, p.Sections[0].Figures)
	require.Equal(t, "go run ./bench/cmd/compare -jobs 60 -impl carts.Flat,carts.Indexed -format csv", p.Sections[0].Command)
	last := p.Sections[2]
	require.Equal(t, "toporkov", last.ID)
	require.Contains(t, last.Note, "go run ./bench/paper/toporkov -environments 0 -out out/toporkov failed: exit status")
	require.Contains(t, last.Note, "-environments, -plain and -large are at least 1")
	require.Contains(t, stderr.String(), "1 of 2")
	var names []string
	for _, f := range p.Machine {
		names = append(names, f.Name)
		require.NotEmpty(t, f.Text)
	}
	require.Equal(t, []string{"Processor", "Cores", "System", "Go", "Commit", "Load average", "Measured"}, names)
}

// TestNoRepository: a commit that git does not know is unknown.
func TestNoRepository(t *testing.T) {
	t.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir())
	require.Equal(t, unknown, commit(t.TempDir()))
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"-from"}, {"here"}, {"-from", "a", "-keep", "b"}} {
		var stderr strings.Builder
		require.Equal(t, 2, run(args, io.Discard, &stderr), args)
		require.NotEmpty(t, stderr.String())
	}
	var stderr strings.Builder
	require.Equal(t, 1, run([]string{"-from", filepath.Join(t.TempDir(), "nowhere")}, io.Discard, &stderr))
	require.Contains(t, stderr.String(), "nowhere")
	require.Equal(t, 0, run([]string{"-h"}, io.Discard, io.Discard))
}

func TestTail(t *testing.T) {
	said := tail("first\n" + strings.Repeat("a line\n", 500))
	require.LessOrEqual(t, len(said), tailBytes)
	require.Greater(t, len(said), tailBytes-10)
	require.True(t, strings.HasPrefix(said, "a line\n"))
	require.Equal(t, "all of it", tail("all of it\n"))
}

// TestGraphs draws extreme charts: nothing, one point, zeros, a negative bar.
func TestGraphs(t *testing.T) {
	one, zero, missing := value{x: 1, known: true}, value{known: true}, value{}
	points := func(name string, values ...value) chart {
		return chart{at: []float64{1, 2}[:len(values)], series: []series{{name, values}}}
	}
	rows := func(ours, theirs []value) chart {
		return chart{bars: true, at: []float64{0, 1}[:len(ours)], names: []string{"a", "b"}[:len(ours)], series: []series{{here, ours}, {there, theirs}}}
	}
	_, err := chart{bars: true, xAxis: "x"}.svg("time")
	require.EqualError(t, err, `"time" has no bars`)
	for name, c := range map[string]chart{
		"nothing":    {xAxis: "x", yAxis: "y"},
		"missing":    points("a", missing),
		"one point":  points("a", one),
		"zeros":      points("a", zero, zero),
		"no value":   rows([]value{missing}, []value{missing}),
		"negative":   rows([]value{{x: -3, known: true}, one}, []value{missing, one}),
		"decades":    rows([]value{{x: 1e6, known: true}, zero}, []value{missing, one}),
		"same value": points("a & <b>", one, one),
	} {
		picture, err := c.svg(`"` + name + `"`)
		require.NoError(t, err, name)
		wellFormed(t, figure{ID: name, Picture: picture})
		require.NotContains(t, string(picture), "NaN", name)
		require.NotContains(t, string(picture), "Inf", name)
	}
}

// TestClusterChapter: shares and days have axes from 0, whatever they span, and the numbers of both
// machines stand beside the pictures.
func TestClusterChapter(t *testing.T) {
	s, ok := cluster.section(filepath.Join(stored, "cluster"), load{})
	require.True(t, ok, s.Note)
	require.Len(t, s.Figures, len(cluster.views))
	promises := s.Figures[0]
	require.Equal(t, []string{"", "kept", "displaced", "broken"}, promises.Table.Header)
	require.Len(t, promises.Table.Rows, 2)
	require.Equal(t, []string{"nodes", "0"}, []string{promises.Table.Rows[0][0], promises.Table.Rows[0][3]}, "nodes break nothing")
	require.Equal(t, "pools", promises.Table.Rows[1][0])
	require.NotEqual(t, "0", promises.Table.Rows[1][3], "pools do")
	for _, f := range s.Figures[1:4] {
		require.Equal(t, []entry{{Hue: 1, Name: "nodes"}, {Hue: 2, Name: "pools"}}, f.Legend, f.Title)
		require.Len(t, f.Table.Header, 3)
	}
	forecasts := s.Figures[4].Table
	require.Equal(t, []string{"", "median", "mean", "95 %"}, forecasts.Header)
	require.Len(t, forecasts.Rows, 10, "five qualities of estimates under two policies")
	require.Equal(t, []string{"conservative, exact", "0", "0", "0"}, forecasts.Rows[5])
	for _, f := range s.Figures[:3] {
		require.Contains(t, string(f.Picture), ">0</text>", "%s: the axis begins at 0", f.Title)
	}
}

// TestLinearAxes: numbers that span decades have a logarithmic axis, unless it is refused.
func TestLinearAxes(t *testing.T) {
	for _, bars := range []bool{true, false} {
		c := chart{bars: bars, names: []string{"a", "b"}, at: []float64{0, 1}, series: []series{{"s", []value{{x: 1, known: true}, {x: 1000, known: true}}}}}
		for _, c.linear = range []bool{true, false} {
			picture, err := c.svg("spans")
			require.NoError(t, err)
			require.Equal(t, !c.linear, strings.Contains(string(picture), ">10</text>"), "bars %t, linear %t", bars, c.linear)
		}
	}
}

// TestPeersChapter: each trace has its figures, in which the default is 1, and all starts were the
// same.
func TestPeersChapter(t *testing.T) {
	s, ok := peers.section(filepath.Join(stored, "peers"), load{})
	require.True(t, ok, s.Note)
	require.Len(t, s.Figures, 3*3+1, "three pictures of three traces, and the numbers")
	for _, f := range s.Figures[:3] {
		require.Equal(t, "carts.Indexed", f.Table.Rows[0][0], f.Title)
		require.GreaterOrEqual(t, len(f.Table.Rows), 6, f.Title)
	}
	require.Equal(t, "Time of a Reserve, AR-128-1000 trace", s.Figures[0].Title)
	for _, f := range s.Figures[3:6] {
		require.Equal(t, []string{"carts.Indexed", "1", "1"}, f.Table.Rows[0], f.Title)
		require.Equal(t, []entry{{Hue: 1, Name: "mean"}, {Hue: 2, Name: "median"}}, f.Legend)
	}
	all := s.Figures[9].Table
	same := slices.Index(all.Header, "same")
	for _, row := range all.Rows {
		require.Equal(t, "true", row[same], row)
	}
}

// TestLiveChapter: the page begins with times against live reservations, pools and servers apart, from 100 to a
// million, and both defaults are marked.
func TestLiveChapter(t *testing.T) {
	p, failed := compose(stored, chapters)
	require.False(t, failed)
	s := p.Sections[0]
	require.Equal(t, "live", s.ID)
	require.Len(t, s.Figures, 2)
	for i, names := range [][]string{livePools, liveServers} {
		f := s.Figures[i]
		require.Equal(t, append([]string{"live reservations"}, names...), f.Table.Header)
		var sizes []string
		for _, row := range f.Table.Rows {
			sizes = append(sizes, row[0])
		}
		require.Equal(t, []string{"100", "1000", "10000", "100000", "1000000"}, sizes)
		require.True(t, f.Open(), "the numbers stand beside the picture")
		require.Equal(t, "µs", f.Unit)
		require.Equal(t, entry{1, names[0], "the default"}, f.Legend[0])
		for _, e := range f.Legend[1:] {
			require.Empty(t, e.Mark, e.Name)
		}
		for _, tick := range []string{">100</text>", ">1 M</text>", ">10</text>"} {
			require.Contains(t, string(f.Picture), tick, "both axes are logarithmic")
		}
	}
}

// TestOrder: first the structures by their size, then the packages that stand on them, and the papers last.
func TestOrder(t *testing.T) {
	p, _ := compose(stored, chapters)
	var ids []string
	for _, s := range p.Sections {
		ids = append(ids, s.ID)
	}
	require.Equal(t, []string{"live", "growth", "nodes", "cluster", "kube", "desk", "replicated", "malleable", "compare", "gantt", "peers",
		"schneider", "stevens", "toporkov", "castillo", "kurowski"}, ids)
}

// TestMeasureBenchmarks runs benchmarks, and one that fails.
func TestMeasureBenchmarks(t *testing.T) {
	folder := t.TempDir()
	small, broken := live, live
	small.command = "test -run '^$' -bench '^BenchmarkSchedules$/^impl=(carts.Flat|idletree.Tree)$/^op=reserve$/^live=100$/^load=0.70$' -benchtime 1x ./bench"
	small.views = []view{{file: benchmarks, title: "All", caption: "All."}}
	broken.id, broken.command = "broken", "test -run '^$' -bench '(' ./bench"
	var stderr strings.Builder
	require.NoError(t, measure(folder, []chapter{small, broken}, &stderr))
	p, failed := compose(folder, []chapter{small, broken})
	require.True(t, failed)
	require.Empty(t, p.Sections[0].Note)
	rows := p.Sections[0].Figures[0].Table.Rows
	require.Equal(t, []string{"Schedules", "carts.Flat", "reserve", "100", "0.7", "1"}, rows[0][:6])
	require.Equal(t, []string{"Schedules", "idletree.Tree", "reserve", "100", "0.7", "1"}, rows[1][:6])
	require.Contains(t, p.Sections[1].Note, "-bench '(' ./bench failed: exit status")
	require.Contains(t, p.Sections[1].Note, "missing closing )")
}

// TestMeasureModule runs a program that is a module of its own.
func TestMeasureModule(t *testing.T) {
	folder := t.TempDir()
	small := peers
	small.command = "-C bench/peers run . -only AR-128-50 -turns 20 -impl sorted-slice -out %s"
	var stderr strings.Builder
	require.NoError(t, measure(folder, []chapter{small}, &stderr))
	s, ok := small.section(filepath.Join(folder, "peers"), load{})
	require.True(t, ok, "%s\n%s", s.Note, stderr.String())
	require.Equal(t, "go -C bench/peers run . -only AR-128-50 -turns 20 -impl sorted-slice -out out/peers", s.Command)
	require.Len(t, s.Figures, 4)
	require.Len(t, s.Figures[3].Table.Rows, 2)
}
