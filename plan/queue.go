package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// Queue is jobs that wait for schedules, and that run on them. It is not safe for concurrent use.
type Queue struct {
	config Config
	names  map[string]int
	firm   world // the caller's schedules: running jobs, and what others have booked
	plan   world // the same with the promises, and with the starts that the last Pass has proposed

	now       bookahead.Time
	jobs      map[ID]*job
	seq       uint64              // of the last job that came in
	waiting   []*job              // Waiting, Promised and Starting, in turn
	placed    []*job              // those that are Promised or Starting
	postponed []*job              // those that have a time ahead
	asleep    *btree.BTreeG[*job] // Held only by NotBefore, by this time
	running   *btree.BTreeG[*job] // by end
	squeezed  bool                // whether a running job may hold units without a reservation
	kinds     map[string]*kind
	kin       map[string]*family
	single    [][]single // the kinds of one part that wait, by schedule, by units
	mixed     []*kind    // the kinds without a family that wait
	parted    int        // how many kinds have no family, of those that run too
	bent      int        // how many kinds bend
	lines     [][]*job   // memory for a contest
	key       []byte     // memory for a key
	shifted   int        // how many kinds have a part that starts later than its job
	inexact   bool       // whether a schedule is not exact
	used      usage

	age     uint64                           // counts how often something was given back in the plan
	given   bookahead.Interval               // covers what was given back since all jobs that could move have moved
	scan    scan                             // which jobs the next Pass looks at
	copies  map[reservationOf]bookahead.ID   // in the plan, of firm reservations that were booked since it was made
	enough  int                              // so many copies are kept before those that are over are forgotten
	known   map[closureOf]bookahead.Interval // closures that the plan was made with
	seen    []bookahead.ID                   // the last reservation on each schedule that it was made with
	edges   []bookahead.Time                 // when closures begin or end, and reservations of others end, ascending
	stale   bool                             // whether the plan is made anew from the caller's schedules, with the promises
	looked  bookahead.Time                   // when lose was called last; -1 if closures may have changed since
	done    bool                             // whether nothing has changed since the last Pass
	tight   bool                             // whether a job has got a place in this round that another, which bends, may have waited for
	found   uint64                           // of the last proposal
	fresh   []*job                           // have got a promise in this Pass
	last    Result
	events  []Event
	swapped []Change // in this Pass
	meter   effort.Meter
	fault   error // of a schedule, in a Pass
	plain   bool  // whether each Pass searches for all jobs anew, for comparison
}

// scan says which waiting jobs a Pass looks at.
type scan struct {
	all   bool
	fresh []*job // have come in since the last Pass
}

// reservationOf names a reservation of a schedule.
type reservationOf struct {
	on int
	id bookahead.ID
}

// closureOf names a closure of a schedule.
type closureOf struct {
	on int
	id bookahead.ClosureID
}

// State is where a job is in its life.
type State uint8

// The states of a job. Ended and withdrawn jobs are forgotten.
const (
	Held     State = iota + 1 // waits for its NotBefore, or for jobs that it comes after
	Waiting                   // may start, and has no promise
	Promised                  // has a place ahead
	Starting                  // was proposed by the last Pass, and is not Started
	Running
)

// String returns the state in a word.
func (s State) String() string {
	if s < Held || s > Running {
		return fmt.Sprintf("state %d", uint8(s))
	}
	return [...]string{"held", "waiting", "promised", "starting", "running"}[s-Held]
}

// job is a job of the queue.
type job struct {
	Job
	seq   uint64
	kind  *kind
	state State
	lost  bool // an Event has said so

	// The place of a job that is Promised, Starting or Running.
	form   int
	places []Place        // of each part, or of a part that bends in order
	ids    []bookahead.ID // in the plan
	start  bookahead.Time
	end    bookahead.Time

	promised bookahead.Time // the start that was promised; Never for none
	from     bookahead.Time // no start before, by Postpone
	firm     []bookahead.ID // on the caller's schedules, of a job that runs
	began    bookahead.Time // of a job that runs
	told     int            // the phase that the caller knows of a job that bends
	cost     int64          // units that are charged
	until    bookahead.Time // up to where they are charged
	halved   bookahead.Time // how often all use had been halved when they were charged last
	overran  bookahead.Time // when it was last booked on

	tried   uint64         // the age of the plan at which it had no place to move to, or to be promised
	triedAt bookahead.Time // and the time

	after   int    // how many jobs it waits for
	before  []*job // jobs that wait for it
	found   uint64 // counts its proposals among those of all jobs
	victims []*job // run, and are to give way to it
	heir    *job   // is to start in the place of this one, which runs
}

