package cluster

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/settings"
)

// Snapshot is the objects of a cluster at a time. The objects are not changed.
type Snapshot struct {
	Now          bookahead.Time
	Nodes        []*corev1.Node
	Pods         []*corev1.Pod
	Reservations []*v1alpha1.Reservation
	Settings     settings.Settings
}

// Clock has a tick of a second, and begins in 1970.
var Clock = bookahead.Clock{Epoch: time.Unix(0, 0).UTC()}

// Ticks returns the second that runs at a time.
func Ticks(t time.Time) bookahead.Time { return bookahead.Time(t.Unix()) }

// Wall returns the time at which a tick begins.
func Wall(t bookahead.Time) time.Time { return time.Unix(int64(t), 0).UTC() }

// Seconds returns a duration in ticks, rounded up.
func Seconds(d time.Duration) bookahead.Duration {
	return bookahead.Duration((d + time.Second - 1) / time.Second)
}
