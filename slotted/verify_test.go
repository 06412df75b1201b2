package slotted

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// What is booked behind the back of the slots is noticed, and so is what the slots
// have lost.
func TestVerifyFindsFaults(t *testing.T) {
	w := bookahead.Interval{Start: 15, End: 29}
	for name, spoil := range map[string]func(bookahead.Schedule){
		"a booking too many": func(s bookahead.Schedule) {
			switch s := s.(type) {
			case *Scan:
				s.add(w, -1)
			case *Indexed:
				s.add(w, 1)
			}
		},
		"a booking too few": func(s bookahead.Schedule) {
			switch s := s.(type) {
			case *Scan:
				s.pool.Booked.Remove(2, 0)
			case *Indexed:
				s.pool.Booked.Remove(2, 0)
			}
		},
		"a wrong sum": func(s bookahead.Schedule) {
			switch s := s.(type) {
			case *Scan:
				s.free[3]++
			case *Indexed:
				s.blocks[0].most--
			}
		},
	} {
		each(t, 20, Config{Horizon: 400, Slot: 10}, func(t *testing.T, s bookahead.Schedule) {
			for k := range bookahead.Time(30) {
				_, err := s.Reserve(bookahead.Request{Ready: 11 * k, Duration: 10, Units: 2})
				require.NoError(t, err)
			}
			require.NoError(t, s.(bookahead.Verifier).Verify())
			spoil(s)
			require.Error(t, s.(bookahead.Verifier).Verify(), name)
		})
	}
}