// New returns an empty queue. The error wraps bookahead.ErrInvalid. It takes a Clone of each schedule.
func New(c Config) (*Queue, error) {
	err := c.check()
	if err == nil {
		err = c.Order.check()
	}
	if err != nil {
		return nil, err
	}
	firm, err := newWorld(c.Schedules)
	if err != nil {
		return nil, err
	}
	c.Schedules = slices.Clone(c.Schedules)
	q := &Queue{
		config: c, names: map[string]int{}, firm: firm, plan: firm.Clone(),
		jobs: map[ID]*job{}, kinds: map[string]*kind{}, kin: map[string]*family{},
		asleep: btree.NewG(16, func(a, b *job) bool {
			return cmp.Or(cmp.Compare(a.NotBefore, b.NotBefore), cmp.Compare(a.seq, b.seq)) < 0
		}),
		running: btree.NewG(16, func(a, b *job) bool { return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.seq, b.seq)) < 0 }),
		used:    usage{groups: map[string]uint64{}, owners: map[string]uint64{}},
		copies:  map[reservationOf]bookahead.ID{}, single: make([][]single, len(firm)),
		age: 1, scan: scan{all: true}, looked: -1,
	}
	for i, s := range c.Schedules {
		q.names[s.Name] = i
		q.inexact = q.inexact || !firm[i].exact()
		q.now = max(q.now, firm[i].clock())
	}
	q.know()
	return q, nil
}

// Submit adds a job. The next Pass looks at it. The error wraps bookahead.ErrInvalid: also for an ID that the queue has. A
// job that asks for more than there is waits until there is more. O(log n) for n jobs, and O(n) to move those behind it.
func (q *Queue) Submit(j Job) error {
	if q.jobs[j.ID] != nil {
		return limits.Invalid("Job.ID", j.ID, "is in the queue")
	}
	err := q.check(&j)
	if err != nil {
		return err
	}
	q.seq++
	q.enter(&job{Job: j.clone(), seq: q.seq, promised: Never, overran: Never})
	return nil
}

// check returns an error that wraps bookahead.ErrInvalid if no schedule of the queue could take the job.
func (q *Queue) check(j *Job) error {
	err := j.check()
	if err != nil {
		return err
	}
	for i, s := range j.Shapes {
		f := form{Shape: s, length: s.length()}
		for k := range s {
			p := &s[k]
			field := func(name string) string { return fmt.Sprintf("Job.Shapes[%d][%d]%s", i, k, name) }
			on, ok := q.names[p.On]
			switch {
			case !ok:
				return limits.Invalid(field(".On"), p.On, "is no schedule of the queue")
			case q.firm[on].nodes != nil && p.Tasks == nil:
				return limits.Invalid(field(".Tasks"), p.Tasks, "is nil, but "+p.On+" has nodes")
			case q.firm[on].nodes == nil && p.Tasks != nil:
				return limits.Invalid(field(".Tasks"), p.Tasks.Each, "is not nil, but "+p.On+" has no nodes")
			case q.firm[on].nodes != nil && p.Volume != nil:
				return limits.Invalid(field(".Volume"), p.Volume.Least, "is not nil, but "+p.On+" has nodes")
			}
			f.on = append(f.on, on)
			_, err := q.firm[on].search(p, -1-bookahead.Time(p.Duration), -1) // always too late, so any other error is a fault
			if err != nil && err != bookahead.ErrUnavailable {
				return fmt.Errorf("plan: %s %w", field(""), err)
			}
		}
		if len(s) == 1 && !f.bends() {
			continue
		}
		_, err = q.firm.search(context.Background(), &f, -1-bookahead.Time(f.length), -1)
		if err != nil && err != bookahead.ErrUnavailable {
			return fmt.Errorf("plan: Job.Shapes[%d]: %w", i, err)
		}
	}
	return nil
}

// enter puts a new job, or one that has changed, into its place.
func (q *Queue) enter(j *job) {
	q.jobs[j.ID] = j
	j.kind = q.kindOf(j.Shapes)
	j.After = slices.DeleteFunc(j.After, func(id ID) bool { return q.jobs[id] == nil })
	j.after = len(j.After)
	for _, id := range j.After {
		other := q.jobs[id]
		other.before = append(other.before, j)
	}
	q.done = false
	q.line(j)
}

// rounded returns shapes whose durations are multiples of the resolution.
func (q *Queue) rounded(shapes []Shape) []Shape {
	step := q.config.Limits.Resolution
	if step <= 1 {
		return shapes
	}
	shapes = slices.Clone(shapes)
	for i, s := range shapes {
		shapes[i] = slices.Clone(s)
		for k := range s {
			shapes[i][k].Duration = roundUp(s[k].Duration, step)
		}
	}
	return shapes
}

