package virtual

import (
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
)

// Cluster is the cluster.
type Cluster struct {
	// Kube is the clientset of the scheduler, the kubelets and the users.
	Kube *fake.Clientset
	// Reservations has the reservations, for all.
	Reservations *dynamicfake.FakeDynamicClient
	now          func() time.Time
	tracker      clienttesting.ObjectTracker // has all objects but reservations
	version      version
}

// New returns an empty cluster with a clock.
func New(now func() time.Time) *Cluster {
	c := &Cluster{now: now, tracker: clienttesting.NewObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder())}
	c.Kube = c.Client()
	// With the types in its scheme, the tracker would keep reservations as such, and the client could not list them.
	c.Reservations = dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{v1alpha1.Resource: "ReservationList"})
	c.Reservations.PrependReactor("*", "*", c.version.keep(c.Reservations.Tracker()))
	return c
}

// Client returns another clientset on the same objects, so that a test sees the calls of a controller apart from others, and lets some
// of them fail.
func (c *Cluster) Client() *fake.Clientset {
	x := &fake.Clientset{}
	x.AddReactor("*", "*", c.version.keep(c.tracker))
	x.AddReactor("*", "*", clienttesting.ObjectReaction(c.tracker))
	x.AddWatchReactor("*", func(a clienttesting.Action) (bool, watch.Interface, error) {
		w, err := c.tracker.Watch(a.GetResource(), a.GetNamespace())
		return true, w, err
	})
	return x
}

// version numbers the states of all objects. The trackers of the fake clientsets take any write; an API server refuses one that was
// decided on a state which is over.
type version struct {
	mu   sync.Mutex
	last int
}

func (v *version) next() string {
	v.last++
	return strconv.Itoa(v.last)
}

// keep returns a reactor that checks and sets resourceVersions before a tracker has the write.
func (v *version) keep(tracker clienttesting.ObjectTracker) clienttesting.ReactionFunc {
	react := clienttesting.ObjectReaction(tracker)
	return func(a clienttesting.Action) (handled bool, ret runtime.Object, err error) {
		v.mu.Lock()
		defer v.mu.Unlock()
		switch x := a.(type) {
		case clienttesting.CreateActionImpl:
			o, err := meta.Accessor(x.Object)
			if err != nil {
				return true, nil, err
			}
			o.SetResourceVersion(v.next())
			if o.GetUID() == "" {
				o.SetUID(types.UID("uid-" + o.GetResourceVersion()))
			}
			return react(x)
		case clienttesting.UpdateActionImpl:
			o, err := meta.Accessor(x.Object)
			if err != nil {
				return true, nil, err
			}
			err = v.check(tracker, a, o.GetName(), o.GetResourceVersion())
			if err != nil {
				return true, nil, err
			}
			o.SetResourceVersion(v.next())
			return react(x)
		case clienttesting.PatchActionImpl:
			var patch map[string]any
			err := json.Unmarshal(x.Patch, &patch)
			if err != nil {
				return true, nil, err
			}
			metadata, _ := patch["metadata"].(map[string]any)
			if metadata == nil {
				metadata = map[string]any{}
			}
			wants, _ := metadata["resourceVersion"].(string)
			err = v.check(tracker, a, x.Name, wants)
			if err != nil {
				return true, nil, err
			}
			metadata["resourceVersion"] = v.next()
			patch["metadata"] = metadata
			x.Patch, err = json.Marshal(patch)
			if err != nil {
				return true, nil, err
			}
			return react(x)
		}
		return false, nil, nil
	}
}

// check returns a conflict if an object has another resourceVersion than a write wants.
func (v *version) check(tracker clienttesting.ObjectTracker, a clienttesting.Action, name, wants string) error {
	now, err := tracker.Get(a.GetResource(), a.GetNamespace(), name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	o, err := meta.Accessor(now)
	if err != nil {
		return err
	}
	if wants != "" && wants != o.GetResourceVersion() {
		return apierrors.NewConflict(a.GetResource().GroupResource(), name, fmt.Errorf("resourceVersion %s is over: the object has %s", wants, o.GetResourceVersion()))
	}
	return nil
}
