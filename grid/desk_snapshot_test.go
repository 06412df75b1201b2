package grid

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/scheduletest"
)

func FuzzDeskSnapshot(f *testing.F) {
	for _, data := range hostileDesks(f) {
		f.Add(data)
	}
	scheduletest.FuzzSnapshot(f, desks[0])
}

// sameDesks checks that two desks tell the same of all that they have.
func sameDesks(t require.TestingT, a, b *Desk) {
	require.Equal(t, a.Frame(), b.Frame())
	require.Equal(t, a.now, b.now)
	require.Equal(t, a.held, b.held)
	require.Equal(t, booked(a), booked(b))
	for at := a.now; at < a.now+30; at++ {
		w := bookahead.Interval{Start: at, End: at + 3}
		x, errA := a.RangeQuery(w)
		y, errB := b.RangeQuery(w)
		require.Equal(t, errA, errB)
		require.Equal(t, x, y)
	}
}

// A desk that is read goes on exactly as the one that was written: the same holds
// expire at the same ticks, can be committed, and be cancelled. So do desks of pools,
// servers, and of a broker of either.
func TestDesksGoOnAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s bookahead.Keeper = drawCells(t, 40).Keeper
		if rapid.Bool().Draw(t, "brokered") {
			policy := policies[rapid.SampledFrom(slices.Sorted(keys(policies))).Draw(t, "policy")]
			var err error
			s, err = NewBroker(Config{Policy: policy}, s, another(t, s))
			require.NoError(t, err)
		}
		d, err := NewDesk(s, 0)
		require.NoError(t, err)
		desks := []*Desk{d}
		last := bookahead.ID(2)
		each := func(t *rapid.T, call func(d *Desk, id bookahead.ID) error) func(*rapid.T) {
			return func(t *rapid.T) {
				id := bookahead.ID(rapid.Uint64Range(0, uint64(last)).Draw(t, "id"))
				want := call(d, id)
				for _, d := range desks[1:] {
					require.Equal(t, want, call(d, id))
				}
			}
		}
		steps := map[string]func(*rapid.T){
			"hold": func(t *rapid.T) {
				r := bookahead.Request{
					Ready:    d.now + bookahead.Time(rapid.IntRange(0, 15).Draw(t, "ready")),
					Duration: bookahead.Duration(rapid.IntRange(1, 15).Draw(t, "duration")),
					Units:    rapid.Int64Range(1, 3).Draw(t, "units"),
				}
				expiry := d.now + bookahead.Time(rapid.IntRange(1, 25).Draw(t, "expiry"))
				call := func(d *Desk) (bookahead.Reservation, error) { return d.Hold(r, expiry) }
				if rapid.IntRange(0, 3).Draw(t, "not held") == 0 {
					call = func(d *Desk) (bookahead.Reservation, error) { return d.Reserve(r) }
				}
				res, err := call(d)
				last = max(last, res.ID+1)
				for _, d := range desks[1:] {
					res2, err2 := call(d)
					require.Equal(t, res, res2)
					require.Equal(t, err, err2)
				}
			},
			"commit":  each(t, (*Desk).Commit),
			"cancel":  each(t, (*Desk).Cancel),
			"release": each(t, (*Desk).Release),
			"rebook": each(t, func(d *Desk, id bookahead.ID) error {
				_, err := d.Rebook(id, bookahead.Request{Ready: d.now + 2, Duration: 7, Units: 2})
				return err
			}),
			"advance": func(t *rapid.T) {
				now := d.now + bookahead.Time(rapid.IntRange(0, 8).Draw(t, "ticks"))
				for _, d := range desks {
					require.NoError(t, d.Advance(now))
				}
			},
			"": func(t *rapid.T) {
				for _, other := range desks {
					require.NoError(t, other.Verify())
					sameDesks(t, d, other)
				}
			},
		}
		steps["hold 2"] = steps["hold"]
		t.Repeat(steps)
		desks = append(desks, reread(t, d))
		t.Repeat(steps)
	})
}

// After a restart long after, what has expired meanwhile goes with the first Advance,
// and what was committed stays.
func TestHoldsSurviveARestart(t *testing.T) {
	d := newDesk(t, 3)
	for _, expiry := range []bookahead.Time{10, 20, 30} {
		_, err := d.Hold(bookahead.Request{Ready: 100, Duration: 5, Units: 1}, expiry)
		require.NoError(t, err)
	}
	require.NoError(t, d.Commit(1))
	read := reread(t, d)
	require.Zero(t, freeIn(t, read, 100, 105))
	require.NoError(t, read.Advance(20))
	require.EqualValues(t, 1, freeIn(t, read, 100, 105))
	require.Equal(t, bookahead.ErrNotFound, read.Cancel(2))
	require.NoError(t, read.Cancel(3))
	require.EqualValues(t, 2, freeIn(t, read, 100, 105))
	require.Zero(t, freeIn(t, d, 100, 105), "the one that was written has not changed")
}

