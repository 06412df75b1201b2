package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// kindOfQueue is the kind of a snapshot.
const kindOfQueue = "plan.Queue"

// Snapshot returns the state of the queue as bytes: its jobs, places, promises, and what was used, without the Config and
// the schedules, which have snapshots of their own. The same state has the same bytes. O(n) for n jobs.
func (q *Queue) Snapshot() ([]byte, error) {
	body, err := code.Append(nil, q.code)
	if err != nil {
		return nil, err
	}
	w := snapshot.Begin(kindOfQueue)
	w.Bytes(body)
	return w.End()
}

// Read returns the queue that Snapshot has written, on schedules that are in the state that they were in then, and with the
// orders, limits and names that it had. Events and Changes that the last Pass has told are not told again. The error wraps
// bookahead.ErrInvalid if the bytes are damaged, or do not agree with the schedules. It takes a Clone of each schedule, and a
// booking for each promise.
func Read(c Config, data []byte) (*Queue, error) {
	q, err := New(c)
	if err != nil {
		return nil, err
	}
	r := snapshot.Open(data, kindOfQueue)
	body := r.Bytes("queue")
	err = r.Close()
	if err == nil {
		err = code.Read("plan.Queue", body, q.code)
	}
	if err == nil {
		err = q.Verify()
	}
	if err != nil {
		return nil, err
	}
	return q, nil
}

// Clone returns a copy of the queue on copies of its schedules, which Config returns, to try something out. O(n) for n jobs.
func (q *Queue) Clone() (*Queue, error) {
	data, err := q.Snapshot()
	if err != nil {
		return nil, err
	}
	c := q.config
	c.Schedules = slices.Clone(c.Schedules)
	for i, m := range q.firm.Clone() {
		c.Schedules[i].Pool, c.Schedules[i].Nodes = m.pool, m.nodes
	}
	return Read(c, data)
}

// Config returns the settings of the queue, with its schedules.
func (q *Queue) Config() Config {
	c := q.config
	c.Schedules = slices.Clone(c.Schedules)
	return c
}

func (q *Queue) code(x *code.Coder) {
	code.Number(x, "now", &q.now)
	code.Counter(x, "jobs that have come in", &q.seq)
	code.Flag(x, "stale", &q.stale)
	code.Uint(x, "found", &q.found, 1<<64-1)
	code.Span(x, &q.given)
	code.Number(x, "halved", &q.used.halved)
	codeUsage(x, "groups", &q.used.groups)
	codeUsage(x, "owners", &q.used.owners)
	q.codeKnown(x)
	list := q.all()
	code.List(x, "jobs", &list, func(j **job, x *code.Coder) {
		if x.Reads() {
			*j = &job{}
		}
		(*j).code(x)
	})
	if x.Reads() && x.OK() {
		q.squeezed = true
		for on := range q.plan {
			q.plan[on].gave(nil)
		}
		x.Check(q.restore(list))
	}
}

// all returns the jobs as they came in.
func (q *Queue) all() []*job {
	list := make([]*job, 0, len(q.jobs))
	for _, j := range q.jobs {
		list = append(list, j)
	}
	slices.SortFunc(list, func(a, b *job) int { return cmp.Compare(a.seq, b.seq) })
	return list
}

func (j *job) code(x *code.Coder) {
	j.Job.code(x)
	code.Counter(x, "number", &j.seq)
	code.Uint(x, "state", &j.state, uint64(Running))
	code.NumberFrom(x, "promised start", &j.promised, Never)
	code.Number(x, "postponed", &j.from)
	code.NumberFrom(x, "overran", &j.overran, Never)
	code.Number(x, "cost", &j.cost)
	code.Number(x, "until", &j.until)
	code.Number(x, "halved", &j.halved)
	if j.state < Promised {
		return
	}
	code.Number(x, "shape", &j.form)
	code.List(x, "places", &j.places, (*Place).code)
	code.Number(x, "start", &j.start)
	code.NumberFrom(x, "end", &j.end, j.start)
	code.Number(x, "began", &j.began)
	code.NumberFrom(x, "told", &j.told, -1)
	code.Flag(x, "lost", &j.lost)
	code.Uint(x, "found", &j.found, 1<<64-1)
	code.Counters(x, "reservations", &j.firm)
	var gone []uint64
	for _, v := range j.victims {
		gone = append(gone, v.seq)
	}
	code.Counters(x, "victims", &gone)
	if x.Reads() {
		for _, seq := range gone {
			j.victims = append(j.victims, &job{seq: seq})
		}
	}
}

