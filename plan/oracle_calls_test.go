package plan_test

import (
	"context"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// change replaces a job by one that differs in little, or in all.
func (r *rig) change() {
	o := r.oracle
	if len(o.jobs) == 0 {
		return
	}
	old := pick(r.rng, o.jobs...)
	to := r.yard.job(r.rng, old.ID, o.now)
	switch r.rng.IntN(4) {
	case 0:
		to.Shapes, to.After, to.NotBefore = old.Shapes, old.After, old.NotBefore
	case 1:
		to = old.Job
		to.Priority = int64(r.rng.IntN(3))
		to.NotBefore = o.now + bookahead.Time(r.rng.IntN(6))
	default:
		r.after(&to)
	}
	r.note("change to %s", text(to))
	delete(r.kept, to.ID)
	r.sameError("Change", o.change(to), r.queue.Change(to))
	r.pending = r.pending || o.stale
}

// around books a firm reservation around the promises.
func (r *rig) around() {
	o := r.oracle
	if r.pending {
		return
	}
	part := r.yard.shape(r.rng)[0]
	part.Offset = 0
	from := o.now + bookahead.Time(r.rng.IntN(10))
	deadline := bookahead.Time(0)
	if r.rng.IntN(2) == 0 {
		deadline = from + bookahead.Time(part.Duration) + bookahead.Time(r.rng.IntN(6))
	}
	r.note("reserve %s from %d by %d", text(plan.Job{Shapes: []plan.Shape{{part}}}), from, deadline)
	resolution := o.config.Limits.Resolution
	o.config.Limits.Resolution = 0
	c := o.chunk(part)
	o.config.Limits.Resolution = resolution
	at := o.plan().earliest([]*chunk{c}, from)
	place, err := r.queue.Search(part, from, deadline)
	id, booked, again := r.queue.Reserve(part, from, deadline)
	if at == nil || deadline != 0 && at[0].end > deadline {
		r.sameError("Search", bookahead.ErrUnavailable, err)
		r.sameError("Reserve", bookahead.ErrUnavailable, again)
		return
	}
	r.sameError("Search", nil, err)
	r.same("Search", at[0].place(o.cells[c.on]), place)
	if !o.caller()[c.on].has(at[0]) { // the place of a job that is to give way
		r.sameError("Reserve", bookahead.ErrUnavailable, again)
		return
	}
	r.sameError("Reserve", nil, again)
	b := o.reserve(at[0], nil)
	o.known[known{on: c.on, booked: b.id}] = bookahead.Interval{}
	o.quiet = false
	r.same("Reserve", line(b.id, at[0].place(o.cells[c.on])), line(id, booked))
}

// book books or releases on a schedule of the caller, whatever is promised there.
func (r *rig) book() {
	o := r.oracle
	var others []*booking
	for _, b := range o.firm {
		if b.job == nil {
			others = append(others, b)
		}
	}
	if len(others) > 0 && r.rng.IntN(2) == 0 {
		b := pick(r.rng, others...)
		on := b.spot.part.on
		if r.rng.IntN(2) == 0 {
			r.note("release %d of %s by the queue", b.id, o.cells[on].name)
			o.release(b)
			o.quiet = false
			require.NoError(r.t, r.queue.Release(o.cells[on].name, b.id))
			return
		}
		r.note("release %d of %s", b.id, o.cells[on].name)
		o.release(b)
		require.NoError(r.t, release(r.yard.real[on], b.id))
	} else if !r.bookAt() {
		return
	}
	r.changed()
}

// changed tells the queue that a schedule has changed, perhaps later.
func (r *rig) changed() {
	r.note("changed")
	r.queue.Changed()
	r.oracle.stale, r.oracle.quiet, r.pending = true, false, true
}

func release(s plan.Schedule, id bookahead.ID) error {
	if s.Nodes != nil {
		return s.Nodes.Release(id)
	}
	return s.Pool.Release(id)
}

func (r *rig) bookAt() bool {
	o := r.oracle
	part := r.yard.shape(r.rng)[0]
	part.Offset = 0
	resolution := o.config.Limits.Resolution
	o.config.Limits.Resolution = 0
	c := o.chunk(part)
	o.config.Limits.Resolution = resolution
	at := o.caller().earliest([]*chunk{c}, o.now+bookahead.Time(r.rng.IntN(12)))
	if at == nil {
		return false
	}
	b := o.reserve(at[0], nil)
	x := at[0].place(o.cells[c.on])
	r.note("book %s", line(b.id, x))
	s := r.yard.real[c.on]
	var id bookahead.ID
	if s.Nodes != nil {
		res, err := s.Nodes.ReserveOffer(nodes.Offer{Interval: x.Interval, Tasks: x.Nodes, Head: x.Head}, *part.Tasks)
		require.NoError(r.t, err)
		id = res.ID
	} else {
		q := bookahead.At(x.Start, x.Len(), x.Units)
		q.Servers = x.Servers
		res, err := s.Pool.Reserve(q)
		require.NoError(r.t, err)
		id = res.ID
	}
	r.same("the ID of a reservation", b.id, id)
	return true
}

// close closes units, servers or nodes, or opens them again.
func (r *rig) close() {
	on := r.rng.IntN(len(r.yard.cells))
	s := r.yard.cells[on]
	real := r.yard.real[on]
	s.shut = slices.DeleteFunc(s.shut, func(c bookahead.Closure) bool { return c.End <= r.oracle.now })
	if len(s.shut) > 0 && r.rng.IntN(2) == 0 {
		i := r.rng.IntN(len(s.shut))
		c := &s.shut[i]
		at := min(c.End, r.oracle.now+bookahead.Time(r.rng.IntN(4)))
		r.note("end closure %d of %s at %d", c.ID, s.name, at)
		var err error
		if real.Nodes != nil {
			err = real.Nodes.EndClosure(c.ID, at)
		} else {
			err = real.Pool.(bookahead.Closable).End(c.ID, at)
		}
		require.NoError(r.t, err)
		c.End = at
		if c.End <= max(c.Start, r.oracle.now) {
			s.shut = slices.Delete(s.shut, i, i+1)
		}
	} else {
		r.shut(on)
	}
	r.changed()
}

func (r *rig) shut(on int) {
	s, real := r.yard.cells[on], r.yard.real[on]
	start := r.oracle.now + bookahead.Time(r.rng.IntN(8))
	c := bookahead.Closure{Interval: bookahead.Interval{Start: start, End: start + 1 + bookahead.Time(r.rng.IntN(10))}}
	if s.kind == pool {
		c.Units = int64(1 + r.rng.IntN(3))
	} else {
		c.Servers = []int{r.rng.IntN(len(s.given))}
	}
	var err error
	if real.Nodes != nil {
		c, err = real.Nodes.Close(c)
	} else {
		c, err = real.Pool.(bookahead.Closable).Close(c)
	}
	require.NoError(r.t, err)
	r.note("close %v of %s", c, s.name)
	s.shut = append(s.shut, c)
}

// wrong makes calls that must be refused, and change nothing.
func (r *rig) wrong() {
	o, q := r.oracle, r.queue
	job := r.yard.job(r.rng, "x", o.now)
	id := plan.ID("nobody")
	now := o.now + 3
	want := bookahead.ErrNotFound
	if len(o.jobs) > 0 && r.rng.IntN(2) == 0 {
		j := pick(r.rng, o.jobs...)
		id, want = j.ID, bookahead.ErrInvalid
		if j.state == plan.Running {
			now = o.now - 1
		}
	}
	r.note("wrong calls of %s", id)
	before := r.bytes()
	_, err := q.Pass(context.Background(), o.now-1)
	r.sameError("Pass", bookahead.ErrInvalid, err)
	r.sameError("Ended", want, q.Ended(now, id))
	r.sameError("Requeue", want, q.Requeue(now, id))
	if j := o.find(id); j == nil || j.state != plan.Starting {
		r.sameError("Started", want, q.Started(id))
	}
	if want == bookahead.ErrInvalid {
		job.ID = id
		r.sameError("Submit", want, q.Submit(job))
	}
	job.ID = id
	job.Shapes[0][0].Duration = 0
	r.sameError("Change", want, q.Change(job))
	job.ID = "y"
	r.sameError("Submit", bookahead.ErrInvalid, q.Submit(job))
	_, _, err = q.Reserve(job.Shapes[0][0], o.now, 0)
	r.sameError("Reserve", bookahead.ErrInvalid, err)
	r.sameError("Release", bookahead.ErrInvalid, q.Release("nowhere", 1))
	r.sameError("Release", bookahead.ErrNotFound, q.Release(o.cells[0].name, 1<<20))
	for _, j := range o.running() {
		if b := j.firm[0]; b != nil && b.spot.end > o.now {
			r.sameError("Release", bookahead.ErrInvalid, q.Release(o.cells[b.spot.part.on].name, b.id))
		}
	}
	r.same("bytes after wrong calls", before, r.bytes())
}

// operations returns how many operations the tests draw: a tenth of those of a structure, and 2 500 at least.
func operations() int { return max(2_500, depth.Operations()/10) }

// firstSeed returns PLAN_SEED; 0 if it is not set.
func firstSeed(t *testing.T) uint64 {
	s := os.Getenv("PLAN_SEED")
	if s == "" {
		return 0
	}
	n, err := strconv.ParseUint(s, 10, 64)
	require.NoError(t, err)
	return n
}

// TestOracle compares queues with the oracle in random histories.
func TestOracle(t *testing.T) {
	done := 0
	for seed := firstSeed(t); done < operations(); seed++ {
		r := newRig(t, seed)
		for r.events < 120 && r.oracle.now < 250 {
			r.step()
		}
		done += r.events
	}
	t.Log(done, "operations")
}

// advance moves the clocks, and no more.
func (r *rig) advance() {
	now := r.oracle.now + bookahead.Time(r.rng.IntN(3))
	r.note("advance to %d", now)
	r.oracle.advance(now)
	require.NoError(r.t, r.queue.Advance(now))
}

// charge charges an owner for something else, or takes it off.
func (r *rig) charge() {
	o := r.oracle
	owner, group := pick(r.rng, "ann", "bob", "cy"), pick(r.rng, "", "g", "h")
	n, d := int64(1+r.rng.IntN(3)), bookahead.Duration(r.rng.IntN(20)-8)
	r.note("charge %s/%s %d for %d", group, owner, n, d)
	o.groups[group] = max(0, o.groups[group]+n*int64(d))
	o.owners[owner] = max(0, o.owners[owner]+n*int64(d))
	o.quiet = false
	require.NoError(r.t, r.queue.Charge(owner, group, n, d))
}

// reread goes on with the queue that was written and read again.
func (r *rig) reread() {
	r.note("write and read")
	data, err := r.queue.Snapshot()
	r.sameError("Snapshot", nil, err)
	q, err := plan.Read(r.oracle.config, data)
	r.sameError("Read", nil, err)
	again, err := q.Snapshot()
	r.sameError("Snapshot", nil, err)
	r.same("the bytes of what was read", data, again)
	r.queue = q
	r.oracle.quiet = false
}

// postpone says that a job cannot start before some time, perhaps one that is over.
func (r *rig) postpone(id plan.ID) {
	until := pick(r.rng, 0, r.oracle.now, bookahead.MaxTime, r.oracle.now+1+bookahead.Time(r.rng.IntN(12)), r.oracle.now+bookahead.Time(r.rng.IntN(4)))
	r.note("postpone %s until %d", id, until)
	delete(r.kept, id)
	r.sameError("Postpone", r.oracle.postpone(id, until), r.queue.Postpone(id, until))
	r.pending = r.pending || r.oracle.stale
}
