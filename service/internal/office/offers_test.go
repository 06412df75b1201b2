package office

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/config"
)

// TestRefusedChangeOfARunningBooking: only the rest of it needs a place, and the reason is in the way of that rest.
//
//	        0    10   20   30
//	asked   ██████████▒▒▒▒▒     3 of 4 units by #1, until 30 instead of 20
//	taken             █████     2 of 4 units by #2
//	clock        10
func TestRefusedChangeOfARunningBooking(t *testing.T) {
	c, err := config.Read([]byte("zone: UTC\nepoch: 2026-01-01\ntick: 1m\nschedules: [{name: link, kind: pool, units: 4}]\n"), t.TempDir()+"/file")
	require.NoError(t, err)
	d, err := desk.New(desk.Config{})
	require.NoError(t, err)
	request := func(ready bookahead.Time, length bookahead.Duration, units int64) desk.Request {
		return desk.Request{Owner: "ann", Ready: ready, Deadline: ready + bookahead.Time(length), Shapes: []desk.Shape{{{On: "link", Units: units, Duration: length}}}}
	}
	for _, cmd := range []desk.Command{
		desk.AddSchedule{Name: "link", Kind: desk.Pool{Units: 4}}, desk.Book{Request: request(0, 20, 3)}, desk.Book{Request: request(20, 10, 2)}, desk.Advance{Now: 10},
	} {
		_, err = d.Do(cmd)
		require.NoError(t, err)
	}
	b, err := d.Booking(1)
	require.NoError(t, err)
	r := request(0, 30, 3)
	_, err = d.Do(desk.Change{ID: 1, To: r})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	err = Over(c, d).refusedChange(&b, &api.Wish{}, &r, problemOf(err))
	var p *Problem
	require.True(t, errors.As(err, &p))
	require.Equal(t, []string{`3 units of "link" are taken by #2, and free at Thu 1 Jan 00:30`}, p.Refusal.Reasons)
	require.Empty(t, p.Refusal.Alternatives)
}
