package trial

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func sampleOf(values ...float64) Sample {
	var s Sample
	for _, v := range values {
		s.Add(v)
	}
	return s
}

func TestSample(t *testing.T) {
	s := sampleOf(2, 4, 6)
	require.InDelta(t, 4, s.Mean, 1e-12)
	require.InDelta(t, 4.303*2/1.7320508, s.Half, 1e-3)
	require.True(t, math.IsInf(sampleOf(1).Half, 1), "one value says nothing of the spread")
	many := sampleOf()
	for i := range 101 {
		many.Add(float64(i % 2))
	}
	require.InEpsilon(t, 1.984*0.5025/math.Sqrt(101), many.Half, 0.01)
	less := func(a, b float64) float64 { return a - b }
	require.Equal(t, []float64{1, 1}, Pairs(sampleOf(3, 4, 9), sampleOf(2, 3), less).Values, "as far as both go")
}

func TestVerdict(t *testing.T) {
	for want, s := range map[string][]Sample{
		Holds:        {sampleOf(2, 2), sampleOf(1, 1), sampleOf(3, 3), sampleOf(2, 2.1)},
		Fails:        {sampleOf(4, 4), sampleOf(0.9, 0.9)},
		Inconclusive: {sampleOf(2, 9), sampleOf(2)},
		Untested:     {sampleOf(math.NaN(), 2), {}},
	} {
		for _, s := range s {
			require.Equal(t, want, s.Verdict(1, 3), s)
		}
	}
}

func TestJudge(t *testing.T) {
	c := Claim{Where: "Fig. 1", Names: "mean", From: 1, To: 3, Why: "by chance"}
	f := c.Judge(sampleOf(4, 6), sampleOf(2, 4, 9), Less, "KTH", "logged")
	require.Equal(t, Finding{Claim: c, In: []string{"KTH", "logged"}, Verdict: Holds, A: 5, B: 5, Value: sampleOf(2, 2), Note: "by chance"}, f)
	require.Equal(t, "**holds** 5", f.Text())
	f.Names = "ours, theirs"
	require.Equal(t, "**holds** 5, 5", f.Text())
	f.Value.Half = 0.25
	require.Equal(t, "**holds** 5, 5 (2 ± 0.25)", f.Text())
	require.Equal(t, Fails, c.Judge(Exact(8), Exact(2), Over).Verdict)
	require.Equal(t, Holds, c.Judge(Exact(3), Exact(0), Alone).Verdict, "the interval is closed")
	f = f.Hangs("the lead")
	require.Equal(t, Untold, f.Verdict)
	require.Equal(t, "hangs on the lead: here it holds; by chance", f.Note)
	require.Equal(t, "**cannot be told** 5, 5 (2 ± 0.25)", f.Text(), "the numbers are shown all the same")
	open := c.Open("KTH")
	require.Equal(t, Finding{Claim: c, In: []string{"KTH"}, Verdict: Untested, Note: "by chance"}, open)
	require.Equal(t, Untested, open.Text())
}

func TestWorst(t *testing.T) {
	c := Claim{From: 1, To: 3}
	judge := func(s Sample) Finding { return c.Judge(s, s, Alone) }
	holds, fails, open := judge(Exact(2)), judge(Exact(4)), judge(sampleOf(2, 9))
	for _, k := range []struct {
		parts         []Finding
		verdict, note string
	}{
		{[]Finding{holds, holds}, Holds, ""},
		{[]Finding{fails, fails}, Fails, ""},
		{[]Finding{holds, open, fails}, Fails, "does not hold in 1 of 3, holds in 1"},
		{[]Finding{open, holds.Hangs("the lead")}, Untold, "cannot be told in 1 of 2, holds in 0"},
		{[]Finding{open, holds, holds}, Inconclusive, "inconclusive in 1 of 3, holds in 2"},
		{[]Finding{holds, c.Open()}, Untested, "cannot be tested in 1 of 2, holds in 1"},
		{nil, Untested, ""},
	} {
		f := c.Worst(k.parts, "all")
		require.Equal(t, k.verdict, f.Verdict)
		require.Equal(t, k.note, f.Note)
		require.Equal(t, []string{"all"}, f.In)
	}
	require.Equal(t, 4.0, c.Worst([]Finding{holds, fails}).A, "the numbers are those of the worst")
	c.Why = "as they differ"
	require.Equal(t, "does not hold in 1 of 2, holds in 1; as they differ", c.Worst([]Finding{holds, fails}).Note)
}

