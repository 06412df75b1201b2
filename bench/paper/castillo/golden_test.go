package main

import (
	"bytes"
	"encoding/csv"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

var update = flag.Bool("update", false, "write the claims in testdata anew")

// TestGolden pins the numbers that each claim compares, their order and their bounds: on a small synthetic log, for which EASY stands for the batch system, and, for
// claims that are facts of the paper's logs, on small logs of their names. Claims on
// seconds are left out.
func TestGolden(t *testing.T) {
	for file, args := range map[string][]string{
		"claims.csv": {"-jobs", "2000"},
		"facts.csv":  {"-traces", writeTraces(t, 60, "CTC-1.swf", "KTH-1.swf", "HPC2N-1.swf"), "-logs", "CTC,KTH,HPC2N"},
	} {
		t.Run(file, func(t *testing.T) {
			folder := t.TempDir()
			code, _, errs := call(append(args, "-repeats", "2", "-out", folder)...)
			require.Zero(t, code, errs)
			rows := rowsOf(t, folder, "claims.csv")
			where, numbers := slices.Index(rows[0], "where"), slices.Index(rows[0], "numbers")
			rows = slices.DeleteFunc(rows, func(row []string) bool {
				return row[where] == trial.Ours && strings.HasPrefix(row[numbers], "seconds")
			})
			var got bytes.Buffer
			require.NoError(t, csv.NewWriter(&got).WriteAll(rows))
			golden := filepath.Join("testdata", file)
			if *update {
				require.NoError(t, os.WriteFile(golden, got.Bytes(), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got.String(), "if this is meant, run the test with -update")
		})
	}
}
