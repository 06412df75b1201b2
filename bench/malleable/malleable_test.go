package main

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/volume"
)

// grid has the units of each link that are taken at each tick.
type grid map[int]map[bookahead.Time]int64

// free returns the units that are free on all links of a path, at each tick from the ready time to the deadline.
func (g grid) free(r request) []int64 {
	list := make([]int64, r.Deadline-r.Ready)
	for i := range list {
		list[i] = linkUnits
		for _, l := range r.path {
			list[i] = min(list[i], linkUnits-g[l][r.Ready+bookahead.Time(i)])
		}
	}
	return list
}

// bent returns the first end of a request at any rates, tick by tick; 0 if there is none.
func bent(free []int64, r request) bookahead.Time {
	left := r.Volume
	for i, units := range free {
		left -= min(r.Most, units)
		if left <= 0 {
			return r.Ready + bookahead.Time(i) + 1
		}
	}
	return 0
}

// fixed returns the first end of a request at one rate, tick by tick; 0 if there is none.
func fixed(free []int64, r request, rate int64) bookahead.Time {
	d := (r.Volume + rate - 1) / rate
	run := int64(0)
	for i, units := range free {
		run++
		if units < rate {
			run = 0
		}
		if run == d {
			return r.Ready + bookahead.Time(i) + 1
		}
	}
	return 0
}

// take books a plan, and checks that it keeps to its request and that no link is overbooked.
func (g grid) take(t *testing.T, capacity int64, r request, plan []volume.Stretch) {
	sum, last := int64(0), r.Ready
	for _, s := range plan {
		require.LessOrEqual(t, last, s.Start)
		require.Positive(t, s.Len())
		require.LessOrEqual(t, s.Units, r.Most)
		last = s.End
		sum += s.Units * int64(s.Len())
		for tick := s.Start; tick < s.End; tick++ {
			for _, l := range r.path {
				if g[l] == nil {
					g[l] = map[bookahead.Time]int64{}
				}
				g[l][tick] += s.Units
				if g[l][tick] > capacity {
					t.Fatalf("link %d is overbooked at %d", l, tick)
				}
			}
		}
	}
	require.LessOrEqual(t, last, r.Deadline)
	require.GreaterOrEqual(t, sum, r.Volume)
}

// TestAgainstTicks: each policy accepts a transfer, and ends it, as a count of the free units of each link at each tick says,
// and overbooks no link.
func TestAgainstTicks(t *testing.T) {
	s := settings{ticks: 60, seed: 3}
	n, _, err := s.network()
	require.NoError(t, err)
	for i, p := range transferPolicies {
		stream := s.transfers(n, 6, 3, uint64(i))
		require.Greater(t, len(stream), 100)
		plans, err := p.place(t.Context(), linkUnits, stream)
		require.NoError(t, err)
		g := grid{}
		accepted, crossed := 0, 0
		for k, r := range stream {
			if p.anew != nil { // the plans of earlier ones are not yet final
				if len(plans[k]) > 0 {
					accepted++
					g.take(t, linkUnits, r, plans[k])
				}
				continue
			}
			free := g.free(r)
			best := bent(free, r)
			var single, chosen bookahead.Time // the first ends at any one rate, and at a rate of the policy
			for units := int64(1); units <= r.Most; units++ {
				end := fixed(free, r, units)
				if end > 0 && (single == 0 || end < single) {
					single = end
				}
				if end > 0 && p.rates != nil && slices.Contains(p.rates(r.Request), units) && (chosen == 0 || end < chosen) {
					chosen = end
				}
			}
			end := bookahead.Time(0)
			if m := len(plans[k]); m > 0 {
				end = plans[k][m-1].End
				g.take(t, linkUnits, r, plans[k])
				accepted++
			}
			switch {
			case p.rates != nil:
				require.Equal(t, chosen, end, "%s, transfer %d", p.name, k)
			case p.stretches == 1:
				require.Equal(t, single, end, "transfer %d", k)
			case p.stretches == 0 && p.change == nil:
				require.Equal(t, best, end, "transfer %d", k)
			}
			if p.rates == nil && p.stretches > 0 {
				require.LessOrEqual(t, len(plans[k]), p.stretches)
				require.True(t, single == 0 || end > 0 && end <= single, "more stretches are no worse than one")
			}
			if best == 0 {
				require.Zero(t, end, "a transfer that does not fit at any rates is refused")
			}
			if best > 0 && single == 0 {
				crossed++
			}
		}
		require.Greater(t, accepted, len(stream)/10, p.name)
		require.Greater(t, len(stream)-accepted, 10, "%s: some are refused", p.name)
		if p.name == "any stretches" {
			require.Positive(t, crossed, "some need several rates")
		}
	}
}

