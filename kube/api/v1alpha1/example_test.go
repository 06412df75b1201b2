package v1alpha1_test

import (
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
)

// A spec from a file gets its defaults, and is checked. Errors name the field.
func ExampleReservationSpec_Validate() {
	var spec v1alpha1.ReservationSpec
	err := yaml.UnmarshalStrict([]byte(`
tasks: {resources: {cpu: 8}, within: rack}
when: {start: "2026-03-03T08:00:00Z", duration: 2h, rrule: "FREQ=HOURLY", timeZone: Europe/Berlin}
`), &spec)
	fmt.Println(err)
	spec.Default()
	fmt.Println(spec.Tasks.Count)
	for _, e := range spec.Validate([]string{"topology.kubernetes.io/rack"}) {
		fmt.Println(e.Field, e.Type)
	}
	// Output:
	// <nil>
	// 1
	// spec.tasks.within Unsupported value
	// spec.when.rrule Invalid value
}
