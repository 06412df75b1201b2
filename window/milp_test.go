package window

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExportMILP writes problems as linear programs, and the answers of Exact,
// for testdata/milp.sh. BOOKAHEAD_MILP is the folder.
func TestExportMILP(t *testing.T) {
	folder := os.Getenv("BOOKAHEAD_MILP")
	if folder == "" {
		t.Skip("BOOKAHEAD_MILP is not set")
	}
	answers, err := os.Create(filepath.Join(folder, "answers"))
	require.NoError(t, err)
	for i := range 60 {
		rng := rand.New(rand.NewPCG(7, uint64(i)))
		m := 10 + rng.IntN(90)
		k := free()
		n := 1 + rng.IntN(m/3)
		k.reset(n, float64(n)*(20+30*rng.Float64()))
		for range m {
			c := 10 + 80*rng.Float64()
			k.add(c*float64(i%3)/2+20*rng.Float64(), c)
		}
		k.solve(-1e9, 0)
		name := fmt.Sprintf("%02d.lp", i)
		require.NoError(t, writeLP(filepath.Join(folder, name), &k))
		if k.found {
			fmt.Fprintf(answers, "%s %.9f\n", name, k.value)
		} else {
			fmt.Fprintf(answers, "%s none\n", name)
		}
	}
	require.NoError(t, answers.Close())
}

// writeLP writes problem (1) in CPLEX's format.
func writeLP(path string, k *knapsack) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	b := bufio.NewWriter(f)
	sum := func(of func(i int) float64) {
		for i := range k.z {
			fmt.Fprintf(b, " + %.17g x%d\n", of(i), i)
		}
	}
	fmt.Fprint(b, "Maximize\n value:\n")
	sum(func(i int) float64 { return k.z[i] })
	fmt.Fprint(b, "Subject To\n cost:\n")
	sum(func(i int) float64 { return k.c[i] })
	fmt.Fprintf(b, " <= %.17g\n number:\n", k.budget)
	sum(func(int) float64 { return 1 })
	fmt.Fprintf(b, " = %d\nBinary\n", k.n)
	for i := range k.z {
		fmt.Fprintf(b, " x%d\n", i)
	}
	fmt.Fprint(b, "End\n")
	if err := b.Flush(); err != nil {
		return err
	}
	return f.Close()
}