// TestAlone: on an empty network each policy accepts a transfer, and all end it as early as its most rate does, but
// for the least rate.
func TestAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		r := request{path: []int{0, 1, 2}, Request: volume.Request{Ready: bookahead.Time(rng.IntN(50)), Most: 1 + rng.Int64N(linkUnits), Volume: 1 + rng.Int64N(5000)}}
		soonest := r.Ready + bookahead.Time((r.Volume+r.Most-1)/r.Most)
		r.Deadline = soonest + bookahead.Time(rng.IntN(40))
		for _, p := range transferPolicies {
			plans, err := p.place(t.Context(), linkUnits, []request{r})
			require.NoError(t, err)
			require.Len(t, plans[0], 1, "%s: %+v", p.name, r)
			require.LessOrEqual(t, plans[0][0].End, r.Deadline)
			if p.name != "fixed, least rate" && p.name != "fixed, least rate, planned anew" && p.change == nil {
				require.Equal(t, soonest, plans[0][0].End, "%s: %+v", p.name, r)
			}
			grid{}.take(t, linkUnits, r, plans[0])
		}
	}
}

// TestNarrow is the picture of narrow.
func TestNarrow(t *testing.T) {
	w := world{capacity: 5, links: map[int]*carts.Indexed{}}
	for number, free := range [][]int64{{5, 5, 3, 3, 3, 5, 5}, {5, 4, 4, 4, 5, 5, 2}} {
		s, err := carts.NewIndexed(5, carts.Config{})
		require.NoError(t, err)
		for tick, units := range free {
			if units < 5 {
				_, err = s.Reserve(bookahead.At(bookahead.Time(tick), 1, 5-units))
				require.NoError(t, err)
			}
		}
		w.links[number] = s
	}
	s, err := w.narrow([]int{0, 1}, volume.Request{Ready: 1, Deadline: 7})
	require.NoError(t, err)
	for tick, units := range []int64{4, 3, 3, 3, 5, 2} {
		at := bookahead.Time(1 + tick)
		a, err := s.RangeQuery(bookahead.Interval{Start: at, End: at + 1})
		require.NoError(t, err)
		require.Equal(t, units, a.Free, at)
	}
	require.Equal(t, bookahead.Interval{Start: 1, End: 7}, s.Frame().Window())
}

