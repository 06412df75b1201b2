package route

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// data returns the folder of the data that others have made, if it is at hand.
func data(t testing.TB) string {
	root := os.Getenv("BOOKAHEAD_DATA")
	if root == "" {
		t.Skip("BOOKAHEAD_DATA, the folder of the data, is not set")
	}
	return root
}

// The problems of Beasley and Christofides (1989), from the OR-Library: the
// cheapest path for which the resources suffice, against the known optima. The
// first weight is the cost, the others are the resources; a resource that a vertex
// uses counts on the links into it.
func TestResourceConstrainedPaths(t *testing.T) {
	folder := filepath.Join(data(t), "rcsp")
	f, err := os.Open(filepath.Join(folder, "optima.csv"))
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 13)
	for _, row := range rows[1:] {
		n, q := readRCSP(t, filepath.Join(folder, row[0]))
		r, err := n.SAMCRA(q)
		require.NoError(t, err)
		isPath(t, n, q, r)
		require.Equal(t, row[1], fmt.Sprint(r.Weights[0]), row[0])
		t.Logf("%s: %d nodes, %d links, %d labels", row[0], n.nodes, n.Links(), r.Spent.Labels)
	}
}

func readRCSP(t *testing.T, path string) (*Network, Query) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	fields := strings.Fields(string(text))
	next := func() float64 {
		x, err := strconv.ParseFloat(fields[0], 64)
		require.NoError(t, err)
		fields = fields[1:]
		return x
	}
	nodes, arcs, k := int(next()), int(next()), int(next())
	q := Query{Servers: []Server{{Node: nodes - 1}}, order: firstWeight, Limits: []float64{math.Inf(1)}}
	for range k {
		require.Zero(t, next(), "lower limit")
	}
	for range k {
		q.Limits = append(q.Limits, next())
	}
	uses := make([]float64, nodes*k)
	for i := range uses {
		uses[i] = next()
	}
	require.Equal(t, make([]float64, k), uses[:k], "of the source")
	links := make([]Link, arcs)
	for i := range links {
		l := Link{From: int(next()) - 1, To: int(next()) - 1, Weights: make([]float64, k+1)}
		for j := range l.Weights {
			l.Weights[j] = next()
		}
		for j := range k {
			l.Weights[j+1] += uses[l.To*k+j]
		}
		links[i] = l
	}
	require.Empty(t, fields)
	n, err := New(nodes, links, nil, Config{Weights: k + 1})
	require.NoError(t, err)
	return n, q
}

// A network of 10 000 nodes with three costs for each link: as many Pareto-optimal
// paths as other solvers have found, and the same twice.
func TestParetoCounts(t *testing.T) {
	n, all := netMaker(t)
	for _, row := range all {
		q := Query{Source: number(t, row[2]), Servers: []Server{{Node: number(t, row[3])}}}
		for range 2 {
			count, labels := 0, int64(0)
			began := time.Now()
			for r, err := range n.Pareto(q) {
				require.NoError(t, err)
				count++
				labels = r.Spent.Labels
			}
			t.Logf("%s to %s: %d paths, %d labels, %.4f s; published %s s", row[2], row[3], count, labels, time.Since(began).Seconds(), row[7])
			require.Equal(t, number(t, row[6]), count, row)
		}
	}
}

// netMaker returns the network, and the rows of the known results.
func netMaker(t testing.TB) (*Network, [][]string) {
	folder := filepath.Join(data(t), "topologies", "mosp")
	links := readArcs(t, filepath.Join(folder, "netMaker_3o_10000n_1amin_10amax_20i_1s_scorr_79134.gr.gz"))
	n, err := New(10_000, links, nil, Config{Weights: 3})
	require.NoError(t, err)
	f, err := os.Open(filepath.Join(folder, "netMaker_79134_known_pareto_counts.csv"))
	require.NoError(t, err)
	defer f.Close()
	rows := csv.NewReader(f)
	rows.Comma = ';'
	all, err := rows.ReadAll()
	require.NoError(t, err)
	return n, all
}

func number(t testing.TB, text string) int {
	x, err := strconv.Atoi(text)
	require.NoError(t, err)
	return x
}

func readArcs(t testing.TB, path string) (links []Link) {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	for lines := bufio.NewScanner(z); lines.Scan(); {
		l := Link{Weights: make([]float64, 3)}
		if n, _ := fmt.Sscanf(lines.Text(), "a %d %d %g %g %g", &l.From, &l.To, &l.Weights[0], &l.Weights[1], &l.Weights[2]); n == 5 {
			links = append(links, l)
		}
	}
	return links
}
