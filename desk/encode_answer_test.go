package desk

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

func anyBooking(t *rapid.T) Booking {
	return Booking{
		ID: BookingID(1 + rapid.Uint64Max(snapshot.MaxID-1).Draw(t, "id")), Key: anyText(t), Request: anyRequest(t),
		State: State(rapid.IntRange(1, len(stateNames)-1).Draw(t, "state")), Expiry: anyTime(t),
		Interval: bookahead.Interval{Start: anyTime(t), End: anyTime(t)}, Shape: rapid.Int().Draw(t, "shape"), Places: anyPlaces(t),
	}
}

// Outcomes are the same after they were written and read, but for the fields of a booking that only the desk sees.
func TestAnswersRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		out := Outcome{Outage: OutageID(rapid.Uint64Max(snapshot.MaxID).Draw(t, "outage"))}
		if rapid.Bool().Draw(t, "about a booking") {
			out.Booking = anyBooking(t)
		}
		for range rapid.IntRange(0, 3).Draw(t, "events") {
			out.Events = append(out.Events, Event{Number: 7, At: anyTime(t), What: WasMoved, Owner: anyText(t)})
		}
		data, err := out.MarshalBinary()
		require.NoError(t, err)
		var read Outcome
		require.NoError(t, read.UnmarshalBinary(data))
		require.Equal(t, out, read)
		require.ErrorIs(t, read.UnmarshalBinary(append(data, 0)), bookahead.ErrInvalid)
		require.Equal(t, out, read, "an error leaves it as it was")

		if out.Booking.ID == 0 {
			return
		}
		want := read.Booking
		out.Booking.ids, out.Booking.on, out.Booking.nextDue, out.Booking.asked = []bookahead.ID{1}, []int32{1}, 5, &Request{}
		data, err = out.MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, read.UnmarshalBinary(data))
		require.Equal(t, want, read.Booking)
	})
}

func TestOutcomesThatAreRefused(t *testing.T) {
	for _, out := range []Outcome{{Booking: Booking{ID: 1}}, {Booking: Booking{ID: 1, State: 99}}, {Events: []Event{{What: 99}}}} {
		_, err := out.MarshalBinary()
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
	data, err := Outcome{Booking: Booking{ID: 1, State: Booked}}.MarshalBinary()
	require.NoError(t, err)
	data[2] = 0 // the ID
	out := Outcome{Outage: 7}
	require.ErrorContains(t, out.UnmarshalBinary(data), "booking.id, before byte")
	require.Equal(t, Outcome{Outage: 7}, out)
}

func TestOutcomesOfABatch(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 4})
	out := do(t, d, Batch{Commands: []Command{
		Book{Key: "a", Request: asks(Part{On: "gpus", Units: 4, Duration: 5})},
		Book{Key: "b", Request: asks(Part{On: "gpus", Units: 1, Duration: 5})},
	}})
	require.Len(t, out.Batch, 2)
	data, err := out.MarshalBinary()
	require.NoError(t, err)
	var read Outcome
	require.NoError(t, read.UnmarshalBinary(data))
	require.Len(t, read.Batch, 2)
	require.Equal(t, out.Batch[1].Booking.Places, read.Batch[1].Booking.Places)
	again, err := read.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, data, again)
}
