package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// TestLoad: a load is read as it is written, and one that is not known stretches nothing.
func TestLoad(t *testing.T) {
	l := load{before: 7.3, after: 2, cores: 2, known: true}
	require.Equal(t, "7.3 at the start, 2 at the end, on 2 cores", l.String())
	require.Equal(t, l, parseLoad(l.String()))
	require.InDelta(t, 3.65, l.stretch(), 1e-9)
	for _, text := range []string{"", unknown, "7.3 at the start", "1 at the start, 2 at the end, on 0 cores"} {
		require.False(t, parseLoad(text).known, text)
		require.Equal(t, 1.0, parseLoad(text).stretch(), text)
	}
	require.Equal(t, 1.0, load{before: 0.1, after: 1.9, cores: 2, known: true}.stretch(), "the programs have the cores for themselves")
	require.Equal(t, unknown, load{}.String())
	before, known := loadNow()
	require.Equal(t, known, loadSince(before, known).known)
	require.False(t, loadSince(before, false).known)
}

// TestJudge: a busy machine decides a claim about times only if the truth cannot lie elsewhere.
func TestJudge(t *testing.T) {
	busy := load{before: 4, after: 1, cores: 2, known: true} // each time may be twice as long
	for _, c := range []struct {
		name        string
		load        load
		said        string
		logarithm   bool
		value, half float64
		from, to    float64
		want        string
	}{
		{"a quiet machine", load{}, trial.Holds, false, 3, 1, 1.5, math.Inf(1), trial.Holds},
		{"a ratio near its bound", busy, trial.Holds, false, 3, 1, 1.5, math.Inf(1), trial.Untold},
		{"a ratio far from it", busy, trial.Holds, false, 30, 1, 1.5, math.Inf(1), trial.Holds},
		{"a time that is too long", busy, trial.Fails, false, 150, 10, 0, 100, trial.Untold},
		{"a time that is much too long", busy, trial.Fails, false, 500, 10, 0, 100, trial.Fails},
		{"half as long, as a logarithm", busy, trial.Holds, true, math.Log(0.6), 0, math.Inf(-1), -trial.Above, trial.Untold},
		{"a tenth, as a logarithm", busy, trial.Holds, true, math.Log(0.1), 0.1, math.Inf(-1), -trial.Above, trial.Holds},
		{"no verdict", busy, trial.Inconclusive, false, 3, 1, 1.5, 2, trial.Inconclusive},
		{"no number", busy, trial.Untested, false, math.NaN(), math.NaN(), 1.5, 2, trial.Untested},
	} {
		require.Equal(t, c.want, c.load.judge(c.said, c.logarithm, c.value, c.half, c.from, c.to), c.name)
	}
}

// TestBusyMachine: claims about times say why they cannot be told, all others stand, and the page has the load in one line.
func TestBusyMachine(t *testing.T) {
	rows := `where,claim,paper,verdict,numbers,a,b,value,half,from,to,note
§8,The list is faster,,holds,"µs of list, µs of slots; logarithm of the ratio",1,2,-0.69,0.1,-Inf,-1e-09,few jobs
§8,The list accepts more,,holds,"success of list, success of slots",0.5,0.4,0.1,0.01,0,+Inf,
`
	all, err := verdicts(parsed(t, rows), load{before: 7.3, after: 1, cores: 2, known: true})
	require.NoError(t, err)
	require.Equal(t, []string{trial.Untold, trial.Holds}, []string{all[0].Outcome, all[1].Outcome})
	require.Equal(t, "load average 7.3 on 2 cores; the numbers alone say: holds. few jobs", all[0].Numbers[0].Note)

	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS(stored)))
	require.NoError(t, os.WriteFile(filepath.Join(folder, machine), []byte("name,text\nLoad average,\"7.3 at the start, 2 at the end, on 2 cores\"\n"), 0o644))
	p, failed := compose(folder, chapters)
	require.False(t, failed)
	text := rendered(t, p)
	require.Contains(t, text, "<dd>7.3 at the start, 2 at the end, on 2 cores; a time may be 3.6 times too long</dd>")
	require.Contains(t, text, "note: load average 7.3 on 2 cores; the numbers alone say: holds")
	require.Contains(t, text, `<span class="verdict cannot-be-told">`)
	quiet, _ := compose(stored, chapters)
	require.NotContains(t, rendered(t, quiet), trial.Untold)
}
