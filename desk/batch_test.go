package desk

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
)

// TestBatchIsItsCommandsInTurn: a batch of random commands gives the desk, the events and the bookings of its
// commands in turn, but for the number of entries; or if one of them is refused, nothing is changed. A log gives the
// same desk again.
func TestBatchIsItsCommandsInTurn(t *testing.T) {
	accepted, refused, known := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := newPlayer(t, rapid.Uint64().Draw(t, "seed"))
		p.impatient = true // a batch makes room for those that wait at its end
		var data bytes.Buffer
		l := NewLog(p.d, &data)
		for range rapid.IntRange(10, 40).Draw(t, "before") {
			c := p.next()
			_, _ = l.Do(c)
		}
		for range 8 {
			turn := p.d.Clone()
			var c Batch
			var want []Outcome
			var events []Event
			var wantErr error
			for len(c.Commands) < rapid.IntRange(1, 5).Draw(t, "commands") && wantErr == nil {
				one := p.next()
				if len(c.Commands) > 0 && rapid.IntRange(0, 4).Draw(t, "again") == 0 {
					one = c.Commands[len(c.Commands)-1] // a book with a key is known then
				}
				if one.verb() == "batch" || one.verb() == "given" {
					continue
				}
				out, err := turn.Do(one)
				wantErr = err
				if errors.Is(err, bookahead.ErrUnavailable) {
					wantErr = bookahead.ErrUnavailable // that of a series says more
				}
				if err != nil && rapid.IntRange(0, 9).Draw(t, "refused") > 0 {
					wantErr = nil
					continue // the test needs mostly batches that a desk accepts
				}
				c.Commands, want, events = append(c.Commands, one), append(want, out), append(events, out.Events...)
			}
			if len(c.Commands) == 0 {
				continue
			}
			before, entries := written(t, p.d), p.d.b.entries
			out, err := l.Do(c)
			if wantErr != nil {
				refused++
				require.Error(t, err)
				require.True(t, errors.Is(err, wantErr) || errors.Is(err, bookahead.ErrInvalid), "%v is not %v", err, wantErr)
				require.ErrorContains(t, err, "Batch.Commands[")
				require.Equal(t, before, written(t, p.d))
				continue
			}
			require.NoError(t, err)
			accepted++
			require.Equal(t, events, out.Events)
			require.Len(t, out.Batch, len(want))
			for i := range want {
				if len(want[i].Events) == 0 {
					known++
					want[i].Events = out.Batch[i].Events // none, be it nil or empty
					require.Empty(t, out.Batch[i].Events)
				}
				require.Equal(t, want[i].Events, out.Batch[i].Events)
				require.Equal(t, want[i].Outage, out.Batch[i].Outage)
				require.Equal(t, want[i].Series, out.Batch[i].Series)
				require.Equal(t, want[i].Occurrences, out.Batch[i].Occurrences)
				require.Equal(t, want[i].Refused, out.Batch[i].Refused)
				require.Equal(t, want[i].Booking.String(), out.Batch[i].Booking.String())
				require.Equal(t, want[i].Booking.Places, out.Batch[i].Booking.Places)
			}
			require.Equal(t, len(events) > 0, p.d.b.entries > entries)
			turn.b.entries = p.d.b.entries
			require.Equal(t, written(t, turn), written(t, p.d))
			require.NoError(t, p.d.Verify())
		}
		require.Equal(t, written(t, p.d), written(t, replayed(t, data.Bytes())))
	})
	if testing.Short() {
		return // a few batches may have no known key among them
	}
	require.NotZero(t, accepted)
	require.NotZero(t, refused)
	require.NotZero(t, known)
}

