package scheduletest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// wrapsErrors wraps ErrUnavailable, which must stay bare.
type wrapsErrors struct{ spoiltPool }

func (p *wrapsErrors) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, err := p.spoiltPool.Search(r)
	if err == bookahead.ErrUnavailable {
		err = fmt.Errorf("full: %w", err)
	}
	return o, err
}

// namesNoField does not name the field that is invalid.
type namesNoField struct{ spoiltPool }

func (p *namesNoField) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	if p.Check(r) != nil {
		return bookahead.Reservation{}, bookahead.ErrInvalid
	}
	return p.spoiltPool.Reserve(r)
}

// horizonTooFar books one tick beyond its horizon.
type horizonTooFar struct{ spoiltPool }

func (p *horizonTooFar) Search(r bookahead.Request) (bookahead.Offer, error) {
	p.Horizon++
	defer func() { p.Horizon-- }()
	return p.spoiltPool.Search(r)
}

// tableFaults are faults, each with the test of Invalid or Known that must fail.
var tableFaults = map[string]string{
	"end off by one":                         "Known/A_tick_lost_at_each_end",
	"leaky release":                          "Known/A_stale_index_after_growth",
	"twins count once":                       "Known/Two_equal_bookings_counted_once",
	"stale index after release":              "Known/A_stale_index_after_a_release",
	"negative units":                         "Known/A_negative_amount_accepted",
	"ready time ignored":                     "Known/A_start_before_the_ready_time_of_an_empty_profile",
	"horizon a tick too far":                 "Invalid/Search_with_an_end_beyond_the_horizon",
	"released twice":                         "Invalid/Release_twice",
	"none":                                   "",
	"wraps errors":                           "Invalid/Search_with_a_deadline_in_the_past",
	"names no field":                         "Invalid/Reserve_with_no_units",
	"rebook looks at the ID last":            "Invalid/SearchFor_with_the_next_ID_and_no_units",
	"rebook of a running one may end by now": "Invalid/Rebook_with_an_end_that_is_now_of_a_running_one",
	"rebook of too many units is invalid":    "Invalid/Rebook_with_more_units_than_there_are_of_a_running_one",
	"too many units are invalid":             "Invalid/Search_with_more_units_than_there_are",
	"too long is invalid":                    "Invalid/Reserve_with_a_duration_beyond_the_horizon",
	"window uncut":                           "Invalid/Window_of_which_nothing_can_be_booked",
	"no window":                              "Invalid/Everything",
	"any config":                             "Invalid/New_with_a_negative_origin",
	"horizon not needed":                     "Invalid/New_with_no_horizon",
}

// spoiltTarget returns a target with a fault of tableFaults.
func spoiltTarget(name string) Target {
	target := Target{Name: name}
	target.New = func(c Config) (bookahead.Schedule, error) {
		p, err := oracle.New(target.rules(c))
		switch name {
		case "wraps errors":
			return &wrapsErrors{spoiltPool{*p}}, err
		case "names no field":
			return &namesNoField{spoiltPool{*p}}, err
		case "horizon a tick too far":
			return &horizonTooFar{spoiltPool{*p}}, err
		case "horizon not needed":
			if c.Horizon == 0 {
				return p, nil
			}
		case "any config":
			return p, nil
		}
		if err != nil {
			return nil, err
		}
		for _, f := range faults {
			if f.name == name {
				return f.spoil(target, c), nil
			}
		}
		return p, nil
	}
	target.Bounded = name == "horizon not needed"
	return target
}

// spoiltRuns is set in the process in which tests are to fail.
const spoiltRuns = "BOOKAHEAD_SPOILT_RUNS"

// TestSpoiltRuns runs the tables on all faults. TestTablesCatchFaults expects it to fail.
func TestSpoiltRuns(t *testing.T) {
	if os.Getenv(spoiltRuns) == "" {
		t.Skip("see TestTablesCatchFaults")
	}
	for name := range tableFaults {
		target := spoiltTarget(name)
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Run("Invalid", func(t *testing.T) { invalidCalls(t, target) })
			t.Run("Known", func(t *testing.T) { knownFaults(t, target) })
		})
	}
}

// TestTablesCatchFaults checks that Invalid and Known find the faults of tableFaults. As their
// tests fail then, that happens in another process.
func TestTablesCatchFaults(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	run := exec.Command(self, "-test.run=^TestSpoiltRuns$", "-test.v")
	run.Env = append(os.Environ(), spoiltRuns+"=1")
	out, err := run.CombinedOutput()
	var failed *exec.ExitError
	require.ErrorAs(t, err, &failed, "%s", out)
	for name, test := range tableFaults {
		line := "--- FAIL: TestSpoiltRuns/" + strings.ReplaceAll(name, " ", "_") + "/" + test + " "
		if name == "none" {
			line = "--- PASS: TestSpoiltRuns/" + strings.ReplaceAll(name, " ", "_") + " "
		}
		require.True(t, strings.Contains(string(out), line), "%q is not in what was printed", line)
	}
}
