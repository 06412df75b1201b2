package grid

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/freelist"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/scheduletest"
)

func FuzzBrokerSnapshot(f *testing.F) {
	for _, data := range hostileBrokers(f) {
		f.Add(data)
	}
	scheduletest.FuzzSnapshot(f, brokers[0])
}

// another returns a schedule of the kind of s, of another size and with another past.
func another(t require.TestingT, s bookahead.Schedule) (other bookahead.Keeper) {
	var err error
	switch s := s.(type) {
	case *carts.Indexed:
		other, err = carts.NewIndexed(7, carts.Config{Horizon: 9})
	case *freelist.Used:
		other, err = freelist.NewUsed(7, freelist.Config{Horizon: 9})
	case *avail.Schedule:
		other, err = avail.NewSchedule(7, avail.Config{Horizon: 9, Slot: 1})
	case *idletree.Tree:
		other, err = idletree.NewTree(7, idletree.Config{Horizon: 9})
	case *Binder:
		other = newBinder(t, 7)
	case *Broker:
		var providers []bookahead.Schedule
		for k := range s.Providers() {
			providers = append(providers, another(t, s.Provider(k)))
		}
		other, err = NewBroker(Config{Policy: s.policy, Partition: s.partition}, providers...)
	default:
		if reflect.TypeOf(s) == reflect.TypeOf(bookahead.Locked(nil)) {
			bookahead.View(s, func(s bookahead.Keeper) { other = bookahead.Locked(another(t, s)) })
			break
		}
		require.Fail(t, "of what kind is it?", "%T", s)
	}
	require.NoError(t, err)
	_, err = other.Reserve(bookahead.Request{Duration: 3, Units: 1})
	require.NoError(t, err)
	return other
}

// reread returns a copy of s, read from its snapshot.
func reread[S bookahead.Snapshotter](t require.TestingT, s S) S {
	data, err := s.MarshalBinary()
	require.NoError(t, err)
	read := another(t, s).(S)
	require.NoError(t, read.UnmarshalBinary(data))
	require.NoError(t, verify(read))
	again, err := read.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, data, again)
	return read
}

// sameBrokers checks that two brokers tell the same of all that they have.
func sameBrokers(t require.TestingT, a, b *Broker) {
	require.Equal(t, a.Frame(), b.Frame())
	require.Equal(t, a.last, b.last)
	require.Equal(t, a.booked, b.booked) // where, and when
	require.Equal(t, booked(a), booked(b))
	for _, res := range booked(a) {
		one, err := b.Reservation(res.ID)
		require.NoError(t, err)
		require.Equal(t, res, one)
	}
	for k := range a.Providers() {
		require.Equal(t, a.Provider(k).(framer).Frame(), b.Provider(k).(framer).Frame())
		require.Equal(t, a.providers[k].first, b.providers[k].first)
		require.Equal(t, a.providers[k].live, b.providers[k].live)
	}
	for at := a.limits.Now; at < a.limits.Now+30; at++ {
		w := bookahead.Interval{Start: at, End: at + 3}
		x, errA := a.RangeQuery(w)
		y, errB := b.RangeQuery(w)
		require.Equal(t, errA, errB)
		require.Equal(t, x, y)
	}
}

// A broker read from a snapshot goes on exactly as the broker written: with all policies, pools
// and servers, bookings of others, and a partition or none.
func TestBrokersGoOnAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMarket(t)
		brokers := []*Broker{m.Broker}
		ids := func(t *rapid.T) bookahead.ID {
			return bookahead.ID(rapid.Uint64Range(0, uint64(m.Broker.last)+1).Draw(t, "id"))
		}
		steps := map[string]func(*rapid.T){
			"reserve": func(t *rapid.T) {
				r := m.request(t)
				o, err := m.Search(r)
				res, errReserve := m.Reserve(r)
				require.Equal(t, err, errReserve)
				for _, b := range brokers[1:] {
					o2, err2 := b.Search(r)
					require.Equal(t, o, o2)
					require.Equal(t, err, err2)
					res2, _ := b.Reserve(r)
					require.Equal(t, res, res2)
				}
			},
			"others": func(t *rapid.T) {
				k := rapid.IntRange(0, m.Providers()-1).Draw(t, "provider")
				r := bookahead.Request{Ready: m.limits.Now + bookahead.Time(rapid.IntRange(0, 9).Draw(t, "ready")), Duration: 4, Units: 1}
				for _, b := range brokers {
					_, _ = b.Provider(k).Reserve(r)
				}
			},
			"release": func(t *rapid.T) {
				id := ids(t)
				at, want := m.Place(id)
				for _, b := range brokers {
					at2, err := b.Place(id)
					require.Equal(t, at, at2)
					require.Equal(t, want, err)
					require.Equal(t, want, b.Release(id))
				}
			},
			"rebook": func(t *rapid.T) {
				id, r := ids(t), m.request(t)
				o, wantSearch := m.SearchFor(id, r)
				res, want := m.Rebook(id, r)
				for _, b := range brokers[1:] {
					o2, err := b.SearchFor(id, r)
					require.Equal(t, o, o2)
					require.Equal(t, wantSearch, err)
					res2, err := b.Rebook(id, r)
					require.Equal(t, res, res2)
					require.Equal(t, want, err)
				}
			},
			"advance": func(t *rapid.T) {
				now := m.limits.Now + bookahead.Time(rapid.IntRange(0, 6).Draw(t, "ticks"))
				m.cells[0].now = now // from which requests are drawn
				for _, b := range brokers {
					require.NoError(t, b.Advance(now))
				}
			},
			"": func(t *rapid.T) {
				for _, b := range brokers {
					require.NoError(t, b.Verify())
					sameBrokers(t, m.Broker, b)
				}
			},
		}
		steps["reserve 2"] = steps["reserve"]
		t.Repeat(steps)
		brokers = append(brokers, reread(t, m.Broker))
		t.Repeat(steps)
	})
}

