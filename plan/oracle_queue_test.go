package plan_test

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/plan"
)

// oracle is a queue that does what the package comment says, from nothing each time.
type oracle struct {
	cells  []*cells // without what is booked
	config plan.Config
	rules  rules
	now    bookahead.Time
	jobs   []*task // in no order
	firm   []*booking
	last   []bookahead.ID // of each schedule
	seq    int
	found  int // how many proposals were made

	groups, owners map[string]int64 // use
	halvings       bookahead.Time

	laid    bool // a job has got a place in this round
	moved   int  // how often the rest of a running job has moved
	evaded  int  // of these, because of an outage
	yielded int  // how many jobs have started in the units of volumes
	stale   bool
	quiet   bool // nothing has changed since the last pass
	result  plan.Result
	given   []*task                      // have got a promise in this pass
	known   map[known]bookahead.Interval // closures that the plan was made with, and others' reservations
}

// rules is an order and a backfill as the oracle sees them.
type rules struct {
	compare  func(o *oracle, a, b *task) int
	moves    bool // the turns change with use
	half     bookahead.Time
	shares   map[string]int64
	promises int
	overtake bool
}

// known names a closure or a reservation of a schedule.
type known struct {
	on      int
	closure bookahead.ClosureID
	booked  bookahead.ID
}

// booking is a reservation on a schedule of the caller. Its job is nil if others have booked it.
type booking struct {
	id   bookahead.ID
	spot spot
	job  *task
}

// task is a job.
type task struct {
	plan.Job
	seq    int
	shapes [][]*chunk
	state  plan.State
	waits  []*task // have not ended

	form       int
	spots      []spot // nil without a place
	start, end bookahead.Time
	promised   bookahead.Time
	from       bookahead.Time // was postponed until then
	found      int

	firm     []*booking // of each part, nil if it is not booked
	began    bookahead.Time
	told     int // the phase of a job that bends that was told last
	cost     int64
	until    bookahead.Time
	halvings bookahead.Time // when it was charged last
	overran  bookahead.Time
	lost     bool

	victims []*task
	heir    *task
}

func (o *oracle) find(id plan.ID) *task {
	for _, j := range o.jobs {
		if j.ID == id {
			return j
		}
	}
	return nil
}

// enter takes a job in, in place of old if that is not nil.
func (o *oracle) enter(job plan.Job, old *task) *task {
	j := &task{Job: job, promised: plan.Never, overran: plan.Never}
	o.seq++
	j.seq = o.seq
	if old != nil {
		o.seq--
		j.seq, j.from = old.seq, old.from
		o.jobs = slices.DeleteFunc(o.jobs, func(x *task) bool { return x == old })
		for _, x := range o.jobs {
			for i := range x.waits {
				if x.waits[i] == old {
					x.waits[i] = j
				}
			}
		}
	}
	for _, s := range job.Shapes {
		var shape []*chunk
		for i := range s {
			shape = append(shape, o.chunk(s[i]))
		}
		j.shapes = append(j.shapes, shape)
	}
	for _, id := range job.After {
		if x := o.find(id); x != nil {
			j.waits = append(j.waits, x)
		}
	}
	o.jobs = append(o.jobs, j)
	o.quiet = false
	o.queueUp(j)
	return j
}

// chunk returns a part with its estimate in steps of the resolution.
func (o *oracle) chunk(p plan.Part) *chunk {
	c := &chunk{units: p.Units, length: bookahead.Time(p.Duration), wait: bookahead.Time(p.Offset), each: []int64{1}}
	step := bookahead.Time(o.config.Limits.Resolution)
	for step > 0 && c.length%step > 0 {
		c.length++
	}
	for i, s := range o.cells {
		if s.name == p.On {
			c.on = i
		}
	}
	if p.Pieces != nil || p.Volume != nil {
		part := p
		part.Duration = bookahead.Duration(c.length)
		c.bends = &part
	}
	if p.Servers != nil {
		c.allowed = func(k int) bool { return slices.Contains(p.Servers, k) }
	}
	if t := p.Tasks; t != nil {
		c.each, c.head, c.perNode, c.rack, c.alone = t.Each, t.Head, t.PerNode, t.Within != "", t.Exclusive
		c.allowed = func(k int) bool {
			return (t.Nodes == nil || slices.Contains(t.Nodes, k)) && !slices.Contains(t.Except, k)
		}
	}
	return c
}