// TestClaims prints and lists two claims on two logs in two readings, of which the
// second claim, and the second log, have but one.
func TestClaims(t *testing.T) {
	c := Claim{Where: "Fig. 9", What: "It waits", Paper: "long", Names: "hours", From: 1, To: math.Inf(1)}
	own := Claim{Where: Ours, What: "It is fast", Why: "no clock"}
	at := func(x float64, in ...string) Finding { return c.Judge(Exact(x), Exact(0), Alone, in...) }
	short := at(0.5, "KTH", "asked")
	short.Note = "it was cut"
	all := []Finding{at(2, "KTH", "run"), short, at(3, "CTC", "run"), own.Open("KTH", "run"), own.Open("KTH", "asked")}
	var out bytes.Buffer
	WriteClaims(&out, []string{"log", "reading"}, all)
	require.Contains(t, out.String(), `
| where | claim | paper | log | numbers | run | asked |
|---|---|---|---|---|---|---|
| Fig. 9 | It waits | long | KTH | hours | **holds** 2 | **does not hold** 0.5 |
| Fig. 9 | It waits | long | CTC | hours | **holds** 3 |  |
| ours | It is fast |  | KTH |  | cannot be tested | cannot be tested |

In the first column, of the paper's claims: 2 hold, 0 do not, 0 are inconclusive, 0 cannot be told, 0 cannot be tested; of ours: 0 hold, 0 do not, 0 are inconclusive, 0 cannot be told, 1 cannot be tested.

- Fig. 9, It waits: it was cut. (KTH asked)
- ours, It is fast: no clock. (KTH run, KTH asked)

`)
	rows := ClaimRows([]string{"log", "reading"}, all)
	require.Equal(t, "where claim paper log reading verdict numbers a b value half from to note", strings.Join(rows[0], " "))
	require.Equal(t, []string{"Fig. 9", "It waits", "long", "KTH", "asked", Fails, "hours", "0.5", "0", "0.5", "0", "1", "+Inf", "it was cut"}, rows[2])
	require.Len(t, rows, 6)

	out.Reset()
	WriteClaims(&out, nil, []Finding{at(2)})
	require.Contains(t, out.String(), "| where | claim | paper | numbers | verdict |\n|---|---|---|---|---|\n| Fig. 9 | It waits | long | hours | **holds** 2 |\n")
}

func TestTable(t *testing.T) {
	table := Table{Title: "Figure 1", File: "fig1.csv", Header: []string{"log", "x"}, Rows: [][]string{{"KTH", "1"}, {"CTC", "2"}},
		Brief: func(row []string) bool { return row[0] == "CTC" }}
	var out bytes.Buffer
	table.Write(&out)
	require.Equal(t, "## Figure 1\n\n| log | x |\n|---|---|\n| CTC | 2 |\n\n", out.String())
	folder := t.TempDir()
	require.NoError(t, table.CSV(folder))
	text, err := os.ReadFile(filepath.Join(folder, "fig1.csv"))
	require.NoError(t, err)
	require.Equal(t, "log,x\nKTH,1\nCTC,2\n", string(text), "all rows")
	table.Silent = true
	out.Reset()
	table.Write(&out)
	require.Empty(t, out.String())
}

func TestNumber(t *testing.T) {
	for want, x := range map[string]float64{"": math.NaN(), "0.000": 0, "1.2e-04": 0.00012, "-0.123": -0.1234, "12.34": 12.344, "123.4": 123.44, "12345": 12345.4} {
		require.Equal(t, want, Number(x))
	}
	require.Equal(t, "2.050 ± 0.635", sampleOf(2, 2.1).String())
	require.Equal(t, "2.000", sampleOf(2, 2*(1+1e-15)).String(), "equal but for rounding")
	require.Equal(t, "", sampleOf(math.NaN(), 1).String())
}

func TestNumbers(t *testing.T) {
	n := Numbers{7}
	require.NoError(t, n.Set("1,0.5,1e3"))
	require.Equal(t, Numbers{1, 0.5, 1000}, n)
	require.Equal(t, "1,0.5,1000", n.String())
	for _, text := range []string{"", "1,,2", "0", "-1", "1001", "x", "NaN"} {
		require.ErrorContains(t, n.Set(text), " is not a number between 0 and 1000", text)
	}
}

