package grid

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/freelist"
)

// Servers are closed by the Broker's numbers, all at one provider, and added servers have the next.
func TestServersOfABrokerAreNumberedOn(t *testing.T) {
	one, two := newServers(t, 3), newServers(t, 2)
	b := brokerOf(t, Config{}, one, bookahead.Locked(two))
	require.Equal(t, bookahead.Closure{ID: 1, Interval: span(2, 9), Units: 2, Servers: []int{3, 4}}, shut(t, b, 2, 9, 4, 3))
	require.Equal(t, []int{0, 1}, slices.Collect(two.Closures())[0].Servers)
	_, err := b.Close(bookahead.Closure{Interval: span(0, 5), Servers: []int{2, 3}})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "Closure.Servers 3 lies at provider 1, not at provider 0")
	_, err = b.CloseAt(1, bookahead.Closure{Interval: span(0, 5), Servers: []int{0}})
	require.ErrorContains(t, err, "Closure.Servers 0 lies at provider 0, not at provider 1")
	_, err = b.Close(bookahead.Closure{Interval: span(0, 5), Servers: []int{5}})
	require.ErrorContains(t, err, "is not below the 5 servers")
	_, err = b.Extend(bookahead.Closure{Interval: span(0, 5), Units: 1})
	require.ErrorContains(t, err, "use ExtendAt")
	_, err = b.ExtendAt(2, bookahead.Closure{Interval: span(0, 5), Units: 1})
	require.ErrorContains(t, err, "provider 2 is none of the 2")

	for want, k := range []int{5: 0, 6: 1, 7: 1, 8: 0} { // the first to be added has number 5
		if want < 5 {
			continue
		}
		c, err := b.ExtendAt(k, bookahead.Closure{Interval: span(0, 20), Units: 1})
		require.NoError(t, err)
		require.Equal(t, []int{want}, c.Servers)
	}
	require.NoError(t, b.Verify())
	require.Equal(t, 9, b.Frame().Servers)
	require.Equal(t, []int{0, 3}, []int{b.FirstServer(0), b.FirstServer(1)})
	require.Equal(t, []int64{5, 4}, []int64{b.Capacity(0), b.Capacity(1)})
	a, err := b.RangeQuery(span(0, 20))
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 2, 5, 8}, a.Servers)
	res, err := b.Reserve(bookahead.Request{Ready: 1, Deadline: 12, Duration: 11, Units: 2, Servers: []int{3, 6, 7, 8}})
	require.NoError(t, err)
	require.Equal(t, []int{6, 7}, res.Servers)
	anew, err := b.Rebook(res.ID, bookahead.Request{Ready: 1, Deadline: 12, Duration: 11, Units: 2, Servers: []int{8, 0}})
	require.NoError(t, err)
	require.Equal(t, []int{0, 8}, anew.Servers)

	for _, goOn := range []*Broker{b, b.Clone().(*Broker), reread(t, b)} {
		require.NoError(t, goOn.Verify())
		shut(t, goOn, 4, 6, 8)
		require.Equal(t, "[{[4, 6) 1 [8]}]", over(goOn))
		require.True(t, goOn.Overbooks(res.ID))
		require.NoError(t, goOn.End(2, 15)) // the extension of server 5
		require.ErrorIs(t, goOn.End(2, 16), bookahead.ErrInvalid)
		require.Len(t, slices.Collect(goOn.Closures()), 6)
		require.NoError(t, goOn.Advance(9))
		require.Equal(t, bookahead.ErrNotFound, goOn.End(1, 9))
		require.Len(t, slices.Collect(goOn.Closures()), 4)
		c, err := goOn.ExtendAt(1, bookahead.Closure{Interval: span(0, 20), Units: 2})
		require.NoError(t, err)
		require.Equal(t, bookahead.Closure{ID: 7, Interval: span(9, 20), Units: 2, Servers: []int{9, 10}, Added: true}, c)
		require.NoError(t, goOn.Verify())
		reread(t, goOn)
	}
}

