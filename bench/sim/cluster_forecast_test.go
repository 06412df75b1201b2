package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/plan"
)

// A forecast is made when a gang comes in, from the estimates, and is not changed later.
func TestForecasts(t *testing.T) {
	c := pair(t, Local{Backfill: plan.EASY(1)})
	gangs := []Gang{
		gang(0, 4, 10, 4, 1), // takes both nodes until 4, and until 10 by its estimate
		gang(1, 5, 5, 4, 1),  // is expected at 10, and starts at 4
		gang(2, 5, 5, 4, 1),  // is expected behind it at 15, and starts at 9
		gang(20, 5, 5, 1, 1), // starts at once
		booked(gang(30, 5, 5, 1, 1), 40, bookahead.Time(45)), // is no batch gang
	}
	r, err := RunCluster(t.Context(), c, gangs)
	require.NoError(t, err)
	require.Nil(t, r.Forecasts)
	c.Forecast = true
	again, err := RunCluster(t.Context(), c, gangs)
	require.NoError(t, err)
	require.Equal(t, []bookahead.Time{0, 10, 15, 20, Never}, again.Forecasts)
	again.Forecasts = nil
	require.Equal(t, r, again, "a forecast changes nothing")
	require.Equal(t, "0 4 9 20 40", r.starts())
}
