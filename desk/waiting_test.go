package desk

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// crowd returns a desk whose pool p of 4 units is booked until tick 10 by booking 1.
func crowd(t require.TestingT, keep bookahead.Duration) *Desk {
	d := opened(t, Config{Keep: keep})
	must(t, d, Book{Request: asks(Part{On: "p", Units: 4, Duration: 10})})
	return d
}

// by returns a request for units of p, of 3 ticks, by a deadline.
func by(deadline bookahead.Time, units, priority int64) Request {
	r := asks(Part{On: "p", Units: units, Duration: 3})
	r.Deadline, r.Priority, r.Owner = deadline, priority, "ann"
	return r
}

// whats lists the events of an outcome by kind and booking.
func whats(out Outcome) (list []string) {
	for _, e := range out.Events {
		list = append(list, e.What.String())
		if e.Booking != 0 {
			list[len(list)-1] += " " + string(rune('0'+e.Booking))
		}
	}
	return list
}

func turns(d *Desk) (list []BookingID) {
	for k := range d.Waiting() {
		list = append(list, k.ID)
	}
	return list
}

// A waiting booking has no place, Cancel gives it up, and other commands do not know it.
func TestWaits(t *testing.T) {
	d := crowd(t, 50)
	out, err := d.Do(Book{Key: "k", Request: by(9, 2, 0), Wait: 8})
	require.NoError(t, err)
	k := out.Booking
	require.Equal(t, Booking{ID: 2, Key: "k", Request: by(9, 2, 0), State: Waiting, Expiry: 8, nextDue: 7}, k)
	require.Equal(t, []Event{{Number: 9, What: IsWaiting, Booking: 2, Owner: "ann"}}, out.Events)
	require.Equal(t, "#2 waiting [0, 0)", k.String())
	for _, c := range []Command{Change{ID: 2, To: by(9, 1, 0)}, Commit{2}, End{2}, Overrun{ID: 2, Until: 30}} {
		_, err := d.Do(c)
		require.Equal(t, bookahead.ErrNotFound, err, c.verb())
	}
	require.Equal(t, []Booking{k}, slices.Collect(d.Waiting()))
	require.Equal(t, []Booking{k}, collected(d.Bookings(Filter{States: []State{Waiting}}, bookahead.Effort{})))
	require.Equal(t, []Booking{k}, collected(d.Bookings(Filter{Owner: "ann"}, bookahead.Effort{})))
	require.Empty(t, collected(d.Bookings(Filter{Owner: "ann", Window: ticks(0, 99)}, bookahead.Effort{})))
	list, err := d.InTheWay("p", ticks(0, 99), nil)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, bookahead.Time(8), k.Expiry)

	must(t, d, Advance{2})
	again, err := d.Do(Book{Key: "k", Request: by(9, 2, 0), Wait: 1})
	require.NoError(t, err, "a retry with a Wait that is over")
	require.Equal(t, k, again.Booking)
	require.Empty(t, again.Events)
	_, err = d.Do(Book{Key: "k", Request: by(9, 1, 0), Wait: 8})
	require.ErrorIs(t, err, ErrKey)

	out, err = d.Do(Cancel{2})
	require.NoError(t, err)
	require.Equal(t, ticks(2, 2), out.Booking.Interval)
	require.Equal(t, []string{"cancelled 2"}, whats(out))
	require.Empty(t, turns(d))
	require.NoError(t, d.Verify())
	_, err = d.Do(Cancel{2})
	require.Equal(t, bookahead.ErrNotFound, err)
	must(t, d, Advance{51})
	require.Equal(t, Cancelled, must(t, d, Book{Key: "k", Request: by(9, 2, 0)}).State, "it is kept for 50 ticks")
	must(t, d, Advance{52})
	_, err = d.Booking(2)
	require.Equal(t, bookahead.ErrNotFound, err)
}

