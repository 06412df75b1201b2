package manifests_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/kube/internal/settings"
)

// dir is where the manifests are.
const dir = "../../config"

// documents returns the documents of a YAML file.
func documents(t *testing.T, name string) (list [][]byte) {
	text, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return bytes.Split(text, []byte("\n---\n"))
}

// kinds are the types of all manifests, but for the CRD.
var kinds = map[string]func() any{
	"Namespace": func() any { return &corev1.Namespace{} }, "Deployment": func() any { return &appsv1.Deployment{} },
	"PriorityClass": func() any { return &schedulingv1.PriorityClass{} }, "ServiceAccount": func() any { return &corev1.ServiceAccount{} },
	"ClusterRole": func() any { return &rbacv1.ClusterRole{} }, "ClusterRoleBinding": func() any { return &rbacv1.ClusterRoleBinding{} },
	"Role": func() any { return &rbacv1.Role{} }, "RoleBinding": func() any { return &rbacv1.RoleBinding{} },
	"MutatingAdmissionPolicy":        func() any { return &admissionv1.MutatingAdmissionPolicy{} },
	"MutatingAdmissionPolicyBinding": func() any { return &admissionv1.MutatingAdmissionPolicyBinding{} },
	"Reservation":                    func() any { return &v1alpha1.Reservation{} }, "Pod": func() any { return &corev1.Pod{} }, "Job": func() any { return &batchv1.Job{} },
}

// TestManifestsParse: each manifest has only fields that its type has.
func TestManifestsParse(t *testing.T) {
	n := 0
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, _ fs.DirEntry, err error) error {
		skip := strings.HasPrefix(name, "crd") || name == "kustomization.yaml" || name == "manager/settings.yaml"
		if err != nil || !strings.HasSuffix(name, ".yaml") || skip {
			return err
		}
		for _, doc := range documents(t, name) {
			var head metav1.TypeMeta
			require.NoError(t, yaml.Unmarshal(doc, &head))
			make := kinds[head.Kind]
			require.NotNil(t, make, "%s: kind %q", name, head.Kind)
			require.NoError(t, yaml.UnmarshalStrict(doc, make()), name)
			n++
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 13, n)
}

// TestKustomization: the kustomization names all manifests, and only files that are there.
func TestKustomization(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(dir, "kustomization.yaml"))
	require.NoError(t, err)
	var k struct {
		Resources []string
	}
	require.NoError(t, yaml.Unmarshal(text, &k))
	var all []string
	for _, room := range []string{"crd", "rbac", "manager", "policy"} {
		list, err := filepath.Glob(filepath.Join(dir, room, "*.yaml"))
		require.NoError(t, err)
		for _, name := range list {
			all = append(all, room+"/"+filepath.Base(name))
		}
	}
	all = slices.DeleteFunc(all, func(name string) bool { return name == "manager/settings.yaml" })
	require.ElementsMatch(t, all, k.Resources)
}

// TestSettingsAreTheDefaults: the file of the deployment says each default, and no other.
func TestSettingsAreTheDefaults(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(dir, "manager", "settings.yaml"))
	require.NoError(t, err)
	s, err := settings.Parse(text)
	require.NoError(t, err)
	require.Equal(t, settings.New(), s)
	var m map[string]any
	require.NoError(t, yaml.Unmarshal(text, &m))
	require.Len(t, m, reflect.TypeFor[settings.Settings]().NumField())
}

// TestSamples: the samples are valid, and their pods are read as the README says.
func TestSamples(t *testing.T) {
	var r v1alpha1.Reservation
	require.NoError(t, yaml.UnmarshalStrict(documents(t, "samples/reservation.yaml")[0], &r))
	require.Empty(t, r.Spec.Validate(settings.New().TopologyKeys))
	var p corev1.Pod
	require.NoError(t, yaml.UnmarshalStrict(documents(t, "samples/pods.yaml")[0], &p))
	s := settings.New()
	length, known, err := cluster.Length(&p, &s)
	require.NoError(t, err)
	require.True(t, known)
	require.EqualValues(t, 1800, length)
	require.True(t, cluster.Gated(&p))
}

// schema is what this test reads of an OpenAPI schema.
type schema struct {
	Type                 string
	Properties           map[string]schema
	Items                *schema
	AdditionalProperties *schema
	Required             []string
}

// TestSchemaHasTheFieldsOfTheTypes: the CRD and the Go types say the same.
func TestSchemaHasTheFieldsOfTheTypes(t *testing.T) {
	var crd struct {
		Spec struct {
			Group    string
			Versions []struct {
				Name   string
				Schema struct{ OpenAPIV3Schema schema }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(documents(t, "crd/reservations.yaml")[0], &crd))
	require.Equal(t, v1alpha1.Group, crd.Spec.Group)
	require.Equal(t, "v1alpha1", crd.Spec.Versions[0].Name)
	top := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	n := same(t, "spec", top.Properties["spec"], reflect.TypeFor[v1alpha1.ReservationSpec]())
	n += same(t, "status", top.Properties["status"], reflect.TypeFor[v1alpha1.ReservationStatus]())
	require.Greater(t, n, 40)
}

// texts are types that JSON writes as a text.
var texts = []string{"v1.Time", "v1.Duration", "resource.Quantity"}

// same compares a schema with a type, and returns the number of fields.
func same(t *testing.T, at string, s schema, of reflect.Type) (n int) {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if slices.Contains(texts, of.String()) {
		return 0
	}
	switch of.Kind() {
	case reflect.Struct:
		require.Equal(t, "object", s.Type, at)
		var names []string
		for i := range of.NumField() {
			f := of.Field(i)
			name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
			names = append(names, name)
			n += 1 + same(t, at+"."+name, s.Properties[name], f.Type)
			if slices.Contains(s.Required, name) {
				require.NotContains(t, rest, "omitempty", "%s.%s is required", at, name)
			}
		}
		for name := range s.Properties {
			require.Contains(t, names, name, "%s.%s is no field", at, name)
		}
		require.Len(t, s.Properties, len(names), at)
	case reflect.Slice:
		require.Equal(t, "array", s.Type, at)
		require.NotNil(t, s.Items, at)
		n = same(t, at+"[]", *s.Items, of.Elem())
	case reflect.Map:
		require.Equal(t, "object", s.Type, at)
		require.NotNil(t, s.AdditionalProperties, at)
	case reflect.Int64:
		require.Equal(t, "integer", s.Type, at)
	default:
		require.Equal(t, "string", s.Type, at)
	}
	return n
}