// TestJobsByHand: a job of 3 processors and 10 s on a machine of 4 leaves one for a job of 2 processors and 5 s.
func TestJobsByHand(t *testing.T) {
	list := stream([]workload.Job{{Units: 3, Run: 10}, {Units: 2, Run: 5}}, 1, 0)
	for _, c := range []struct {
		policy     string
		ends       []bookahead.Time
		turnaround float64
		slowdown   float64
	}{
		{"fixed, w", []bookahead.Time{10, 15}, 12.5, 1.25},
		{"best of fixed, w/4 to 2w", []bookahead.Time{10, 10}, 10, 1},
		{"bent, w/4 to w, no pause", []bookahead.Time{10, 10}, 10, 1},
		{"bent, up to w", []bookahead.Time{10, 10}, 10, 1},
		{"bent, w/4 to 2w, no pause", []bookahead.Time{8, 11}, 9.5, 1.05}, // 4 for 8 s, and then 4 for 3 s
		{"bent, up to 2w", []bookahead.Time{8, 11}, 9.5, 1.05},
		{"fixed, w, planned anew", []bookahead.Time{15, 5}, 10, 1.25}, // the second job comes before the first one begins
		{"bent, up to w, planned anew", []bookahead.Time{12, 5}, 8.5, 1.1},
	} {
		for _, p := range jobPolicies {
			if p.name != c.policy {
				continue
			}
			plans, err := p.place(t.Context(), 4, list)
			require.NoError(t, err)
			for i, end := range c.ends {
				require.Equal(t, end, plans[i][len(plans[i])-1].End, "%s, job %d", p.name, i)
			}
			m := summarize(4, list, plans)
			require.InDelta(t, c.turnaround, m.turnaround, 1e-9, p.name)
			require.InDelta(t, c.slowdown, m.slowdown, 1e-9, p.name)
			require.Equal(t, 1.0, m.accepted)
			require.InDelta(t, 40/(4*float64(max(c.ends[0], c.ends[1]))), m.utilisation, 1e-9, p.name)
		}
	}

	twice := stream([]workload.Job{{Units: 3, Run: 10}, {Submit: 4, Units: 2, Run: 5}}, 2, 2)
	require.Equal(t, bookahead.Time(2), twice[1].Ready)
	require.Equal(t, bookahead.Time(12), twice[1].Deadline)
	plans, err := jobPolicies[0].place(t.Context(), 4, twice)
	require.NoError(t, err)
	require.Empty(t, plans[1], "at its own rate it would end at 15")
	m := summarize(4, twice, plans)
	require.Equal(t, summary{accepted: 0.5, volume: 0.75, stretches: 1, turnaround: 10, medianTurnaround: 10, slowdown: 1, medianSlowdown: 1, utilisation: 0.75}, m)
	require.Equal(t, summary{}, summarize(4, twice, make([][]volume.Stretch, 2)))
}

// TestJobsAreNotOverbooked counts the processors of a machine second by second.
func TestJobsAreNotOverbooked(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var jobs []workload.Job
	for i := range 200 {
		jobs = append(jobs, workload.Job{Submit: bookahead.Time(5 * i), Run: bookahead.Duration(1 + rng.IntN(60)), Units: 1 + rng.Int64N(8)})
	}
	for _, p := range jobPolicies {
		for _, runs := range []int64{0, 3} {
			list := stream(jobs, 1, runs)
			plans, err := p.place(t.Context(), 8, list)
			require.NoError(t, err)
			g := grid{}
			for i, r := range list {
				if len(plans[i]) == 0 {
					require.Positive(t, runs, "without a deadline no job is refused")
					continue
				}
				if p.change != nil {
					p.change(&r.Request)
				}
				if runs == 0 {
					r.Deadline = bookahead.MaxTime
				}
				g.take(t, 8, r, plans[i])
				for k, s := range plans[i] {
					require.GreaterOrEqual(t, s.Units, r.Least)
					require.True(t, r.Least == 0 || k == 0 || plans[i][k-1].End == s.Start, "no pause")
				}
			}
		}
	}
}

// TestRates: halves of the most rate, down to the least that meets the deadline.
func TestRates(t *testing.T) {
	r := volume.Request{Ready: 3, Deadline: 13, Volume: 25, Most: 20}
	require.Equal(t, []int64{20}, mostRate(r))
	require.Equal(t, []int64{3}, leastRate(r), "25 in 10 ticks")
	require.Equal(t, []int64{20, 10, 5, 3}, severalRates(r))
	r.Least = 6
	require.Equal(t, []int64{20, 10, 6}, severalRates(r))
	r.Deadline, r.Least = 0, 0
	require.Equal(t, []int64{20, 10, 5, 2, 1}, severalRates(r))
}

