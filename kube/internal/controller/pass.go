package controller

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/kube/internal/decide"
)

// failure is a job whose launch the server has refused.
type failure struct {
	until bookahead.Time
	wait  bookahead.Time
}

const (
	firstRetry = 10
	lastRetry  = 600
)

// Pass reads the objects, decides, and writes. It returns when the next pass is due if nothing happens. After an error the rest is
// not written, since it was decided beside the part that failed: the next pass decides it anew.
func (c *Controller) Pass(ctx context.Context) (next bookahead.Time, err error) {
	next, err = c.pass(ctx)
	c.metrics.passes.WithLabelValues(results[judge(err)]).Inc()
	return next, err
}

func (c *Controller) pass(ctx context.Context) (next bookahead.Time, err error) {
	s, err := c.snapshot(ctx)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	d, err := decide.Decide(ctx, s, c.failures(s.Now))
	c.metrics.took.Observe(time.Since(began).Seconds())
	if err != nil {
		return 0, err
	}
	for _, x := range d.Statuses {
		err = c.spared("a status", c.status(ctx, x))
		if err != nil {
			return 0, err
		}
	}
	for _, x := range d.Taints {
		err = c.spared("a taint", c.taint(ctx, x))
		if err != nil {
			return 0, err
		}
	}
	for _, x := range d.Create {
		err = c.spared("a placeholder", c.place(ctx, x))
		if err != nil {
			return 0, err
		}
	}
	for _, x := range d.Delete {
		err = c.spared("a placeholder", c.remove(ctx, x))
		if err != nil {
			return 0, err
		}
	}
	starts := slices.IndexFunc(d.Launches, func(l decide.Launch) bool { return !l.Open })
	if starts < 0 {
		starts = len(d.Launches)
	}
	err = c.startAll(ctx, d.Launches[:starts], s.Now)
	if err != nil {
		return 0, err
	}
	next = d.Next
	for _, f := range c.failed {
		if f.until > s.Now {
			next = min(next, f.until)
		}
	}
	if c.hushed { // the last pass had time for promises only
		err = c.say(ctx, d.Notes, next)
		if err != nil {
			return 0, err
		}
	}
	due := c.dueAfter(next)
	for _, l := range d.Launches[starts:] { // in turn: a promise takes no place that one before it needs, and that is not written yet
		if due() {
			c.hushed = true
			return next, nil
		}
		err = c.judged(l, s.Now, c.launch(ctx, l, make(chan struct{}, c.abreast)))
		if err != nil {
			return 0, err
		}
	}
	if c.hushed {
		c.hushed = false
		return next, nil
	}
	return next, c.say(ctx, d.Notes, next)
}

// patience is how long promises, events and conditions are written while something else may be due.
const patience = 200 * time.Millisecond

// dueAfter returns whether a pass should give way to the next one: gates may have to be opened. The next pass goes on with what was left.
func (c *Controller) dueAfter(next bookahead.Time) func() bool {
	began := time.Now()
	return func() bool {
		return time.Since(began) > patience && (len(c.wake) > 0 || c.tick() >= next)
	}
}

// say tells the events of this pass, and of those before it that were broken off, and then writes conditions, and tells what is new in
// them.
func (c *Controller) say(ctx context.Context, notes []decide.Note, next bookahead.Time) error {
	due := c.dueAfter(next)
	c.tellAll(ctx, due)
	for _, x := range notes {
		if due() {
			return nil
		}
		err := c.spared("a condition", c.note(ctx, x))
		if err != nil {
			return err
		}
	}
	c.tellAll(ctx, due)
	return nil
}

// tellAll tells the events that are left, until something else is due.
func (c *Controller) tellAll(ctx context.Context, due func() bool) {
	for len(c.untold) > 0 && !due() {
		c.tell(ctx, c.untold[0])
		c.untold = c.untold[1:]
	}
}

// snapshot returns the objects, with what was written and is not seen yet. The clock may step back: a plan goes by it nevertheless,
// since all times are written as times of day.
func (c *Controller) snapshot(ctx context.Context) (*cluster.Snapshot, error) {
	o, err := c.source.Read(ctx)
	if err != nil {
		return nil, err
	}
	return &cluster.Snapshot{
		Now: c.tick(), Nodes: c.nodes.over(o.Nodes), Pods: c.pods.over(o.Pods), Reservations: c.booked.over(o.Reservations), Settings: c.settings,
	}, nil
}

