package sim

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/plan"
)

// turn is an order and its key: the task of the smaller key goes first. used counts the use of the task's user.
type turn struct {
	plan.Order
	key     func(t *Task, used int64) int64
	preempt bool
	moves   bool
	arrival bool // whether nobody who comes in later goes before those who wait
}

var turns = []turn{
	{Order: plan.FCFS(), key: func(*Task, int64) int64 { return 0 }, arrival: true},
	{Order: plan.SJF(), key: func(t *Task, _ int64) int64 { return int64(t.Estimate) }},
	{Order: plan.LSF(), key: func(t *Task, _ int64) int64 { return -t.Units }},
	{Order: plan.ByPriority(), key: byPriority},
	{Order: plan.ByPriority(), key: byPriority, preempt: true},
	{Order: plan.FairShare(plan.Share{}), key: func(_ *Task, used int64) int64 { return used }, moves: true},
}

func byPriority(t *Task, _ int64) int64 { return -int64(t.Priority) }

// promises returns how many waiting tasks are promised a start, and whether others may overtake.
func promises(b plan.Backfill) (n int, overtake bool) {
	switch b {
	case plan.None():
		return 0, false
	case plan.FirstFit():
		return 0, true
	case plan.EASY(1):
		return 1, true
	}
	return math.MaxInt, true
}

// oracle simulates one provider tick by tick, with the free units of each tick in an
// array, and lets the policy look at everything at every tick. The oracle knows none of
// the engine's reasons not to look.
type oracle struct {
	Config
	turn
	local  Local
	tasks  []Task
	out    []Outcome
	free   []int64
	now    bookahead.Time
	state  []state
	place  []bookahead.Interval // the place that is booked for a task
	used   map[int64]int64
	begins []int // have begun in this pass
	goes   []int // are to give way in this pass
}

type state int

const (
	absent  state = iota
	waits         // in the queue
	placed        // in the queue, with a promise
	runs          // or an AR task that is booked
	stopped       // done, or rejected
)

// oracleTicks is more than any simulation here takes.
const oracleTicks = 4000

func simulate(c Config, turn turn, tasks []Task) []Outcome {
	o := &oracle{
		Config: c, turn: turn, local: c.Providers[0].Local, tasks: tasks,
		out: make([]Outcome, len(tasks)), free: make([]int64, oracleTicks),
		state: make([]state, len(tasks)), place: make([]bookahead.Interval, len(tasks)),
		used: map[int64]int64{},
	}
	for t := range o.free {
		o.free[t] = c.Providers[0].Units
	}
	for i := range o.out {
		o.out[i] = Outcome{Provider: -1, Promised: Never}
	}
	for ; slices.ContainsFunc(o.state, func(s state) bool { return s != stopped }); o.now++ {
		o.tick()
	}
	return o.out
}

func (o *oracle) tick() {
	for i, t := range o.tasks {
		if end := o.out[i].Start + bookahead.Time(t.Run); o.state[i] == runs && end == o.now {
			o.state[i] = stopped
			o.out[i].End = end
			o.change(bookahead.Interval{Start: o.now, End: o.place[i].End}, t.Units)
			o.used[t.User] -= t.Units * int64(t.Estimate-t.Run)
		}
	}
	if !o.ARFirst {
		o.decide()
	}
	for _, first := range []bool{true, false} {
		for i, t := range o.tasks {
			if t.AR && t.Submit == o.now && o.ARFirst == first {
				o.decideUnless(first)
				o.book(i)
			}
			if !t.AR && t.Ready == o.now && !first {
				o.state[i] = waits
				if t.Units > o.Providers[0].Units {
					o.state[i], o.out[i].Rejected = stopped, true
				}
			}
		}
	}
	o.decide()
}

func (o *oracle) decideUnless(not bool) {
	if !not {
		o.decide()
	}
}

func (o *oracle) change(w bookahead.Interval, delta int64) {
	for t := w.Start; t < w.End; t++ {
		o.free[t] += delta
	}
}

func (o *oracle) fits(i int, start bookahead.Time) bool {
	for t := start; t < start+bookahead.Time(o.tasks[i].Estimate); t++ {
		if o.free[t] < o.tasks[i].Units {
			return false
		}
	}
	return true
}

// earliest looks no further than 2000 ticks.
func (o *oracle) earliest(i int, from bookahead.Time) bookahead.Time {
	for !o.fits(i, from) {
		from++
	}
	return from
}

func (o *oracle) take(i int, start bookahead.Time) {
	o.place[i] = bookahead.Interval{Start: start, End: start + bookahead.Time(o.tasks[i].Estimate)}
	o.change(o.place[i], -o.tasks[i].Units)
}

