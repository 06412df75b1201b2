package bookahead_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

func TestValidate(t *testing.T) {
	for want, r := range map[string]bookahead.Request{
		"Request.Units 0 is less than 1":                                       {Duration: 1},
		"Request.Units -3 is less than 1":                                      {Duration: 1, Units: -3},
		"Request.Duration 0 is less than 1":                                    {Units: 1},
		"Request.Duration -7 is less than 1":                                   {Units: 1, Duration: -7},
		"Request.Duration 9223372036854775807 after Request.Ready 1 overflows": {Units: 1, Ready: 1, Duration: math.MaxInt64},
		"Request.Deadline 12 is before Ready + Duration = 13":                  {Units: 1, Ready: 3, Duration: 10, Deadline: 12},
		"Request.Deadline -1 is before Ready + Duration = 1":                   {Units: 1, Duration: 1, Deadline: -1},
		"Request.Servers [] are fewer than the 1 units":                        {Units: 1, Duration: 1, Servers: []int{}},
		"Request.Servers [4 2] are fewer than the 3 units":                     {Units: 3, Duration: 1, Servers: []int{4, 2}},
		"Request.Servers -1 is negative":                                       {Units: 1, Duration: 1, Servers: []int{4, -1}},
		"Request.Servers 4 is named twice":                                     {Units: 1, Duration: 1, Servers: []int{4, 2, 4}},
	} {
		err := r.Validate()
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.EqualError(t, err, "bookahead: "+want)
	}
	for _, r := range []bookahead.Request{
		{Units: 1, Duration: 1},
		{Units: 3, Duration: 10, Ready: -5, Deadline: 5},
		{Units: math.MaxInt64, Duration: math.MaxInt64},
		{Units: 1, Duration: math.MaxInt64, Ready: math.MinInt64, Deadline: -1},
		{Units: 2, Duration: 1, Servers: []int{7, 0, 3}},
	} {
		require.NoError(t, r.Validate())
	}
	named := bookahead.Request{Units: 1, Duration: 1, Servers: []int{7, 0, 3}}
	require.NoError(t, named.Validate())
	require.Equal(t, []int{7, 0, 3}, named.Servers, "the caller's slice stays as it is")
}

func TestOfferRequest(t *testing.T) {
	o := bookahead.Offer{Interval: bookahead.Interval{Start: 4, End: 9}, Units: 2, Servers: []int{1, 5}}
	require.Equal(t, bookahead.Request{Ready: 4, Deadline: 9, Duration: 5, Units: 2, Servers: []int{1, 5}}, o.Request())
	require.True(t, o.Request().Fixed())
	require.False(t, bookahead.Request{Ready: 4, Deadline: 10, Duration: 5, Units: 2}.Fixed())
	require.False(t, bookahead.Request{Ready: -5, Duration: 5, Units: 2}.Fixed(), "0 is no deadline")
	require.Equal(t, "[4, 9) [1 5]", o.String())
	o.Servers = nil
	require.Equal(t, "[4, 9) 2", o.String())
}

// A fixed request that ends at tick 0 lies in the past, like those around it. Its deadline must
// not count as no deadline.
func TestAtEndsAtZero(t *testing.T) {
	for d := bookahead.Duration(3); d < 8; d++ {
		r := bookahead.At(-5, d, 1)
		require.NoError(t, r.Validate())
		require.True(t, r.Fixed(), d)
		pool, err := carts.NewFlat(1, carts.Config{})
		require.NoError(t, err)
		_, err = pool.Search(r)
		require.Equal(t, bookahead.ErrUnavailable, err, d)
	}
}
