package sim

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// oracle simulates one provider tick by tick, with the free units of each tick in an
// array, and lets the policy look at everything at every tick. The oracle knows none of
// the engine's reasons not to look.
type oracle struct {
	Config
	local  Local
	tasks  []Task
	out    []Outcome
	free   []int64
	now    bookahead.Time
	state  []state
	place  []bookahead.Interval // the place that is booked for a task
	used   usage
	shadow int // whose place is booked though it waits, under EASY; -1 if none
}

type state int

const (
	absent  state = iota
	waits         // in the queue
	placed        // in the queue, with a place under Conservative
	runs          // or an AR task that is booked
	stopped       // done, or rejected
)

// oracleTicks is more than any simulation here takes.
const oracleTicks = 4000

func simulate(c Config, tasks []Task) []Outcome {
	o := &oracle{
		Config: c, local: c.Providers[0].Local, tasks: tasks,
		out: make([]Outcome, len(tasks)), free: make([]int64, oracleTicks),
		state: make([]state, len(tasks)), place: make([]bookahead.Interval, len(tasks)),
		used: usage{}, shadow: -1,
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
	if o.local.backfill() == (Conservative{}) {
		for o.round() {
		}
		return
	}
	for o.step() {
	}
}

func (o *oracle) key(i int) int64 { return o.local.order().Key(&o.tasks[i], o.used[o.tasks[i].User]) }

func (o *oracle) queue() []int {
	var q []int
	for i, s := range o.state {
		if s == waits || s == placed {
			q = append(q, i)
		}
	}
	slices.SortStableFunc(q, func(a, b int) int {
		return cmp.Or(cmp.Compare(o.key(a), o.key(b)), cmp.Compare(o.tasks[a].Ready, o.tasks[b].Ready))
	})
	return q
}

// step starts one task.
func (o *oracle) step() bool {
	if o.shadow >= 0 {
		o.change(o.place[o.shadow], o.tasks[o.shadow].Units)
		o.shadow = -1
	}
	fill := o.local.backfill()
	for k, i := range o.queue() {
		if o.fits(i, o.now) || (k == 0 || fill == FirstFit{}) && o.preempt(i) {
			o.take(i, o.now)
			o.run(i, o.now)
			return true
		}
		if fill == (None{}) {
			return false
		}
		if k == 0 && fill == (EASY{}) {
			o.take(i, o.earliest(i, o.now))
			o.shadow = i
			if o.out[i].Promised == Never {
				o.out[i].Promised = o.place[i].Start
			}
		}
	}
	return false
}

// preempt frees enough for task i, or nothing.
func (o *oracle) preempt(i int) bool {
	if !o.local.order().Preempts() {
		return false
	}
	var victims []int
	for v, s := range o.state {
		if s == runs && !o.tasks[v].AR && o.key(v) > o.key(i) {
			victims = append(victims, v)
		}
	}
	slices.SortStableFunc(victims, func(a, b int) int {
		return cmp.Or(
			cmp.Compare(o.key(b), o.key(a)),
			cmp.Compare(o.out[b].Start, o.out[a].Start),
			cmp.Compare(o.tasks[b].Ready, o.tasks[a].Ready),
			cmp.Compare(b, a),
		)
	})
	rest := func(v int) bookahead.Interval { return bookahead.Interval{Start: o.now, End: o.place[v].End} }
	for k, v := range victims {
		o.change(rest(v), o.tasks[v].Units)
		if o.fits(i, o.now) {
			for _, v := range victims[:k+1] {
				o.state[v] = waits
				o.used[o.tasks[v].User] -= o.tasks[v].Units * int64(o.place[v].End-o.now)
				o.out[v].Preempted++
			}
			return true
		}
	}
	for _, v := range victims {
		o.change(rest(v), -o.tasks[v].Units)
	}
	return false
}

// round starts, places and moves waiting tasks, and reports whether there were any such.
func (o *oracle) round() bool {
	any := false
	for _, i := range o.queue() {
		old := bookahead.MaxTime
		if o.state[i] == placed {
			o.change(o.place[i], o.tasks[i].Units)
			old = o.place[i].Start
		}
		o.take(i, o.earliest(i, o.now))
		start := o.place[i].Start
		any = any || start != old
		o.state[i] = placed
		if o.out[i].Promised == Never {
			o.out[i].Promised = start
		}
		if start == o.now {
			o.run(i, start)
		}
	}
	return any
}
