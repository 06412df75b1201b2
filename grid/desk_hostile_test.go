package grid

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// deskBytes are those of a snapshot of a desk: of its schedule, and its numbers.
func deskBytes(t require.TestingT, schedule []byte, numbers ...uint64) []byte {
	w := snapshot.Begin(kindOfDesk)
	w.Bytes(schedule)
	for _, n := range numbers {
		w.Uint(n)
	}
	data, err := w.End()
	require.NoError(t, err)
	return data
}

// hostileDesks are snapshots that nothing has written, by what their errors say. The
// schedule's clock stands at 5.
func hostileDesks(t require.TestingT) map[string][]byte {
	pool := inner(t)
	deep := pool
	for range 50 {
		deep = deskBytes(t, deep, 5, 0)
	}
	return map[string][]byte{
		"schedule: bookahead: snapshot: length":            deskBytes(t, nil, 5, 1, 3, 0),
		"schedule: bookahead: snapshot: sum":               deskBytes(t, pool[:len(pool)-1], 5, 1, 3, 0),
		"schedule: bookahead: snapshot: kind":              deep,
		"schedule, before byte":                            snapshot.Seal([]byte("BKAH\x01\x09grid.Desk\xff\xff\xff\xff\xff\xff\xff\xff\x7f....")),
		"kind, before byte 0, \"pool\" is not":             pool,
		"6 is ahead of the schedule's, 5":                  deskBytes(t, pool, 6, 1, 3, 0),
		"now, before byte 49, 18446744073709551615 is mor": deskBytes(t, pool, math.MaxUint64, 0),
		"ID, before byte 52, 18446744073709551615 is more": deskBytes(t, pool, 5, 1, 3, math.MaxUint64, 3, 0),
		"0 is over, of hold 1":                             deskBytes(t, pool, 5, 1, 0, 0),
		"9223372036854775803 is more than 922337203685477": deskBytes(t, pool, 5, 1, math.MaxInt64-4, 0),
		"time to the expiry, before byte 41, [] is no who": deskBytes(t, pool, 5, 1),
		"ID, before byte 42, [] is no whole number":        deskBytes(t, pool, 5, 1, 3),
		"2 bytes are left over":                            deskBytes(t, pool, 5, 1, 3, 0, 0, 0),
	}
}

func TestHostileDesksAreRefused(t *testing.T) {
	d := newDesk(t, 3)
	_, err := d.Hold(bookahead.Request{Duration: 9, Units: 2}, 7)
	require.NoError(t, err)
	s := d.Schedule()
	before, err := d.MarshalBinary()
	require.NoError(t, err)
	for want, data := range hostileDesks(t) {
		err := d.UnmarshalBinary(data)
		require.ErrorIs(t, err, bookahead.ErrInvalid, want)
		require.ErrorContains(t, err, want)
		require.Same(t, s, d.Schedule())
		after, err := d.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, before, after, want)
	}
	// What differs from them is good: the last of all ticks.
	good := deskBytes(t, inner(t), 5, 1, math.MaxInt64-5, 0)
	require.NoError(t, d.UnmarshalBinary(good))
	require.Equal(t, map[bookahead.ID]hold{1: {bookahead.MaxTime, 8}}, d.held)
	require.NoError(t, d.UnmarshalBinary(deskBytes(t, inner(t), 4, 0)), "the schedule may be ahead")
}

// A desk knows the kind of its schedule from the one it has.
func TestADeskNeedsASchedule(t *testing.T) {
	data, err := newDesk(t, 4).MarshalBinary()
	require.NoError(t, err)
	require.ErrorContains(t, new(Desk).UnmarshalBinary(data), "schedule <nil> cannot be cloned, and so is no model for the one to be read")
	_, err = new(Desk).MarshalBinary()
	require.ErrorContains(t, err, "schedule <nil> cannot be written")
	d, err := NewDesk(plain{newPool(t, 4)}, 3)
	require.NoError(t, err)
	_, err = d.MarshalBinary()
	require.ErrorContains(t, err, "schedule grid.plain cannot be written")
	require.ErrorContains(t, d.UnmarshalBinary(data), "schedule grid.plain cannot be cloned, and so is no model")
	require.ErrorIs(t, d.UnmarshalBinary(data), bookahead.ErrInvalid)
	_, err = d.Hold(bookahead.Request{Duration: 5, Units: 1}, 9)
	require.NoError(t, err)
	require.NoError(t, d.Verify())
}
