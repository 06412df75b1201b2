package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/plan"
)

// rig runs a queue and the oracle side by side.
type rig struct {
	t       testing.TB
	rng     *rand.Rand
	yard    yard
	queue   *plan.Queue
	oracle  *oracle
	name    string
	log     []string
	jobs    int
	pending bool                       // a schedule has changed since the last pass
	kept    map[plan.ID]bookahead.Time // promises, as they were after the last pass
	events  int
	changes int // of jobs that bend
}

func newRig(t testing.TB, seed uint64) *rig {
	rng := rand.New(rand.NewPCG(seed, 0))
	o, b := orders[int(seed)%len(orders)], backfills[int(seed)/len(orders)%len(backfills)]
	y := newYard(t, rng, layouts[rng.IntN(len(layouts))])
	y.bends = rng.IntN(2) == 0
	return newRigOn(t, seed, rng, y, y.config(rng, o, b), o, b)
}

// newRigOn returns a rig on a yard.
func newRigOn(t testing.TB, seed uint64, rng *rand.Rand, y yard, c plan.Config, o order, b backfill) *rig {
	r := &rig{t: t, rng: rng, yard: y}
	r.oracle = newOracle(r.yard, c, o, b)
	r.name = fmt.Sprintf("seed %d: %s, %s, preempt %v, grace %d, limits %+v", seed, o.name, b.name, c.Preempt, c.Grace, c.Limits)
	for i, s := range r.yard.cells {
		r.name += fmt.Sprintf(", %s %v horizon %d", s.name, s.given, s.horizon)
		if rng.IntN(6) == 0 {
			r.shut(i)
		}
	}
	q, err := plan.New(c)
	require.NoError(t, err)
	r.queue = q
	r.oracle.know()
	return r
}

// note writes a call down. A failure prints all calls.
func (r *rig) note(format string, args ...any) {
	r.events++
	r.log = append(r.log, fmt.Sprintf(format, args...))
}

func (r *rig) fail(format string, args ...any) {
	r.t.Helper()
	text := r.name + "\n"
	for i, l := range r.log {
		text += fmt.Sprintf("%3d  %s\n", i, l)
	}
	for _, j := range r.oracle.line() {
		_, f, _ := r.queue.Job(j.ID)
		text += fmt.Sprintf("in line: %s, oracle %+v, queue %+v\n", j.ID, r.oracle.forecast(j), f)
	}
	r.t.Fatalf("%s%s", text, fmt.Sprintf(format, args...))
}

// same fails if the queue and the oracle say different things.
func (r *rig) same(what string, want, got any) {
	r.t.Helper()
	if !reflect.DeepEqual(want, got) {
		a, b := reflect.ValueOf(want), reflect.ValueOf(got)
		for i := 0; a.Kind() == reflect.Slice && i < min(a.Len(), b.Len()); i++ {
			if x, y := a.Index(i).Interface(), b.Index(i).Interface(); !reflect.DeepEqual(x, y) {
				r.same(fmt.Sprintf("%s, number %d", what, i), x, y) // this alone is shorter to read
			}
		}
		w, err := json.Marshal(want)
		require.NoError(r.t, err)
		g, err := json.Marshal(got)
		require.NoError(r.t, err)
		r.fail("%s\n  oracle %s\n  queue  %s", what, w, g)
	}
}

// sameError fails if the errors are not of one class.
func (r *rig) sameError(what string, want, got error) {
	r.t.Helper()
	if want == nil && got != nil || want != nil && !errors.Is(got, want) {
		r.fail("%s: oracle %v, queue %v", what, want, got)
	}
}

// step does something at random.
func (r *rig) step() {
	rng, o := r.rng, r.oracle
	switch rng.IntN(28) {
	case 0, 1, 2, 3, 4, 5:
		r.submit()
	case 6, 7, 8, 9, 10, 11, 12:
		r.pass(r.sooner())
	case 13, 14:
		list := o.running()
		if len(list) > 0 {
			r.end(o.now+bookahead.Time(rng.IntN(2)*rng.IntN(3)), pick(rng, list...).ID)
		}
	case 15:
		list := o.running()
		if len(list) > 0 {
			r.requeue(o.now+bookahead.Time(rng.IntN(2)*rng.IntN(2)), pick(rng, list...).ID)
		}
	case 16:
		if len(o.jobs) > 0 {
			r.withdraw(pick(rng, o.jobs...).ID)
		}
	case 17, 18:
		r.change()
	case 19:
		r.book()
	case 20:
		r.close()
	case 21:
		r.around()
	case 22:
		r.wrong()
	case 23:
		r.passTwice()
	case 24:
		r.reread()
	case 25:
		r.charge()
	case 26:
		r.advance()
	case 27:
		if len(o.jobs) > 0 {
			r.postpone(pick(rng, o.jobs...).ID)
		}
	}
	r.check()
}

