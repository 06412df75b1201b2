package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// TestGivenIsItsCommand checks the law that a Given whose booking is as it was seen is carried out as its command alone, with
// the same answer, and that one whose booking has changed changes nothing.
func TestGivenIsItsCommand(t *testing.T) {
	p := newPlayer(t, 5)
	d, err := New(keepsNine)
	require.NoError(t, err)
	refused, done := 0, 0
	for range depth.Cases(4_000) {
		c := p.next()
		known := c.check() == nil
		if c.verb() == "given" {
			continue
		}
		g := Given{By: "ann", Command: c}
		id := max(1, p.d.b.last-BookingID(p.rng.IntN(5)))
		k, ok := p.d.b.booking(id)
		if ok && known {
			g.ID, g.Sum = id, k.Sum()
			was := bytesOf(t, d)
			_, err := d.Do(Given{By: "bob", ID: id, Sum: k.Sum() ^ 1<<p.rng.IntN(64), Command: c})
			require.ErrorIs(t, err, ErrChanged)
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.Equal(t, was, bytesOf(t, d))
			refused++
		}
		want, wrong := p.d.Do(c)
		got, err := d.Do(&g)
		if wrong != nil {
			require.EqualError(t, err, wrong.Error())
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want, got, "%v", c)
		done++
	}
	require.Equal(t, bytesOf(t, p.d), bytesOf(t, d))
	require.Positive(t, refused)
	require.Positive(t, done)
}

// TestSumFollowsTheBooking checks that the sum of a booking changes if and only if what callers see of it does.
func TestSumFollowsTheBooking(t *testing.T) {
	p := newPlayer(t, 6)
	kept, changed := map[BookingID]Booking{}, 0
	for range depth.Cases(2_000) {
		_, _ = p.d.Do(p.next()) // refused ones change nothing
		for b, err := range p.d.Bookings(Filter{}, bookahead.Effort{}) {
			require.NoError(t, err)
			old, ok := kept[b.ID]
			if !ok {
				kept[b.ID] = b
				continue
			}
			same := old.State == b.State && old.Expiry == b.Expiry && old.Interval == b.Interval && old.Shape == b.Shape && old.same(&b.Request) &&
				equalPlaces(old.Places, b.Places) && len(old.Past) == len(b.Past)
			if same {
				require.Equal(t, old.Sum(), b.Sum(), "%v", b)
			} else {
				require.NotEqual(t, old.Sum(), b.Sum(), "%v and %v", old, b)
				changed++
			}
			kept[b.ID] = b
		}
	}
	require.Greater(t, changed, 20)
}

func equalPlaces(a, b []Place) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].equal(&b[i]) {
			return false
		}
	}
	return true
}

func TestGivenChecks(t *testing.T) {
	d, err := New(Config{})
	require.NoError(t, err)
	for text, g := range map[string]Given{
		"Given.Sum":     {Sum: 1, Command: Cancel{1}},
		"Given.By":      {By: string(make([]byte, MaxText+1))},
		"Given.Command": {Command: Given{}},
		"Request.":      {Command: Book{}},
	} {
		_, err := d.Do(g)
		require.ErrorIs(t, err, bookahead.ErrInvalid, text)
		require.ErrorContains(t, err, text)
	}
	_, err = d.Do(Batch{[]Command{Given{}}})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, err = d.Do(Given{ID: 7, Sum: 9, Command: Cancel{7}})
	require.ErrorIs(t, err, bookahead.ErrNotFound)
	out, err := d.Do(Given{By: "a note"})
	require.NoError(t, err)
	require.Empty(t, out.Events)
}
