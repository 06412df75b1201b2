package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// farm is a cluster of nodes with 8 GPUs and 64 cores, in racks of 20.
func farm(b *testing.B, n int, local Local) Cluster {
	c := nodes.Config{Resources: []string{"gpus", "cores"}, Levels: []nodes.Level{{Name: "rack"}}}
	for k := range n {
		c.Nodes = append(c.Nodes, nodes.Vector{8, 64})
		if k%20 == 0 {
			c.Levels[0].Groups = append(c.Levels[0].Groups, nil)
		}
		c.Levels[0].Groups[k/20] = append(c.Levels[0].Groups[k/20], k)
	}
	m, err := nodes.New(c)
	require.NoError(b, err)
	return Cluster{Machine: m, Units: int64(8 * n), Local: local}
}

// crowd makes gangs on parts of nodes, on whole nodes, in a rack, and of cores only, for up to a
// day. Their estimates are 1 to 3 times their runs, and 5 % are booked ahead.
func crowd(rng *rand.Rand, n int, between bookahead.Time) []Gang {
	gangs := make([]Gang, n)
	for i := range gangs {
		run := 60 + bookahead.Duration(rng.IntN(28_800))
		submit := bookahead.Time(i) * between
		g := Gang{Task: Task{Job: workload.Job{Submit: submit, Run: run}, Ready: submit, Priority: rng.IntN(3)}}
		g.Estimate = run + bookahead.Duration(rng.Int64N(int64(2*run)))
		gpus := int64(1) << rng.IntN(4)
		g.On = nodes.Request{Tasks: 1 + rng.Int64N(16), Each: nodes.Vector{gpus, 8 * gpus}}
		switch rng.IntN(5) {
		case 0:
			g.On.Each = nodes.Vector{0, 1 + rng.Int64N(32)}
		case 1:
			g.On.Each, g.On.PerNode, g.On.Tasks = nodes.Vector{8, 64}, 1, int64(1)<<rng.IntN(7)
		case 2:
			g.On.Within = "rack"
		}
		g.Units = max(1, g.On.Tasks*g.On.Each[0])
		if rng.IntN(20) == 0 {
			g.AR = true
			g.Ready += bookahead.Time(rng.IntN(172_800))
			g.Due = g.Ready + bookahead.Time(g.Estimate) + 14_400
		}
		gangs[i] = g
	}
	return gangs
}

// BenchmarkReplan plans a queue on a machine with 2 000 nodes that is full of running gangs, one of
// which has just ended early. With idiom=clone a clone is booked and thrown away, with
// idiom=release it is booked and cleared, so that it can be the machine, and with idiom=rebook the
// queue is booked on the machine all the time, and each reservation is moved up.
func BenchmarkReplan(b *testing.B) {
	for _, queue := range []int{2_000, 20_000} {
		for _, idiom := range []string{"clone", "release", "rebook"} {
			b.Run(fmt.Sprintf("idiom=%s/queue=%d", idiom, queue), func(b *testing.B) {
				if testing.Short() && queue > 2_000 {
					b.Skip("takes a minute")
				}
				rng := rand.New(rand.NewPCG(1, 0))
				m := farm(b, 2_000, Local{}).Machine
				running := bookahead.ID(0)
				for _, g := range crowd(rng, 4_000, 0) {
					res, err := m.Reserve(g.request(0, g.Ready+bookahead.Time(g.Estimate)))
					if err == nil && res.Start == 0 {
						running = res.ID
					}
				}
				waits := crowd(rng, queue, 0)
				book := func(m *nodes.Machine) (ids []bookahead.ID) {
					for i := range waits {
						waits[i].Ready = 0
						res, err := m.Reserve(waits[i].request(1, 0))
						require.NoError(b, err)
						ids = append(ids, res.ID)
					}
					return ids
				}
				var ids []bookahead.ID
				require.NoError(b, m.Advance(1))
				if idiom == "rebook" {
					ids = book(m)
				}
				require.NoError(b, m.Release(running))
				for b.Loop() {
					plan := m.Clone()
					if idiom == "rebook" {
						for i, id := range ids {
							_, err := plan.Rebook(id, waits[i].request(1, 0))
							require.NoError(b, err)
						}
						continue
					}
					for _, id := range book(plan) {
						if idiom == "release" {
							require.NoError(b, plan.Release(id))
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*queue), "us/gang")
			})
		}
	}
}

// BenchmarkCluster simulates gangs on 200 nodes, and on pools of their GPUs and cores, with a failure
// and a drain a day.
func BenchmarkCluster(b *testing.B) {
	for _, policy := range []struct {
		name string
		plan.Backfill
	}{{"None", plan.None()}, {"FirstFit", plan.FirstFit()}, {"EASY", plan.EASY(1)}, {"Conservative", plan.Conservative()}} {
		for _, on := range []string{"nodes", "pools"} {
			b.Run(fmt.Sprintf("policy=FCFS-%s/on=%s/gangs=600", policy.name, on), func(b *testing.B) {
				c := farm(b, 200, Local{Backfill: policy.Backfill})
				c.Pools = on == "pools"
				for day := range bookahead.Time(2) {
					c.Outages = append(c.Outages, failure(int(day), 86_400*day+9_000, 86_400*day+50_000),
						drain(20+int(day), 86_400*day, 86_400*day+40_000, 86_400*day+60_000))
				}
				gangs := crowd(rand.New(rand.NewPCG(2, 0)), 600, 200)
				var r ClusterResult
				for b.Loop() {
					var err error
					r, err = RunCluster(b.Context(), c, gangs)
					require.NoError(b, err)
				}
				m := r.Metrics()
				b.ReportMetric(m.MeanWait, "mean-wait-ticks")
				b.ReportMetric(m.Utilisation, "utilisation")
				b.ReportMetric(float64(r.LongQueue), "longest-queue")
				b.ReportMetric(float64(m.Rejected), "rejected")
				b.ReportMetric(float64(len(r.Broken)), "broken")
			})
		}
	}
}