// All schedules of this package can be read: brokers of brokers, of binders, and of locked
// schedules.
func TestNestedBrokersGoOnAlike(t *testing.T) {
	first := newPool(t, 3)
	inner, err := NewBroker(Config{Policy: Random(5)}, newPool(t, 2), bookahead.Locked(newPool(t, 3)))
	require.NoError(t, err)
	b, err := NewBroker(Config{Policy: ShortestQueue}, first, newBinder(t, 4), inner, bookahead.Locked(newPool(t, 1)))
	require.NoError(t, err)
	for k := range 12 {
		_, err := b.Reserve(bookahead.Request{Ready: bookahead.Time(k % 3), Duration: bookahead.Duration(3 + k%5), Units: 1})
		require.NoError(t, err)
	}
	require.NoError(t, b.Advance(4))
	read := reread(t, b)
	require.NotEmpty(t, booked(b))
	require.NotSame(t, first, read.Provider(0))
	for _, b := range []*Broker{b, read} {
		require.NoError(t, b.Advance(9))
		res, err := b.Reserve(bookahead.Request{Duration: 4, Units: 2})
		require.NoError(t, err)
		require.EqualValues(t, 13, res.ID)
	}
	sameBrokers(t, b, read)
}

// If the bytes of one provider are bad, all are as they were; and the providers that
// there were are never changed: others have them.
func TestABrokerIsReadWholeOrNotAtAll(t *testing.T) {
	open := func() (*Broker, []bookahead.Schedule) {
		providers := []bookahead.Schedule{newPool(t, 1), newPool(t, 2), newPool(t, 3)}
		b, err := NewBroker(Config{Policy: ShortestQueue}, providers...)
		require.NoError(t, err)
		return b, providers
	}
	b, _ := open()
	for range 6 {
		_, err := b.Reserve(bookahead.Request{Duration: 9, Units: 1})
		require.NoError(t, err)
	}
	var parts [][]byte
	for k := range b.Providers() {
		data, err := bookahead.Snapshot(b.Provider(k))
		require.NoError(t, err)
		parts = append(parts, data)
	}
	parts[2] = parts[2][:len(parts[2])-1]
	bad := brokerBytes(t, []uint64{0, 3, 0}, parts, 0, 0)
	good, err := b.MarshalBinary()
	require.NoError(t, err)

	read, providers := open()
	require.ErrorContains(t, read.UnmarshalBinary(bad), "providers[2]: bookahead: snapshot: sum")
	for k, p := range providers {
		require.Same(t, p, read.Provider(k))
		require.EqualValues(t, k+1, freeIn(t, p, 0, 9))
	}
	require.NoError(t, read.UnmarshalBinary(good))
	for k, p := range providers {
		require.NotSame(t, p, read.Provider(k))
		require.EqualValues(t, k+1, freeIn(t, p, 0, 9), "it is left alone")
	}
	sameBrokers(t, b, read)
}

// A broker of which others have released or rebooked something cannot be read, and so
// it is not written, until the Broker has been told.
func TestWhatOthersHaveReleasedIsNotWritten(t *testing.T) {
	p := newPool(t, 2)
	b, err := NewBroker(Config{}, p)
	require.NoError(t, err)
	for range 2 {
		_, err := b.Reserve(bookahead.Request{Duration: 5, Units: 1})
		require.NoError(t, err)
	}
	require.NoError(t, p.Release(1))
	_, err = b.MarshalBinary()
	require.EqualError(t, err, "bookahead: reservation 1: place {0 1} is not booked there: others may have released it")
	require.ErrorIs(t, b.Verify(), bookahead.ErrInvalid)
	require.Equal(t, bookahead.ErrNotFound, b.Release(1))
	reread(t, b)
	_, err = p.Rebook(2, bookahead.At(0, 4, 1))
	require.NoError(t, err)
	_, err = b.MarshalBinary()
	require.EqualError(t, err, "bookahead: reservation 2 [0, 5) 1 is [0, 4) 1 at provider 0")
	require.NoError(t, b.Release(2))
	reread(t, b)
	require.NoError(t, p.Advance(3))
	_, err = b.MarshalBinary()
	require.EqualError(t, err, "bookahead: providers[0]: now 3 is ahead of the Broker's, 0")
}
