package desk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/site"
	"github.com/bookahead/bookahead/nodes"
)

// cell is a tick of a pool, of a server, or of a resource of a node.
type cell struct {
	on       string
	at       int // the server or the node
	resource int
	tick     bookahead.Time
}

// cellUse is how much of each cell is held.
type cellUse map[cell]int64

// add adds the cells that a booking holds from now on, so many times.
func (u cellUse) add(k *Booking, now bookahead.Time, times int64) {
	u.places(k.Shapes[k.Shape], k.Places, now, times)
}

func (u cellUse) places(shape Shape, places []Place, now bookahead.Time, times int64) {
	for i, p := range places {
		for t := max(p.Start-bookahead.Time(p.Before), now); t < p.End+bookahead.Time(p.After); t++ {
			switch {
			case p.Nodes != nil:
				for _, s := range p.Nodes {
					for r, n := range shape[i].Tasks.Each {
						u[cell{p.On, s.Node, r, t}] += times * n * s.Tasks
					}
				}
				if p.Head >= 0 {
					for r, n := range shape[i].Tasks.Head {
						u[cell{p.On, p.Head, r, t}] += times * n
					}
				}
			case p.Servers != nil:
				for _, k := range p.Servers {
					u[cell{p.On, k, 0, t}] += times
				}
			default:
				u[cell{p.On, 0, 0, t}] += times * p.Units
			}
		}
	}
}

// held returns the cells that the live bookings of a desk hold from now on, without some bookings.
func held(d *Desk, but ...BookingID) cellUse {
	u := cellUse{}
	for _, k := range alive(d) {
		if !slices.Contains(but, k.ID) {
			u.add(k, d.b.now, 1)
		}
	}
	for _, s := range d.b.schedules {
		for _, x := range s.Tails {
			u.tail(s, x, d.b.now)
		}
	}
	return u
}

// alive returns the live bookings of a desk, by ID.
func alive(d *Desk) (list []*Booking) {
	for id := BookingID(1); id <= d.b.last; id++ {
		k, ok := d.b.booking(id)
		if ok && k.State.Live() {
			list = append(list, k)
		}
	}
	return list
}

// room returns how much there is of a cell.
func room(d *Desk, c cell) int64 {
	n := int64(0)
	kind := d.b.schedules[d.b.names[c.on]].kind
	switch k := kind.(type) {
	case Pool:
		n = k.Units
	case Servers:
		if int64(c.at) < k.Count {
			n = 1
		}
	case Nodes:
		n = k.Nodes[c.at][c.resource]
	}
	for _, o := range d.Outages(c.on) {
		if !o.Contains(c.tick) {
			continue
		}
		switch {
		case kind.kind() == "pool" && o.Added():
			n += o.Units
		case kind.kind() == "pool":
			n -= o.Units
		case o.Added() && slices.Contains(o.Servers, c.at):
			n++
		}
	}
	for _, o := range d.Outages(c.on) {
		if o.Contains(c.tick) && !o.Added() && slices.Contains(o.Servers, c.at) {
			n = 0
		}
	}
	return max(n, 0)
}

// bytesOf returns the whole state of a desk, to compare.
func bytesOf(t require.TestingT, d *Desk) string {
	var w strings.Builder
	b := &d.b
	fmt.Fprintf(&w, "%d %d %d %d %d\n", b.now, b.last, b.entries, b.events, b.lastOutage)
	for id := BookingID(1); id <= b.last; id++ {
		k, ok := b.booking(id)
		if ok {
			asked, err := json.Marshal(k.Request)
			require.NoError(t, err)
			fmt.Fprintf(&w, "%d %q %s %v %v %v %d %+v %v %v %v\n", k.ID, k.Key, asked, k.State, k.Expiry, k.Interval, k.Shape, k.Places, k.ids, k.on, k.nextDue)
		}
	}
	fmt.Fprintf(&w, "%+v\n", b.outages)
	for _, s := range b.schedules {
		var data []byte
		var err error
		if s.of == nil {
			data, err = s.MarshalBinary()
		}
		require.NoError(t, err)
		fmt.Fprintf(&w, "%s %x %v %v\n", s.name, data, s.terms, s.Tails)
		for x := range s.calendar.Overlapping(bookahead.Interval{Start: 0, End: bookahead.MaxTime}) {
			fmt.Fprintf(&w, "%v ", x)
		}
	}
	for x := range b.agenda.Overlapping(bookahead.Interval{Start: 0, End: bookahead.MaxTime}) {
		fmt.Fprintf(&w, "%v ", x)
	}
	return w.String()
}

