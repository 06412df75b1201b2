package slotted

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// Verify finds bookings that the slots do not have, and slots that lack a booking.
func TestVerifyFindsFaults(t *testing.T) {
	w := bookahead.Interval{Start: 15, End: 29}
	for name, spoil := range map[string]func(*rounded){
		"a booking too many": func(x *rounded) { x.s.Profile.Change(w, -1) },
		"a booking too few":  func(x *rounded) { x.s.Booked.Remove(2, 0) },
		"a wrong sum": func(x *rounded) {
			switch s := x.s.Profile.(type) {
			case *scanned:
				s.units[3]++
			case *summed:
				s.blocks[0].most--
			}
		},
	} {
		each(t, 20, Config{Horizon: 400, Slot: 10}, func(t *testing.T, s bookahead.Schedule) {
			for k := range bookahead.Time(30) {
				_, err := s.Reserve(bookahead.Request{Ready: 11 * k, Duration: 10, Units: 2})
				require.NoError(t, err)
			}
			require.NoError(t, s.(interface{ Verify() error }).Verify())
			spoil(inside(s))
			require.Error(t, s.(interface{ Verify() error }).Verify(), name)
		})
	}
}

// inside returns the pool in a schedule of either form.
func inside(s bookahead.Schedule) *rounded {
	if scan, ok := s.(*Scan); ok {
		return &scan.rounded
	}
	return &s.(*Indexed).rounded
}
