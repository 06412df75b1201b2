package desk

import (
	"encoding/json"
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

// Bookings and outcomes are the same after they were written as JSON and read, but for the fields that only the desk sees.
func TestAnswersRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		out := Outcome{Outage: OutageID(rapid.Uint64Max(snapshot.MaxID).Draw(t, "outage"))}
		if rapid.Bool().Draw(t, "about a booking") {
			out.Booking = anyBooking(t)
		}
		for range rapid.IntRange(0, 3).Draw(t, "events") {
			out.Events = append(out.Events, Event{Number: 7, At: anyTime(t), What: WasMoved, Owner: anyText(t)})
		}
		data, err := json.Marshal(out)
		require.NoError(t, err)
		var read Outcome
		require.NoError(t, json.Unmarshal(data, &read), string(data))
		require.Equal(t, out, read)

		data, err = out.MarshalBinary()
		require.NoError(t, err)
		read = Outcome{}
		require.NoError(t, read.UnmarshalBinary(data))
		require.Equal(t, out, read)
		require.ErrorIs(t, read.UnmarshalBinary(append(data, 0)), bookahead.ErrInvalid)
		require.Equal(t, out, read, "an error leaves it as it was")

		if out.Booking.ID == 0 {
			return
		}
		out.Booking.ids, out.Booking.on, out.Booking.change, out.Booking.asked = []bookahead.ID{1}, []int32{1}, 5, &Request{}
		data, err = json.Marshal(out.Booking)
		require.NoError(t, err)
		var booking Booking
		require.NoError(t, json.Unmarshal(data, &booking), string(data))
		require.Equal(t, read.Booking, booking)
	})
}

// A service answers with the outcome of a command.
func TestGoldenAnswers(t *testing.T) {
	d, err := New(Config{Keep: 9})
	require.NoError(t, err)
	for _, c := range []struct {
		command Command
		want    string
	}{
		{AddSchedule{"gpus", Pool{Units: 8}}, `{"events":[{"number":1,"what":"added","schedule":"gpus"}]}`},
		{Book{Key: "k", Request: Request{Owner: "ann\xff", Ready: 2, Shapes: []Shape{onePart("gpus", 3, 4)}}, Hold: 2},
			`{"booking":{"id":1,"key":"k","owner":{"base64":"YW5u/w=="},"ready":2,"shapes":[[{"on":"gpus","units":3,"duration":4}]],` +
				`"state":"held","expiry":2,"start":2,"end":6,"places":[{"on":"gpus","start":2,"end":6,"units":3}]},` +
				`"events":[{"number":2,"what":"booked","booking":1,"owner":{"base64":"YW5u/w=="},"to":{"start":2,"end":6}}]}`},
		{Close{On: "gpus", Interval: bookahead.Interval{Start: 1, End: 3}, Units: 1},
			`{"outage":1,"events":[{"number":3,"what":"closed","schedule":"gpus","outage":1,"to":{"start":1,"end":3}}]}`},
	} {
		text, err := json.Marshal(do(t, d, c.command))
		require.NoError(t, err)
		require.Equal(t, c.want, string(text))
	}
	list, err := json.Marshal(collected(d.Bookings(Filter{}, bookahead.Effort{})))
	require.NoError(t, err)
	require.Contains(t, string(list), `[{"id":1,"key":"k",`)
}

func TestAnswersThatAreRefused(t *testing.T) {
	before := Booking{ID: 3, State: Booked}
	for text, want := range map[string]string{
		`{"id":1}`:                      `JSON: state "" is unknown`,
		`{"state":""}`:                  `JSON: state "" is unknown`,
		`{"id":1,"state":"asleep"}`:     `JSON: state "asleep" is unknown`,
		`{"id":1,"state":"held","x":1}`: "JSON: x a field is not known here",
		`7`:                             "JSON: value a number is no object",
	} {
		k := before
		err := k.UnmarshalJSON([]byte(text))
		require.ErrorIs(t, err, bookahead.ErrInvalid, text)
		require.ErrorContains(t, err, want)
		require.Equal(t, before, k)
		out := Outcome{Booking: before}
		err = out.UnmarshalJSON([]byte(`{"booking":` + text + `}`))
		require.ErrorIs(t, err, bookahead.ErrInvalid, text)
		require.Equal(t, before, out.Booking)
	}
	err := new(Outcome).UnmarshalJSON([]byte(`{"booking":{"state":"held"}}`))
	require.ErrorContains(t, err, "booking.id 0 is that of no booking")
	_, err = Booking{ID: 1}.MarshalJSON()
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, err = Booking{State: 99}.MarshalJSON()
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, err = Outcome{Events: []Event{{What: 99}}}.MarshalJSON()
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// The places of Search and Alternatives have neither an ID nor a State, and a service answers with them.
func TestPlacesWithoutAStateAreJSON(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 4})
	place, err := d.Search(asks(Part{On: "gpus", Units: 3, Duration: 5}), bookahead.Effort{})
	require.NoError(t, err)
	data, err := json.Marshal(place)
	require.NoError(t, err)
	require.NotContains(t, string(data), "state")
	var read Booking
	require.NoError(t, json.Unmarshal(data, &read))
	require.Equal(t, place.Places, read.Places)
	require.Zero(t, read.State)
}

func TestOutcomesOfABatch(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 4})
	out := do(t, d, Batch{Commands: []Command{
		Book{Key: "a", Request: asks(Part{On: "gpus", Units: 4, Duration: 5})},
		Book{Key: "b", Request: asks(Part{On: "gpus", Units: 1, Duration: 5})},
	}})
	require.Len(t, out.Batch, 2)
	data, err := json.Marshal(out)
	require.NoError(t, err)
	var read Outcome
	require.NoError(t, json.Unmarshal(data, &read))
	require.Len(t, read.Batch, 2)
	require.Equal(t, out.Batch[1].Booking.Places, read.Batch[1].Booking.Places)
	again, err := json.Marshal(read)
	require.NoError(t, err)
	require.Equal(t, data, again)
	require.Error(t, json.Unmarshal([]byte(`{"batch":[{"batch":[]}]}`), &read))
}