// checkBooks checks that each part of a live booking has its reservation, and that there is no other.
func checkBooks(t require.TestingT, d *Desk) {
	b := &d.b
	type booked struct {
		on int32
		id bookahead.ID
	}
	seen := map[booked]bool{}
	for _, k := range alive(d) {
		for i, p := range k.Places {
			if p.End+bookahead.Time(p.After) <= b.now {
				continue
			}
			x := booked{k.on[i], k.ids[i]}
			require.False(t, seen[x], "two parts have one reservation")
			seen[x] = true
			s := b.schedules[k.on[i]]
			require.Equal(t, s.name, p.On)
			var w bookahead.Interval
			if s.Machine() != nil {
				res, err := s.Machine().Reservation(k.ids[i])
				require.NoError(t, err)
				w = res.Interval
				require.Equal(t, p.Nodes, res.Tasks)
				require.Equal(t, p.Head, res.Head)
			} else {
				res, err := s.Keeper().Reservation(k.ids[i])
				require.NoError(t, err)
				w = res.Interval
				require.Equal(t, p.Units, res.Units)
				require.Equal(t, p.Servers, res.Servers)
			}
			require.Equal(t, p.End+bookahead.Time(p.After), w.End)
			start := p.Start - bookahead.Time(p.Before)
			require.True(t, start == w.Start || start <= b.now && w.Start <= b.now, "%v is booked as %v", p, w)
		}
		require.NoError(t, k.Request.check(), "%v", k)
		require.Equal(t, k.extent(), k.Interval)
		require.True(t, k.State == Held || (k.State == Running) == (spanOf(k.Places).Start <= b.now), "%v at %d", k, b.now)
	}
	n := 0
	for _, s := range b.schedules {
		n -= len(s.Tails)
		all := bookahead.Interval{Start: 0, End: bookahead.MaxTime}
		if s.Machine() != nil {
			require.NoError(t, s.Machine().Verify())
			for range s.Machine().Reservations(all) {
				n++
			}
		} else if s.Keeper() != nil {
			for range s.Keeper().Reservations(all) {
				n++
			}
		}
	}
	require.Equal(t, len(seen), n, "reservations without a booking")
}

// checkEvents checks that each booking that gave way has its event, in order.
func (g *giving) checkEvents(out Outcome, moved []Moved) {
	for _, e := range out.Events {
		if e.What != WasMoved && e.What != WasDisplaced {
			continue
		}
		require.NotEmpty(g, moved)
		m := moved[0]
		moved = moved[1:]
		k, ok := g.d.b.booking(m.Booking)
		require.True(g, ok)
		require.Equal(g, m.Booking, e.Booking)
		require.Equal(g, k.Interval, e.To)
		require.Equal(g, m.Places == nil, e.What == WasDisplaced)
		require.Equal(g, m.Places == nil, k.State == Displaced)
	}
	require.Empty(g, moved)
}

// left adds the buffers behind the parts of a running booking that goes now, so many times.
func (u cellUse) left(k *Booking, now bookahead.Time, times int64) {
	if k.State != Running {
		return
	}
	for i, p := range k.Places {
		if p.Start > now {
			continue
		}
		end := min(p.End, now)
		p.Interval, p.Before = bookahead.Interval{Start: end, End: end}, 0
		u.places(Shape{k.Shapes[k.Shape][i]}, []Place{p}, now, times)
	}
}

// tail adds a buffer that was left.
func (u cellUse) tail(s *schedule, x site.Tail, now bookahead.Time) {
	found, _ := s.Place(x.ID)
	p := Place(found)
	p.On = s.name
	shape := Shape{{}}
	if s.Machine() != nil {
		res, _ := s.Machine().Reservation(x.ID)
		shape[0].Tasks = &nodes.Request{Each: res.Each, Head: res.HeadTakes}
	}
	u.places(shape, []Place{p}, now, 1)
}
