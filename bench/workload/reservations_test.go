package workload

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

func TestReservations(t *testing.T) {
	jobs, err := Lublin{Seed: 1}.Generate(2000)
	require.NoError(t, err)
	book := func(fraction float64) []Booking {
		b, err := Reservations{Fraction: fraction, Ahead: 3 * 3600, Slack: 0.5, Seed: 9}.Book(jobs)
		require.NoError(t, err)
		return b
	}
	few, many := book(0.2), book(0.7)
	count := 0
	for i, b := range many {
		require.Equal(t, jobs[i], b.Job)
		require.NoError(t, b.Request.Validate())
		if b.Ahead {
			count++
			require.LessOrEqual(t, b.Request.Ready, b.Submit+3*3600)
			require.Equal(t, b.Request.Ready+bookahead.Time(b.Estimate/2)+bookahead.Time(b.Estimate), b.Request.Deadline)
		} else {
			require.Equal(t, bookahead.Request{Ready: b.Submit, Duration: b.Estimate, Units: b.Units}, b.Request)
		}
		if few[i].Ahead {
			require.Equal(t, few[i], b, "what the smaller share chose stays")
		}
	}
	require.InDelta(t, 0.7, float64(count)/2000, 0.04)
	for _, b := range book(0) {
		require.False(t, b.Ahead)
	}
	for _, b := range book(1) {
		require.True(t, b.Ahead)
	}
	fixed, err := Reservations{Fraction: 1, Ahead: 10}.Book(jobs)
	require.NoError(t, err)
	require.True(t, fixed[0].Request.Fixed())
}

// TestBookAnything draws settings and jobs, some of them near the end of the
// axis.
func TestBookAnything(t *testing.T) {
	number := rapid.OneOf(rapid.Int64Range(1, 1000), rapid.Int64Range(1, 1000), rapid.Int64Min(0))
	rapid.Check(t, func(t *rapid.T) {
		less := Reservations{
			Fraction: rapid.Float64Range(0, 1).Draw(t, "fraction"),
			Ahead:    bookahead.Duration(number.Draw(t, "ahead")),
			Slack:    rapid.OneOf(rapid.Float64Range(0, 4), rapid.Float64Min(0)).Draw(t, "slack"),
			Seed:     rapid.Uint64().Draw(t, "seed"),
		}
		more := less
		more.Fraction = rapid.Float64Range(less.Fraction, 1).Draw(t, "more")
		jobs := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Job {
			return Job{
				Submit:   bookahead.Time(number.Draw(t, "submit")),
				Estimate: bookahead.Duration(number.Draw(t, "estimate")),
				Units:    number.Draw(t, "units"),
			}
		})).Draw(t, "jobs")
		few, err := less.Book(jobs)
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			return
		}
		for i, b := range few {
			require.NoError(t, b.Request.Validate())
			require.Equal(t, b.Ahead, b.Request.Deadline != 0)
			require.True(t, b.Request.Ready >= b.Submit && b.Request.Ready-b.Submit <= bookahead.Time(less.Ahead))
			require.Equal(t, jobs[i], b.Job)
		}
		many, err := more.Book(jobs)
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			return
		}
		for i, b := range few {
			if b.Ahead {
				require.Equal(t, b, many[i])
			}
		}
	})
}

func TestReservationsBadInput(t *testing.T) {
	job := Job{Submit: 5, Run: 10, Estimate: 10, Units: 1}
	late, negative, empty := job, job, job
	late.Submit, negative.Submit, empty.Estimate = math.MaxInt64-10, -5, 0
	for want, c := range map[string]struct {
		Reservations
		Job
	}{
		"bookahead: Reservations.Fraction NaN is not between 0 and 1": {Reservations{Fraction: math.NaN()}, job},
		"bookahead: Reservations.Fraction 1.5 is not between 0 and 1": {Reservations{Fraction: 1.5}, job},
		"bookahead: Reservations.Ahead -1 is negative":                {Reservations{Ahead: -1}, job},
		"bookahead: Reservations.Slack -1 is not 0 or more":           {Reservations{Slack: -1}, job},
		"bookahead: Reservations.Slack NaN is not 0 or more":          {Reservations{Slack: math.NaN()}, job},
		"job 1: bookahead: Reservations.Slack +Inf times 10, after 15, overflows": {
			Reservations{Fraction: 1, Slack: math.Inf(1)}, job},
		"job 1: bookahead: Reservations.Slack 1 times 10, after 9223372036854775807, overflows": {
			Reservations{Fraction: 1, Slack: 1}, late},
		"job 1: bookahead: Job.Submit -5 is negative":         {Reservations{}, negative},
		"job 1: bookahead: Request.Duration 0 is less than 1": {Reservations{}, empty},
	} {
		_, err := c.Reservations.Book([]Job{c.Job})
		require.ErrorIs(t, err, bookahead.ErrInvalid, want)
		require.EqualError(t, err, want)
	}
	_, err := Reservations{Fraction: 1}.Book([]Job{late})
	require.NoError(t, err, "ends with the axis")
	late.Submit -= 10
	last, err := Reservations{Fraction: 1, Slack: 1}.Book([]Job{late})
	require.NoError(t, err, "may end with the axis")
	require.Equal(t, bookahead.MaxTime, last[0].Request.Deadline)
	_, err = Reservations{Fraction: 1, Ahead: math.MaxInt64, Seed: 1}.Book([]Job{late})
	require.ErrorContains(t, err, "job 1: bookahead: Job.Submit 9223372036854775787 and ")
}

func ExampleReservations_Book() {
	jobs := []Job{
		{Submit: 0, Run: 50, Estimate: 60, Units: 4},
		{Submit: 10, Run: 600, Estimate: 600, Units: 1},
		{Submit: 20, Run: 30, Estimate: 120, Units: 8},
	}
	bookings, err := Reservations{Fraction: 0.5, Ahead: 3 * 3600, Slack: 0.5, Seed: 1}.Book(jobs)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range bookings {
		fmt.Printf("submitted %d: ready %d, deadline %d\n", b.Submit, b.Request.Ready, b.Request.Deadline)
	}
	// Output:
	// submitted 0: ready 7492, deadline 7582
	// submitted 10: ready 7446, deadline 8346
	// submitted 20: ready 20, deadline 0
}
