package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const head = "# 1 January 2026\n# 2 cores of a test\n# go test\n# \n"

func readTexts(t *testing.T, texts ...string) *results {
	t.Helper()
	folder := t.TempDir()
	for i, text := range texts {
		sitting := filepath.Join(folder, string(rune('a'+i)))
		require.NoError(t, os.Mkdir(sitting, 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(sitting, "x.txt"), []byte(text), 0o666))
	}
	r, err := readSittings(folder)
	require.NoError(t, err)
	r.used = map[string]bool{}
	return r
}

// TestMedians: figures of several sittings have their median, and how far they differ.
func TestMedians(t *testing.T) {
	r := readTexts(t,
		head+"goos: linux\nBenchmarkX/n=1-2  10  400 ns/op  3 B/live\nPASS\n",
		strings.Replace(head, "1 January", "2 January", 1)+"BenchmarkX/n=1-2  10  500 ns/op\n",
		head+"BenchmarkX/n=1-2  10  440 ns/op\n")
	x, err := r.median("X/n=1", "ns/op")
	require.NoError(t, err)
	require.Equal(t, 440.0, x)
	require.InDelta(t, 100.0/440, r.spread, 1e-9)
	require.Equal(t, "Medians of 3 sittings, 1 January 2026 to 2 January 2026, on 2 cores of a test; the sittings differ by 23 % at the most, in ns/op; before and after each command, other programs took less than 10 % of the processors.", r.note())
	_, err = r.median("X/n=2", "ns/op")
	require.ErrorContains(t, err, "X/n=2")
}

// TestDisturbed: a page that quotes what was disturbed says so, and no other page does.
func TestDisturbed(t *testing.T) {
	r := readTexts(t, strings.Replace(head, "# \n", "# others took 40 % of the processors\n", 1)+"BenchmarkX-2 10 400 ns/op\nBenchmarkY-2 10 2 ns/op\n", head+"BenchmarkY-2 10 2 ns/op\nBenchmarkZ 1 1 ns/op\n")
	_, err := r.median("Z", "ns/op")
	require.NoError(t, err)
	require.NotContains(t, r.note(), "disturbed")
	_, err = r.median("X", "ns/op")
	require.NoError(t, err)
	require.Contains(t, r.note(), "**The machine was disturbed**: others took 40 % of the processors.")
}

// TestQuiet: a busy machine and a loop that sways are named.
func TestQuiet(t *testing.T) {
	calm := state{0.02, time.Second}
	require.Empty(t, quiet([]state{calm, {0.1, 1090 * time.Millisecond}, {-1, time.Second}}))
	require.Equal(t, "others took 11 % of the processors", quiet([]state{calm, {0.11, time.Second}}))
	require.Equal(t, "the reference loop differs by 12 %", quiet([]state{calm, {0, 1120 * time.Millisecond}}))
	s := look()
	require.Positive(t, s.reference)
	require.LessOrEqual(t, s.busy, 1.0)
}

// TestRepeated: a command is repeated while something disturbs it, three times at the most.
func TestRepeated(t *testing.T) {
	log := filepath.Join(t.TempDir(), "runs")
	c := command{"echo", []string{"sh", "-c", "echo run >> " + log + "; echo out"}}
	looks := 0
	look := func() state {
		looks++
		return state{0, time.Duration(looks) * time.Second}
	}
	out, trouble, err := c.measure(context.Background(), state{0, time.Second}, look)
	require.NoError(t, err)
	require.Equal(t, "out\n", string(out))
	require.Equal(t, "the reference loop differs by 300 %", trouble)
	runs, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("run\n", tries), string(runs))
	_, _, err = command{"no", []string{"sh", "-c", "echo why >&2; exit 3"}}.measure(context.Background(), state{}, look)
	require.ErrorContains(t, err, "why")
}

// invented has a figure for whatever a template asks for.
func invented(t *testing.T) *results {
	t.Helper()
	r := &results{figures: map[string]map[string][]float64{}, texts: map[string]string{"peers": "| a |", "three": "3 members"}, dates: map[string][]string{"peers": {"1 May 2026"}, "three": {"1 May 2026"}}, machine: "this", trouble: map[string]string{}}
	for range 1000 { // each error names one more figure
		err := r.writePages(copied(t))
		if err == nil {
			return r
		}
		m := regexp.MustCompile(`no sitting has (\S+) of "([^"]*)"`).FindStringSubmatch(err.Error())
		require.NotNil(t, m, err)
		if r.figures[m[2]] == nil {
			r.figures[m[2]] = map[string][]float64{}
		}
		r.figures[m[2]][m[1]] = []float64{1234567}
		r.dates[m[2]] = []string{"1 May 2026"}
	}
	t.Fatal("the templates ask for more and more")
	return nil
}

// copied returns a folder with copies of all pages.
func copied(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, p := range pages {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", p.file))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, p.file)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(root, p.file), data, 0o666))
	}
	return root
}

// TestPages: every page of this checkout has its marks, and is written the same when it is written again.
func TestPages(t *testing.T) {
	r := invented(t)
	root := copied(t)
	require.NoError(t, r.writePages(root))
	for _, p := range pages {
		once, err := os.ReadFile(filepath.Join(root, p.file))
		require.NoError(t, err)
		require.Contains(t, string(once), "One sitting, 1 May 2026, on this", p.file)
		require.NotContains(t, string(once), "<no value>", p.file)
	}
	before, err := os.ReadFile(filepath.Join(root, "desk", "doc.go"))
	require.NoError(t, err)
	require.NoError(t, r.writePages(root))
	after, err := os.ReadFile(filepath.Join(root, "desk", "doc.go"))
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	for _, c := range commands {
		_, err := choose(c.name)
		require.NoError(t, err)
	}
	_, err = choose("nothing")
	require.ErrorContains(t, err, "nothing")
	require.ErrorContains(t, run(context.Background(), false, false, "", ""), "neither")
	require.ErrorContains(t, run(context.Background(), false, true, "", t.TempDir()), "no sittings")
}

// TestEachFigureIsMeasured: for each figure that a page quotes, a command has a pattern that matches its benchmark. A pattern has an
// expression for each level of names: one had alternatives across two levels, and matched nothing.
func TestEachFigureIsMeasured(t *testing.T) {
	matches := func(pattern, name string) bool {
		levels := strings.Split(name, "/")
		for i, expression := range strings.Split(pattern, "/") {
			if i < len(levels) && !regexp.MustCompile(expression).MatchString(levels[i]) {
				return false
			}
		}
		return true
	}
	for name := range invented(t).figures {
		require.True(t, slices.ContainsFunc(commands, func(c command) bool {
			i := slices.Index(c.args, "-bench")
			return i >= 0 && matches(c.args[i+1], "Benchmark"+name)
		}), name)
	}
}

func TestFormat(t *testing.T) {
	require.Equal(t, []string{"0.44 µs", "107 µs", "1.2 ms", "1.5 s", "12 ms", "45 ns"},
		[]string{duration(440), duration(107_000), duration(1_201_000), duration(1.5e9), duration(12e6), duration(45)})
	require.Equal(t, "455 000", count(455_123))
	require.Equal(t, "6 760", count(6763))
	require.Equal(t, "20 900", count(20_912))
	require.Equal(t, "52", count(52.3))
}
