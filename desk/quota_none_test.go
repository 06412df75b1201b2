package desk

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// A quota of None blocks an owner: her bookings stay, and she books no more.
func TestAQuotaOfNone(t *testing.T) {
	d := quotaDesk(t)
	must(t, d, AddSchedule{"lab", Servers{Count: 2}})
	later := Request{Owner: "ann", Ready: 20, Shapes: []Shape{{{On: "gpus", Units: 2, Duration: 5}}}}
	must(t, d, Book{Request: later})
	must(t, d, Book{Request: Request{Owner: "bob", Shapes: []Shape{{{On: "lab", Units: 2, Duration: 9}}}}})
	must(t, d, SetQuota{"blocked", Quota{Owners: []string{"ann"}, On: []string{"gpus"}, None: true}})
	require.Equal(t, []Excess{{Quota: "blocked", Interval: ticks(0, 10), Use: 3}, {Quota: "blocked", Interval: ticks(20, 25), Use: 2}}, d.OverQuota())

	r := Request{Owner: "ann", Shapes: []Shape{{{On: "gpus", Units: 1, Duration: 1}}}}
	for _, c := range []Command{
		Book{Request: r}, Book{Request: r, Wait: 5}, Book{Request: r, Hold: 5}, Book{Request: r, Force: Anybody},
		Overrun{ID: 1, Until: 11}, Change{ID: 1, To: asks(Part{On: "gpus", Units: 4, Duration: 10}).of("ann")},
		Change{ID: 2, To: later.at(21)},
	} {
		before := written(t, d)
		_, err := d.Do(c)
		require.Equal(t, bookahead.ErrUnavailable, err, "%+v", c)
		require.Equal(t, before, written(t, d))
	}
	f, err := d.Why(r, bookahead.Effort{})
	require.NoError(t, err)
	for _, list := range [][]Obstacle{f.Obstacles, f.Waiting} {
		require.Len(t, list, 1)
		require.Equal(t, `quota "blocked" allows nothing`, list[0].String())
		require.Equal(t, bookahead.MaxTime, list[0].Until)
	}
	require.Equal(t, []BookingID{1}, f.Obstacles[0].Bookings)
	require.Equal(t, []SetQuota{{"blocked", Quota{Owners: []string{"ann"}, On: []string{"gpus"}, None: true}}}, d.Quotas())
	data := written(t, d)
	read, err := Read(bytes.NewReader(data), Config{})
	require.NoError(t, err)
	require.Equal(t, data, written(t, read))

	for _, x := range []*Desk{d, read} {
		less := asks(Part{On: "gpus", Units: 2, Duration: 8}).of("ann")
		require.Equal(t, ticks(0, 8), must(t, x, Change{ID: 1, To: less}).Interval, "it may change to less")
		other := r
		other.Shapes = []Shape{{{On: "lab", Units: 1, Duration: 1}}}
		must(t, x, Book{Request: other})
		either := r
		either.Deadline = 3
		either.Shapes = []Shape{r.Shapes[0], other.Shapes[0]}
		k := must(t, x, Book{Request: either, Wait: 2})
		require.Equal(t, Waiting, k.State, "it may have a place that does not count")
		must(t, x, DropQuota{"blocked"})
		require.Empty(t, turns(x))
		k, err := x.Booking(k.ID)
		require.NoError(t, err)
		require.Equal(t, Running, k.State)
	}
	for _, q := range []Quota{{None: true, Units: 1}, {None: true, Waiting: 1}, {None: true, Ticks: 1, Every: 5}, {None: true, Every: 5}} {
		_, err := d.Do(SetQuota{"q", q})
		require.ErrorIs(t, err, bookahead.ErrInvalid, "%+v", q)
	}
	require.Empty(t, d.Quotas())
}

// of returns a request of an owner.
func (r Request) of(owner string) Request {
	r.Owner = owner
	return r
}

// at returns a request from a tick on.
func (r Request) at(ready bookahead.Time) Request {
	r.Ready = ready
	return r
}
