package real_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
)

// TestManifests: a real API server takes all manifests, fills in defaults, prints the columns, refuses what the schema forbids, and gives
// the gate to pods with the label, and to no others.
func TestManifests(t *testing.T) {
	p := start(t)
	p.install(t)
	reservations := p.dynamic.Resource(v1alpha1.Resource).Namespace("default")

	var u unstructured.Unstructured
	text, err := os.ReadFile(filepath.Join(config, "samples", "reservation.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &u.Object))
	u.SetNamespace("default")
	p.eventually(t, 10*time.Second, "the kind is served", func() bool {
		_, err = reservations.Create(t.Context(), &u, metav1.CreateOptions{})
		return !apierrors.IsNotFound(err)
	})
	require.NoError(t, err)

	for field, spec := range map[string]string{
		"spec.tasks.count":   `{tasks: {count: 0, resources: {cpu: 1}}, when: {duration: 1h}}`,
		"spec.when.duration": `{tasks: {count: 1, resources: {cpu: 1}}, when: {duration: soon}}`,
		"spec.tasks":         `{when: {duration: 1h}}`,
		"spec.when":          `{tasks: {count: 1, resources: {cpu: 1}}, when: {duration: 1h, rrule: FREQ=DAILY}}`,
	} {
		bad := unstructured.Unstructured{Object: map[string]any{"apiVersion": u.GetAPIVersion(), "kind": u.GetKind(), "metadata": map[string]any{"name": "bad"}}}
		var fields map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(spec), &fields))
		bad.Object["spec"] = fields
		_, err := reservations.Create(t.Context(), &bad, metav1.CreateOptions{})
		require.True(t, apierrors.IsInvalid(err), "%s: %v", spec, err)
		require.ErrorContains(t, err, field)
	}
	least := unstructured.Unstructured{Object: map[string]any{
		"apiVersion": u.GetAPIVersion(), "kind": u.GetKind(), "metadata": map[string]any{"name": "least"},
		"spec": map[string]any{"tasks": map[string]any{"resources": map[string]any{"cpu": "1"}}, "when": map[string]any{"duration": "1h"}},
	}}
	made, err := reservations.Create(t.Context(), &least, metav1.CreateOptions{})
	require.NoError(t, err)
	count, _, err := unstructured.NestedInt64(made.Object, "spec", "tasks", "count")
	require.NoError(t, err)
	require.EqualValues(t, 1, count)

	var table metav1.Table
	list, err := p.Discovery().RESTClient().Get().AbsPath("/apis", v1alpha1.Group, "v1alpha1", "namespaces", "default", "reservations").
		SetHeader("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1").DoRaw(t.Context())
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(list, &table))
	var columns []string
	for _, c := range table.ColumnDefinitions {
		columns = append(columns, c.Name)
	}
	require.Subset(t, columns, []string{"Name", "Phase", "Start", "End"})

	gates := func(name string, labels map[string]string) []corev1.PodSchedulingGate {
		o := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "none"}}}}
		o, err := p.CoreV1().Pods("default").Create(t.Context(), o, metav1.CreateOptions{})
		require.NoError(t, err)
		return o.Spec.SchedulingGates
	}
	n := 0
	p.eventually(t, 30*time.Second, "the policy gives the gate", func() bool { // the server compiles it some time after it is there
		n++
		return len(gates(fmt.Sprintf("planned-%d", n), map[string]string{v1alpha1.LabelPlan: "true"})) == 1
	})
	require.Empty(t, gates("other", nil))
}
