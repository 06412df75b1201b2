package freelist

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// What is booked behind the back of the list is noticed, and so is what the list has
// lost.
func TestVerifyFindsFaults(t *testing.T) {
	w := bookahead.Interval{Start: 5, End: 9}
	for name, spoil := range map[string]func(bookahead.Schedule){
		"a booking too many": func(s bookahead.Schedule) {
			switch l := s.(type) {
			case *TimeExclusive:
				l.free.add(nil, w, -1)
			case *CapacityHierarchical:
				l.root.add(w, -1)
			case *Mixed:
				l.add(w, -1)
			case *Used:
				l.used.add(nil, w, 1)
			}
		},
		"a booking too few": func(s bookahead.Schedule) {
			switch l := s.(type) {
			case *TimeExclusive:
				l.pool.Booked.Remove(1, 0)
			case *CapacityHierarchical:
				l.pool.Booked.Remove(1, 0)
			case *Mixed:
				l.pool.Booked.Remove(1, 0)
			case *Used:
				l.pool.Booked.Remove(1, 0)
			}
		},
		"another form": func(s bookahead.Schedule) {
			switch l := s.(type) {
			case *TimeExclusive:
				l.free.split(l.free.head, l.free.head.Start+1)
			case *CapacityHierarchical:
				f := l.root.upon[0]
				f.upon = []*layer{{Interval: f.Interval, units: 1, upon: f.upon}}
				f.units--
			case *Mixed:
				l.blocks[0], l.blocks[1] = l.blocks[1], l.blocks[0]
			case *Used:
				l.used.split(l.used.head, l.used.head.Start+1)
			}
		},
	} {
		for _, v := range variants {
			s, err := v.open(20, Config{Horizon: 1000})
			require.NoError(t, err)
			for k := range bookahead.Time(100) {
				_, err := s.Reserve(bookahead.Request{Ready: 3 * k, Duration: 10, Units: 2})
				require.NoError(t, err)
			}
			require.NoError(t, s.(bookahead.Verifier).Verify(), v.name)
			spoil(s)
			require.Error(t, s.(bookahead.Verifier).Verify(), "%s with %s", v.name, name)
		}
	}
}

// A reservation that ends with the axis leaves nothing behind it.
func TestVerifyAtTheEndOfTheAxis(t *testing.T) {
	each(t, 3, func(t *testing.T, s bookahead.Schedule) {
		_, err := s.Reserve(bookahead.Request{Ready: bookahead.MaxTime - 5, Duration: 5, Units: 1})
		require.NoError(t, err)
		require.NoError(t, s.(bookahead.Verifier).Verify())
	})
}