// kindOf returns the kind of jobs with some shapes.
func (q *Queue) kindOf(shapes []Shape) *kind {
	shapes = q.rounded(shapes)
	key, n := q.keyOf(shapes)
	k := q.kinds[string(key)]
	if k != nil {
		k.jobs++
		return k
	}
	k = &kind{key: string(key), forms: make([]form, len(shapes)), jobs: 1}
	q.kinds[k.key] = k
	k.shifts = slices.ContainsFunc(shapes, Shape.shifts)
	if k.shifts {
		q.shifted++
	}
	for i, s := range shapes {
		f := &k.forms[i]
		f.Shape, f.length, f.on = s, s.length(), make([]int, 0, len(s))
		for _, p := range s {
			on := q.names[p.On]
			f.on = append(f.on, on)
			f.steps += q.plan[on].steps
			k.slides = k.slides || len(shapes) > 1 && q.plan[on].frame().Horizon < bookahead.MaxTime
		}
		k.bends = k.bends || f.bends()
		if f.Shape[0].patience() > 0 {
			f.steps *= 2 // it is searched for twice
		}
	}
	if k.bends {
		q.bent++
	}
	if len(shapes) != 1 || len(shapes[0]) != 1 || k.bends || shapes[0][0].patience() > 0 {
		q.parted++
		return k
	}
	alike := k.key[:n]
	if q.kin[alike] == nil {
		q.kin[alike] = &family{key: alike}
	}
	k.like, k.want = q.kin[alike], ask{shapes[0][0].Units, shapes[0][0].Duration}
	k.like.kinds++
	return k
}

// roundUp returns the first multiple of step that is d or more; d itself if that would overflow.
func roundUp(d, step bookahead.Duration) bookahead.Duration {
	if rest := d % step; rest > 0 && d <= bookahead.Duration(bookahead.MaxTime)-step {
		return d - rest + step
	}
	return d
}

// leave forgets a job.
func (q *Queue) leave(j *job) {
	delete(q.jobs, j.ID)
	q.forgetKind(j.kind)
	for _, id := range j.After {
		if other := q.jobs[id]; other != nil {
			other.before = slices.DeleteFunc(other.before, func(x *job) bool { return x == j })
		}
	}
	q.done = false
}

func (q *Queue) forgetKind(k *kind) {
	k.jobs--
	if k.jobs > 0 {
		return
	}
	delete(q.kinds, k.key)
	if k.shifts {
		q.shifted--
	}
	if k.bends {
		q.bent--
	}
	if k.like == nil {
		q.parted--
		return
	}
	k.like.kinds--
	if k.like.kinds == 0 {
		delete(q.kin, k.like.key)
	}
}

// giveBack gives the place of a job in the plan back.
func (q *Queue) giveBack(j *job) {
	if j.ids == nil {
		return
	}
	f := &j.kind.forms[j.form]
	q.fail(q.plan.release(f, j.ids))
	j.ids = nil
	q.gain(f, j.places)
}

// gain notes that the places of a form were given back in the plan.
func (q *Queue) gain(f *form, at []Place) {
	for i := range at {
		on, _ := f.of(i)
		q.gainOn(on, at[i].Interval, &at[i])
	}
}

// gainOn notes that something was given back on a schedule of the plan, at a place if that is known.
func (q *Queue) gainOn(on int, w bookahead.Interval, at *Place) {
	w.Start = max(w.Start, q.now)
	if w.Empty() {
		return
	}
	q.age++
	q.given = cover(q.given, w)
	q.plan[on].gave(at)
	q.scan.all, q.done = true, false
	for _, k := range q.single[on] {
		if k.bound > q.now { // of the others nothing is known
			k.reopen(w)
		}
	}
}

// cover returns the least interval that contains both.
func cover(a, b bookahead.Interval) bookahead.Interval {
	switch {
	case a.Empty():
		return b
	case b.Empty():
		return a
	}
	return bookahead.Interval{Start: min(a.Start, b.Start), End: max(a.End, b.End)}
}

// fail notes the first fault of a schedule; nil is none.
func (q *Queue) fail(err error) {
	if q.fault == nil {
		q.fault = err
	}
}

// take books a place in the plan.
func (q *Queue) take(j *job, form int, at []Place) error {
	ids, err := q.plan.reserve(&j.kind.forms[form], at)
	if err != nil {
		return err
	}
	w := span(at)
	j.form, j.places, j.ids, j.start, j.end = form, at, ids, w.Start, w.End
	return nil
}

// taken notes that a job has got a place. Where the best place of one that bends was there, it may have another now that starts
// earlier, though less is free: so what is known of places is looked at again.
func (q *Queue) taken() {
	if q.bent > 0 {
		q.age++
		q.tight = true
	}
}

// Now returns the time of the queue, which is that of the last Pass, or of the last call of Ended or Requeue.
func (q *Queue) Now() bookahead.Time { return q.now }

// Changed says that others have changed a schedule of the queue: booked or released something, or closed or opened units,
// servers or nodes. The next Pass makes the plan anew around what it finds, with every promise in its place, unless
// something is in the way.
func (q *Queue) Changed() { q.stale, q.done = true, false }
