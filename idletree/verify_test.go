package idletree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

// What is booked behind the back of the idle periods is noticed, and so is what they
// have lost.
func TestVerifyFindsFaults(t *testing.T) {
	fleetOf := func(s bookahead.Schedule) *fleet {
		switch s := s.(type) {
		case *Tree:
			return &s.fleet
		case *Lists:
			return &s.fleet
		default:
			return &s.(*Slotted).fleet
		}
	}
	for name, spoil := range map[string]func(bookahead.Schedule){
		"a booking too many": func(s bookahead.Schedule) { fleetOf(s).book(3, bookahead.Interval{Start: 390, End: 399}) },
		"a booking too few":  func(s bookahead.Schedule) { fleetOf(s).Booked.Remove(1, 0) },
		"an index that is not of the calendars": func(s bookahead.Schedule) {
			switch s := s.(type) {
			case *Tree:
				s.index.expire(100)
			case *Lists:
				s.fleet.idle[0].few = s.fleet.idle[0].few[1:]
			case *Slotted:
				*s.at(0) = nil
			}
		},
	} {
		for _, target := range append(targets[:2:2], slottedTargets[0]) {
			s, err := target.New(scheduletest.Config{Capacity: 20, Horizon: 400})
			require.NoError(t, err)
			for k := range bookahead.Time(100) {
				_, err := s.Reserve(bookahead.Request{Ready: 3 * k, Duration: 10, Units: 2})
				require.NoError(t, err)
			}
			require.NoError(t, s.(bookahead.Verifier).Verify(), target.Name)
			spoil(s)
			require.Error(t, s.(bookahead.Verifier).Verify(), "%s with %s", target.Name, name)
		}
	}
}
