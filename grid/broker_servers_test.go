package grid

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// A RangeQuery lists the servers of the provider with the most, and a request may name others.
func TestExplainNamedServersOfABroker(t *testing.T) {
	b := brokerOf(t, Config{}, newServers(t, 3), newServers(t, 2))
	_, err := b.Reserve(bookahead.Request{Ready: 5, Deadline: 20, Duration: 15, Units: 1, Servers: []int{4}})
	require.NoError(t, err)
	e, err := bookahead.Explain(b, bookahead.Request{Duration: 10, Units: 2, Servers: []int{4, 3}})
	require.NoError(t, err)
	require.Equal(t, "2 units do not fit in [0, 10): 1 is free in [5, 10), which changes at 20;"+
		" the first place is [20, 30)", e.String())
}
