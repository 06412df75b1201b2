package window

import (
	"bufio"
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// TestKnapsackOracle compares the relaxation and the enumeration with all sets.
func TestKnapsackOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 12).Draw(t, "m")
		n := rapid.IntRange(0, m).Draw(t, "n")
		real := rapid.Bool().Draw(t, "real")
		number := func(low int, name string) float64 {
			x := float64(rapid.IntRange(low, 20).Draw(t, name))
			if real {
				x += rapid.Float64Range(0, 1).Draw(t, "part")
			}
			return x
		}
		k := free()
		k.reset(n, number(0, "budget")*float64(max(n, 1)))
		k.lambda = rapid.Float64Range(0, 3).Draw(t, "lambda")
		for range m {
			k.add(number(-10, "value"), number(0, "cost"))
		}
		want := math.Inf(-1)
		for set := range 1 << m {
			count, z, c := 0, 0.0, 0.0
			for i := range m {
				if set>>i&1 == 1 {
					count, z, c = count+1, z+k.z[i], c+k.c[i]
				}
			}
			if count == n && c <= k.budget {
				want = max(want, z)
			}
		}
		k.solve(math.Inf(-1), 0)
		if math.IsInf(want, -1) {
			require.False(t, k.found)
			return
		}
		require.True(t, k.found)
		require.InDelta(t, want, k.value, 1e-9)
		require.False(t, k.core.limited)
		require.Len(t, k.chosen, n)
	})
}

// TestKnapsackThinned limits the states: the choice is real, and the bound holds.
func TestKnapsackThinned(t *testing.T) {
	cuts := 0
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 14).Draw(t, "m")
		n := rapid.IntRange(1, m).Draw(t, "n")
		k, whole := free(), free()
		most := rapid.IntRange(1, 200).Draw(t, "most")
		k.limit(int64(most))
		budget := rapid.Float64Range(1, 20*float64(n)).Draw(t, "budget")
		k.reset(n, budget)
		whole.reset(n, budget)
		for range m {
			cost := rapid.Float64Range(0, 20).Draw(t, "cost")
			value := cost + rapid.Float64Range(-1, 1).Draw(t, "more") // hard to tell apart
			k.add(value, cost)
			whole.add(value, cost)
		}
		floor := rapid.SampledFrom([]float64{math.Inf(-1), budget / 2, budget}).Draw(t, "floor")
		k.solve(floor, 0)
		whole.solve(floor, 0)
		require.False(t, whole.core.limited)
		require.LessOrEqual(t, k.core.steps, most)
		best := floor
		if whole.found {
			best = whole.value
		}
		require.GreaterOrEqual(t, k.bound, best-1e-9, "B7")
		if !k.core.limited {
			require.Equal(t, whole.found, k.found)
			require.InDelta(t, whole.bound, k.bound, 1e-9)
			return
		}
		cuts++
		if !k.found {
			return
		}
		require.Len(t, k.chosen, n)
		cost, value := 0.0, 0.0
		for _, i := range k.chosen {
			cost, value = cost+k.c[i], value+k.z[i]
		}
		require.LessOrEqual(t, cost, budget)
		require.Equal(t, k.value, value, "B6")
		require.Greater(t, value, floor)
		require.LessOrEqual(t, value, best+1e-9)
	})
	require.NotZero(t, cuts)
}

// instance is a knapsack of which the optimum is known, over all cardinalities.
type instance struct {
	name    string
	z, c    []float64
	budget  float64
	optimum float64
}

// cardinalities are all, those first which the relaxation without a cardinality
// takes.
func (in instance) cardinalities() []int {
	cheap := make([]int, 0, len(in.c))
	for i := range in.c {
		cheap = append(cheap, i)
	}
	ratio := func(i int) float64 { return in.z[i] / math.Max(in.c[i], 1e-9) }
	for i := 1; i < len(cheap); i++ { // by insertion: small, or sorted once
		for j := i; j > 0 && ratio(cheap[j]) > ratio(cheap[j-1]); j-- {
			cheap[j], cheap[j-1] = cheap[j-1], cheap[j]
		}
	}
	middle, cost := 0, 0.0
	for middle < len(cheap) && cost+in.c[cheap[middle]] <= in.budget {
		cost += in.c[cheap[middle]]
		middle++
	}
	var list []int
	for d := 0; d <= len(cheap); d++ {
		if middle+d <= len(cheap) {
			list = append(list, middle+d)
		}
		if d > 0 && middle-d >= 0 {
			list = append(list, middle-d)
		}
	}
	return list
}

// one returns the optimum over all cardinalities as that of one problem: of as many items again,
// which are worth nothing and cost nothing, so that one chooses half of them.
func (in instance) one(m *effort.Meter) (value, bound float64) {
	k := newKnapsack(m)
	k.reset(len(in.z), in.budget)
	for i := range in.z {
		k.add(in.z[i], in.c[i])
		k.add(0, 0)
	}
	k.solve(math.Inf(-1), 0)
	return k.value, k.bound
}