// codeKnown codes what the plan was made with.
func (q *Queue) codeKnown(x *code.Coder) {
	known := slices.SortedFunc(maps.Keys(q.known), func(a, b closureOf) int { return cmp.Or(cmp.Compare(a.on, b.on), cmp.Compare(a.id, b.id)) })
	if x.Reads() {
		known, q.seen, q.known = nil, nil, map[closureOf]bookahead.Interval{}
	}
	code.List(x, "closures", &known, func(c *closureOf, x *code.Coder) {
		code.Number(x, "schedule", &c.on)
		code.Counter(x, "closure", &c.id)
		w := q.known[*c]
		code.Span(x, &w)
		if x.Reads() && x.OK() {
			q.known[*c] = w
		}
	})
	code.Counters(x, "seen", &q.seen)
	around := slices.SortedFunc(maps.Keys(q.copies), func(a, b reservationOf) int { return cmp.Or(cmp.Compare(a.on, b.on), cmp.Compare(a.id, b.id)) })
	code.List(x, "around", &around, func(r *reservationOf, x *code.Coder) {
		code.Number(x, "schedule", &r.on)
		code.Counter(x, "reservation", &r.id)
		if x.Reads() && x.OK() {
			q.copies[*r] = r.id // in a new plan
		}
	})
}

// used is what somebody has used.
type used struct {
	who string
	n   uint64
}

func codeUsage(x *code.Coder, name string, of *map[string]uint64) {
	var list []used
	for who, n := range *of {
		list = append(list, used{who, n})
	}
	slices.SortFunc(list, func(a, b used) int { return cmp.Compare(a.who, b.who) })
	code.List(x, name, &list, func(u *used, x *code.Coder) {
		x.Text("name", &u.who)
		code.Uint(x, "use", &u.n, 1<<64-1)
	})
	if !x.Reads() {
		return
	}
	for i, u := range list {
		if u.n == 0 || i > 0 && u.who <= list[i-1].who {
			x.Fail(name, u.who, "is out of order, or has used nothing")
		}
		(*of)[u.who] = u.n
	}
}

// restore puts jobs that were read into their places.
func (q *Queue) restore(list []*job) error {
	bySeq := map[uint64]*job{}
	for i, j := range list {
		err := q.check(&j.Job)
		switch {
		case err != nil:
			return err
		case q.jobs[j.ID] != nil:
			return limits.Invalid("Job.ID", j.ID, "is in the queue twice")
		case j.seq == 0 || j.seq > q.seq || i > 0 && j.seq <= list[i-1].seq:
			return limits.Invalid("number", j.seq, "is out of order")
		case j.state < Held:
			return limits.Invalid("state", j.state, "is none")
		}
		q.jobs[j.ID], bySeq[j.seq] = j, j
		j.kind = q.kindOf(j.Shapes)
		err = q.checkPlaces(j)
		if err != nil {
			return err
		}
	}
	for _, j := range list {
		for _, id := range j.After {
			if other := q.jobs[id]; other != nil {
				other.before = append(other.before, j)
				j.after++
			}
		}
		if j.after > 0 && j.state != Held {
			return limits.Invalid("Job.After", j.After, "have not ended, and the job is "+j.state.String())
		}
		for i, v := range j.victims {
			v = bySeq[v.seq]
			if v == nil || v.state != Running || v.heir != nil || j.state != Starting {
				return limits.Invalid("victims", j.victims[i].seq, "gives way to nobody")
			}
			j.victims[i], v.heir = v, j
		}
	}
	err := q.checkLine(list)
	if err != nil {
		return err
	}
	return q.rebook(list)
}

