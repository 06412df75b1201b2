package controller

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// The times of the lease. Another replica leads at its first try once it has seen no renewal for leaseTime.
const (
	leaseTime = 15 * time.Second
	renewTime = 10 * time.Second
	retryTime = 2 * time.Second
)

// ErrLost is the error of Run once another replica may lead. A process should end then: its caches are warm, but it cannot know which
// of its writes still run.
var ErrLost = errors.New("controller: the lease is lost")

// Run starts the informers, waits until this replica leads, and makes passes until ctx is done or the lease is lost.
//
// A leader that is paused may wake up after another has taken over, and write once more. That is why each write has a
// resourceVersion: the lease saves work, and the resourceVersion keeps order.
func (c *Controller) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	if c.watched != nil {
		defer c.watched.Stop() // after cancel
		defer cancel()
		err := c.watched.Start(ctx)
		if err != nil {
			return err
		}
	}
	defer cancel()
	if c.lease[1] == "" {
		c.loop(ctx)
		return nil
	}
	client := c.Lease
	if client == nil {
		client = c.Kube
	}
	lock := &resourcelock.LeaseLock{
		LeaseMeta: metav1.ObjectMeta{Namespace: c.lease[0], Name: c.lease[1]}, Client: client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: c.identity},
	}
	ended := make(chan struct{})
	var started atomic.Bool
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: leaseTime, RenewDeadline: renewTime, RetryPeriod: retryTime, ReleaseOnCancel: true, Name: c.lease[1],
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				started.Store(true)
				defer close(ended)
				c.log.Info("leads", "identity", c.identity)
				c.loop(ctx)
			},
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return fmt.Errorf("controller: %w", err)
	}
	elector.Run(ctx)
	if started.Load() {
		<-ended // no write of this replica comes after Run
	}
	if ctx.Err() != nil {
		return nil
	}
	return ErrLost
}