// sooner returns the time of the next pass: now, later, or when the queue asks for it.
func (r *rig) sooner() bookahead.Time {
	now := r.oracle.now
	next := r.queue.Next()
	switch {
	case r.rng.IntN(3) == 0:
		return now
	case r.rng.IntN(2) == 0 && next < now+20:
		return next
	}
	return now + bookahead.Time(r.rng.IntN(5))
}

// check compares all that a queue says without a pass.
func (r *rig) check() {
	o := r.oracle
	r.sameError("Verify", nil, r.queue.Verify())
	for _, j := range o.jobs {
		job, f, err := r.queue.Job(j.ID)
		r.sameError("Job "+string(j.ID), nil, err)
		after := []plan.ID{}
		for _, x := range j.waits {
			after = append(after, x.ID)
		}
		r.same("Job "+string(j.ID), after, append([]plan.ID{}, job.After...))
		r.same("Job "+string(j.ID), o.forecast(j), f)
		r.obeys(j, f)
	}
	for i, s := range r.yard.cells {
		want, got := []string{}, []string{}
		list := slices.Clone(o.firm)
		slices.SortFunc(list, func(a, b *booking) int { return int(a.id) - int(b.id) })
		for _, b := range list {
			if b.spot.part.on == i {
				want = append(want, line(b.id, b.spot.place(s)))
			}
		}
		got = append(got, booked(r.yard.real[i])...)
		r.same("reservations of "+s.name, want, got)
	}
	if !r.pending && r.rng.IntN(3) == 0 {
		list, err := r.queue.Forecasts(context.Background())
		r.sameError("Forecasts", nil, err)
		r.same("Forecasts", o.forecasts(), list)
	}
}

