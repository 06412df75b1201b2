package controller_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/yaml"

	"github.com/bookahead/bookahead/kube/internal/settings"
)

// TestRBAC: the roles allow what the controller does, and nothing else.
func TestRBAC(t *testing.T) {
	used := map[string]bool{}
	for _, policy := range []settings.Policy{settings.Taint, settings.Placeholder} {
		play(t, func(s *stage) {
			c := s.config("one")
			c.LeaseNamespace, c.LeaseName = "bookahead", "leader"
			c.Settings.Protection.Policy, c.Settings.Protection.Lead.Duration = policy, 10*time.Second
			stop := s.start(c)
			defer stop()
			s.story()
			s.until(20)
			require.NoError(t, s.Change(t.Context(), "n0", func(n *corev1.Node) { n.Spec.Unschedulable = true }))
			s.until(100)
			for _, a := range append(s.client.Actions(), s.Reservations.Actions()...) {
				if a.GetVerb() != "create" || a.GetResource().Resource != "reservations" { // that is the user
					used[name(a)] = true
				}
			}
		})
	}
	require.ElementsMatch(t, slices.Sorted(maps.Keys(used)), slices.Sorted(maps.Keys(allowed(t))))
}

func name(a clienttesting.Action) string {
	resource := a.GetResource().Resource
	if a.GetSubresource() != "" {
		resource += "/" + a.GetSubresource()
	}
	where := "everywhere"
	lease := resource == "leases"
	placeholder := resource == "pods" && (a.GetVerb() == "create" || a.GetVerb() == "delete")
	if a.GetNamespace() == "bookahead" && (lease || placeholder) {
		where = "at home"
	}
	return fmt.Sprintf("%s %s.%s %s", a.GetVerb(), resource, a.GetResource().Group, where)
}

// allowed returns what the manifest allows.
func allowed(t *testing.T) map[string]bool {
	text, err := os.ReadFile("../../config/rbac/rbac.yaml")
	require.NoError(t, err)
	all := map[string]bool{}
	for _, doc := range bytes.Split(text, []byte("\n---\n")) {
		var role rbacv1.ClusterRole // a Role has the same fields
		require.NoError(t, yaml.Unmarshal(doc, &role))
		where := map[string]string{"ClusterRole": "everywhere", "Role": "at home"}[role.Kind]
		for _, rule := range role.Rules {
			for _, verb := range rule.Verbs {
				require.False(t, strings.Contains(verb, "*"))
				all[fmt.Sprintf("%s %s.%s %s", verb, rule.Resources[0], rule.APIGroups[0], where)] = true
			}
			require.Len(t, rule.Resources, 1)
		}
	}
	return all
}
