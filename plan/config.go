package plan

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// Config says where the jobs of a queue run, and who goes first.
type Config struct {
	// Schedules are where jobs run. The caller keeps them: the queue books running jobs on them, and moves their
	// clocks. Others may book, release and close there, and tell the queue by Changed.
	Schedules []Schedule
	// Order says whose turn it is. The zero value is FCFS.
	Order Order
	// Backfill says who may overtake. The zero value is None.
	Backfill Backfill
	// Preempt has a job that cannot start take the place of running jobs of lower classes: see Job.Class. Under FirstFit
	// any job may do so, otherwise only the first that waits.
	Preempt bool
	// Yield has running volumes that may pause give their units to jobs with less to do, in units times ticks, than they have left. Such
	// a job of one shape and one part starts in these units if it cannot otherwise, and if it may overtake. What is left of the volumes
	// is planned anew behind it, that with the least left first: they pause, or end later.
	Yield  bool
	Limits Limits
	// Grace is how much longer a job is expected to run each time it has reached its estimate without an end, in
	// ticks. 0 stands for an eighth of its estimate, or a tick if that is less.
	Grace bookahead.Duration
	// Clock is for the times in sentences. The zero value writes ticks.
	Clock bookahead.Clock
}

// Schedule is a place where jobs run: a Pool, or Nodes.
type Schedule struct {
	// Name is for Part.On.
	Name string
	// Pool is a pool or servers. It must be a bookahead.Cloner, because the plan of the queue is made on a copy.
	Pool bookahead.Schedule
	// Nodes is a machine of nodes.
	Nodes *nodes.Machine
}

// Limits bound the work of a Pass, as the parameters of Slurm's backfill do. A zero sets no limit.
type Limits struct {
	// Depth is how many jobs a Pass looks at each time it goes through the line (bf_max_job_test). Jobs that are proposed
	// already do not count.
	Depth int
	// Window is how far ahead a start is promised, in ticks from now (bf_window). Of several shapes, only those count whose
	// first start is so near.
	Window bookahead.Duration
	// Resolution rounds estimates up to its multiples, so that more jobs are alike (bf_resolution).
	Resolution bookahead.Duration
	// Steps is how many steps a Pass may take, as in bookahead.Effort; 0 stands for bookahead.DefaultSteps. A search takes
	// 64, and one for each node of its machine. Promises that must move get new places whatever that takes.
	Steps int64
}

func (c *Config) check() error {
	if len(c.Schedules) == 0 {
		return limits.Invalid("Config.Schedules", 0, "are none")
	}
	names := map[string]bool{}
	for i, s := range c.Schedules {
		field := fmt.Sprintf("Config.Schedules[%d].", i)
		switch {
		case names[s.Name]:
			return limits.Invalid(field+"Name", s.Name, "is given twice")
		case limits.IsNil(s.Pool) == (s.Nodes == nil):
			return limits.Invalid(field+"Pool", fmt.Sprintf("%T", s.Pool), "and Nodes are both set, or neither is")
		}
		names[s.Name] = true
	}
	switch {
	case c.Grace < 0:
		return limits.Invalid("Config.Grace", c.Grace, "is negative")
	case c.Limits.Depth < 0:
		return limits.Invalid("Config.Limits.Depth", c.Limits.Depth, "is negative")
	case c.Limits.Window < 0:
		return limits.Invalid("Config.Limits.Window", c.Limits.Window, "is negative")
	case c.Limits.Resolution < 0:
		return limits.Invalid("Config.Limits.Resolution", c.Limits.Resolution, "is negative")
	}
	return bookahead.Effort{Steps: c.Limits.Steps}.Validate()
}