// each returns it as the best of all cardinalities, which share the steps.
func (in instance) each(m *effort.Meter) (value, bound float64) {
	k := newKnapsack(m)
	value, bound = math.Inf(-1), math.Inf(-1)
	for _, n := range in.cardinalities() {
		k.reset(n, in.budget)
		for i := range in.z {
			k.add(in.z[i], in.c[i])
		}
		k.solve(value, 0)
		if k.found {
			value = k.value
		}
		if k.core.limited {
			bound = max(bound, k.bound)
		}
	}
	return value, max(value, bound)
}

// TestKnapsackInstances solves published instances. BOOKAHEAD_DATA is a folder
// with knapsack/pisinger and knapsack/jooken. The latter were made to be hard.
func TestKnapsackInstances(t *testing.T) {
	folder := os.Getenv("BOOKAHEAD_DATA")
	if folder == "" {
		t.Skip("BOOKAHEAD_DATA is not set")
	}
	instances := append(pisinger(t, folder), jooken(t, folder)...)
	require.Len(t, instances, 31+20)
	for _, in := range instances {
		t.Run(in.name, func(t *testing.T) {
			near := 1e-6 * in.optimum // some of the optima given are rounded
			for _, solve := range []func(*effort.Meter) (value, bound float64){in.each, in.one} {
				m, err := effort.New(bookahead.Effort{Steps: 4_000_000_000})
				require.NoError(t, err)
				value, bound := solve(&m)
				require.LessOrEqual(t, value, in.optimum+near)
				require.GreaterOrEqual(t, bound, in.optimum-near)
				if value == bound {
					require.InDelta(t, in.optimum, value, near)
					return
				}
				t.Logf("found %g of %g, bound %g", value, in.optimum, bound)
			}
			t.Error("not proven")
		})
	}
}

// TestKnapsackTimes prints how long each instance of those that were made to be hard takes, as
// one problem and by cardinality, up to BOOKAHEAD_LIMIT.
func TestKnapsackTimes(t *testing.T) {
	folder, limit := os.Getenv("BOOKAHEAD_DATA"), os.Getenv("BOOKAHEAD_LIMIT")
	if folder == "" || limit == "" {
		t.Skip("BOOKAHEAD_DATA and BOOKAHEAD_LIMIT are not set")
	}
	within, err := time.ParseDuration(limit)
	require.NoError(t, err)
	for _, in := range jooken(t, folder) {
		for name, solve := range map[string]func(*effort.Meter) (value, bound float64){"one": in.one, "each": in.each} {
			ctx, cancel := context.WithTimeout(t.Context(), within)
			m, err := effort.New(bookahead.Effort{Context: ctx, Steps: math.MaxInt64})
			require.NoError(t, err)
			began := time.Now()
			value, bound := solve(&m)
			cancel()
			t.Logf("%s %s: %.3f s, %.0f of %.0f, bound %.0f", in.name, name, time.Since(began).Seconds(), value, in.optimum, bound)
		}
	}
}

// numbers reads all numbers of a file.
func numbers(t *testing.T, path string) []float64 {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var list []float64
	s := bufio.NewScanner(strings.NewReader(string(text)))
	s.Split(bufio.ScanWords)
	for s.Scan() {
		x, err := strconv.ParseFloat(s.Text(), 64)
		require.NoError(t, err)
		list = append(list, x)
	}
	return list
}

// pisinger reads "n capacity", and "profit weight" for each item.
func pisinger(t *testing.T, folder string) []instance {
	var list []instance
	for _, size := range []string{"low-dimensional", "large_scale"} {
		base := filepath.Join(folder, "knapsack", "pisinger", "pisinger_instances_01_KP", size)
		files, err := os.ReadDir(base)
		require.NoError(t, err)
		for _, f := range files {
			all := numbers(t, filepath.Join(base, f.Name()))
			in := instance{name: f.Name(), budget: all[1], optimum: numbers(t, filepath.Join(base+"-optimum", f.Name()))[0]}
			for i := range int(all[0]) {
				in.z, in.c = append(in.z, all[2+2*i]), append(in.c, all[3+2*i])
			}
			list = append(list, in)
		}
	}
	return list
}

// jooken reads n, "number profit weight" for each item, and the capacity.
func jooken(t *testing.T, folder string) []instance {
	base := filepath.Join(folder, "knapsack", "jooken")
	f, err := os.Open(filepath.Join(base, "optima.csv"))
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	var list []instance
	for _, row := range rows[1:] {
		all := numbers(t, filepath.Join(base, row[0]+".in"))
		in := instance{name: row[0], budget: all[len(all)-1]}
		in.optimum, err = strconv.ParseFloat(row[1], 64)
		require.NoError(t, err)
		for i := range int(all[0]) {
			in.z, in.c = append(in.z, all[2+3*i]), append(in.c, all[3+3*i])
		}
		list = append(list, in)
	}
	return list
}
