package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// gaining returns the bookings that may gain by a Cancel.
func gaining(t *testing.T, d *Desk, id BookingID) (list []BookingID) {
	turns, known := d.b.gainers(Cancel{id})
	require.True(t, known)
	for _, x := range turns {
		list = append(list, x.id)
	}
	return list
}

// waitsFor enters a booking that waits for units of a schedule until a deadline.
func waitsFor(t *testing.T, d *Desk, on string, units int64, ready, deadline bookahead.Time) BookingID {
	r := at(ready, on, units, 3)
	r.Deadline = deadline
	k := must(t, d, Book{Request: r, Wait: 1000})
	require.Equal(t, Waiting, k.State)
	return k.ID
}

// The picture of gain.go: who wants other times or more units than are free is passed over.
func TestWhoMayGain(t *testing.T) {
	d := deskWith(t, "p", Pool{Units: 9}, "q", Pool{Units: 9})
	must(t, d, Book{Request: at(0, "p", 6, 100)})
	must(t, d, Book{Request: at(0, "q", 9, 100)})
	given := must(t, d, Book{Request: at(20, "p", 2, 5)})
	wants3 := waitsFor(t, d, "p", 3, 18, 27)
	waitsFor(t, d, "p", 4, 18, 27) // more than the 3 that are free afterwards
	waitsFor(t, d, "p", 4, 0, 20)
	waitsFor(t, d, "p", 4, 25, 40)
	waitsFor(t, d, "q", 1, 18, 27)
	require.Equal(t, []BookingID{wants3}, gaining(t, d, given.ID))
	out, err := d.Do(Cancel{given.ID})
	require.NoError(t, err)
	require.Len(t, out.Events, 2)
	require.Equal(t, wants3, out.Events[1].Booking)
}

// Two parts of a booking lie side by side on one pool: both come free at once.
func TestPartsSideBySideComeFreeAtOnce(t *testing.T) {
	d := deskWith(t, "p", Pool{Units: 5})
	given := must(t, d, Book{Request: Request{Shapes: []Shape{{{On: "p", Units: 2, Duration: 10}, {On: "p", Units: 3, Duration: 10}}}}})
	waits := waitsFor(t, d, "p", 5, 0, 10)
	require.Equal(t, []BookingID{waits}, gaining(t, d, given.ID))
	must(t, d, Cancel{given.ID})
	k, err := d.Booking(waits)
	require.NoError(t, err)
	require.True(t, k.State.Live())
}

// A part gains if its buffer lies in what comes free.
func TestABufferMayGain(t *testing.T) {
	d := deskWith(t, "p", Pool{Units: 1})
	must(t, d, SetTerms{On: "p", Terms: Terms{Before: 4, After: 2}})
	given := must(t, d, Book{Request: at(20, "p", 1, 5)}) // with its buffers [16, 27)
	must(t, d, Book{Request: at(40, "p", 1, 100)})        // [36, 142)
	before := waitsFor(t, d, "p", 1, 12, 16)              // [8, 18)
	behind := waitsFor(t, d, "p", 1, 30, 33)              // [26, 35)
	require.Equal(t, []BookingID{before, behind}, gaining(t, d, given.ID))
	must(t, d, Cancel{given.ID})
	for _, id := range []BookingID{before, behind} {
		k, err := d.Booking(id)
		require.NoError(t, err)
		require.Equal(t, Booked, k.State)
	}
}

// A quota that counts what is cancelled lets anybody gain whom it counts.
func TestAQuotaMayLetOthersGain(t *testing.T) {
	d := deskWith(t, "p", Pool{Units: 9})
	must(t, d, SetQuota{Name: "all", Quota: Quota{Units: 3}})
	k := must(t, d, Book{Request: at(0, "p", 3, 10)})
	_, known := d.b.gainers(Cancel{k.ID})
	require.False(t, known)
}
