package carts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// Verify finds bookings that the slots do not have, and slots that lack a booking.
func TestVerifyFindsFaults(t *testing.T) {
	w := bookahead.Interval{Start: 5, End: 9}
	for name, spoil := range map[string]func(bookahead.Schedule){
		"a booking too many": func(s bookahead.Schedule) {
			switch s := s.(type) {
			case *Flat:
				s.s.Profile.Change(w, -1)
			case *BTree:
				s.s.Profile.Change(w, -1)
			case *Indexed:
				s.s.Profile.Change(w, -1)
			case *SR:
				s.sets().free[0].Clear(3)
			}
		},
		"a booking too few": func(s bookahead.Schedule) {
			switch s := s.(type) {
			case *Flat:
				s.s.Booked.Remove(1, 0)
			case *BTree:
				s.s.Booked.Remove(1, 0)
			case *Indexed:
				s.s.Booked.Remove(1, 0)
			case *SR:
				s.s.Booked.Remove(1, 0)
			}
		},
		"another form": func(s bookahead.Schedule) {
			switch s := s.(type) {
			case *Flat:
				s.s.Profile.(*array).split(7)
			case *BTree:
				s.s.Profile.(*tree).split(7)
			case *Indexed: // internal/profile checks its own invariants
				s.s.Profile.Change(w, 1)
			case *SR:
				s.sets().split(7)
			}
		},
	} {
		for _, f := range forms {
			s := f.new(t, 20, Config{})
			for k := range bookahead.Time(100) {
				_, err := s.Reserve(bookahead.Request{Ready: 3 * k, Duration: 10, Units: 2})
				require.NoError(t, err)
			}
			require.NoError(t, s.(interface{ Verify() error }).Verify(), f.name)
			spoil(s)
			require.Error(t, s.(interface{ Verify() error }).Verify(), "%s with %s", f.name, name)
		}
	}
}
