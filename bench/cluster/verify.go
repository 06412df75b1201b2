package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
	"github.com/bookahead/bookahead/nodes"
)

// change is a change of the load of a node at a time: its tasks, and the outages that close it.
type change struct {
	at                  bookahead.Time
	gpus, cores, closed int64
}

// verify checks the runs without any schedule: it adds up the load of each node at each time. The
// error names the first run or node that is wrong.
func (x *scenario) verify(r sim.ClusterResult) error {
	err := x.verifyRuns(r)
	if err != nil {
		return err
	}
	lanes := make([][]change, x.nodes)
	for _, run := range r.Runs {
		each := x.gangs[run.Task].On.Each
		for _, s := range run.On {
			gpus, cores := s.Tasks*each[0], s.Tasks*each[1]
			lanes[s.Node] = append(lanes[s.Node], change{run.When.Start, gpus, cores, 0}, change{run.When.End, -gpus, -cores, 0})
		}
	}
	for _, o := range x.outages {
		for _, k := range o.Nodes {
			lanes[k] = append(lanes[k], change{o.Start, 0, 0, 1}, change{cmp.Or(o.Repaired, o.End), 0, 0, -1})
		}
	}
	for k, lane := range lanes {
		err := sweep(lane)
		if err != nil {
			return fmt.Errorf("node %d: %w", k, err)
		}
	}
	return nil
}

// sweep adds up the changes of a node. It looks at a time after all changes of that time, since a gang
// may start when another ends.
func sweep(lane []change) error {
	slices.SortFunc(lane, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	var sum change
	for i, c := range lane {
		sum.gpus += c.gpus
		sum.cores += c.cores
		sum.closed += c.closed
		switch {
		case i+1 < len(lane) && lane[i+1].at == c.at:
		case sum.gpus > nodeGPUs || sum.cores > nodeCores:
			return fmt.Errorf("at %d, %d GPUs and %d cores run on it", c.at, sum.gpus, sum.cores)
		case sum.closed > 0 && (sum.gpus > 0 || sum.cores > 0):
			return fmt.Errorf("at %d it is closed, and %d GPUs and %d cores run on it", c.at, sum.gpus, sum.cores)
		}
	}
	return nil
}

// verifyRuns checks that each gang has run once to its end, unless it was rejected, on the nodes that
// it asked for and by its Due; that outages alone stop runs; and that a promise that was neither broken
// nor displaced was kept to the second.
func (x *scenario) verifyRuns(r sim.ClusterResult) error {
	ended := make([]int, len(x.gangs))
	for _, run := range r.Runs {
		g := x.gangs[run.Task]
		long := bookahead.Duration(run.When.End - run.When.Start)
		switch {
		case long == g.Run:
			ended[run.Task]++
		case long > g.Run:
			return fmt.Errorf("gang %d runs for %d, not for %d", run.Task, long, g.Run)
		case !x.stops(run):
			return fmt.Errorf("gang %d runs for %d of %d until %d, when no outage begins on its nodes", run.Task, long, g.Run, run.When.End)
		}
		if g.Due != 0 && run.When.End > g.Due {
			return fmt.Errorf("gang %d runs until %d, after %d", run.Task, run.When.End, g.Due)
		}
		tasks := int64(0)
		for _, s := range run.On {
			tasks += s.Tasks
			if s.Tasks != 1 || g.On.Within != "" && s.Node/rackNodes != run.On[0].Node/rackNodes {
				return fmt.Errorf("gang %d has %d tasks on node %d", run.Task, s.Tasks, s.Node)
			}
		}
		if tasks != g.On.Tasks || run.When.Start < g.Ready {
			return fmt.Errorf("gang %d runs %d tasks from %d on", run.Task, tasks, run.When.Start)
		}
	}
	for i, o := range r.Outcomes {
		firm := x.gangs[i].AR && o.Promised != sim.Never && o.Displaced == 0 && !broken(r, i)
		switch {
		case o.Rejected != (ended[i] == 0) || ended[i] > 1:
			return fmt.Errorf("gang %d has run %d times; rejected: %t", i, ended[i], o.Rejected)
		case firm && o.Rejected:
			return fmt.Errorf("gang %d never ran, and was promised %d", i, o.Promised)
		case firm && o.Start != o.Promised:
			return fmt.Errorf("gang %d starts at %d, not at %d as promised", i, o.Start, o.Promised)
		}
	}
	return nil
}

// stops reports whether an outage of a node of a run begins when the run ends.
func (x *scenario) stops(run sim.Ran) bool {
	return slices.ContainsFunc(x.outages, func(o sim.Outage) bool {
		closes := func(s nodes.Share) bool { return slices.Contains(o.Nodes, s.Node) }
		return o.Start == run.When.End && slices.ContainsFunc(run.On, closes)
	})
}

// broken reports whether the promise to a gang was broken.
func broken(r sim.ClusterResult, i int) bool {
	_, found := slices.BinarySearch(r.Broken, i)
	return found
}