// TestBatchSwapsTwoBookings: each booking is in the way of the other, so neither Change alone would do. One booking gives
// up its place, and is booked again.
func TestBatchSwapsTwoBookings(t *testing.T) {
	d := deskWith(t, "line", Pool{Units: 1})
	a := do(t, d, Book{Request: at(10, "line", 1, 5)}).Booking
	b := do(t, d, Book{Request: at(15, "line", 1, 5)}).Booking
	_, err := d.Do(Change{ID: a.ID, To: b.Request})
	require.Equal(t, bookahead.ErrUnavailable, err)
	swap := Batch{[]Command{Cancel{b.ID}, Change{ID: a.ID, To: b.Request}, Book{Key: "b", Request: a.Request}}}
	out := do(t, d, swap)
	require.Equal(t, []What{WasCancelled, WasChanged, WasBooked}, happened(out.Events))
	require.Equal(t, ticks(15, 20), out.Batch[1].Booking.Interval)
	require.Equal(t, ticks(10, 15), out.Batch[2].Booking.Interval)
	require.Zero(t, out.Booking.ID)

	last := Batch{[]Command{Book{Key: "c", Request: at(30, "line", 1, 5)}, Book{Request: at(32, "line", 1, 5)}}}
	before := written(t, d)
	_, err = d.Do(last)
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	require.ErrorContains(t, err, "Batch.Commands[1]")
	require.Equal(t, before, written(t, d))
	_, err = d.ByKey("c")
	require.Equal(t, bookahead.ErrNotFound, err)

	// A batch whose commands are all known already is no entry.
	again := Batch{[]Command{Book{Key: "b", Request: a.Request}, &Book{Key: "b", Request: a.Request}}}
	e, err := d.Decide(again)
	require.NoError(t, err)
	require.Zero(t, e.Number)
	out = do(t, d, again)
	require.Empty(t, out.Events)
	require.Equal(t, BookingID(3), out.Batch[1].Booking.ID)
	require.Equal(t, before, written(t, d))
}

// TestBadBatches are refused, as commands, as entries and as bytes.
func TestBadBatches(t *testing.T) {
	d := all(t)
	for text, c := range map[string]Command{
		"Batch.Commands 0 are not 1":             Batch{},
		"Batch.Commands 1025 are not":            Batch{slices.Repeat([]Command{Advance{}}, MaxCommands+1)},
		"Batch.Commands[1] batch is within":      Batch{[]Command{Advance{}, Batch{[]Command{Advance{}}}}},
		"Batch.Commands[0] batch is within":      &Batch{[]Command{&Batch{}}},
		"Batch.Commands[0]":                      Batch{[]Command{nil}},
		"Batch.Commands[1]":                      Batch{[]Command{Advance{}, (*Cancel)(nil)}},
		"Batch.Commands[0]: bookahead: invalid ": Batch{[]Command{Extend{On: "gpus"}}},
	} {
		_, err := d.Do(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid, text)
		require.ErrorContains(t, err, strings.TrimSuffix(text, ": bookahead: invalid "))
		_, err = MarshalCommand(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid, text)
	}
	good, err := d.Decide(Batch{[]Command{Advance{3}, Book{Request: at(5, "gpus", 1, 5)}}})
	require.NoError(t, err)
	for text, change := range map[string]func(e *Entry){
		"are not as many":     func(e *Entry) { e.Decision.Batch = e.Decision.Batch[:1] },
		"commands, 0":         func(e *Entry) { e.Command = Advance{3} },
		"is one of its own":   func(e *Entry) { e.Decision.Booking = 1 },
		"Decision.Batch[1]":   func(e *Entry) { e.Decision.Batch[1].Places[0].Units = 0 },
		"does not follow":     func(e *Entry) { e.Decision.Batch[1].Booking = 7 },
		"Decision.Batch[0]: ": func(e *Entry) { e.Decision.Batch[0].Batch = make([]Decision, 1) },
	} {
		e := good
		e.Decision.Batch = slices.Clone(good.Decision.Batch)
		e.Decision.Batch[1].Places = clonePlaces(e.Decision.Batch[1].Places)
		change(&e)
		before := written(t, d)
		_, err := d.Apply(e)
		require.ErrorIs(t, err, bookahead.ErrInvalid, text)
		require.ErrorContains(t, err, text)
		require.Equal(t, before, written(t, d))
	}
	_, err = d.Apply(good)
	require.NoError(t, err)

	deep := []byte{code.Version}
	for range 1 << 20 {
		deep = append(deep, batchNumber, 1)
	}
	_, err = UnmarshalCommand(deep)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "is within a batch already")
}
