package plan_test

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/plan"
)

// forecast returns what is known of a job.
func (o *oracle) forecast(j *task) plan.Forecast {
	f := plan.Forecast{Job: j.ID, State: j.state, Start: plan.Never, End: plan.Never, Promised: j.promised}
	if j.state >= plan.Promised {
		f.Start, f.End, f.Shape, f.Places = j.start, j.end, j.form, o.places(j.spots)
	}
	if j.state == plan.Running {
		f.Start = j.began
	}
	return f
}

// forecasts lays each job that has no place, in turn, at its earliest place.
func (o *oracle) forecasts() (list []plan.Forecast) {
	world := o.plan()
	ends := map[*task]bookahead.Time{}
	add := func(j *task, f plan.Forecast) {
		ends[j] = f.End
		list = append(list, f)
	}
	expect := func(j *task, from bookahead.Time) plan.Forecast {
		f := o.forecast(j)
		var best []spot
		for i, shape := range j.shapes {
			at := world.earliest(shape, from)
			if at == nil {
				continue
			}
			start := at[0].start - at[0].part.wait
			if best == nil || endOf(at) < f.End {
				f.Start, f.End, f.Shape, f.Places, best = start, endOf(at), i, o.places(at), at
			}
		}
		world.book(best, 1)
		return f
	}
	for _, j := range o.running() {
		add(j, o.forecast(j))
	}
	seen := 0
	for _, j := range o.line() {
		f := o.forecast(j)
		if j.state != plan.Starting {
			seen++
		}
		if j.state == plan.Waiting && (o.config.Limits.Depth == 0 || seen <= o.config.Limits.Depth) {
			f = expect(j, o.ready(j))
		}
		add(j, f)
	}
	for {
		var next *task
		for _, j := range o.jobs {
			ready := j.state == plan.Held
			for _, x := range j.waits {
				_, known := ends[x]
				ready = ready && known
			}
			_, done := ends[j]
			if ready && !done && (next == nil || j.seq < next.seq) {
				next = j
			}
		}
		if next == nil {
			return list
		}
		from, never := max(o.ready(next), next.NotBefore), false
		for _, x := range next.waits {
			from = max(from, ends[x])
			never = never || ends[x] == plan.Never
		}
		if never {
			add(next, o.forecast(next))
		} else {
			add(next, expect(next, from))
		}
	}
}

// clone returns an oracle that goes on alone.
func (o *oracle) clone() *oracle {
	c := *o
	twin := map[*task]*task{}
	c.jobs = nil
	for _, j := range o.jobs {
		k := *j
		twin[j] = &k
		c.jobs = append(c.jobs, &k)
	}
	all := func(list []*task) (to []*task) {
		for _, j := range list {
			to = append(to, twin[j])
		}
		return to
	}
	books := map[*booking]*booking{}
	c.firm = nil
	for _, b := range o.firm {
		books[b] = &booking{b.id, b.spot, twin[b.job]}
		c.firm = append(c.firm, books[b])
	}
	for _, k := range c.jobs {
		k.waits, k.victims, k.heir = all(k.waits), all(k.victims), twin[k.heir]
		k.firm = slices.Clone(k.firm)
		for i := range k.firm {
			k.firm[i] = books[k.firm[i]]
		}
	}
	c.last = slices.Clone(o.last)
	c.groups, c.owners = map[string]int64{}, map[string]int64{}
	for who, n := range o.groups {
		c.groups[who] = n
	}
	for who, n := range o.owners {
		c.owners[who] = n
	}
	return &c
}

// orders are the orders of a queue, and what they compare.
type order struct {
	name  string
	order plan.Order
	rules rules
}

func shortest(j *task) bookahead.Duration {
	d := bookahead.Duration(ticks)
	for _, s := range j.Shapes {
		of := bookahead.Duration(0)
		for _, p := range s {
			of = max(of, p.Offset+p.Duration)
		}
		d = min(d, of)
	}
	return d
}

func units(j *task) (n int64) {
	for _, p := range j.Shapes[0] {
		n += p.Units
	}
	return n
}

func share(of map[string]int64, who string) int64 { return max(1, of[who]) }

// used compares what groups have used for their shares, and then owners.
func used(o *oracle, a, b *task) int {
	s := o.rules.shares
	return cmp.Or(
		cmp.Compare(o.groups[a.Group]*share(s, b.Group), o.groups[b.Group]*share(s, a.Group)),
		cmp.Compare(o.owners[a.Owner]*share(s, b.Owner), o.owners[b.Owner]*share(s, a.Owner)))
}

func byPriority(_ *oracle, a, b *task) int { return cmp.Compare(b.Priority, a.Priority) }

var shares = map[string]int64{"g": 2, "ann": 3}

var orders = []order{
	{"FCFS", plan.FCFS(), rules{compare: func(*oracle, *task, *task) int { return 0 }}},
	{"SJF", plan.SJF(), rules{compare: func(_ *oracle, a, b *task) int { return cmp.Compare(shortest(a), shortest(b)) }}},
	{"LSF", plan.LSF(), rules{compare: func(_ *oracle, a, b *task) int { return cmp.Compare(units(b), units(a)) }}},
	{"ByPriority", plan.ByPriority(), rules{compare: byPriority}},
	{"FairShare", plan.FairShare(plan.Share{}), rules{compare: used, moves: true}},
	{"FairShare with shares and a half life", plan.FairShare(plan.Share{HalfLife: 7, Groups: shares, Owners: shares}),
		rules{compare: used, moves: true, half: 7, shares: shares}},
	{"By two", plan.By(plan.ByPriority(), plan.SJF()), rules{compare: func(o *oracle, a, b *task) int {
		return cmp.Or(byPriority(o, a, b), cmp.Compare(shortest(a), shortest(b)))
	}}},
	{"By priority, then FairShare", plan.By(plan.ByPriority(), plan.FairShare(plan.Share{HalfLife: 20})),
		rules{compare: func(o *oracle, a, b *task) int { return cmp.Or(byPriority(o, a, b), used(o, a, b)) }, moves: true, half: 20}},
	{"Own", plan.Own(func(a, b *plan.Job) int { return cmp.Compare(a.ID, b.ID) }),
		rules{compare: func(_ *oracle, a, b *task) int { return cmp.Compare(a.ID, b.ID) }}},
}

type backfill struct {
	name     string
	backfill plan.Backfill
	promises int
	overtake bool
}

var backfills = []backfill{
	{"None", plan.None(), 0, false},
	{"FirstFit", plan.FirstFit(), 0, true},
	{"EASY(1)", plan.EASY(1), 1, true},
	{"EASY(3)", plan.EASY(3), 3, true},
	{"Conservative", plan.Conservative(), 1 << 30, true},
}
