package v1alpha1

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/bookahead/bookahead/recur"
)

// MaxDuration is the longest reservation. It keeps sums of times far from the ends of their types.
const MaxDuration = 10 * 365 * 24 * time.Hour

// Default sets the fields that a user may leave out, as the schema of the CRD does.
func (s *ReservationSpec) Default() {
	if s.Tasks.Count == 0 {
		s.Tasks.Count = 1
	}
}

// Validate returns what is wrong with a spec, by field. The schema of the CRD catches most of it first; this also reads the
// RRULE and the time zone. keys are the topology keys that a plan knows.
func (s *ReservationSpec) Validate(keys []string) (all field.ErrorList) {
	return append(s.Tasks.validate(field.NewPath("spec", "tasks"), keys), s.When.validate(field.NewPath("spec", "when"))...)
}

func (t *Tasks) validate(at *field.Path, keys []string) (all field.ErrorList) {
	if t.Count < 1 {
		all = append(all, field.Invalid(at.Child("count"), t.Count, "is less than 1"))
	}
	if t.PerNode < 0 {
		all = append(all, field.Invalid(at.Child("perNode"), t.PerNode, "is negative"))
	}
	something := false
	for name, q := range t.Resources {
		if q.Sign() < 0 {
			all = append(all, field.Invalid(at.Child("resources").Key(string(name)), q.String(), "is negative"))
		}
		something = something || q.Sign() > 0 && name != corev1.ResourcePods
	}
	if !something {
		all = append(all, field.Invalid(at.Child("resources"), t.Resources, "asks for nothing"))
	}
	for name, key := range map[string]string{"within": t.Within, "together": t.Together} {
		if key != "" && !slices.Contains(keys, key) {
			all = append(all, field.NotSupported(at.Child(name), key, keys))
		}
	}
	slices.SortFunc(all, func(a, b *field.Error) int { return strings.Compare(a.Field, b.Field) })
	return all
}

func (w *When) validate(at *field.Path) (all field.ErrorList) {
	if w.Duration.Duration < time.Second || w.Duration.Duration > MaxDuration || w.Duration.Duration%time.Second != 0 {
		all = append(all, field.Invalid(at.Child("duration"), w.Duration.Duration.String(), "is not a whole number of seconds from 1s to ten years"))
	}
	if w.Start != nil && w.Earliest != nil {
		all = append(all, field.Invalid(at.Child("earliest"), w.Earliest, "is set, and start too"))
	}
	if w.Start != nil && w.Deadline != nil {
		all = append(all, field.Invalid(at.Child("deadline"), w.Deadline, "is set, and start too"))
	}
	if w.Earliest != nil && w.Deadline != nil && w.Deadline.Sub(w.Earliest.Time) < w.Duration.Duration {
		all = append(all, field.Invalid(at.Child("deadline"), w.Deadline, "is before earliest and duration"))
	}
	if w.RRule == "" {
		if w.TimeZone != "" {
			all = append(all, field.Invalid(at.Child("timeZone"), w.TimeZone, "is of no use without rrule"))
		}
		return all
	}
	if w.Start == nil {
		return append(all, field.Required(at.Child("start"), "an rrule recurs from a start"))
	}
	if _, err := time.LoadLocation(w.TimeZone); err != nil {
		return append(all, field.Invalid(at.Child("timeZone"), w.TimeZone, err.Error()))
	}
	if len(all) > 0 {
		return all
	}
	if _, err := w.Rule(); err != nil {
		all = append(all, field.Invalid(at.Child("rrule"), w.RRule, err.Error()))
	}
	return all
}

// Rule returns the rule of a reservation that recurs.
func (w *When) Rule() (recur.Rule, error) {
	zone, err := time.LoadLocation(w.TimeZone)
	if err != nil {
		return recur.Rule{}, err
	}
	return recur.ParseRule(w.RRule, w.Start.In(zone).Truncate(time.Second), w.Duration.Duration)
}
