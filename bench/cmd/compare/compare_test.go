package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench"
	"github.com/bookahead/bookahead/bench/replay"
)

// call runs the command.
func call(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestSynthetic(t *testing.T) {
	code, out, errs := call("-jobs", "300", "-ar", "1", "-seed", "7")
	require.Equal(t, 0, code, errs)
	require.Empty(t, errs, "no progress where there is no terminal")
	require.Contains(t, out, "300 jobs on 128 units, 300 booked up to 1 days ahead; horizon 15 days; seed 7")
	for _, st := range bench.Structures() {
		require.Contains(t, out, st.Name)
	}
}

func TestJSONAndCSVSayTheSame(t *testing.T) {
	code, out, errs := call("-jobs", "200", "-format", "json", "-impl", "carts.BTree,carts.Flat")
	require.Equal(t, 0, code, errs)
	var j struct {
		Workload map[string]any
		Rows     []row `json:"structures"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &j))
	require.Equal(t, 200.0, j.Workload["jobs"])
	require.Len(t, j.Rows, 2)
	require.Equal(t, "carts.BTree", j.Rows[0].Structure)
	require.Equal(t, 1.0, j.Rows[1].Ratio)

	code, out, errs = call("-jobs", "200", "-format", "csv", "-impl", "carts.BTree,carts.Flat")
	require.Equal(t, 0, code, errs)
	records, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	require.NoError(t, err)
	require.Len(t, records, 3)
	require.Equal(t, j.Rows[0].Structure, records[1][0])
	require.Len(t, records[0], len(records[1]))
}

func TestTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tiny.swf")
	require.NoError(t, os.WriteFile(path, []byte(`; MaxProcs: 8
1 0 0 50 8 -1 -1 8 100 -1 1 1 1 -1 1 -1 -1 -1
2 10 0 50 8 -1 -1 8 60 -1 1 1 1 -1 1 -1 -1 -1
3 20 0 50 9 -1 -1 9 60 -1 1 1 1 -1 1 -1 -1 -1
`), 0o600))
	code, out, errs := call("-trace", path, "-ar", "0", "-impl", "carts.Flat")
	require.Equal(t, 0, code, errs)
	require.Contains(t, out, "2 jobs on 8 processors (0 cut at the time they asked for; left out: 0 without processors, 0 without time, 1 too big)")
	require.Contains(t, out, "100.00%")
	code, out, errs = call("-trace", path, "-jobs", "1", "-impl", "carts.BTree")
	require.Equal(t, 0, code, errs)
	require.Contains(t, out, "1 jobs on 8 units")
	require.Contains(t, out, " -\n", "no ratio without the baseline")

	require.NoError(t, os.WriteFile(path, []byte("1 2 3\n"), 0o600))
	code, _, errs = call("-trace", path)
	require.Equal(t, 1, code)
	require.Contains(t, errs, "line 1: 3 fields, want 18")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	code, _, errs = call("-trace", path)
	require.Equal(t, 1, code)
	require.Contains(t, errs, "no jobs")
	code, _, errs = call("-trace", path+".none")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "tiny.swf.none")
}

func TestBadArguments(t *testing.T) {
	for want, args := range map[string][]string{
		`-ar 1.5 is not between 0 and 1`:                     {"-ar", "1.5"},
		`-ar NaN is not between 0 and 1`:                     {"-ar", "NaN"},
		`-ahead -1h0m0s is negative`:                         {"-ahead", "-1h"},
		`-jobs -3 is negative`:                               {"-jobs", "-3"},
		`-impl "mine" is not one of carts.Flat, carts.BTree`: {"-impl", "carts.Flat,mine"},
		`-format "xml" is not table, csv or json`:            {"-format", "xml"},
		`unexpected argument "file.swf"`:                     {"file.swf"},
		`flag provided but not defined: -what`:               {"-what"},
		`invalid value "many" for flag -jobs: parse error`:   {"-jobs", "many"},
	} {
		code, out, errs := call(args...)
		require.Equal(t, 2, code, want)
		require.Empty(t, out)
		require.Contains(t, errs, want)
	}
	code, _, errs := call("-h")
	require.Equal(t, 0, code)
	require.Contains(t, errs, "-trace file")
}

func TestDisagreementIsFound(t *testing.T) {
	structures := []bench.Structure{{Name: "a", Answers: "exact pool"}, {Name: "b"}, {Name: "c", Answers: "exact pool"}}
	same := replay.Result{Outcomes: []replay.Outcome{{Accepted: true, Start: 3}, {}}}
	other := replay.Result{Outcomes: []replay.Outcome{{Accepted: true, Start: 3}, {Accepted: true, Start: 9}}}
	require.NoError(t, disagreement(structures, []replay.Result{same, other, same}), "b promises nothing")
	require.EqualError(t, disagreement(structures, []replay.Result{same, same, other}),
		"a and c, each an exact pool, part at booking 2: turned away, and booked at 9")
}

func TestTable(t *testing.T) {
	rep := report{workload: replayed{Source: "somewhere", Jobs: 4, Capacity: 8, Ahead: 2, LongestAhead: 86400, Horizon: 15 * 86400, Seed: 3}}
	rep.add("carts.Flat", replay.Result{
		Outcomes: make([]replay.Outcome, 4), Accepted: 3, MeanWait: 61.5, Utilisation: 0.5,
		Search:  replay.Cost{Mean: 100, Median: 90, P99: 1200},
		Reserve: replay.Cost{Mean: 300, Median: 250 * time.Nanosecond, P99: 4 * time.Microsecond},
		Live:    2, BytesPerLive: 56,
	})
	rep.add("slow", replay.Result{Outcomes: make([]replay.Outcome, 4), Search: replay.Cost{Mean: 1000}, Reserve: replay.Cost{Mean: 600}})
	rep.finish()
	var out bytes.Buffer
	require.NoError(t, rep.write(&out, "table"))
	require.Equal(t, `somewhere
4 jobs on 8 units, 2 booked up to 1 days ahead; horizon 15 days; seed 3

   structure  accepted  success  mean wait  utilisation  search µs   p99  reserve µs   p99  release µs   p99  live  bytes/live  ratio
  carts.Flat         3   75.00%       62 s       50.00%       0.09  1.20        0.25  4.00        0.00  0.00     2          56   1.00
        slow         0    0.00%        0 s        0.00%       0.00  0.00        0.00  0.00        0.00  0.00     0           0   4.00

Times are medians, each with its 99th percentile. Live is the largest number of live reservations, and
bytes/live the heap then. The ratio compares the mean time of a search and a reserve with carts.Flat.
`, out.String())
}
