package v1alpha1_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/randfill"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
)

// TestDeepCopy: a copy is equal, and shares nothing: the original stays as it was when all of the copy is overwritten.
func TestDeepCopy(t *testing.T) {
	fill := randfill.NewWithSeed(1).NilChance(0.1).NumElements(1, 3).Funcs(
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewQuantity(c.Int63n(1000), resource.DecimalSI)
		},
		func(x *metav1.Time, c randfill.Continue) { x.Time = time.Unix(c.Int63n(1e9), 0) },
		func(x *metav1.FieldsV1, _ randfill.Continue) { x.SetRawBytes([]byte(`{}`)) },
	)
	for range 100 {
		r := &v1alpha1.Reservation{}
		fill.Fill(r)
		before, err := json.Marshal(r)
		require.NoError(t, err)
		c := r.DeepCopyObject().(*v1alpha1.Reservation)
		require.True(t, equality.Semantic.DeepEqual(r, c))
		for name := range c.Spec.Tasks.Resources {
			c.Spec.Tasks.Resources[name] = resource.MustParse("77")
		}
		for _, m := range []map[string]string{c.Spec.Tasks.NodeSelector, c.Spec.Users.MatchLabels, c.Labels} {
			for name := range m {
				m[name] = "other"
			}
		}
		for _, list := range [][]string{c.Spec.Users.Namespaces, c.Spec.Users.ServiceAccounts} {
			for i := range list {
				list[i] = "other"
			}
		}
		for i := range c.Spec.Tasks.Tolerations {
			c.Spec.Tasks.Tolerations[i].Key = "other"
			if s := c.Spec.Tasks.Tolerations[i].TolerationSeconds; s != nil {
				*s = -7
			}
		}
		for _, x := range []*metav1.Time{c.Spec.When.Start, c.Spec.When.Earliest, c.Spec.When.Deadline, c.Status.Start, c.Status.End} {
			if x != nil {
				x.Time = time.Unix(7, 0)
			}
		}
		for i := range c.Status.Nodes {
			c.Status.Nodes[i].Name = "other"
		}
		for i := range c.Status.Occurrences {
			for k := range c.Status.Occurrences[i].Nodes {
				c.Status.Occurrences[i].Nodes[k].Name = "other"
			}
		}
		for i := range c.Status.Conditions {
			c.Status.Conditions[i].Message = "other"
		}
		after, err := json.Marshal(r)
		require.NoError(t, err)
		require.Equal(t, string(before), string(after))
	}
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	require.True(t, scheme.Recognizes(v1alpha1.Kind))
}

// TestValidate: each error names its field.
func TestValidate(t *testing.T) {
	at := func(hour int) *metav1.Time { x := metav1.Date(2026, 3, 2, hour, 0, 0, 0, time.UTC); return &x }
	good := func() *v1alpha1.ReservationSpec {
		return &v1alpha1.ReservationSpec{
			Tasks: v1alpha1.Tasks{Count: 1, Resources: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}, Within: "rack"},
			When:  v1alpha1.When{Start: at(9), Duration: metav1.Duration{Duration: time.Hour}},
		}
	}
	require.Empty(t, good().Validate([]string{"rack"}))
	for name, spoil := range map[string]func(s *v1alpha1.ReservationSpec){
		"spec.tasks.count":   func(s *v1alpha1.ReservationSpec) { s.Tasks.Count = -1 },
		"spec.tasks.perNode": func(s *v1alpha1.ReservationSpec) { s.Tasks.PerNode = -1 },
		"spec.tasks.resources": func(s *v1alpha1.ReservationSpec) {
			s.Tasks.Resources = corev1.ResourceList{corev1.ResourcePods: resource.MustParse("3")}
		},
		"spec.tasks.resources[gpus]": func(s *v1alpha1.ReservationSpec) { s.Tasks.Resources["gpus"] = resource.MustParse("-1") },
		"spec.tasks.within":          func(s *v1alpha1.ReservationSpec) { s.Tasks.Within = "row" },
		"spec.tasks.together":        func(s *v1alpha1.ReservationSpec) { s.Tasks.Together = "row" },
		"spec.when.duration":         func(s *v1alpha1.ReservationSpec) { s.When.Duration.Duration = time.Millisecond },
		"spec.when.earliest":         func(s *v1alpha1.ReservationSpec) { s.When.Earliest = at(8) },
		"spec.when.deadline": func(s *v1alpha1.ReservationSpec) {
			s.When.Start, s.When.Earliest, s.When.Deadline, s.When.Duration.Duration = nil, at(8), at(9), 2*time.Hour
		},
		"spec.when.start":    func(s *v1alpha1.ReservationSpec) { s.When.Start, s.When.RRule = nil, "FREQ=DAILY" },
		"spec.when.rrule":    func(s *v1alpha1.ReservationSpec) { s.When.RRule = "FREQ=NEVER" },
		"spec.when.timeZone": func(s *v1alpha1.ReservationSpec) { s.When.RRule, s.When.TimeZone = "FREQ=DAILY", "Nowhere/Else" },
	} {
		s := good()
		spoil(s)
		all := s.Validate([]string{"rack"})
		require.Len(t, all, 1, name)
		require.Equal(t, name, all[0].Field)
	}
}