// booked returns the reservations of a schedule of the caller by ID, as text.
func booked(s plan.Schedule) (list []string) {
	all := bookahead.Interval{End: bookahead.MaxTime}
	text := map[bookahead.ID]string{}
	var ids []bookahead.ID
	add := func(id bookahead.ID, p plan.Place) {
		p.On = s.Name
		ids = append(ids, id)
		text[id] = line(id, p)
	}
	if s.Nodes != nil {
		for x := range s.Nodes.Reservations(all) {
			n := int64(0)
			for _, share := range x.Tasks {
				n += share.Tasks
			}
			add(x.ID, plan.Place{Interval: x.Interval, Units: n, Nodes: x.Tasks, Head: x.Head})
		}
	} else {
		for x := range s.Pool.(bookahead.Keeper).Reservations(all) {
			add(x.ID, plan.Place{Interval: x.Interval, Units: x.Units, Servers: x.Servers, Head: -1})
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		list = append(list, text[id])
	}
	return list
}

// line returns a place as text with all of its fields: its own String is that of the interval.
func line(id bookahead.ID, p plan.Place) string {
	return fmt.Sprint(id, p.On, p.Interval, p.Units, p.Servers, p.Nodes, p.Head)
}

// submit adds a job. It may come after others, which may not be there yet.
func (r *rig) submit() {
	r.jobs++
	j := r.yard.job(r.rng, plan.ID(fmt.Sprintf("%d", r.jobs)), r.oracle.now)
	r.after(&j)
	r.note("submit %s", text(j))
	r.sameError("Submit", nil, r.queue.Submit(j))
	r.oracle.enter(j, nil)
}

func (r *rig) after(j *plan.Job) {
	for r.rng.IntN(6) == 0 {
		id := plan.ID(fmt.Sprintf("%d", max(1, r.jobs-5+r.rng.IntN(7))))
		if id != j.ID {
			j.After = append(j.After, id)
		}
	}
}

func text(j plan.Job) string {
	s := fmt.Sprintf("%s by %s/%s, priority %d class %d", j.ID, j.Group, j.Owner, j.Priority, j.Class)
	if j.Preemptible {
		s += " preemptible"
	}
	s += fmt.Sprintf(", submitted %d not before %d after %v:", j.Submitted, j.NotBefore, j.After)
	for _, shape := range j.Shapes {
		s += " or"
		for _, p := range shape {
			s += fmt.Sprintf(" %d on %s for %d at %d %v", p.Units, p.On, p.Duration, p.Offset, p.Servers)
			if p.Pieces != nil {
				s += fmt.Sprintf(" in pieces %+v", *p.Pieces)
			}
			if p.Volume != nil {
				s += fmt.Sprintf(" as a volume of at least %d", p.Volume.Least)
			}
			if t := p.Tasks; t != nil {
				s += fmt.Sprintf(" of %v head %v per %d on %v not %v within %q", t.Each, t.Head, t.PerNode, t.Nodes, t.Except, t.Within)
			}
		}
	}
	return s
}

// pass compares a pass, and then starts what it has proposed, or some of it.
func (r *rig) pass(now bookahead.Time) {
	o := r.oracle
	for _, j := range o.running() { // most end when they should
		if j.end <= now && r.rng.IntN(4) > 0 && j.end >= o.now {
			r.end(max(o.now, j.end), j.ID)
		}
	}
	now = max(now, o.now)
	r.note("pass at %d", now)
	got, err := r.queue.Pass(context.Background(), now)
	r.sameError("Pass", nil, err)
	want := o.pass(now)
	r.pending = false
	r.results(want, got)
	r.check()
	r.laws(got)
	r.next()
	lazy := r.rng.IntN(4) == 0
	for _, s := range want.Starts {
		if lazy && r.rng.IntN(2) == 0 {
			continue // not taken
		}
		if r.rng.IntN(12) == 0 {
			r.postpone(s.Job) // its launch has failed
			continue
		}
		if len(s.Victims) > 0 && r.rng.IntN(3) == 0 {
			r.start(s.Job) // too early
		}
		for _, v := range s.Victims {
			if r.rng.IntN(4) == 0 {
				r.end(now, v)
			} else {
				r.requeue(now, v)
			}
		}
		r.start(s.Job)
	}
}

func (r *rig) results(want, got plan.Result) {
	r.t.Helper()
	r.same("changes", append([]plan.Change{}, want.Changes...), append([]plan.Change{}, got.Changes...))
	r.changes += len(got.Changes)
	r.same("starts", want.Starts, got.Starts)
	r.same("events", want.Events, got.Events)
	r.same("promises", append([]plan.Promise{}, want.Promises...), append([]plan.Promise{}, got.Promises...))
}

// next checks that no job can start before Next, tick by tick.
func (r *rig) next() {
	next := r.queue.Next()
	if next <= r.oracle.now {
		r.fail("Next is %d after a pass at %d", next, r.oracle.now)
	}
	if r.rng.IntN(6) > 0 || len(r.oracle.result.Starts) > 0 {
		return
	}
	for t := r.oracle.now + 1; t < min(next, r.oracle.now+12); t++ {
		result := r.oracle.clone().pass(t)
		if len(result.Starts)+len(result.Events)+len(result.Changes) > 0 {
			r.fail("Next is %d, but at %d: %+v", next, t, result)
		}
	}
}

func (r *rig) passTwice() {
	now := r.oracle.now
	one, err := r.queue.Pass(context.Background(), now)
	r.note("pass at %d, twice", now)
	r.sameError("Pass", nil, err)
	want := r.oracle.pass(now)
	r.pending = false
	before := r.bytes()
	two, err := r.queue.Pass(context.Background(), now)
	r.sameError("Pass", nil, err)
	r.same("bytes after the same pass again", before, r.bytes())
	r.laws(one)
	r.results(want, one)
	r.same("the same pass again", one, two)
}

func (r *rig) start(id plan.ID) {
	r.note("start %s", id)
	want, got := r.oracle.started(id), r.queue.Started(id)
	r.sameError("Started", want, got)
	r.pending = r.pending || want == bookahead.ErrUnavailable
}

func (r *rig) end(now bookahead.Time, id plan.ID) {
	r.note("end %s at %d", id, now)
	r.sameError("Ended", r.oracle.ended(now, id), r.queue.Ended(now, id))
}

func (r *rig) requeue(now bookahead.Time, id plan.ID) {
	r.note("requeue %s at %d", id, now)
	delete(r.kept, id)
	r.sameError("Requeue", r.oracle.requeue(now, id), r.queue.Requeue(now, id))
}

func (r *rig) withdraw(id plan.ID) {
	r.note("withdraw %s", id)
	want, err := r.oracle.withdraw(id)
	jobs, got := r.queue.Withdraw(id)
	r.sameError("Withdraw", err, got)
	var ids []plan.ID
	for _, j := range jobs {
		ids = append(ids, j.ID)
	}
	r.same("Withdraw", want, ids)
	r.pending = r.pending || r.oracle.stale
}
