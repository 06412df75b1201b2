// Package settings is the configuration of the controller: a YAML file whose missing fields have the defaults of New.
package settings

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/nodes"
)

// Settings is the configuration.
type Settings struct {
	// Backfill is the number of waiting jobs that are promised a start, as plan.EASY has it; -1 promises all (conservative).
	Backfill int `json:"backfill"`
	// DefaultDuration is how long a pod runs that does not say; 0 promises such a pod nothing, and takes it to run for ever.
	DefaultDuration metav1.Duration `json:"defaultDuration"`
	// Enforce sets activeDeadlineSeconds when a gate is opened, so that a pod which says how long it runs is gone by then.
	Enforce bool `json:"enforce"`
	// Startup is the time from the opening of a gate until the kubelet counts activeDeadlineSeconds. It is taken off what Enforce
	// sets, and added to an activeDeadlineSeconds that the user has set.
	Startup metav1.Duration `json:"startup"`
	// Grace is how much longer a pod is expected to run each time it has outlived its duration.
	Grace metav1.Duration `json:"grace"`
	// Repair is how long a node that is not ready is expected to be away; 0 is until further notice.
	Repair metav1.Duration `json:"repair"`
	// Ahead is how far ahead the occurrences of a reservation that recurs have places.
	Ahead metav1.Duration `json:"ahead"`
	// Conditions is the least time between two changes of the condition of a pod.
	Conditions metav1.Duration `json:"conditions"`
	// TopologyKeys are the node labels of domains, from the smallest domain to the largest.
	TopologyKeys []string `json:"topologyKeys"`
	// Groups are the labels or annotations that name the group of a pod, besides those of v1alpha1.
	Groups     []GroupKey `json:"groups"`
	Protection Protection `json:"protection"`
}

// GroupKey says how other schedulers name the group of a pod, and its size. Each is looked for among labels, then annotations.
type GroupKey struct {
	Name string `json:"name"`
	Size string `json:"size,omitempty"`
}

// Protection says how reservations are protected from pods that have no gate.
type Protection struct {
	Policy Policy `json:"policy"`
	// Lead is how long before a start the taint or the placeholders are put.
	Lead metav1.Duration `json:"lead"`
	// PriorityClass and Image are those of placeholder pods, which live in Namespace.
	PriorityClass string `json:"priorityClass,omitempty"`
	Image         string `json:"image,omitempty"`
	Namespace     string `json:"namespace,omitempty"`
}

// Policy is a way to protect reservations.
type Policy string

// The policies. The README says what each can promise.
const (
	None        Policy = "none"
	Taint       Policy = "taint"
	Placeholder Policy = "placeholder"
)

// New returns the defaults.
func New() Settings {
	second := func(n int) metav1.Duration { return metav1.Duration{Duration: time.Duration(n) * time.Second} }
	return Settings{
		Backfill: 1, Enforce: true, Startup: second(5), Grace: second(300), Repair: second(1800), Ahead: second(14 * 86400), Conditions: second(60),
		TopologyKeys: []string{"topology.kubernetes.io/rack", corev1.LabelTopologyZone, corev1.LabelTopologyRegion},
		Groups: []GroupKey{
			{Name: "kueue.x-k8s.io/pod-group-name", Size: "kueue.x-k8s.io/pod-group-total-count"},
			{Name: "scheduling.x-k8s.io/pod-group"},
			{Name: "scheduling.k8s.io/group-name"},
		},
		Protection: Protection{
			Policy: None, Lead: second(600), PriorityClass: "bookahead-placeholder", Image: "registry.k8s.io/pause:3.10", Namespace: "bookahead",
		},
	}
}

// Parse reads a YAML file. An unknown field is an error, and so is a value that makes no sense.
func Parse(text []byte) (Settings, error) {
	s := New()
	keys, groups := s.TopologyKeys, s.Groups
	s.TopologyKeys, s.Groups = nil, nil // a list replaces the default, and is not mixed with it
	err := yaml.UnmarshalStrict(text, &s)
	if err != nil {
		return Settings{}, fmt.Errorf("settings: %w", err)
	}
	if s.TopologyKeys == nil {
		s.TopologyKeys = keys
	}
	if s.Groups == nil {
		s.Groups = groups
	}
	return s, s.check()
}

func (s *Settings) check() error {
	for _, d := range []struct {
		field string
		value time.Duration
		least time.Duration
	}{
		{"defaultDuration", s.DefaultDuration.Duration, 0}, {"startup", s.Startup.Duration, 0}, {"grace", s.Grace.Duration, time.Second},
		{"repair", s.Repair.Duration, 0}, {"ahead", s.Ahead.Duration, time.Second}, {"conditions", s.Conditions.Duration, 0},
		{"protection.lead", s.Protection.Lead.Duration, 0},
	} {
		if d.value < d.least || d.value > v1alpha1.MaxDuration || d.value%time.Second != 0 {
			return fmt.Errorf("settings: %s %v is not a whole number of seconds from %v to ten years", d.field, d.value, d.least)
		}
	}
	for i, key := range s.TopologyKeys {
		if key == "" || slices.Contains(s.TopologyKeys[:i], key) {
			return fmt.Errorf("settings: topologyKeys[%d] %q is empty, or named twice", i, key)
		}
	}
	for i, key := range s.Groups {
		if key.Name == "" {
			return fmt.Errorf("settings: groups[%d].name %q is empty", i, key.Name)
		}
	}
	p := s.Protection
	switch {
	case s.Backfill < -1:
		return fmt.Errorf("settings: backfill %d is less than -1", s.Backfill)
	case len(s.TopologyKeys) > nodes.MaxResources:
		return fmt.Errorf("settings: topologyKeys are %d, and not at most %d", len(s.TopologyKeys), nodes.MaxResources)
	case p.Policy != None && p.Policy != Taint && p.Policy != Placeholder:
		return fmt.Errorf("settings: protection.policy %q is none of none, taint, placeholder", p.Policy)
	case p.Policy == Placeholder && (p.PriorityClass == "" || p.Image == "" || p.Namespace == ""):
		return fmt.Errorf("settings: protection.priorityClass %q, image %q or namespace %q is empty", p.PriorityClass, p.Image, p.Namespace)
	}
	return nil
}
