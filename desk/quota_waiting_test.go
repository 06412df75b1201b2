package desk

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// unitFor returns a request of an owner for a unit of p, by tick 9.
func unitFor(owner string, labels ...string) Request {
	r := by(9, 1, 0)
	r.Owner, r.Labels = owner, labels
	return r
}

// One owner cannot fill the list of those that wait.
func TestAQuotaBoundsWhoWaits(t *testing.T) {
	for name, c := range map[string]struct {
		quota Quota
		ann   int // so many of her bookings may wait
		bob   int // and of his behind them
	}{
		"each":          {Quota{Each: true, Waiting: 2}, 2, 2},
		"together":      {Quota{Waiting: 3}, 3, 0},
		"one of them":   {Quota{Owners: []string{"ann"}, Waiting: 1}, 1, 4},
		"a label":       {Quota{Label: "x", Waiting: 1}, 1, 4},
		"wherever":      {Quota{Each: true, On: []string{"n"}, Waiting: 1}, 1, 1},
		"of a resource": {Quota{Each: true, Resource: "cores", Waiting: 1}, 1, 1},
		"and units":     {Quota{Each: true, Units: 9, Waiting: 1}, 1, 1},
		"no bound":      {Quota{Each: true, Units: 9}, 4, 4},
	} {
		d := crowd(t, 20)
		must(t, d, SetQuota{"q", c.quota})
		for _, x := range []struct {
			owner  string
			labels []string
			most   int
		}{{"ann", []string{"x"}, c.ann}, {"bob", nil, c.bob}} {
			waits := 0
			for range 4 {
				r := unitFor(x.owner, x.labels...)
				f, err := d.Why(r, bookahead.Effort{})
				require.NoError(t, err)
				out, err := d.Do(Book{Request: r, Wait: 8})
				require.Equal(t, err != nil, len(f.Waiting) > 0, name)
				if err == nil {
					waits++
					continue
				}
				require.Equal(t, bookahead.ErrUnavailable, err)
				require.Equal(t, Outcome{}, out)
				require.Equal(t, "q", f.Waiting[0].Quota)
			}
			require.Equal(t, x.most, waits, "%s: %s", name, x.owner)
		}
		for _, x := range d.OverQuota() {
			require.False(t, x.Waiting, "%s: no more wait than may: %v", name, x)
		}
		must(t, d, Cancel{1})
		require.Empty(t, turns(d), name)
	}
}

// Bookings that wait beyond a quota stay, OverQuota lists them, and Why names them until few enough wait.
func TestWhoWaitsBeyondAQuotaStays(t *testing.T) {
	d := crowd(t, 20)
	for i := range bookahead.Time(3) {
		must(t, d, Book{Request: unitFor("ann"), Wait: 5 + i})
	}
	must(t, d, Advance{1})
	must(t, d, SetQuota{"q", Quota{Each: true, Units: 3, Waiting: 1}})
	require.Len(t, turns(d), 3)
	require.Equal(t, []Excess{
		{Quota: "q", Interval: ticks(1, 10), Use: 4, Bound: 3}, // booking 1 has no owner
		{Quota: "q", Owner: "ann", Interval: ticks(1, 1), Use: 3, Bound: 1, Waiting: true},
	}, d.OverQuota())
	require.Equal(t, []SetQuota{{"q", Quota{Each: true, Units: 3, Waiting: 1}}}, d.Quotas())

	f, err := d.Why(unitFor("ann"), bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, `quota "q" lets 1 wait, and 3 do: #2, #3, #4, and another may at 7`, f.Waiting[0].String())
	require.Equal(t, `1 unit of "p" is taken by #1, and free at 10`, f.Obstacles[0].String())
	f, err = d.Why(unitFor("bob"), bookahead.Effort{})
	require.NoError(t, err)
	require.Empty(t, f.Waiting)
	later := unitFor("ann")
	later.Deadline = 0
	f, err = d.Why(later, bookahead.Effort{})
	require.NoError(t, err)
	require.Empty(t, f.Waiting, "it has a place, and need not wait")

	data := written(t, d)
	read, err := Read(bytes.NewReader(data), Config{})
	require.NoError(t, err)
	require.Equal(t, data, written(t, read))
	require.Equal(t, d.OverQuota(), read.OverQuota())
	for _, x := range []*Desk{d, read} {
		must(t, x, Advance{6})
		_, err = x.Do(Book{Request: unitFor("ann"), Wait: 7})
		require.Equal(t, bookahead.ErrUnavailable, err)
		must(t, x, Cancel{4})
		require.Equal(t, Waiting, must(t, x, Book{Request: unitFor("ann"), Wait: 7}).State)
	}
	_, err = d.Do(SetQuota{"q", Quota{Waiting: -1}})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "Quota.Waiting")
}