// Of several pools any may be closed: the caller says which. Capacities are those of now.
func TestPoolsOfABrokerAreClosed(t *testing.T) {
	one, two := newPool(t, 3), newPool(t, 4)
	for _, policy := range []Policy{MCT, LeastLoaded, Priority, ShortestQueue, Random(2)} {
		b := brokerOf(t, Config{Policy: policy}, one.Clone(), bookahead.Locked(two.Clone().(bookahead.Keeper)))
		c := bookahead.Closure{Interval: span(0, 5), Units: 3}
		_, err := b.Close(c)
		require.ErrorContains(t, err, "use CloseAt")
		_, err = b.Extend(c)
		require.ErrorContains(t, err, "use ExtendAt")
		_, err = b.CloseAt(0, c)
		require.NoError(t, err)
		c.Units = 4
		done, err := b.CloseAt(1, c)
		require.NoError(t, err)
		require.EqualValues(t, 2, done.ID)
		require.Equal(t, bookahead.Frame{Horizon: bookahead.MaxTime}, b.Frame())
		o, err := b.Search(bookahead.Request{Duration: 2, Units: 4})
		require.NoError(t, err)
		require.EqualValues(t, 5, o.Start)
		_, err = b.Search(bookahead.Request{Duration: 2, Units: 5})
		require.Equal(t, bookahead.ErrUnavailable, err)
		_, err = b.ExtendAt(0, bookahead.Closure{Interval: span(10, 20), Units: 6})
		require.NoError(t, err)
		o, err = b.Search(bookahead.Request{Duration: 2, Units: 9})
		require.NoError(t, err)
		require.EqualValues(t, 10, o.Start)
		require.NoError(t, b.Verify())
		reread(t, b)
	}
}

// Closures that others make at a provider count, and the Broker does not list them. A closure of the
// Broker that others end is not listed any more.
func TestProvidersAreClosedByOthers(t *testing.T) {
	one, two := newPool(t, 3), newPool(t, 2)
	b := brokerOf(t, Config{}, one, two)
	reserve(t, b, 0, 8, 3)
	reserve(t, b, 0, 4, 2)
	_, err := two.Close(bookahead.Closure{Interval: span(2, 6), Units: 1})
	require.NoError(t, err)
	_, err = b.CloseAt(0, bookahead.Closure{Interval: span(3, 7), Units: 2})
	require.NoError(t, err)
	require.Equal(t, "[{[2, 3) 1 []} {[3, 4) 3 []} {[4, 7) 2 []}]", over(b))
	require.Equal(t, []bookahead.Closure{{ID: 1, Interval: span(3, 7), Units: 2}}, slices.Collect(b.Closures()))
	require.True(t, b.Overbooks(1))
	require.True(t, b.Overbooks(2))
	require.False(t, b.Overbooks(3))
	require.NoError(t, one.End(1, 0))
	require.Empty(t, slices.Collect(b.Closures()))
	require.Equal(t, bookahead.ErrNotFound, b.End(1, 5))
	require.NoError(t, b.Verify())
	reread(t, b)
}

// A provider of servers that others extend has servers without a number, and says so.
func TestAProviderMustBeExtendedThroughTheBroker(t *testing.T) {
	tree := newServers(t, 1)
	b := brokerOf(t, Config{}, tree)
	reserve(t, b, 0, 5, 1)
	extend(t, tree, 0, 20, 1)
	const want = "providers[0]: servers 2 is not the number of servers with numbers, 1"
	_, err := b.Search(bookahead.Request{Deadline: 4, Duration: 4, Units: 1})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, want)
	_, err = b.RangeQuery(span(0, 4))
	require.ErrorContains(t, err, want)
	_, err = b.Rebook(1, bookahead.Request{Deadline: 5, Duration: 5, Units: 2})
	require.ErrorContains(t, err, want)
	_, err = b.Extend(bookahead.Closure{Interval: span(0, 5), Units: 1})
	require.ErrorContains(t, err, want)
	_, err = b.MarshalBinary()
	require.ErrorContains(t, err, want)
	require.ErrorContains(t, b.Verify(), want)
	_, err = b.Search(bookahead.Request{Deadline: 9, Duration: 4, Units: 1, Servers: []int{0}})
	require.NoError(t, err, "no other is needed")
}

