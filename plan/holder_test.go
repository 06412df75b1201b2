package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/plan"
)

// Holder tells the reservations of jobs that run from those of others, also after an overrun, which has another reservation.
func TestHolder(t *testing.T) {
	q, p := newQueue(t, 4, plan.Config{Backfill: plan.EASY(1), Grace: 5})
	firm, err := p.Reserve(bookahead.Request{Ready: 2, Duration: 30, Units: 1})
	require.NoError(t, err)
	q.Changed()
	submit(t, q, "a", on(3, 10))
	ids, _ := pass(t, q, 0)
	holders := func() (list []plan.ID) {
		k := p.(bookahead.Keeper)
		for r := range k.Reservations(bookahead.Interval{Start: q.Now(), End: 100}) {
			id, ok := q.Holder("p", r.ID)
			require.Equal(t, id != "", ok)
			require.Equal(t, r.ID != firm.ID, ok)
			list = append(list, id)
		}
		return list
	}
	require.Equal(t, []plan.ID{""}, holders(), "a proposal holds nothing")
	run(t, q, ids...)
	require.ElementsMatch(t, []plan.ID{"", "a"}, holders())
	_, events := pass(t, q, 10)
	require.Equal(t, plan.Overrun, events[0].Kind)
	require.EqualValues(t, 10, q.Now())
	require.ElementsMatch(t, []plan.ID{"", "a"}, holders())
	require.NoError(t, q.Ended(12, "a"))
	require.EqualValues(t, 12, q.Now())
	require.Equal(t, []plan.ID{""}, holders())
	_, ok := q.Holder("none", 1)
	require.False(t, ok)
	_, ok = q.Holder("p", 0)
	require.False(t, ok)
}
