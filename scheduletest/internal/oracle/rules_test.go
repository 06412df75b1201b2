package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// The oracles name the fault of each kind of wrong offer.
func TestWrongOffers(t *testing.T) {
	at := func(start, end bookahead.Time, units int64, servers ...int) bookahead.Offer {
		return bookahead.Offer{Interval: bookahead.Interval{Start: start, End: end}, Units: units, Servers: servers}
	}
	r := bookahead.Request{Ready: 12, Deadline: 30, Duration: 5, Units: 2}
	past := bookahead.Request{Ready: 3, Duration: 5, Units: 2}
	named := bookahead.Request{Ready: 12, Duration: 5, Units: 2, Servers: []int{1, 3}}
	for _, c := range []struct {
		request bookahead.Request
		pool    bookahead.Offer // no offer is tried if it has no units
		servers bookahead.Offer
		want    string // "" if nothing is wrong
	}{
		{r, at(12, 17, 2), at(12, 17, 2, 0, 3), ""},
		{r, at(25, 30, 2), at(25, 30, 2, 0, 3), ""},
		{past, at(10, 15, 2), at(10, 15, 2, 1, 3), ""},
		{r, at(12, 17, 1), at(12, 17, 1, 3), "has 1 units, not 2"},
		{r, at(12, 18, 2), at(12, 18, 2, 0, 3), "is 6 ticks long, not 5"},
		{r, at(11, 16, 2), at(11, 16, 2, 0, 3), "starts before the ready time 12"},
		{past, at(9, 14, 2), at(9, 14, 2, 0, 3), "starts before now, 10"},
		{r, at(26, 31, 2), at(26, 31, 2, 0, 3), "ends after the deadline 30"},
		{past, at(66, 71, 2), at(66, 71, 2, 0, 3), "ends after the horizon 70"},
		{r, at(16, 21, 2), bookahead.Offer{}, "overbooks: 1 are free"},
		{r, at(12, 17, 2, 0, 3), bookahead.Offer{}, "of a pool names servers"},
		{r, bookahead.Offer{}, at(12, 17, 2, 0), "names 1 servers for 2 units"},
		{r, bookahead.Offer{}, at(12, 17, 2), "names 0 servers for 2 units"},
		{r, bookahead.Offer{}, at(12, 17, 2, 3, 0), "do not ascend"},
		{r, bookahead.Offer{}, at(12, 17, 2, 3, 3), "do not ascend"},
		{r, bookahead.Offer{}, at(16, 21, 2, 0, 3), "takes server 0, which is taken or not allowed"},
		{named, bookahead.Offer{}, at(12, 17, 2, 1, 3), ""},
		{named, bookahead.Offer{}, at(12, 17, 2, 2, 3), "takes server 2, which is taken or not allowed"},
	} {
		for _, rules := range []Rules{{}, {Servers: true}} {
			rules.Capacity, rules.Horizon = 4, 60
			o, err := New(rules)
			require.NoError(t, err)
			booked := at(20, 25, 3)
			offer := c.pool
			if rules.Servers {
				booked.Servers, offer = []int{0, 1, 2}, c.servers
			}
			if offer.Units == 0 {
				continue
			}
			o.Book(booked)
			require.NoError(t, o.Advance(10))
			if problem := o.Allows(c.request, offer); c.want == "" {
				require.NoError(t, problem)
			} else {
				require.ErrorContains(t, problem, c.want)
			}
		}
	}
}

// The starts that an oracle tries end with the axis. It once went on at the beginning of the
// axis.
func TestStepsEndWithTheAxis(t *testing.T) {
	for _, open := range []func(Rules) (*Oracle, error){New, NewSteps} {
		o, err := open(Rules{Capacity: 1, Origin: bookahead.MaxTime - 40, Step: 4})
		require.NoError(t, err)
		_, err = o.Reserve(bookahead.At(bookahead.MaxTime-9, 7, 1))
		require.NoError(t, err)
		_, err = o.Search(bookahead.Request{Ready: bookahead.MaxTime - 7, Duration: 1, Units: 1})
		require.Equal(t, bookahead.ErrUnavailable, err)
	}
}
