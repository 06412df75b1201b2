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
		Untested:     {sampleOf(math.NaN(), 2)},
	} {
		for _, s := range s {
			require.Equal(t, want, s.Verdict(1, 3), s)
		}
	}
}

func TestFindingText(t *testing.T) {
	f := Finding{Holds, 2, 3, Sample{Values: []float64{5, 5}, Mean: 5}}
	require.Equal(t, "**holds** 2", f.Text("mean"))
	require.Equal(t, "**holds** 2, 3", f.Text("ours, theirs"))
	f.Value.Half = 0.25
	require.Equal(t, "**holds** 2, 3 (5 ± 0.25)", f.Text("ours, theirs"))
	require.Equal(t, Untested, Finding{Verdict: Untested}.Text("mean"))
}

func TestParseNumbers(t *testing.T) {
	got, err := ParseNumbers("load", "1,0.5,1e3")
	require.NoError(t, err)
	require.Equal(t, []float64{1, 0.5, 1000}, got)
	for _, text := range []string{"", "1,,2", "0", "-1", "1001", "x", "NaN"} {
		_, err := ParseNumbers("load", text)
		require.ErrorContains(t, err, "load", text)
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
		{[]string{"-n", "x"}, 2, "", "invalid value"},
		{[]string{"-n", "-1"}, 2, "", "test: -n -1 is negative\n"},
		{[]string{"more"}, 2, "", "test: unexpected argument \"more\"\n"},
		{[]string{"-n", "0"}, 1, "", "test: nothing to do\n"},
	} {
		var out, errs bytes.Buffer
		n := 0
		code := Program{
			Name:  "test",
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