func TestWaitIsChecked(t *testing.T) {
	d := crowd(t, 0)
	must(t, d, Advance{3})
	for _, c := range []Book{
		{Request: by(9, 1, 0), Wait: -1}, {Request: by(9, 1, 0), Wait: 3}, {Request: by(9, 1, 0), Wait: 9, Hold: 9},
		{Request: asks(Part{On: "none", Units: 1, Duration: 1}), Wait: 9},
	} {
		_, err := d.Do(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
	_, err := d.Do(Book{Request: by(5, 1, 0), Wait: 9})
	require.Equal(t, bookahead.ErrUnavailable, err, "it cannot end by 5 any more")
	require.Equal(t, Booked, must(t, d, Book{Request: by(0, 1, 0), Wait: 9}).State, "there is a place")
	require.Equal(t, Waiting, must(t, d, Book{Request: by(6, 1, 0), Wait: 9}).State)
}

// Each command that makes room makes it for waiting bookings, too.
func TestWhoMakesRoom(t *testing.T) {
	late := func(units int64) Request {
		r := asks(Part{On: "p", Units: units, Duration: 9})
		r.Ready = 3
		return r
	}
	for name, c := range map[string]struct {
		before []Command
		room   Command
	}{
		"cancel":   {nil, Cancel{1}},
		"end":      {nil, End{1}},
		"change":   {nil, Change{ID: 1, To: asks(Part{On: "p", Units: 3, Duration: 10})}},
		"shorter":  {nil, Change{ID: 1, To: asks(Part{On: "p", Units: 4, Duration: 4})}},
		"extend":   {nil, Extend{On: "p", Interval: ticks(0, 9), Units: 1}},
		"batch":    {nil, Batch{[]Command{Cancel{1}, Book{Request: by(9, 3, 0)}}}},
		"reopen":   {[]Command{Cancel{1}, Close{On: "p", Interval: ticks(0, 9), Units: 4}}, Reopen{ID: 1}},
		"expiry":   {[]Command{Cancel{1}, Book{Hold: 4, Request: asks(Part{On: "p", Units: 4, Duration: 10})}}, Advance{4}},
		"force":    {nil, Book{Force: Anybody, Request: by(3, 3, 9)}},
		"overrun":  {[]Command{End{1}, Book{Request: by(3, 1, 0)}, Book{Request: late(1)}, Book{Request: late(3)}}, Overrun{ID: 2, Until: 6, Force: Anybody}},
		"closure":  {nil, Close{On: "p", Interval: ticks(8, 9), Units: 3, Force: Anybody}},
		"a change": {nil, &Change{ID: 1, To: asks(Part{On: "p", Units: 3, Duration: 10})}},
	} {
		d := crowd(t, 20)
		for _, x := range c.before {
			must(t, d, x)
		}
		r := by(9, 1, 0)
		r.Ready = map[string]bookahead.Time{"force": 0, "overrun": 3}[name]
		k := must(t, d, Book{Request: r, Wait: 7})
		require.Equal(t, Waiting, k.State, name)
		before := written(t, d)
		e, err := d.Decide(c.room)
		require.NoError(t, err, name)
		require.Equal(t, before, written(t, d), "Decide changes nothing")
		out, err := d.Do(c.room)
		require.NoError(t, err, name)
		require.NoError(t, d.Verify(), name)
		require.Len(t, e.Decision.Granted, 1, name)
		got, err := d.Booking(k.ID)
		require.NoError(t, err, name)
		require.True(t, got.State == Booked || got.State == Running && got.Start == d.Now(), name)
		require.Zero(t, got.Expiry)
		i := slices.IndexFunc(out.Events, func(e Event) bool { return e.Booking == k.ID })
		require.Equal(t, Event{Number: out.Events[i].Number, At: d.Now(), What: WasBooked, Booking: k.ID, Owner: "ann", From: ticks(r.Ready, r.Ready), To: got.Interval}, out.Events[i], name)
	}
}

// Bookings of high priority come first, then earlier ones; a booking that fits passes others that do not.
func TestTurns(t *testing.T) {
	d := crowd(t, 20)
	for i, units := range []int64{1, 3, 2, 2, 1} {
		must(t, d, Book{Request: by(9, units, []int64{5, 9, 5, 7, 7}[i]), Wait: 20})
	}
	require.Equal(t, []BookingID{3, 5, 6, 2, 4}, turns(d))
	out, err := d.Do(Change{ID: 1, To: asks(Part{On: "p", Units: 2, Duration: 7})})
	require.NoError(t, err)
	// 3 finds no room; 5 takes both units until 3, and 6 and 2 share them until 6, and 4 follows.
	require.Equal(t, []string{"changed 1", "booked 5", "started 5", "booked 6", "booked 2", "booked 4"}, whats(out))
	require.Equal(t, []BookingID{3}, turns(d))
	out, err = d.Do(Cancel{1})
	require.NoError(t, err)
	require.Equal(t, []string{"cancelled 1"}, whats(out))
	out, err = d.Do(Batch{[]Command{Cancel{4}, Cancel{2}, Cancel{6}}})
	require.NoError(t, err)
	require.Equal(t, []string{"cancelled 4", "cancelled 2", "cancelled 6", "booked 3"}, whats(out))
	require.Len(t, out.Batch, 3)
	require.NoError(t, d.Verify())
}

// A batch may let a booking wait, and make room for it later.
func TestWaitWithinABatch(t *testing.T) {
	d := crowd(t, 20)
	out, err := d.Do(Batch{[]Command{Book{Key: "k", Request: by(9, 1, 0), Wait: 5}, &Cancel{1}, Book{Key: "k", Request: by(9, 1, 0), Wait: 5}}})
	require.NoError(t, err)
	require.NoError(t, d.Verify())
	require.Equal(t, []string{"waiting 2", "cancelled 1", "booked 2", "started 2"}, whats(out))
	k, err := d.Booking(2)
	require.NoError(t, err)
	require.Equal(t, Running, k.State)
	require.Equal(t, k, out.Batch[0].Booking, "as it is in the end")
	require.Equal(t, k, out.Batch[2].Booking)
	require.Equal(t, Cancelled, out.Batch[1].Booking.State)
	out, err = d.Do(Batch{[]Command{Book{Request: by(3, 4, 0), Wait: 5}, Cancel{3}}})
	require.NoError(t, err)
	require.Equal(t, Waiting, out.Batch[0].Booking.State, "as it was then")
}

// A booking lapses at its Expiry, or when it cannot meet its deadline: not a tick earlier, nor later.
func TestWaitLapses(t *testing.T) {
	offset := asks(Part{On: "p", Units: 1, Duration: 3, Offset: 2})
	offset.Deadline, offset.Ready = 9, -9
	steps := asks(Part{On: "q", Units: 1, Duration: 1, Offset: 5}, Part{On: "q", Units: 1, Duration: 1, Offset: 3}, Part{On: "p", Units: 1, Duration: 2, After: &Gap{1, 30}})
	steps.Deadline = 10
	steps.Shapes = append(steps.Shapes, Shape{{On: "p", Units: 1, Duration: 9}})
	passed := by(6, 1, 0) // its second shape cannot meet the deadline, though it could begin later than the first
	passed.Shapes = append(passed.Shapes, Shape{{On: "p", Units: 1, Duration: 2, Offset: 5}})
	for i, c := range []struct {
		r    Request
		wait bookahead.Time
		at   bookahead.Time
	}{
		{by(9, 1, 0), 5, 5}, {by(9, 1, 0), 7, 7}, {by(9, 1, 0), 99, 7}, {by(3, 1, 0), 99, 1},
		{offset, 99, 7}, // from 4 to 6 it is not yet too late, as its step may begin before now
		{steps, 99, 5},
		{passed, 99, 4},
	} {
		for _, keep := range []bookahead.Duration{0, 20} {
			d := crowd(t, keep)
			k := must(t, d, Book{Key: "k", Request: c.r, Wait: c.wait})
			require.Equal(t, Waiting, k.State, i)
			require.Equal(t, c.at, k.nextDue, i)
			must(t, d, Advance{c.at - 1})
			require.Equal(t, []BookingID{2}, turns(d), i)
			free := d.Clone()
			granted := must(t, free, Cancel{1})
			require.Equal(t, Cancelled, granted.State)
			require.Empty(t, turns(free), "%d: until then it could have been booked", i)
			require.NoError(t, free.Verify())
			out, err := d.Do(Advance{c.at + 1})
			require.NoError(t, err)
			require.Equal(t, []string{"expired 2", "advanced"}, whats(out))
			require.Equal(t, Event{Number: out.Events[0].Number, At: c.at, What: HasExpired, Booking: 2, Owner: c.r.Owner, To: ticks(c.at, c.at)}, out.Events[0])
			require.NoError(t, d.Verify())
			require.Empty(t, turns(d))
			over, err := d.ByKey("k")
			require.Equal(t, keep == 0, err != nil)
			if keep > 0 {
				require.Equal(t, Expired, over.State)
				require.Zero(t, over.Expiry)
			}
		}
	}
}

// MaxWaiting bookings may wait, and no more; a snapshot keeps their order.
func TestMaxWaiting(t *testing.T) {
	d := crowd(t, 0)
	for i := range MaxWaiting {
		_, err := d.Do(Book{Request: by(9, 4, int64(i%7)), Wait: 50})
		require.NoError(t, err)
	}
	_, err := d.Do(Book{Request: by(9, 1, 0), Wait: 50})
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.NoError(t, d.Verify())
	read, err := Read(bytes.NewReader(written(t, d)), Config{})
	require.NoError(t, err)
	require.Equal(t, turns(d), turns(read))
	e := Entry{Number: d.b.entries + 1, Command: Book{Request: by(9, 1, 0), Wait: 50}, Decision: Decision{Booking: d.b.last + 1}}
	_, err = d.Apply(e)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	out, err := d.Do(Cancel{1})
	require.NoError(t, err)
	require.Equal(t, []What{WasCancelled, WasBooked, HasStarted, WasBooked, WasBooked}, happened(out.Events))
	require.Len(t, turns(d), MaxWaiting-3)
}

// A request that no search takes is refused, also while an earlier step of it has no room: it could not be granted later, and
// would keep the place from its other shape.
func TestAWishThatNoSearchTakesIsRefused(t *testing.T) {
	d := crowd(t, 0)
	farm := AddSchedule{"farm", Nodes{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{4}, {4}}}}
	must(t, d, farm)
	task := &nodes.Request{Each: nodes.Vector{1}}
	twice := Shape{{On: "p", Units: 4, Duration: 3}, {On: "farm", Units: 1, Duration: 2, After: &Gap{Most: 5}, Tasks: task}, {On: "farm", Units: 1, Duration: 2, Tasks: task}}
	wish := Book{Request: Request{Deadline: 9, Shapes: []Shape{twice, {{On: "p", Units: 4, Duration: 4}}}}, Wait: 8}
	_, err := d.Do(wish)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "Shapes[0]")
	free := opened(t, Config{})
	must(t, free, farm)
	_, is := free.Do(wish)
	require.Equal(t, is, err, "as a search says it that comes to the second step")
}
