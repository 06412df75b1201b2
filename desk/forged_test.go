package desk

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// forge changes one thing in the decision of an entry, or its number.
func (p *player) forge(e *Entry) {
	d := &e.Decision
	d.Places = clonePlaces(d.Places)
	d.Moved = append([]Moved(nil), d.Moved...)
	if len(d.Batch) > 0 && p.rng.IntN(4) > 0 {
		d.Batch = append([]Decision(nil), d.Batch...)
		i := p.rng.IntN(len(d.Batch))
		one := Entry{Number: e.Number, Decision: d.Batch[i]}
		p.forge(&one)
		d.Batch[i] = one.Decision
		return
	}
	d.Granted = append([]Moved(nil), d.Granted...)
	places := d.Places
	list := &d.Moved
	if len(d.Granted) > 0 && p.rng.IntN(2) == 0 {
		list = &d.Granted
	}
	if len(*list) > 0 && p.rng.IntN(2) == 0 {
		m := &(*list)[p.rng.IntN(len(*list))]
		m.Places = clonePlaces(m.Places)
		places = m.Places
		switch p.rng.IntN(6) {
		case 0:
			m.Booking = BookingID(p.rng.IntN(int(p.d.b.last) + 2))
		case 1:
			m.Shape = p.rng.IntN(3)
		case 2:
			m.Places = nil
		case 3:
			*list = append(*list, *m)
		}
	}
	odd := p.rng.IntN(7) - 3
	if len(places) == 0 || p.rng.IntN(4) == 0 {
		switch p.rng.IntN(12) {
		case 9:
			d.Series += SeriesID(odd)
		case 10:
			d.Shift += bookahead.Duration(odd)
		case 11:
			d.Batch = append(d.Batch[:len(d.Batch):len(d.Batch)], Decision{})
		case 0:
			d.Booking += BookingID(odd)
		case 1:
			d.Outage += OutageID(odd)
		case 2:
			d.Shape += odd
		case 3:
			d.Places = nil
		case 4:
			d.Moved = append(d.Moved, Moved{Booking: BookingID(p.rng.IntN(int(p.d.b.last) + 2))})
		case 5:
			e.Number += uint64(odd)
		case 6:
			e.Command = p.next() // with the decision on another
		case 7:
			d.Granted = append(d.Granted, Moved{Booking: BookingID(p.rng.IntN(int(p.d.b.last) + 2)), Places: d.Places})
		case 8:
			d.Granted = nil
		}
		return
	}
	x := &places[p.rng.IntN(len(places))]
	switch p.rng.IntN(10) {
	case 8:
		x.Before += bookahead.Duration(odd)
	case 9:
		x.After += bookahead.Duration(odd)
	case 0:
		x.On = p.on()
	case 1:
		x.Start += bookahead.Time(odd)
	case 2:
		x.End += bookahead.Time(odd)
	case 3:
		x.Start, x.End = x.Start+bookahead.Time(odd), x.End+bookahead.Time(odd)
	case 4:
		x.Units += int64(odd)
	case 5:
		x.Head += odd
	case 6:
		if len(x.Servers) > 0 {
			x.Servers[p.rng.IntN(len(x.Servers))] += odd
		} else {
			x.Servers = []int{1}
		}
	case 7:
		if len(x.Nodes) > 0 {
			x.Nodes[0].Node += odd
		}
	}
}

func clonePlaces(list []Place) []Place {
	list = append([]Place(nil), list...)
	for i := range list {
		list[i].Servers, list[i].Nodes = cloneOf(list[i].Servers), cloneOf(list[i].Nodes)
	}
	return list
}

// An entry that was forged is refused, and then changes nothing; or it is accepted, and then the desk is in
// order, and can be written and read.
func TestForgedEntries(t *testing.T) { forgeries(t, (*player).next) }

func TestForgedEntriesWhileManyWait(t *testing.T) { forgeries(t, (*player).crowded) }

func forgeries(t *testing.T, next func(*player) Command) {
	refused, accepted := 0, 0
	for seed := range uint64(10) {
		p := newPlayer(t, seed)
		for range runs() / 25 {
			c := next(p)
			e, err := p.d.Decide(c)
			if err != nil || e.Number == 0 {
				continue
			}
			if p.n > len(always) {
				forged := e
				p.forge(&forged)
				trial := p.d.Clone()
				before := written(t, trial)
				_, err = trial.Apply(forged)
				after := written(t, trial)
				if err != nil {
					refused++
					require.ErrorIs(t, err, bookahead.ErrInvalid)
					require.True(t, bytes.Equal(before, after), "%T %+v", forged.Command, forged)
				} else {
					accepted++
					require.NoError(t, trial.Verify(), "%T %+v at %d", forged.Command, forged, p.d.b.now)
					read, err := Read(bytes.NewReader(after), keepsNine)
					require.NoError(t, err, "%T %+v", forged.Command, forged)
					require.True(t, bytes.Equal(after, written(t, read)))
				}
			}
			_, err = p.d.Apply(e)
			require.NoError(t, err)
		}
	}
	t.Logf("%d forged entries refused, %d accepted", refused, accepted)
	require.True(t, accepted > 0 || refused < 100, "a test that accepts nothing")
}

// An entry of a Book whose key another booking has was once applied, and took the key.
func TestForgedKey(t *testing.T) {
	for _, wait := range []bookahead.Time{0, 8} {
		d := crowd(t, 20)
		must(t, d, Book{Key: "k", Request: by(30, 2, 0)})
		c := Book{Request: by(9, 2, 0), Wait: wait}
		if wait == 0 {
			c.Request = by(30, 2, 0)
		}
		e, err := d.Decide(c)
		require.NoError(t, err)
		c.Key = "k"
		e.Command = c
		before := written(t, d)
		_, err = d.Apply(e)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.NoError(t, d.Verify())
		require.Equal(t, before, written(t, d))
	}
}
