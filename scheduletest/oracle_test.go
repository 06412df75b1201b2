package scheduletest

import (
	"testing"

	"github.com/bookahead/bookahead"
)

// poolTarget and serverTarget run the oracles through the suite themselves.
var (
	poolTarget   = Target{Name: "scheduletest.Pool"}
	serverTarget = Target{Name: "scheduletest.Servers", Servers: true}
)

func init() {
	poolTarget.New = func(c Config) (bookahead.Schedule, error) { return asSchedule(poolTarget.oracle(c)) }
	serverTarget.New = func(c Config) (bookahead.Schedule, error) { return asSchedule(serverTarget.oracle(c)) }
}

func asSchedule(o oracle, err error) (bookahead.Schedule, error) { return o, err }

func TestPool(t *testing.T)    { Run(t, poolTarget) }
func TestServers(t *testing.T) { Run(t, serverTarget) }