// A provider whose capacity cannot change says so.
func TestProvidersThatAreNotClosable(t *testing.T) {
	list, err := freelist.NewUsed(3, freelist.Config{})
	require.NoError(t, err)
	b := brokerOf(t, Config{}, list)
	_, err = b.Close(bookahead.Closure{Interval: span(0, 5), Units: 1})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "providers[0] *freelist.Used is no bookahead.Closable")
	_, err = b.Extend(bookahead.Closure{Interval: span(0, 5), Units: 1})
	require.ErrorContains(t, err, "is no bookahead.Closable")
	reserve(t, b, 0, 5, 3)
	_, err = b.Lift(1)
	require.ErrorContains(t, err, "is no bookahead.Displacer")
	require.False(t, b.Overbooks(1))
	require.Empty(t, slices.Collect(b.Closures()))
	require.Equal(t, bookahead.ErrNotFound, b.End(1, 0))
	require.NoError(t, b.Verify())
	_, err = bookahead.Displace(b, bookahead.Force{Request: &bookahead.Request{Deadline: 5, Duration: 5, Units: 1}})
	require.ErrorContains(t, err, "is no bookahead.Displacer")
}

// A closure may displace to another provider: the reservation keeps the Broker's ID, and providers
// stay the same schedules.
func TestDisplacedToAnotherProvider(t *testing.T) {
	one, two, three := newServers(t, 2), bookahead.Locked(newServers(t, 2)), newServers(t, 1)
	b := brokerOf(t, Config{}, one, two, three)
	b.Track(true)
	first := reserve(t, b, 0, 9, 2)
	second := reserve(t, b, 0, 4, 1)
	held := reserve(t, b, 3, 4, 1) // on the second server of two
	require.Equal(t, [][]int{{0, 1}, {2}, {3}}, [][]int{first.Servers, second.Servers, held.Servers})
	require.NoError(t, b.Advance(1))
	shut(t, b, 0, bookahead.MaxTime, 1)
	d, err := bookahead.Displace(bookahead.Locked(b), bookahead.Force{})
	require.NoError(t, err)
	require.Empty(t, d.Dropped)
	require.Len(t, d.Moved, 1)
	require.Equal(t, first, d.Moved[0].From)
	require.Equal(t, first.ID, d.Moved[0].To.ID)
	require.Equal(t, bookahead.Offer{Interval: span(7, 15), Units: 2, Servers: []int{2, 3}}, d.Moved[0].To.Offer)
	at, err := b.Place(first.ID)
	require.NoError(t, err)
	require.Equal(t, Place{1, 3}, at)
	require.Same(t, one, b.Provider(0))
	require.Same(t, two, b.Provider(1))
	require.Same(t, three, b.Provider(2))
	require.Equal(t, "[]", over(b))
	require.NoError(t, b.Verify())
	n, ok := b.Live()
	require.True(t, ok)
	require.Equal(t, 3, n)
	require.Equal(t, "[#2 [0, 4) [2] #1 [7, 15) [2 3]]", fmt.Sprint(slices.Collect(b.ReservationsOn(span(0, 20), []int{2, 9}))))
	next := reserve(t, b, 20, 1, 2)
	require.EqualValues(t, 4, next.ID)
	require.Equal(t, reserve(t, reread(t, b), 30, 1, 1), reserve(t, b, 30, 1, 1))
}

