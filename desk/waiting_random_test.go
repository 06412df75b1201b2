package desk

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// waitersOf returns who waits, by priority and then by ID, from a look at all bookings.
func waitersOf(d *Desk) []Booking {
	list := collected(d.Bookings(Filter{States: []State{Waiting}}, bookahead.Effort{}))
	slices.SortFunc(list, func(k, q Booking) int {
		return cmp.Or(-cmp.Compare(k.Priority, q.Priority), cmp.Compare(k.ID, q.ID))
	})
	return list
}

// crowdLaw checks that nobody waits who has a place, and that Waiting has all of them in order.
func crowdLaw(t require.TestingT, d *Desk) {
	list := waitersOf(d)
	require.Equal(t, list, slices.Collect(d.Waiting()))
	for _, k := range list {
		_, err := d.Search(k.Request, bookahead.Effort{})
		require.True(t, hopeless(err), "%v waits, and there is a place: %v", k, err)
	}
}

// hopeless reports whether a search finds no place. A request of several steps may be refused as unavailable for its first
// step, and wait, although no search takes another of its steps.
func hopeless(err error) bool {
	return err == bookahead.ErrUnavailable || errors.Is(err, bookahead.ErrInvalid)
}

// byHand applies an entry without its grants, and then books the waiting requests as anybody could: in the order of their
// turns, as new bookings. It returns the places granted.
func byHand(t require.TestingT, d *Desk, e Entry) (granted []Moved) {
	e.Decision.Granted = nil
	_, err := d.Apply(e)
	require.NoError(t, err)
	list := waitersOf(d)
	for before := -1; before < len(granted); {
		before = len(granted)
		for i, k := range list {
			if k.ID == 0 {
				continue
			}
			rewritten := d.Clone()
			rewritten.b.waiting = nil // so that the Book grants nothing to others
			out, err := rewritten.Do(Book{Request: k.Request})
			if hopeless(err) {
				continue
			}
			require.NoError(t, err)
			granted = append(granted, Moved{k.ID, out.Booking.Shape, out.Booking.Places})
			*d = Desk{b: rewritten.b}
			list[i].ID = 0 // it has a place
		}
	}
	return granted
}

// crowded is next on a desk where many wait.
func (p *player) crowded() Command {
	if p.n < len(always) {
		return p.next()
	}
	switch p.rng.IntN(10) {
	case 0, 1, 2:
		r := p.request()
		r.Ready = p.time() - 15
		r.Deadline = max(r.Ready, p.d.b.now) + bookahead.Time(16+p.rng.IntN(25))
		return Book{Request: r, Wait: p.time() + 10}
	case 3:
		var live []BookingID
		for k := range p.d.Bookings(Filter{States: []State{Held, Booked, Running}}, bookahead.Effort{}) {
			live = append(live, k.ID)
		}
		if len(live) == 0 {
			break
		}
		c := Cancel{live[p.rng.IntN(len(live))]}
		if p.rng.IntN(4) == 0 {
			return Batch{[]Command{p.book(), c}[p.rng.IntN(2):]}
		}
		return c
	case 4:
		c := p.close().(Close)
		c.Force = []Force{Nobody, Anybody}[p.rng.IntN(2)]
		return c
	case 5: // those that give way may leave room where they were
		r := p.request()
		r.Deadline = max(r.Ready, p.time()) + 12
		return Book{Request: r, Force: Anybody}
	}
	return p.next()
}

// Random commands of all kinds: after each nobody waits who has a place, and places are granted in turn.
func TestNobodyWaitsWhoHasAPlace(t *testing.T) {
	granted, lapsed, seen, most := 0, 0, map[string]int{}, 0
	for seed := range uint64(6) {
		p := newPlayer(t, seed)
		replica := mustNew(t)
		for range runs() / 8 {
			c := p.crowded()
			e, err := p.d.Decide(c)
			before := p.d.Clone()
			out, done := p.d.Do(c)
			require.Equal(t, err, done)
			if err != nil || e.Number == 0 {
				continue
			}
			crowdLaw(t, p.d)
			require.NoError(t, p.d.Verify())
			most = max(most, len(p.d.b.waiting))
			_, err = replica.Apply(e)
			require.NoError(t, err)
			if len(before.b.waiting)+len(p.d.b.waiting)+len(e.Decision.Granted) > 0 {
				hand := byHand(t, before, e)
				require.Equal(t, len(hand), len(e.Decision.Granted), "%s", c.verb())
				for i, m := range e.Decision.Granted {
					require.Equal(t, hand[i].Booking, m.Booking)
					require.Equal(t, hand[i].Shape, m.Shape)
					require.Equal(t, hand[i].Places, m.Places)
				}
			}
			granted += len(e.Decision.Granted)
			seen[c.verb()] += len(e.Decision.Granted)
			for _, x := range out.Events {
				if x.What == HasExpired {
					lapsed++
				}
			}
		}
		state := written(t, p.d)
		require.True(t, bytes.Equal(state, written(t, replica)))
		read, err := Read(bytes.NewReader(state), keepsNine)
		require.NoError(t, err)
		require.Equal(t, p.d.b.waiting, read.b.waiting)
		require.True(t, bytes.Equal(state, written(t, read)))
	}
	t.Logf("%d granted by %v, %d lapsed or expired, at most %d wait", granted, seen, lapsed, most)
	require.True(t, granted > 30 || runs() < 5000)
}
