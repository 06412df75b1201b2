package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// A quota of a resource that no schedule has would set no bound, so the name must be misspelt.
func TestAQuotaOfAnUnknownResource(t *testing.T) {
	d := opened(t, Config{})
	must(t, d, AddSchedule{"m", Nodes{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{4}}}})
	must(t, d, AddSchedule{"nn", Broker{Of: []string{"n"}}})
	for _, c := range []struct {
		on       []string
		resource string
		ok       bool
	}{
		{nil, "cores", true}, {nil, "gpus", true}, {nil, "gqus", false}, {nil, "cores ", false},
		{[]string{"n"}, "cores", true}, {[]string{"nn"}, "cores", true}, {[]string{"n", "m"}, "gpus", true}, {[]string{"n", "x"}, "cores", false},
		{[]string{"n"}, "gpus", false}, {[]string{"nn"}, "gpus", false}, {[]string{"p", "q"}, "cores", false},
	} {
		_, err := d.Do(SetQuota{"q", Quota{On: c.on, Resource: c.resource, Units: 1}})
		if c.ok {
			require.NoError(t, err, "%v", c)
			continue
		}
		require.ErrorIs(t, err, bookahead.ErrInvalid, "%v", c)
		if c.resource != "cores" {
			require.ErrorContains(t, err, "Quota.Resource")
		}
	}
}