func TestWriteCSV(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	rows := [][]string{{"name", "x", "y"}, Row([]string{"a,b"}, 1.0/3, 1e9)}
	require.NoError(t, WriteCSV(folder, "t.csv", rows))
	text, err := os.ReadFile(filepath.Join(folder, "t.csv"))
	require.NoError(t, err)
	require.Equal(t, "name,x,y\n\"a,b\",0.333333,1e+09\n", string(text))
	require.NoError(t, WriteCSV("", "t.csv", rows), "no folder, no file")
	require.Error(t, WriteCSV(filepath.Join(folder, "t.csv"), "t.csv", rows))
}

func TestProgram(t *testing.T) {
	for _, c := range []struct {
		args    []string
		code    int
		out, is string // on stderr
	}{
		{[]string{"-n", "3"}, 0, "3\n", "   0 s  all 3\n"},
		{[]string{"-h"}, 0, "", "how many"},
		{[]string{"-quick"}, 0, "2\n", "   0 s  all 2\n"},
		{[]string{"-quick", "-n", "3"}, 0, "3\n", "   0 s  all 3\n"},
		{[]string{"-quick=false"}, 0, "1\n", "   0 s  all 1\n"},
		{[]string{"-quick=x"}, 2, "", "invalid boolean value"},
		{[]string{"-n", "x"}, 2, "", "invalid value"},
		{[]string{"-n", "-1"}, 2, "", "test: -n -1 is negative\n"},
		{[]string{"more"}, 2, "", "test: unexpected argument \"more\"\n"},
		{[]string{"-n", "0"}, 1, "", "test: nothing to do\n"},
	} {
		var out, errs bytes.Buffer
		n := 0
		code := Program{
			Name:  "test",
			Quick: "n=2",
			Flags: func(f *flag.FlagSet) { f.IntVar(&n, "n", 1, "how many") },
			Check: func() error {
				if n < 0 {
					return fmt.Errorf("-n %d is negative", n)
				}
				return nil
			},
			Run: func(stdout io.Writer, p Progress) error {
				if n == 0 {
					return errors.New("nothing to do")
				}
				p.Now("unseen, but on a terminal")
				fmt.Fprintln(stdout, n)
				p.Done("all %d", n)
				return nil
			},
		}.Main(c.args, &out, &errs)
		require.Equal(t, c.code, code, c.args)
		require.Equal(t, c.out, out.String())
		require.Contains(t, errs.String(), c.is)
	}
}

func TestEach(t *testing.T) {
	double := func(w int) float64 { return 2 * float64(w) }
	require.Equal(t, []float64{2, 6}, Each([]int{1, 3}, double).Values)
	require.Equal(t, Exact(0).Mean, Each([]int{1, 3}, nil).Mean)
	require.Len(t, Each([]int{1, 3}, nil).Values, 2)
}

// TestFile looks for a file where there is none, one, and two.
func TestFile(t *testing.T) {
	folder := t.TempDir()
	for k, name := range []string{"KTH-1.swf", "KTH-2.swf.gz"} {
		_, err := File(folder, "KTH-*.swf*")
		require.Equal(t, k == 1, err == nil)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	_, err := File(folder, "KTH-*.swf*")
	require.ErrorContains(t, err, "2 files KTH-*.swf* in "+folder+", want one")
	path, err := File(folder, "KTH-1*")
	require.NoError(t, err)
	require.Equal(t, filepath.Join(folder, "KTH-1.swf"), path)
	_, err = File(folder, "[")
	require.ErrorIs(t, err, filepath.ErrBadPattern)
}

func TestWriteTables(t *testing.T) {
	folder := t.TempDir()
	var out strings.Builder
	tables := []Table{{Title: "One", File: "1.csv", Header: []string{"a"}}, {File: "2.csv", Header: []string{"b"}, Silent: true}}
	require.NoError(t, WriteTables(&out, folder, tables...))
	require.Equal(t, "## One\n\n| a |\n|---|\n\n", out.String())
	for _, table := range tables {
		require.FileExists(t, filepath.Join(folder, table.File))
	}
	require.Error(t, WriteTables(&out, filepath.Join(folder, "1.csv"), tables...), "it is no folder")
}
