package nodes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/bookahead/bookahead"
)

// gang draws jobs of a cluster: nodes of 8 GPUs and 64 cores, in racks of 20, and a tick is a second.
type gang struct {
	nodes int
	rng   *rand.Rand
}

const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
)

func (g *gang) config(p Policy) Config {
	c := Config{Resources: []string{"gpus", "cores"}, Policy: p, Nodes: slices.Repeat([]Vector{{8, 64}}, g.nodes)}
	racks := Level{Name: "rack"}
	for k := range g.nodes {
		if k%20 == 0 {
			racks.Groups = append(racks.Groups, nil)
		}
		racks.Groups[k/20] = append(racks.Groups[k/20], k)
	}
	c.Levels = []Level{racks}
	return c
}

// job draws a job that is ready at a time: 30 % want cores only, 45 % a part of a node, and 25 % whole
// nodes; one task a node, on up to 256 nodes and half of the machine; log-normal durations with a
// median of an hour; 10 % in one rack, on up to 20 nodes.
func (g *gang) job(ready bookahead.Time) Request {
	r := Request{Ready: ready, PerNode: 1}
	switch x := g.rng.Float64(); {
	case x < 0.30:
		r.Each = Vector{0, 1 << g.rng.IntN(7)}
	case x < 0.75:
		gpus := 1 + g.rng.Int64N(7)
		r.Each = Vector{gpus, gpus * (1 + g.rng.Int64N(8))}
	default:
		r.Each = Vector{8, 64}
	}
	most := float64(min(256, g.nodes/2))
	if g.rng.Float64() < 0.10 {
		r.Within, most = "rack", min(most, 20)
	}
	r.Tasks = int64(math.Exp(g.rng.Float64() * math.Log(most+0.99)))
	seconds := hour * math.Exp(1.5*g.rng.NormFloat64())
	r.Duration = bookahead.Duration(max(minute, min(3*day, seconds)))
	return r
}

// BenchmarkGang books a job, and gives the oldest back, on a machine with a number of live jobs.
//
//	backlog    ready now
//	ar         ready anywhere in the time that 70 % of the machine needs for the live jobs
func BenchmarkGang(b *testing.B) {
	for _, size := range []struct{ nodes, live int }{{100, 1_000}, {2_000, 2_000}} {
		for _, mode := range []string{"backlog", "ar"} {
			b.Run(fmt.Sprintf("impl=leapfrog/nodes=%d/live=%d/mode=%s/policy=lowest", size.nodes, size.live, mode), func(b *testing.B) {
				benchmarkGang(b, size.nodes, size.live, mode)
			})
		}
	}
}

func benchmarkGang(b *testing.B, nodes, live int, mode string) {
	g := gang{nodes, rand.New(rand.NewPCG(1, 1))}
	m, err := New(g.config(Policy{}))
	if err != nil {
		b.Fatal(err)
	}
	span := int64(1)
	if mode == "ar" {
		for range live { // the node-seconds of as many jobs, 3 of 5 of a node each
			r := g.job(0)
			span += r.Tasks * int64(r.Duration) * 6 / 10
		}
		span = span * 10 / 7 / int64(nodes)
	}
	var ids []bookahead.ID
	book := func() time.Duration {
		r := g.job(bookahead.Time(g.rng.Int64N(span)))
		began := time.Now()
		res, err := m.Reserve(r)
		took := time.Since(began)
		if err != nil {
			b.Fatal(err)
		}
		ids = append(ids, res.ID)
		return took
	}
	for range live {
		book()
	}
	var times []time.Duration
	for b.Loop() {
		err := m.Release(ids[0])
		if err != nil {
			b.Fatal(err)
		}
		ids = ids[1:]
		times = append(times, book())
	}
	slices.Sort(times)
	total := time.Duration(0)
	for _, d := range times {
		total += d
	}
	b.ReportMetric(float64(total.Nanoseconds())/float64(len(times)), "ns/reserve")
	b.ReportMetric(float64(times[len(times)/2]), "p50-ns")
	b.ReportMetric(float64(times[len(times)*99/100]), "p99-ns")
}
