package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// Faults that tests or readers have found, each as small as it can be.

// opened returns a desk with schedules: pools p and q of 4 units, servers s (4 of them), and the brokers
// pq and ps.
func opened(t require.TestingT, c Config) *Desk {
	d, err := New(c)
	require.NoError(t, err)
	for _, c := range []AddSchedule{
		{"p", Pool{Units: 4}}, {"q", Pool{Units: 4}}, {"s", Servers{Count: 4, Prefer: "lowest"}},
		{"pq", Broker{Of: []string{"p", "q"}}}, {"ps", Broker{Of: []string{"p", "s"}}},
		{"n", Nodes{Resources: []string{"cores"}, Nodes: []nodes.Vector{{8}, {8}}}},
	} {
		_, err := d.Do(c)
		require.NoError(t, err)
	}
	return d
}

// must carries a command out, and verifies the desk.
func must(t require.TestingT, d *Desk, c Command) Booking {
	out, err := d.Do(c)
	require.NoError(t, err)
	require.NoError(t, d.Verify())
	return out.Booking
}

// asks returns a request of one shape.
func asks(parts ...Part) Request { return Request{Shapes: []Shape{parts}} }

// Two parts on one broker each saw the units that the other was to get.
func TestPartsOnOneBrokerDoNotOverlap(t *testing.T) {
	d := opened(t, Config{})
	_, err := d.Do(Book{Request: asks(Part{On: "pq", Units: 3, Duration: 5}, Part{On: "pq", Units: 3, Duration: 5, Offset: 4})})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	k := must(t, d, Book{Request: asks(Part{On: "pq", Units: 3, Duration: 5}, Part{On: "pq", Units: 3, Duration: 5, Offset: 5})})
	require.Equal(t, bookahead.Interval{Start: 0, End: 10}, k.Interval)
	_, err = d.Do(Book{Request: asks(Part{On: "pq", Units: 1, Duration: 5}, Part{On: "ps", Units: 1, Duration: 5, Offset: 4})})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// The offset of a part was not read if the part was alone.
func TestOffsetOfTheOnlyPart(t *testing.T) {
	d := opened(t, Config{})
	k := must(t, d, Book{Request: asks(Part{On: "p", Units: 1, Duration: 5, Offset: 3})})
	require.Equal(t, bookahead.Interval{Start: 3, End: 8}, k.Interval)
	k = must(t, d, Change{ID: 1, To: asks(Part{On: "p", Units: 1, Duration: 5, Offset: 4})})
	require.Equal(t, bookahead.Interval{Start: 4, End: 9}, k.Interval)
}

// A part that was over was released once more, and the change failed halfway.
func TestChangeAfterAPartIsOver(t *testing.T) {
	d := opened(t, Config{})
	two := func(units int64, length bookahead.Duration) Request {
		return asks(Part{On: "p", Units: 1, Duration: 5}, Part{On: "p", Units: units, Duration: length, After: &Gap{0, 9}})
	}
	must(t, d, Book{Request: two(2, 5)})
	must(t, d, Advance{7})
	k := must(t, d, Change{ID: 1, To: two(3, 9)})
	require.Equal(t, bookahead.Interval{Start: 0, End: 14}, k.Interval)
	k = must(t, d, Overrun{ID: 1, Until: 20})
	require.Equal(t, bookahead.Interval{Start: 0, End: 20}, k.Interval)
}

// A booking that ended at tick 0 was never forgotten, as 0 stood for never.
func TestEndAtTickZero(t *testing.T) {
	d := opened(t, Config{})
	must(t, d, Book{Key: "a", Request: asks(Part{On: "p", Units: 1, Duration: 5})})
	must(t, d, End{1})
	must(t, d, Advance{1})
	_, ok := d.b.booking(1)
	require.False(t, ok)
}

// Of two running parts on one pool, one gives up units that the other gains.
func TestRunningPartsTradeUnits(t *testing.T) {
	for _, on := range []string{"p", "s"} {
		d := opened(t, Config{})
		must(t, d, Book{Request: asks(Part{On: on, Units: 1, Duration: 5}, Part{On: on, Units: 3, Duration: 9})})
		k := must(t, d, Change{ID: 1, To: asks(Part{On: on, Units: 3, Duration: 5}, Part{On: on, Units: 1, Duration: 9})})
		require.Equal(t, int64(3), k.Places[0].Units)
		k = must(t, d, Change{ID: 1, To: asks(Part{On: on, Units: 1, Duration: 9}, Part{On: on, Units: 3, Duration: 5})})
		require.Equal(t, bookahead.Interval{Start: 0, End: 5}, k.Places[1].Interval)
	}
}

// Labels in another order are the same labels, also for a key.
func TestKeyWithLabelsInAnotherOrder(t *testing.T) {
	d := opened(t, Config{})
	r := asks(Part{On: "p", Units: 1, Duration: 5})
	r.Labels = []string{"a", "b"}
	must(t, d, Book{Key: "k", Request: r})
	r.Labels = []string{"b", "a"}
	k := must(t, d, Book{Key: "k", Request: r})
	require.Equal(t, BookingID(1), k.ID)
	r.Labels = []string{"b", "c"}
	_, err := d.Do(Book{Key: "k", Request: r})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// A step after one that ends near the end of the axis began before it.
func TestGapBeyondTheEndOfTheAxis(t *testing.T) {
	d := opened(t, Config{})
	must(t, d, Book{Request: asks(Part{On: "p", Units: 4, Duration: bookahead.Duration(bookahead.MaxTime) - 20})})
	_, err := d.Do(Book{Request: asks(Part{On: "p", Units: 4, Duration: 5}, Part{On: "q", Units: 4, Duration: 5, After: &Gap{16, 100}})})
	require.Equal(t, bookahead.ErrUnavailable, err)
	k := must(t, d, Book{Request: asks(Part{On: "p", Units: 4, Duration: 5}, Part{On: "q", Units: 4, Duration: 5, After: &Gap{10, 100}})})
	require.Equal(t, bookahead.MaxTime, k.End)
}

// A running part that lasts longer with fewer servers gave up the wrong ones, as if it ended as before.
func TestFewerServersForLonger(t *testing.T) {
	d := opened(t, Config{})
	lab := func(units int64, length bookahead.Duration) Request {
		return asks(Part{On: "s", Units: units, Duration: length}, Part{On: "p", Units: 1, Duration: 9})
	}
	must(t, d, Book{Request: lab(3, 3)})
	r := asks(Part{On: "s", Units: 1, Duration: 2, Servers: []int{1}})
	r.Ready = 3
	must(t, d, Book{Request: r})
	k := must(t, d, Change{ID: 1, To: lab(2, 6)})
	require.Equal(t, []int{0, 2}, k.Places[0].Servers)
}

// A running part that is alone on its schedule by now gave up the wrong servers, and the change was refused: a
// part that was over, or had not begun, counted as one that might gain them. Server 0 is booked from 3 to 5, so
// the part that goes on until 6 keeps server 1:
//
//	server 1    ██████
//	server 0    ██ ▒▒
//	now           ▲
func TestFewerServersForLongerBesidePartsThatDoNotRun(t *testing.T) {
	for name, other := range map[string]Part{
		"over":      {On: "s", Units: 1, Duration: 1},
		"not begun": {On: "s", Units: 1, Duration: 1, After: &Gap{4, 4}, Servers: []int{3}},
	} {
		d := opened(t, Config{})
		lab := func(units int64, length bookahead.Duration) Request {
			return asks(Part{On: "s", Units: units, Duration: length}, other)
		}
		must(t, d, Book{Request: lab(2, 3)})
		r := asks(Part{On: "s", Units: 1, Duration: 2, Servers: []int{0}})
		r.Ready = 3
		must(t, d, Book{Request: r})
		must(t, d, Advance{2})
		out, err := d.Do(Change{ID: 1, To: lab(1, 6)})
		require.NoError(t, err, name)
		require.Equal(t, []int{1}, out.Booking.Places[0].Servers, name)
		require.NoError(t, d.Verify())
	}
}

// A part that was over could be said to have been on other servers than it was.
func TestPartThatIsOverStaysAsItWas(t *testing.T) {
	d := opened(t, Config{})
	two := func(server int, length bookahead.Duration) Request {
		return asks(Part{On: "s", Units: 1, Duration: 2, Servers: []int{server}}, Part{On: "s", Units: 1, Duration: length, After: &Gap{0, 9}})
	}
	must(t, d, Book{Request: two(2, 5)})
	must(t, d, Advance{3})
	_, err := d.Do(Change{ID: 1, To: two(3, 6)})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	must(t, d, Change{ID: 1, To: two(2, 6)})
}

// A booking that lies on closed units, and is in the way of a demand, gives way. The demand was once refused.
func TestWhoIsOverbookedGivesWay(t *testing.T) {
	d := opened(t, Config{})
	must(t, d, Book{Request: asks(Part{On: "p", Units: 4, Duration: 10})})
	must(t, d, Close{On: "p", Interval: bookahead.Interval{Start: 0, End: 10}, Units: 2})
	r := asks(Part{On: "p", Units: 1, Duration: 10})
	r.Deadline = 10
	k := must(t, d, Book{Request: r, Force: Anybody})
	require.Equal(t, bookahead.Interval{Start: 0, End: 10}, k.Interval)
	out, _ := d.b.booking(1)
	require.Equal(t, bookahead.Interval{Start: 10, End: 20}, out.Interval)
}
