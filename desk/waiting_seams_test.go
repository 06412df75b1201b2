package desk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A part that has not begun may come to lie on another server when its booking goes on, and leaves the one that it had
// to somebody who waits.
//
//	server 0   ██ part 0 ██      part 1 after the Overrun
//	server 1                     part 1 before, then the one that has waited
func TestAnOverrunMakesRoom(t *testing.T) {
	d := deskWith(t, "lab", Servers{Count: 2, Prefer: "lowest"})
	first := must(t, d, Book{Request: at(6, "lab", 1, 2)})
	k := must(t, d, Book{Request: asks(Part{On: "lab", Units: 1, Duration: 4}, Part{On: "lab", Units: 1, Duration: 2, Offset: 6})})
	require.Equal(t, []int{1}, k.Places[1].Servers)
	r := asks(Part{On: "lab", Units: 1, Duration: 2, Servers: []int{1}})
	r.Ready, r.Deadline = 6, 8
	waits := must(t, d, Book{Request: r, Wait: 6})
	require.Equal(t, Waiting, waits.State)
	must(t, d, Cancel{first.ID})

	for _, c := range []Command{Overrun{ID: k.ID, Until: 9}, Batch{[]Command{Overrun{ID: k.ID, Until: 9}}}} {
		x := d.Clone()
		_, err := x.Do(c)
		require.NoError(t, err)
		k, err := x.Booking(k.ID)
		require.NoError(t, err)
		require.Equal(t, []int{0}, k.Places[1].Servers)
		got, err := x.Booking(waits.ID)
		require.NoError(t, err)
		require.Equal(t, Booked, got.State, "%s", c.verb())
		crowdLaw(t, x)
		require.NoError(t, x.Verify())
	}
}