// Verify finds what is wrong.
func TestVerifyOfADesk(t *testing.T) {
	for want, spoil := range map[string]func(d *Desk){
		"hold 1 is over at 5, which is known: false": func(d *Desk) { d.expiries.Delete(event{5, 1}) },
		"at 9, hold 1 is over at 5":                  func(d *Desk) { d.now = 9 },
		"2 expiries for 1 holds":                     func(d *Desk) { d.expiries.ReplaceOrInsert(event{9, 2}) },
		"provider 0 has 1 reservations, not 0":       func(d *Desk) { d.s.(*Broker).providers[0].live = 0 },
	} {
		b, err := NewBroker(Config{}, newPool(t, 2))
		require.NoError(t, err)
		d, err := NewDesk(b, 0)
		require.NoError(t, err)
		_, err = d.Hold(bookahead.Request{Duration: 5, Units: 1}, 9)
		require.NoError(t, err)
		require.NoError(t, d.Verify())
		spoil(d)
		require.ErrorContains(t, d.Verify(), want)
	}
}

// A desk may be written, read, listed and verified while clients use it; and what is
// written is always a state between two calls.
func TestDesksAreWrittenWhileInUse(t *testing.T) {
	d := newDesk(t, 50)
	empty, err := d.MarshalBinary()
	require.NoError(t, err)
	var all sync.WaitGroup
	failed := make(chan error, 1000)
	for c := range 4 {
		all.Add(2)
		go func() {
			defer all.Done()
			for k := range 60 {
				res, err := d.Hold(bookahead.Request{Ready: 100, Duration: bookahead.Duration(1 + k%5), Units: 1}, 90)
				if err == nil && k%2 == 0 {
					_ = d.Commit(res.ID)
				}
				_, _ = d.Search(bookahead.Request{Duration: 1, Units: 1})
			}
		}()
		go func() {
			defer all.Done()
			for k := range 20 {
				data, err := d.MarshalBinary()
				if err != nil {
					failed <- err
					return
				}
				s, _ := carts.NewIndexed(1, carts.Config{})
				read, _ := NewDesk(s, 0)
				if err := read.UnmarshalBinary(data); err != nil {
					failed <- err
				}
				for id := range read.held {
					if _, err := read.Reservation(id); err != nil {
						failed <- fmt.Errorf("%d is held, and not booked", id)
					}
				}
				for res := range d.Reservations(ahead(d)) {
					_ = d.Cancel(res.ID) // which the loop allows
				}
				if err := d.Verify(); err != nil {
					failed <- err
				}
				if d.Frame().Capacity != 50 {
					failed <- fmt.Errorf("%d units", d.Frame().Capacity)
				}
				if c == 0 && k == 10 {
					if err := d.UnmarshalBinary(empty); err != nil {
						failed <- err
					}
				}
			}
		}()
	}
	all.Wait()
	close(failed)
	for err := range failed {
		require.NoError(t, err)
	}
}

// A hold on an ID that was not given yet is refused: the next reservation would get it,
// and be released when the hold expires.
func TestAHoldOnAnIDToComeIsRefused(t *testing.T) {
	d := newDesk(t, 3)
	err := d.UnmarshalBinary(deskBytes(t, inner(t), 5, 2, 3, 0)) // #1 is booked, and #2 is next
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "ID, before byte 41, 2 is held, but not booked")
	require.NoError(t, d.UnmarshalBinary(deskBytes(t, inner(t), 5, 1, 3, 0)))
}

// The clock of a desk is never ahead of its schedule's, behind a lock too, and a hold is
// of a reservation that goes on.
func TestAHoldThatIsOverIsRefused(t *testing.T) {
	d, err := NewDesk(bookahead.Locked(newPool(t, 3)), 0)
	require.NoError(t, err)
	for want, now := range map[string]uint64{
		"9 is ahead of the schedule's, 5": 9, // #1 has ended then
		"6 is ahead of the schedule's, 5": 6,
	} {
		err := d.UnmarshalBinary(deskBytes(t, inner(t), now, 1, 3, 0))
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
		require.NoError(t, d.Verify())
	}
	require.NoError(t, d.UnmarshalBinary(deskBytes(t, inner(t), 5, 1, 3, 0)))
	require.NoError(t, d.Verify())
}