// abreast is how many writes of launches are under way at once: otherwise the last pod of a large job would start seconds after the
// first, since each write takes milliseconds. The client's own limit holds as well.
const abreast = 16

// startAll writes the launches that start, several abreast, since all of them have room beside each other. After an error that stops the
// pass, no further launch begins, and those that are under way go on. No promise is written then: its place may begin where a job of this
// pass ends, and that job starts later now.
func (c *Controller) startAll(ctx context.Context, list []decide.Launch, now bookahead.Time) error {
	writes := make(chan struct{}, c.abreast)
	errs := eachAbreast(make(chan struct{}, c.abreast), list, func(l *decide.Launch) error { return c.launch(ctx, *l, writes) }, stops)
	for i := range errs {
		errs[i] = c.judged(list[i], now, errs[i])
	}
	return gravest(errs)
}

// gravest returns the error that says most about what to do next: that the server is busy, then that something has changed, and then
// that it refuses.
func gravest(errs []error) error {
	for _, v := range []verdict{busy, changed, refuses} {
		for _, err := range errs {
			if err != nil && judge(err) == v {
				return err
			}
		}
	}
	return nil
}

// stops reports whether the error of a launch stops the pass.
func stops(err error) bool { return err != nil && judge(err) != refuses }

// launch writes the places of a job. If it starts, each of its pods carries its place before the first gate is opened: a controller
// that stops in the middle leaves enough for another to go on.
func (c *Controller) launch(ctx context.Context, l decide.Launch, writes chan struct{}) error {
	alone := len(l.Pods) == 1 && l.Open
	errs := eachAbreast(writes, l.Pods, func(a *decide.Assignment) error {
		if a.Written || alone {
			return nil
		}
		p, err := c.promise(ctx, *a)
		if err != nil {
			return err
		}
		a.Pod = p
		if !l.Open {
			c.later(pod(p), a.Events)
		}
		return nil
	}, isError)
	err := gravest(errs)
	if err != nil || !l.Open {
		return err
	}
	return gravest(eachAbreast(writes, l.Pods, func(a *decide.Assignment) error { return c.open(ctx, *a) }, isError))
}

func isError(err error) bool { return err != nil }

// eachAbreast does something for each item, as many at once as room has space for, until an error ends it. It returns the errors of
// the items with which it began.
func eachAbreast[T any](room chan struct{}, list []T, do func(*T) error, ends func(error) bool) []error {
	var under sync.WaitGroup
	var ended atomic.Bool
	errs, n := make([]error, len(list)), 0
	for ; n < len(list); n++ {
		room <- struct{}{}
		if ended.Load() {
			<-room
			break
		}
		i := n
		under.Go(func() {
			defer func() { <-room }()
			errs[i] = do(&list[i])
			if ends(errs[i]) {
				ended.Store(true)
			}
		})
	}
	under.Wait()
	return errs[:n]
}

// judged returns the error of a launch if it stops the pass. A launch that the server refuses for what it is stops nothing else, and is
// put off, longer each time.
func (c *Controller) judged(l decide.Launch, now bookahead.Time, err error) error {
	if err == nil {
		delete(c.failed, l.Job)
		return nil
	}
	if judge(err) != refuses {
		return err
	}
	f := c.failed[l.Job]
	f.wait = min(lastRetry, max(firstRetry, 2*f.wait))
	f.until = now + f.wait
	c.failed[l.Job] = f
	c.log.Error("a launch was refused", "job", l.Job, "error", err)
	c.later(pod(l.Pods[0].Pod), []decide.Event{{Warning: true, Reason: "Refused", Message: err.Error()}})
	return nil
}

// spared returns the error of a write if it stops the pass. One that the server refuses for what it is concerns one object, and holds up
// no other.
func (c *Controller) spared(what string, err error) error {
	if judge(err) != refuses {
		return err
	}
	c.log.Error(what+" was refused", "error", err)
	return nil
}

// failures returns until when jobs are put off.
func (c *Controller) failures(now bookahead.Time) map[string]bookahead.Time {
	m := map[string]bookahead.Time{}
	for job, f := range c.failed {
		if f.until+lastRetry < now {
			delete(c.failed, job) // it is gone, or was launched by another
			continue
		}
		m[job] = f.until
	}
	return m
}