func (o *oracle) run(i int, start bookahead.Time) {
	t := o.tasks[i]
	o.state[i] = runs
	o.begins = append(o.begins, i)
	o.out[i].Start, o.out[i].Provider = start, 0
	o.used[t.User] += t.Units * int64(t.Estimate)
}

func (o *oracle) book(i int) {
	t := o.tasks[i]
	o.out[i].Rejected, o.state[i] = true, stopped
	if t.Units > o.Providers[0].Units {
		return
	}
	start := o.earliest(i, max(o.now, t.Ready))
	o.out[i].Attempts = 1
	if t.Due != 0 && start+bookahead.Time(t.Estimate) > t.Due {
		if o.Strict {
			return
		}
		o.out[i].Attempts = 2
	}
	o.take(i, start)
	o.run(i, start)
	o.out[i].Rejected, o.out[i].Promised = false, start
}

func (o *oracle) decide() {
	if p := o.local.Period; p > 0 && o.now%bookahead.Time(p) != 0 {
		return
	}
	for again := true; again; {
		o.pass()
		again = len(o.begins) > 0
		for _, v := range o.goes {
			o.state[v] = waits
		}
	}
}

func (o *oracle) keyOf(i int) int64 { return o.key(&o.tasks[i], o.used[o.tasks[i].User]) }

func (o *oracle) queue() []int {
	var q []int
	for i, s := range o.state {
		if s == waits || s == placed {
			q = append(q, i)
		}
	}
	slices.SortStableFunc(q, func(a, b int) int {
		return cmp.Or(cmp.Compare(o.keyOf(a), o.keyOf(b)), cmp.Compare(o.tasks[a].Ready, o.tasks[b].Ready))
	})
	return q
}

// pass starts those whose promised time has come, and goes through the queue until nothing changes.
func (o *oracle) pass() {
	o.begins, o.goes = nil, nil
	for _, i := range o.queue() {
		if o.state[i] == placed && o.place[i].Start == o.now {
			o.run(i, o.now)
		}
	}
	for o.round() {
	}
	for i, s := range o.state {
		if s == placed && o.out[i].Promised == Never {
			o.out[i].Promised = o.place[i].Start
		}
	}
}

// round goes through the queue once, and reports whether anything has changed.
func (o *oracle) round() (changed bool) {
	most, overtake := promises(o.local.Backfill)
	for waiting, i := 0, 0; i < len(o.queue()); {
		k := o.queue()[i]
		old := bookahead.MaxTime
		if o.state[k] == placed {
			old = o.place[k].Start
			o.change(o.place[k], o.tasks[k].Units)
		}
		start := o.now
		if old < bookahead.MaxTime || waiting < most {
			start = o.earliest(k, o.now)
		}
		mayStop := o.preempt && (waiting == 0 || o.local.Backfill == plan.FirstFit())
		switch {
		case start == o.now && o.fits(k, o.now) || mayStop && o.makeRoom(k):
			o.take(k, o.now)
			o.run(k, o.now)
			changed = true
			if o.moves {
				return true
			}
			continue // the queue is shorter now
		case old < bookahead.MaxTime || waiting < most:
			o.take(k, start)
			o.state[k] = placed
			changed = changed || start != old
		}
		if !overtake {
			return changed
		}
		waiting++
		i++
	}
	return changed
}

// makeRoom stops the fewest tasks of lower priority for task i, and of as many those whose most important
// is the least important.
func (o *oracle) makeRoom(i int) bool {
	var list []int
	for v, s := range o.state {
		if s == runs && !o.tasks[v].AR && o.tasks[v].Priority < o.tasks[i].Priority && !slices.Contains(o.begins, v) {
			list = append(list, v)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Or(
			cmp.Compare(o.tasks[a].Priority, o.tasks[b].Priority),
			cmp.Compare(o.out[b].Start, o.out[a].Start),
			cmp.Compare(o.tasks[b].Ready, o.tasks[a].Ready),
			cmp.Compare(b, a),
		)
	})
	for size := 1; size <= len(list); size++ {
		for set := uint(0); set < 1<<len(list); set++ {
			if bits.OnesCount(set) != size {
				continue
			}
			each := func(do func(v int, rest bookahead.Interval)) {
				for k, v := range list {
					if set>>k&1 == 1 {
						do(v, bookahead.Interval{Start: o.now, End: o.place[v].End})
					}
				}
			}
			each(func(v int, rest bookahead.Interval) { o.change(rest, o.tasks[v].Units) })
			if o.fits(i, o.now) {
				each(func(v int, _ bookahead.Interval) {
					o.state[v] = absent
					o.out[v].Preempted++
					o.goes = append(o.goes, v)
				})
				return true
			}
			each(func(v int, rest bookahead.Interval) { o.change(rest, -o.tasks[v].Units) })
		}
	}
	return false
}