// queueUp has a job wait without a place, or hold.
func (o *oracle) queueUp(j *task) {
	j.spots, j.state = nil, plan.Waiting
	if len(j.waits) > 0 || j.NotBefore > o.now {
		j.state = plan.Held
	}
}

// advance moves the clock. Reservations that are over are gone.
func (o *oracle) advance(now bookahead.Time) {
	if now == o.now {
		return
	}
	o.quiet = false
	o.firm = slices.DeleteFunc(o.firm, func(b *booking) bool { return b.spot.end <= now })
	for t := o.now + 1; t <= now; t++ {
		if o.rules.half > 0 && t%o.rules.half == 0 {
			o.halvings++
			for _, m := range []map[string]int64{o.groups, o.owners} {
				for who := range m {
					m[who] /= 2
				}
			}
		}
	}
	o.now = now
}

// caller returns the schedules of the caller.
func (o *oracle) caller() (c cluster) {
	for _, s := range o.cells {
		c = append(c, s.empty(o.now))
	}
	for _, b := range o.firm {
		c[b.spot.part.on].book(b.spot, 1)
	}
	return c
}

// plan returns the schedules with the places of the queue, and without jobs that give way.
func (o *oracle) plan() cluster {
	c := o.caller()
	for _, b := range o.firm {
		if b.job != nil && b.job.heir != nil {
			c[b.spot.part.on].book(b.spot, -1)
		}
	}
	for _, j := range o.jobs {
		if j.state == plan.Promised || j.state == plan.Starting {
			c.book(j.spots, 1)
		}
	}
	return c
}

// reserve books a place on the caller's schedule.
func (o *oracle) reserve(x spot, j *task) *booking {
	o.last[x.part.on]++
	b := &booking{o.last[x.part.on], x, j}
	o.firm = append(o.firm, b)
	return b
}

func (o *oracle) release(b *booking) {
	o.firm = slices.DeleteFunc(o.firm, func(x *booking) bool { return x == b })
}

// turn compares two jobs of the line.
func (o *oracle) turn(a, b *task) int {
	return cmp.Or(o.rules.compare(o, a, b), cmp.Compare(a.Submitted, b.Submitted), cmp.Compare(a.seq, b.seq))
}

// line returns the jobs that wait, in turn.
func (o *oracle) line() (list []*task) {
	for _, j := range o.jobs {
		if j.state == plan.Waiting || j.state == plan.Promised || j.state == plan.Starting {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, o.turn)
	return list
}

// running returns the jobs that run, by end.
func (o *oracle) running() (list []*task) {
	for _, j := range o.jobs {
		if j.state == plan.Running {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, func(a, b *task) int { return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.seq, b.seq)) })
	return list
}

// started returns an error if the job cannot start.
func (o *oracle) started(id plan.ID) error {
	j := o.find(id)
	switch {
	case j == nil:
		return bookahead.ErrNotFound
	case j.state != plan.Starting || len(j.victims) > 0:
		return bookahead.ErrInvalid
	case !o.caller().take(j.spots):
		o.stale, o.quiet = true, false
		world := o.caller() // parts that were booked before the one without room have used up IDs
		for _, x := range j.spots {
			if !world.take([]spot{x}) {
				break
			}
			o.last[x.part.on]++
		}
		return bookahead.ErrUnavailable
	}
	j.firm = nil
	for _, x := range j.spots {
		j.firm = append(j.firm, o.reserve(x, j))
	}
	j.state, j.began, j.lost, j.told = plan.Running, j.start, false, 0
	o.quiet = false
	return nil
}