// TestPlannedAnew: a job of 4 processors and 10 s gives way to a job of 2 processors and 3 s that comes at 2, if it can.
func TestPlannedAnew(t *testing.T) {
	list := stream([]workload.Job{{Units: 4, Run: 10}, {Submit: 2, Units: 2, Run: 3}}, 1, 0)
	at := func(start, end bookahead.Time, units int64) volume.Stretch {
		return volume.Stretch{Interval: bookahead.Interval{Start: start, End: end}, Units: units}
	}
	bent := policy{anew: shortest}
	plans, err := bent.place(t.Context(), 4, list)
	require.NoError(t, err)
	require.Equal(t, [][]volume.Stretch{{at(0, 2, 4), at(2, 5, 2), at(5, 12, 4)}, {at(2, 5, 2)}}, plans)
	rigid := policy{rates: mostRate, anew: shortest}
	plans, err = rigid.place(t.Context(), 4, list)
	require.NoError(t, err)
	require.Equal(t, [][]volume.Stretch{{at(0, 10, 4)}, {at(10, 13, 2)}}, plans, "it has begun")

	// With a deadline of 11 the first job has no time to wait, so the second is refused, and the first stays.
	list[0].Deadline, list[1].Deadline = 11, 5
	bent.anew = soonest
	plans, err = bent.place(t.Context(), 4, list)
	require.NoError(t, err)
	require.Equal(t, [][]volume.Stretch{{at(0, 10, 4)}, nil}, plans)
	list[0].Deadline = 12
	plans, err = bent.place(t.Context(), 4, list)
	require.NoError(t, err)
	require.Equal(t, at(2, 5, 2), plans[1][0])
}

// TestPaths: the paths lead from site to site, and none has fewer links.
func TestPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		const nodes = 12
		var n network
		from, to := []int{}, []int{}
		hops := [nodes][nodes]int{}
		for i := range hops {
			for j := range hops {
				hops[i][j] = 100
			}
			hops[i][i] = 0
		}
		n.add(nodes-1, 0)
		from, to = append(from, nodes-1), append(to, 0)
		hops[nodes-1][0] = 1
		for range rng.IntN(40) {
			a, b := rng.IntN(nodes), rng.IntN(nodes)
			n.add(a, b)
			from, to = append(from, a), append(to, b)
			hops[a][b] = min(hops[a][b], 1)
		}
		for k := range nodes {
			for i := range nodes {
				for j := range nodes {
					hops[i][j] = min(hops[i][j], hops[i][k]+hops[k][j])
				}
			}
		}
		all := rng.Perm(nodes)[:6]
		list, busiest := n.paths(all)
		k, uses := 0, map[int]int{}
		most := 0
		for _, a := range all {
			for _, b := range all {
				if a == b || hops[a][b] >= 100 {
					continue
				}
				at := a
				for _, l := range list[k] {
					require.Equal(t, at, from[l])
					at = to[l]
					uses[l]++
					most = max(most, uses[l])
				}
				require.Equal(t, b, at)
				require.Len(t, list[k], hops[a][b])
				k++
			}
		}
		require.Len(t, list, k)
		require.InDelta(t, float64(most)/float64(max(1, k)), busiest, 1e-12)
	}
}

// TestRun: the program prints and writes its tables, which depend on the arguments alone.
func TestRun(t *testing.T) {
	args := []string{"-quick", "-ticks", "30", "-jobs", "60", "-denser", "1", "-seed", "4", "-out"}
	var printed [2]string
	for i := range printed {
		var out bytes.Buffer
		folder := t.TempDir()
		require.Equal(t, 0, run(t.Context(), append(args, folder), &out, io.Discard))
		printed[i] = out.String()
		for file, rows := range map[string]int{"transfers.csv": 2 * len(transferPolicies), "gains.csv": 2 * 3, "turnarounds.csv": len(jobPolicies), "deadlines.csv": 3 * len(jobPolicies), "queues.csv": len(bendings)} {
			text, err := os.ReadFile(filepath.Join(folder, file))
			require.NoError(t, err)
			require.Equal(t, 1+rows, strings.Count(string(text), "\n"), file)
		}
	}
	require.Equal(t, printed[0], printed[1])
	require.Contains(t, printed[0], "- Seed: 4\n")
	require.Contains(t, printed[0], "made, seed 4, 1000 nodes and 6000 links, 12 sites")
}

