package controller

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/kube/internal/settings"
)

// Config describes a controller.
type Config struct {
	Clients
	Settings settings.Settings
	// Source is where objects come from; nil is informers, which Run starts.
	Source Source
	// Now is the clock, which several goroutines read; nil is time.Now.
	Now func() time.Time
	// Identity names the replica, in events and in the lease.
	Identity string
	// Lease is the namespace and the name of the lease; an empty name leads without one.
	LeaseNamespace, LeaseName string
	// Abreast is how many launches, and how many pods of all of them, are written at once; 16 if it is less than 1.
	Abreast int
	// Metrics registers the metrics; nil is a registry that nobody reads.
	Metrics prometheus.Registerer
	// Log takes what an operator should know; nil is slog.Default.
	Log *slog.Logger
}

// Controller makes passes. One goroutine at a time may call its methods, apart from Healthy.
type Controller struct {
	Clients
	settings settings.Settings
	source   Source
	watched  *Watched
	now      func() time.Time
	identity string
	lease    [2]string
	log      *slog.Logger
	metrics  metrics
	wake     chan struct{} // has room for one
	nodes    fresh[*corev1.Node]
	pods     fresh[*corev1.Pod]
	booked   fresh[*v1alpha1.Reservation]
	failed   map[string]failure
	abreast  int
	writing  sync.Mutex   // pods and untold, while launches write abreast
	untold   []untold     // events that wait for their turn
	hushed   bool         // the last pass broke off before it said anything
	beat     atomic.Int64 // when the loop was last alive, in Unix seconds of the process clock; 0 if it does not lead
}

// New returns a controller.
func New(c Config) (*Controller, error) {
	x := &Controller{
		Clients: c.Clients, settings: c.Settings, source: c.Source, now: c.Now, identity: c.Identity, lease: [2]string{c.LeaseNamespace, c.LeaseName},
		log: c.Log, wake: make(chan struct{}, 1), nodes: fresh[*corev1.Node]{}, pods: fresh[*corev1.Pod]{}, booked: fresh[*v1alpha1.Reservation]{},
		failed: map[string]failure{}, abreast: cmp.Or(max(0, c.Abreast), abreast),
	}
	if x.now == nil {
		x.now = time.Now
	}
	if x.log == nil {
		x.log = slog.Default()
	}
	if c.Metrics == nil {
		c.Metrics = prometheus.NewRegistry()
	}
	var err error
	x.metrics, err = newMetrics(c.Metrics)
	if err == nil && x.source == nil {
		x.watched, err = Watch(c.Clients, x.news, func(err error) { x.log.Error("a reservation cannot be read", "error", err) })
		x.source = x.watched
	}
	return x, err
}

// news asks for a pass, soon.
func (c *Controller) news() {
	select {
	case c.wake <- struct{}{}:
	default: // one is asked for
	}
}

const (
	// look is how often the loop compares its clock with the time of the next pass. A timer to that time would not notice that
	// somebody has set the clock.
	look = time.Second
	// rest is the least time from one pass to the next that news may cause. Changes come in crowds.
	rest = 100 * time.Millisecond
)

// loop makes passes until ctx is done: when one is due, after news, and again after an error.
func (c *Controller) loop(ctx context.Context) {
	c.metrics.leads.Set(1)
	defer c.metrics.leads.Set(0)
	defer c.beat.Store(0)
	var errs backoff
	for ctx.Err() == nil {
		c.beat.Store(time.Now().Unix())
		began := time.Now()
		next, err := c.Pass(ctx)
		if stopped(ctx, err) {
			return
		}
		if err != nil {
			c.log.Warn("a pass has ended early", "error", err)
			c.pause(ctx, errs.after(err))
			continue
		}
		errs = backoff{}
		c.until(ctx, next, max(rest, time.Since(began)))
	}
}

// until waits for the next pass: until it is due, or until there is news and at least some time has passed.
func (c *Controller) until(ctx context.Context, next bookahead.Time, quiet time.Duration) {
	began, news := time.Now(), false
	for ctx.Err() == nil && c.tick() < next {
		if news && time.Since(began) >= quiet {
			return
		}
		wait := min(look, cluster.Wall(min(next, c.tick()+10)).Sub(c.now()))
		if news {
			wait = min(wait, quiet-time.Since(began))
		}
		timer := time.NewTimer(max(wait, time.Millisecond))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-c.wake:
			news = true
		}
		timer.Stop()
		c.beat.Store(time.Now().Unix())
	}
}

func (c *Controller) pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// Healthy reports whether the loop is alive, or this replica does not lead.
func (c *Controller) Healthy() bool {
	at := c.beat.Load()
	return at == 0 || time.Since(time.Unix(at, 0)) < time.Minute
}