// checkLine checks the time of the queue, and that each job that is held will be in the line.
func (q *Queue) checkLine(list []*job) error {
	if q.now < 0 || q.now == bookahead.MaxTime {
		return limits.Invalid("now", q.now, "is no time of a queue")
	}
	for i := range q.firm {
		at, known := q.firm[i].tells()
		if known && at < q.now {
			return limits.Invalid("now", q.now, fmt.Sprintf("is after the clock of %s, %d", q.firm[i].name, at))
		}
	}
	waits := 0
	for _, j := range list {
		if j.state == Held {
			waits++
		}
	}
	if in := len(q.held()); in < waits {
		return limits.Invalid("Job.After", waits-in, "jobs come after themselves")
	}
	return nil
}

// checkPlaces checks the place of a job against its shape and the schedules.
func (q *Queue) checkPlaces(j *job) error {
	if j.state < Promised {
		return nil
	}
	if j.form < 0 || j.form >= len(j.kind.forms) {
		return limits.Invalid("shape", j.form, "is none of the job's")
	}
	f := &j.kind.forms[j.form]
	if len(j.places) == 0 || !f.bends() && len(j.places) != len(f.Shape) || j.state == Running && len(j.firm) != len(j.places) {
		return limits.Invalid("places", len(j.places), "are not one for each part")
	}
	if j.state == Running && (j.told < -1 || j.told >= 2*len(j.places)) {
		return limits.Invalid("told", j.told, "is none of the job's places")
	}
	if j.state == Running && f.bends() && j.places[0].Start > q.now {
		return limits.Invalid("place", j.places[0].Interval, "has not begun, and the job runs")
	}
	if f.bends() && j.overran == Never {
		err := f.Shape[0].obeys(j.places)
		if err != nil {
			return err
		}
	}
	for i := range j.places {
		p := &j.places[i]
		on, part := f.of(i)
		if p.Empty() || p.Start < 0 || p.End > j.end || p.On != part.On || p.Units < 1 || p.Units != part.Units && part.Volume == nil {
			return limits.Invalid("place", p.Interval, "is not of its part")
		}
		if j.state == Running && p.End > q.now && j.firm[i] != 0 && !q.firm[on].holds(j.firm[i], p) {
			return limits.Invalid("reservation", j.firm[i], fmt.Sprintf("of job %q is not as %s has it", j.ID, p.On))
		}
	}
	if j.start > j.end || j.state == Starting && j.start != q.now && j.start > q.now {
		return limits.Invalid("start", j.start, "is not now")
	}
	return nil
}

// rebook makes the plan of jobs that were read.
func (q *Queue) rebook(list []*job) error {
	for _, j := range list {
		if j.state == Running {
			j.ids = slices.Clone(j.firm)
			q.running.ReplaceOrInsert(j)
			for i := range j.places { // they are no edges of others
				k, booked := slices.BinarySearch(q.edges, j.places[i].End)
				if booked && j.firm[i] != 0 {
					q.edges = slices.Delete(q.edges, k, k+1)
				}
			}
		}
		if j.heir != nil {
			err := q.plan.release(&j.kind.forms[j.form], j.ids)
			if err != nil {
				return err
			}
			j.ids = nil
		}
	}
	for _, j := range list {
		if j.from > q.now && j.state != Running {
			q.postponed = append(q.postponed, j)
		}
		switch j.state {
		case Held:
			if j.after == 0 {
				q.asleep.ReplaceOrInsert(j)
			}
			continue
		case Running:
			continue
		}
		q.stand(j)
		if j.state >= Promised {
			q.placed = append(q.placed, j)
			q.keep(j)
		}
	}
	if len(q.seen) != len(q.firm) {
		return limits.Invalid("seen", len(q.seen), "is not one for each schedule")
	}
	return nil
}

// keep books the place of a job that was read in the plan, as far as it lies ahead: a proposal may be from before now.
func (q *Queue) keep(j *job) {
	f := &j.kind.forms[j.form]
	j.ids = make([]bookahead.ID, len(j.places))
	for i, p := range j.places {
		p.Start = max(p.Start, q.now)
		if p.Empty() {
			continue
		}
		on, part := f.of(i)
		id, err := q.plan[on].reserve(&p, part)
		if err != nil {
			q.stale = true // others have booked there: the next Pass makes the plan anew
			continue
		}
		j.ids[i] = id
	}
}
