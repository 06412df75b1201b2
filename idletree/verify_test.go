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
	scheduleOf := func(s bookahead.Schedule) *schedule {
		switch s := s.(type) {
		case *Tree:
			return &s.schedule
		case *Lists:
			return &s.schedule
		default:
			return &s.(*Slotted).schedule
		}
	}
	for name, spoil := range map[string]func(bookahead.Schedule){
		"a booking too many": func(s bookahead.Schedule) {
			scheduleOf(s).roster().calendars().book(3, bookahead.Interval{Start: 390, End: 399})
		},
		"a booking too few": func(s bookahead.Schedule) { scheduleOf(s).s.Booked.Remove(1, 0) },
		"an index that is not of the calendars": func(s bookahead.Schedule) {
			switch s := s.(type) {
			case *Tree:
				s.tree().index.expire(100)
			case *Lists:
				c := &s.roster().calendars().idle[0]
				c.few = c.few[1:]
			case *Slotted:
				*s.slots().at(0) = nil
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
			require.NoError(t, s.(verified).Verify(), target.Name)
			spoil(s)
			require.Error(t, s.(verified).Verify(), "%s with %s", target.Name, name)
		}
	}
}
