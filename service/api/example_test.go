package api_test

import (
	"fmt"
	"time"

	"github.com/bookahead/bookahead/service/api"
)

// Lengths of time are those of ISO 8601.
func ExampleDuration() {
	d := api.DurationOf(90 * time.Minute)
	back, err := d.Time()
	fmt.Println(d, back, err)
	_, err = api.Duration("2 hours").Time()
	fmt.Println(err)
	// Output:
	// PT1H30M 1h30m0s <nil>
	// "2 hours" is no duration of ISO 8601, such as PT2H or P1DT30M
}