// stop takes a running job off the schedules.
func (o *oracle) stop(now bookahead.Time, id plan.ID) (*task, error) {
	j := o.find(id)
	switch {
	case j == nil:
		return nil, bookahead.ErrNotFound
	case j.state != plan.Running || now < o.now:
		return nil, bookahead.ErrInvalid
	}
	o.advance(now)
	for _, b := range j.firm {
		o.release(b)
	}
	if j.heir != nil {
		j.heir.victims = slices.DeleteFunc(j.heir.victims, func(x *task) bool { return x == j })
		j.heir = nil
	}
	o.refund(j, now)
	j.spots, j.firm = nil, nil
	o.quiet = false
	return j, nil
}

func (o *oracle) ended(now bookahead.Time, id plan.ID) error {
	j, err := o.stop(now, id)
	if err != nil {
		return err
	}
	o.drop(j)
	return nil
}

// drop forgets a job. Those that wait for it alone join the line.
func (o *oracle) drop(j *task) {
	o.jobs = slices.DeleteFunc(o.jobs, func(x *task) bool { return x == j })
	for _, x := range o.jobs {
		n := len(x.waits)
		x.waits = slices.DeleteFunc(x.waits, func(y *task) bool { return y == j })
		if n > 0 && len(x.waits) == 0 {
			o.queueUp(x)
		}
	}
	o.quiet = false
}

func (o *oracle) requeue(now bookahead.Time, id plan.ID) error {
	j, err := o.stop(now, id)
	if err != nil {
		return err
	}
	j.promised, j.lost, j.overran = plan.Never, false, plan.Never
	o.queueUp(j)
	return nil
}

// withdraw returns the jobs that go: the job and all that come after it, each set behind the jobs that it comes after.
func (o *oracle) withdraw(id plan.ID) (gone []plan.ID, err error) {
	first := o.find(id)
	if first == nil {
		return nil, bookahead.ErrNotFound
	}
	list := []*task{first}
	for i := 0; i < len(list); i++ {
		if list[i].state == plan.Running {
			return nil, bookahead.ErrInvalid
		}
		for _, x := range o.jobs {
			if slices.Contains(x.waits, list[i]) && !slices.Contains(list, x) {
				list = append(list, x)
			}
		}
	}
	slices.SortFunc(list[1:], func(a, b *task) int { return cmp.Compare(a.seq, b.seq) })
	for _, j := range list {
		gone = append(gone, j.ID)
		o.unpropose(j)
		o.jobs = slices.DeleteFunc(o.jobs, func(x *task) bool { return x == j })
	}
	o.quiet = false
	return gone, nil
}

// change replaces a job that does not run. A promise stays if the job asks for the same.
func (o *oracle) change(to plan.Job) error {
	old := o.find(to.ID)
	switch {
	case old == nil:
		return bookahead.ErrNotFound
	case old.state == plan.Running:
		return bookahead.ErrInvalid
	}
	for _, id := range to.After {
		if x := o.find(id); x != nil && o.waitsFor(x, old) {
			return bookahead.ErrInvalid
		}
	}
	had := old.spots
	if old.state != plan.Promised && old.state != plan.Starting {
		had = nil
	}
	o.unpropose(old)
	j := o.enter(to, old)
	if had == nil || old.promised == plan.Never || j.state == plan.Held || !o.same(old, j) || to.NotBefore > old.start {
		return nil
	}
	j.state, j.promised = plan.Promised, old.promised
	j.form, j.spots, j.start, j.end = old.form, had, old.start, old.end
	return nil
}

func (o *oracle) waitsFor(a, b *task) bool {
	return a == b || slices.ContainsFunc(a.waits, func(x *task) bool { return o.waitsFor(x, b) })
}

// postpone takes the place of a job back if it is before a time, and has the job wait for that.
func (o *oracle) postpone(id plan.ID, until bookahead.Time) error {
	j := o.find(id)
	switch {
	case j == nil:
		return bookahead.ErrNotFound
	case j.state == plan.Running:
		return bookahead.ErrInvalid
	}
	j.from, o.quiet = until, false
	if j.state >= plan.Promised && j.start < until {
		o.unpropose(j)
		j.state, j.spots, j.promised = plan.Waiting, nil, plan.Never
	}
	return nil
}

// ready returns the first tick at which a job may start.
func (o *oracle) ready(j *task) bookahead.Time { return max(o.now, j.from) }