// TestArguments: arguments that make no sense are refused.
func TestArguments(t *testing.T) {
	for _, args := range []string{
		"-runs 1", "-ticks 9", "-jobs -1", "-slacks 0.5", "-loads 0", "-denser x", "-seed -1", "more",
	} {
		var errs bytes.Buffer
		require.Equal(t, 2, run(t.Context(), strings.Fields(args), io.Discard, &errs), args)
		require.NotEmpty(t, errs.String(), args)
	}
	require.Equal(t, 1, run(t.Context(), []string{"-data", t.TempDir()}, io.Discard, io.Discard), "there is no network")
}

// TestCancel: a program that is stopped says so, and prints no table.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	folder := t.TempDir()
	require.Equal(t, 1, run(ctx, []string{"-quick", "-out", folder}, &out, &errs))
	require.Contains(t, errs.String(), "stopped when 0 of")
	require.NotContains(t, out.String(), "##")
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, files)
}

// TestTransfers: the busiest link is asked for its load, and the means are those of the package comment.
func TestTransfers(t *testing.T) {
	s := settings{ticks: 50_000, seed: 1}
	n, _, err := s.network()
	require.NoError(t, err)
	stream := s.transfers(n, 2, 4, 1)
	require.Equal(t, stream, s.transfers(n, 2, 4, 1))
	asked := map[int]float64{}
	busiest, ticks, slack, counts := 0.0, 0.0, 0.0, 0.0
	each := 1 / float64(len(stream))
	for _, r := range stream {
		require.Less(t, r.Ready-r.comes, bookahead.Time(ahead))
		for _, l := range r.path {
			asked[l] += float64(r.Volume) / linkUnits / float64(s.ticks)
			busiest = max(busiest, asked[l])
		}
		long := float64(r.Volume) / float64(r.Most)
		ticks += long * each
		slack += float64(r.Deadline-r.Ready) / long * each
		if r.counts {
			counts += each
		}
	}
	require.InEpsilon(t, 2, busiest, 0.1)
	require.InEpsilon(t, meanTicks, ticks, 0.03)
	require.InEpsilon(t, 4, slack, 0.03)
	require.InEpsilon(t, 0.8, counts, 0.02)
}

func TestReadArcs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "n.gr")
	for text, want := range map[string]string{
		"c about\np sp 3 2\na 0 2 10 20\na 2 1 5\n": "",
		"a 0\n":             "line 1: ",
		"a 0 1\na 1 -2 3\n": "line 2: node -2 is negative",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		n, err := readArcs(file)
		if want != "" {
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, network{out: [][]link{{{2, 0}}, nil, {{1, 1}}}, links: 2}, n)
	}
	_, err := readArcs(filepath.Join(filepath.Dir(file), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestData reads the network and the log, if they are at hand.
func TestData(t *testing.T) {
	s := settings{data: os.Getenv("BOOKAHEAD_DATA")}
	if s.data == "" {
		t.Skip("BOOKAHEAD_DATA, the folder of the data, is not set")
	}
	n, _, err := s.network()
	require.NoError(t, err)
	require.Len(t, n.out, 10_000)
	require.Equal(t, 59_750, n.links)
	jobs, procs, about, err := s.log()
	require.NoError(t, err)
	require.Len(t, jobs, 28_489)
	require.EqualValues(t, 100, procs)
	require.Contains(t, about, "475 cut")
}