// Preemption by priority: of a Broker, of a Binder, and of one of the other.
func TestPreemptionByPriority(t *testing.T) {
	for name, s := range map[string]bookahead.Keeper{
		"binder":           newBinder(t, 2),
		"broker":           brokerOf(t, Config{}, newPool(t, 2)),
		"broker of binder": brokerOf(t, Config{}, bookahead.Locked(newBinder(t, 2))),
		"servers":          brokerOf(t, Config{}, newServers(t, 2)),
		"hierarchy":        bookahead.Locked(brokerOf(t, Config{}, brokerOf(t, Config{}, newServers(t, 2)))),
	} {
		t.Run(name, func(t *testing.T) {
			low := reserve(t, s, 0, 10, 1)
			high := reserve(t, s, 0, 10, 1)
			priority := map[bookahead.ID]int{low.ID: 1, high.ID: 2}
			force := bookahead.Force{
				Request: &bookahead.Request{Deadline: 5, Duration: 4, Units: 1},
				Order:   func(a, b bookahead.Reservation) int { return priority[a.ID] - priority[b.ID] },
			}
			d, err := bookahead.Displace(s, force)
			require.NoError(t, err)
			require.Equal(t, span(0, 4), d.Booked.Interval)
			require.Len(t, d.Moved, 1)
			require.Equal(t, low, d.Moved[0].From)
			require.Equal(t, span(4, 14), d.Moved[0].To.Interval)
			still, err := s.Reservation(high.ID)
			require.NoError(t, err)
			require.Equal(t, high, still)
			require.NoError(t, verify(s))
			before := booked(s)
			force.Spare = func(bookahead.Reservation) bool { return true }
			_, err = bookahead.Displace(s, force)
			require.Equal(t, bookahead.ErrUnavailable, err)
			require.Equal(t, before, booked(s))
			require.NoError(t, s.Advance(12))
			require.NoError(t, verify(s))
		})
	}
}

// More units are missing than servers are named: others are in the way too.
func TestDisplaceClearsABinder(t *testing.T) {
	b := newBinder(t, 3)
	reserve(t, b, 0, 8, 1)
	waits := reserve(t, b, 2, 4, 2)
	shut(t, b, 1, bookahead.MaxTime, 0, 2)
	require.Equal(t, "[{[1, 2) 1 [0]} {[2, 6) 2 [0]} {[6, 8) 1 [0]}]", over(b))
	d, err := bookahead.Displace(b, bookahead.Force{})
	require.NoError(t, err)
	require.Equal(t, []bookahead.Reservation{waits}, d.Dropped)
	require.Len(t, d.Moved, 1)
	require.Equal(t, "#1 [0, 8) 1", d.Moved[0].To.String())
	require.Equal(t, "[#1 [0, 8) [1]]", fmt.Sprint(slices.Collect(b.Running())))
	require.Equal(t, "[]", over(b))
	require.NoError(t, b.Verify())
}

// A Broker's providers share nothing, and so a clone clones each of them once.
func TestAClonedBrokerHasItsOwnClosures(t *testing.T) {
	one, two := newServers(t, 2), newServers(t, 2)
	_, err := NewBroker(Config{}, one, two, bookahead.Locked(one))
	require.ErrorContains(t, err, "shares a schedule with, providers[0]")
	b := brokerOf(t, Config{}, one, bookahead.Locked(two))
	b.Track(true)
	reserve(t, b, 0, 5, 2)
	c := b.Clone().(*Broker)
	shut(t, c, 0, 9, 3)
	_, err = c.ExtendAt(0, bookahead.Closure{Interval: span(0, 9), Units: 1})
	require.NoError(t, err)
	reserve(t, c, 0, 5, 1)
	require.NoError(t, c.Verify())
	require.Empty(t, slices.Collect(b.Closures()))
	require.Equal(t, 4, b.Frame().Servers)
	n, _ := b.Live()
	require.Equal(t, 1, n)
	require.NoError(t, b.Verify())
	_, err = b.ExtendAt(1, bookahead.Closure{Interval: span(0, 9), Units: 1})
	require.NoError(t, err)
	require.NoError(t, b.Verify())
	require.NoError(t, c.Verify())
}
