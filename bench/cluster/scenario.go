package main

import (
	"math/rand/v2"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/nodes"
)

// Durations, in seconds.
const (
	hour = 3600
	day  = 24 * hour
)

// The machine of workload.Gangs.
const (
	rackNodes = 20
	nodeGPUs  = 8
	nodeCores = 64
)

// scenario is the work and the trouble that both machines meet.
type scenario struct {
	settings
	machine *nodes.Machine // empty
	gangs   []sim.Gang     // by submission
	outages []sim.Outage
	span    bookahead.Time // the last submission
}

// newScenario draws the jobs and the outages from the seed.
func newScenario(s settings) (*scenario, error) {
	jobs, err := workload.Gangs{Nodes: s.nodes, Seed: s.seed, Load: s.load, Ahead: s.ahead}.Generate(s.jobs)
	if err != nil {
		return nil, err
	}
	x := &scenario{settings: s}
	config := nodes.Config{Resources: []string{"gpus", "cores"}, Levels: []nodes.Level{{Name: "rack"}}}
	for k := range s.nodes {
		config.Nodes = append(config.Nodes, nodes.Vector{nodeGPUs, nodeCores})
		racks := &config.Levels[0].Groups
		if k%rackNodes == 0 {
			*racks = append(*racks, nil)
		}
		(*racks)[k/rackNodes] = append((*racks)[k/rackNodes], k)
	}
	x.machine, err = nodes.New(config)
	if err != nil {
		return nil, err
	}
	for _, j := range jobs {
		x.gangs = append(x.gangs, request(j))
		x.span = j.Submit
	}
	rng := rand.New(rand.NewPCG(s.seed, 0xfa11))
	for range s.failures {
		x.outages = append(x.outages, failure(rng, s.nodes, x.span))
	}
	for range s.drains {
		x.outages = append(x.outages, drain(rng, config.Levels[0].Groups, x.span))
	}
	return x, nil
}

// request turns a job into a gang of the simulator. Each task has a node of its own.
func request(j workload.Gang) sim.Gang {
	g := sim.Gang{
		Task: sim.Task{Job: j.Job, Ready: j.Request.Ready, Due: j.Request.Deadline, AR: j.Ahead},
		On:   nodes.Request{Tasks: j.Tasks, Each: nodes.Vector{j.GPUs, j.Cores}, PerNode: 1},
	}
	if j.OneRack {
		g.On.Within = "rack"
	}
	return g
}

// failure draws a node that fails while jobs come in. Nobody knows of it before, nor when the node
// will be repaired, which takes from 2 to 10 hours.
func failure(rng *rand.Rand, count int, span bookahead.Time) sim.Outage {
	at := rng.Int64N(int64(span) + 1)
	return sim.Outage{
		Interval: bookahead.Interval{Start: bookahead.Time(at), End: bookahead.MaxTime},
		Known:    bookahead.Time(at),
		Repaired: bookahead.Time(at + 2*hour + rng.Int64N(8*hour)),
		Nodes:    []int{rng.IntN(count)},
	}
}

// drain draws a rack that is closed for 4 hours. All know of it a day ahead.
func drain(rng *rand.Rand, racks [][]int, span bookahead.Time) sim.Outage {
	known := bookahead.Time(rng.Int64N(int64(span) + 1))
	return sim.Outage{
		Interval: bookahead.Interval{Start: known + day, End: known + day + 4*hour},
		Known:    known,
		Nodes:    racks[rng.IntN(len(racks))],
	}
}
