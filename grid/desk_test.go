package grid

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/scheduletest"
)

var desks = []scheduletest.Target{
	{Name: "grid.Desk-carts.Indexed", Made: true, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		s, err := carts.NewIndexed(c.Capacity, carts.Config{Origin: c.Origin, Horizon: c.Horizon})
		if err != nil {
			return nil, err
		}
		return NewDesk(s, c.Origin)
	}},
	{Name: "grid.Desk-grid.Broker-carts.Indexed", Made: true, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		s, err := carts.NewIndexed(c.Capacity, carts.Config{Origin: c.Origin, Horizon: c.Horizon})
		if err != nil {
			return nil, err
		}
		b, err := NewBroker(Config{Origin: c.Origin}, s)
		if err != nil {
			return nil, err
		}
		return NewDesk(b, c.Origin)
	}},
}

func TestDeskConformance(t *testing.T) {
	for _, target := range desks {
		t.Run(target.Name, func(t *testing.T) { scheduletest.Run(t, target) })
	}
}

func newDesk(t require.TestingT, capacity int64) *Desk {
	d, err := NewDesk(newPool(t, capacity), 0)
	require.NoError(t, err)
	return d
}

// Where a Partition keeps provider 0 from long reservations, a longer window may have more
// free units: a Desk must ask its Broker for openings, and not bisect on RangeQuery.
func TestADeskHasTheOpeningsOfItsBroker(t *testing.T) {
	pool := func() bookahead.Schedule {
		s, err := carts.NewIndexed(2, carts.Config{Horizon: 100})
		require.NoError(t, err)
		return s
	}
	b, err := NewBroker(Config{Partition: ByDuration(10)}, pool(), pool())
	require.NoError(t, err)
	for _, r := range []bookahead.Request{bookahead.At(0, 8, 2), bookahead.At(20, 10, 2)} {
		_, err := b.Reserve(r)
		require.NoError(t, err)
	}
	desk, err := NewDesk(b, 0)
	require.NoError(t, err)
	r := bookahead.Request{Duration: 5, Units: 2, Deadline: 28}
	for _, s := range []bookahead.Keeper{b, desk, bookahead.Locked(desk)} {
		require.Equal(t, []bookahead.Interval{span(8, 16)}, slices.Collect(bookahead.Openings(s, r)), "%T", s)
		o, err := bookahead.SearchLatest(s, r)
		require.NoError(t, err, "%T", s)
		require.Equal(t, span(15, 20), o.Interval, "%T", s)
	}
	for range desk.Openings(r) { // which holds no lock meanwhile
		_, err := desk.Hold(r, 50)
		require.NoError(t, err)
		break
	}
}

// Random holds, commits, cancellations and steps of the clock, beside cells and a
// list of what is held: a hold is as good as a reservation until it expires.
func TestHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCells(t, 40)
		d, err := NewDesk(c.Keeper, 0)
		require.NoError(t, err)
		type entry struct {
			bookahead.Offer
			expiry bookahead.Time // 0 once it is committed
		}
		booked := map[bookahead.ID]entry{}
		last := bookahead.ID(0)
		id := func(t *rapid.T) bookahead.ID { return bookahead.ID(rapid.Uint64Range(0, uint64(last)+1).Draw(t, "id")) }
		hold := func(t *rapid.T) {
			r := bookahead.Request{
				Ready:    c.now + bookahead.Time(rapid.IntRange(0, 15).Draw(t, "ready")),
				Duration: bookahead.Duration(rapid.IntRange(1, 15).Draw(t, "duration")),
				Units:    rapid.Int64Range(1, c.capacity).Draw(t, "units"),
			}
			offer, want := d.Search(r)
			_, err := d.Hold(r, c.now)
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			expiry := c.now + bookahead.Time(rapid.IntRange(1, 25).Draw(t, "expiry"))
			res, err := d.Hold(r, expiry)
			require.Equal(t, want, err)
			if err == nil {
				last++
				require.Equal(t, bookahead.Reservation{ID: last, Offer: offer}, res)
				c.add(t, res.Offer, true)
				booked[last] = entry{res.Offer, expiry}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				c.agrees(t)
				require.NoError(t, d.Verify())
				for id := range last + 2 {
					expiry, ok := d.Held(id)
					require.Equal(t, booked[id].expiry, expiry)
					require.Equal(t, booked[id].expiry > 0, ok)
				}
			},
			"hold":   hold,
			"hold 2": hold,
			"commit": func(t *rapid.T) {
				id := id(t)
				e := booked[id]
				if err := d.Commit(id); e.expiry == 0 {
					require.Equal(t, bookahead.ErrNotFound, err)
					return
				} else {
					require.NoError(t, err)
				}
				e.expiry = 0
				booked[id] = e
			},
			"cancel": func(t *rapid.T) {
				id := id(t)
				e, ok := booked[id]
				call := d.Release
				if rapid.Bool().Draw(t, "as a hold") {
					call, ok = d.Cancel, e.expiry > 0
				}
				if err := call(id); !ok || e.End <= c.now {
					require.Equal(t, bookahead.ErrNotFound, err)
					return
				} else {
					require.NoError(t, err)
				}
				c.add(t, e.Offer, false)
				delete(booked, id)
			},
			"advance": func(t *rapid.T) {
				now := c.now + bookahead.Time(rapid.IntRange(0, 8).Draw(t, "ticks"))
				if now+40 > axis {
					t.Skip("the oracle's axis ends")
				}
				require.ErrorIs(t, d.Advance(c.now-1), bookahead.ErrInvalid)
				require.NoError(t, d.Advance(now))
				c.now = now
				for id, e := range booked {
					if e.expiry > 0 && min(e.expiry, e.End) <= now {
						c.add(t, e.Offer, false)
						delete(booked, id)
					}
				}
			},
		})
	})
}

// Two providers negotiate: what both have committed in time stays.
func TestCoHold(t *testing.T) {
	line, nodes := newDesk(t, 10), newDesk(t, 8)
	advance := func(now bookahead.Time) {
		require.NoError(t, line.Advance(now))
		require.NoError(t, nodes.Advance(now))
	}
	job := Job{Ready: 100, Parts: []Part{{On: line, Duration: 20, Units: 10}, {On: nodes, Offset: 20, Duration: 50, Units: 8}}}
	a, err := CoHold(job, 30)
	require.NoError(t, err)
	require.EqualValues(t, 100, a.Start)
	require.Zero(t, freeIn(t, nodes, 120, 170))
	advance(29)
	require.NoError(t, a.Commit())
	require.ErrorIs(t, a.Commit(), bookahead.ErrNotFound) // which gives nothing back
	advance(40)
	require.Zero(t, freeIn(t, line, 100, 120))
	require.Zero(t, freeIn(t, nodes, 120, 170))

	// Not committed in time: all is free again.
	b, err := CoHold(job, 50)
	require.NoError(t, err)
	require.EqualValues(t, 150, b.Start)
	advance(50)
	require.EqualValues(t, 10, freeIn(t, line, 150, 170))
	require.EqualValues(t, 8, freeIn(t, nodes, 170, 220))
	require.EqualError(t, b.Commit(), "grid: Parts[0] is not held: "+bookahead.ErrNotFound.Error())

	// One provider's clock runs ahead, and its hold expires: the other's, which has
	// been committed by then, is given back.
	b, err = CoHold(job, 60)
	require.NoError(t, err)
	require.NoError(t, nodes.Advance(60))
	require.EqualError(t, b.Commit(), "grid: Parts[1] is not held: "+bookahead.ErrNotFound.Error())
	require.EqualValues(t, 10, freeIn(t, line, 150, 170))
	// And the other way round: what is still held is cancelled at once.
	b, err = CoHold(Job{Ready: 100, Parts: []Part{job.Parts[1], {On: line, Duration: 5, Units: 1}}}, 65)
	require.NoError(t, err)
	require.NoError(t, nodes.Advance(65))
	require.ErrorIs(t, b.Commit(), bookahead.ErrNotFound)
	_, ok := line.Held(b.Parts[1].ID)
	require.False(t, ok)
	require.EqualValues(t, 10, freeIn(t, line, 170, 175))

	require.NoError(t, a.Release())
	require.EqualValues(t, 10, freeIn(t, line, 60, 1000))
	require.EqualValues(t, 8, freeIn(t, nodes, 65, 1000))

	// A part that has ended when the rest is committed is not missed.
	b, err = CoHold(Job{Ready: 65, Parts: []Part{{On: line, Duration: 5, Units: 1}, {On: nodes, Offset: 5, Duration: 20, Units: 1}}}, 80)
	require.NoError(t, err)
	advance(75)
	require.NoError(t, b.Commit())
	advance(80)
	require.EqualValues(t, 7, freeIn(t, nodes, 80, 90))
}

func TestOnlyHoldersHold(t *testing.T) {
	p, desk := newPool(t, 1), newDesk(t, 1)
	job := Job{Parts: []Part{{On: desk, Duration: 1, Units: 1}, {On: p, Duration: 1, Units: 1}}}
	_, err := CoHold(job, 5)
	require.EqualError(t, err, "bookahead: Job.Parts[1].On *carts.Indexed takes no holds")
	a, err := CoAllocate(job)
	require.NoError(t, err)
	require.EqualError(t, a.Commit(), "bookahead: Parts[1] *carts.Indexed takes no holds")
	_, err = CoHold(Job{Parts: job.Parts[:1]}, 0)
	require.EqualError(t, err, "grid: Parts[0]: bookahead: expiry 0 is not after now, 0")
	ahead := newPool(t, 1)
	require.NoError(t, ahead.Advance(5))
	_, err = NewDesk(ahead, 4)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// What cannot be given back when it expires is named, and the clock moves on.
func TestAnExpiryThatFails(t *testing.T) {
	f := &failing{Keeper: newPool(t, 2)}
	d, err := NewDesk(f, 0)
	require.NoError(t, err)
	require.Equal(t, f, d.Schedule())
	for range 2 {
		_, err := d.Hold(bookahead.Request{Ready: 10, Duration: 5, Units: 1}, 3)
		require.NoError(t, err)
	}
	f.releases = 1
	require.EqualError(t, d.Advance(4), "grid: hold 1 has expired: the line is down")
	require.EqualValues(t, 1, freeIn(t, d, 10, 15))
	require.NoError(t, d.Advance(5))
	require.NoError(t, d.Release(1))
	// And so is what a Commit cannot give back.
	first, second := d, newDesk(t, 1)
	a, err := CoHold(Job{Ready: 10, Parts: []Part{{On: first, Duration: 1, Units: 1}, {On: second, Duration: 1, Units: 1}}}, 8)
	require.NoError(t, err)
	require.NoError(t, second.Advance(8))
	f.releases = 1
	require.ErrorContains(t, a.Commit(), "Parts[0] is still booked as #3 [10, 11) 1: the line is down")
}

// Clients negotiate at the same time; no desk is ever overbooked, and what is not
// committed is free again.
func TestClientsSideBySide(t *testing.T) {
	desks := []*Desk{newDesk(t, 3), newDesk(t, 3)}
	var all sync.WaitGroup
	var committed atomic.Int64
	for c := range 6 {
		all.Add(1)
		go func() {
			defer all.Done()
			for k := range 40 {
				j := Job{Deadline: 200}
				for _, d := range desks {
					j.Parts = append(j.Parts, Part{On: d, Duration: 5, Units: 1})
				}
				a, err := CoHold(j, 10)
				if err != nil {
					continue // no place, or others were quicker
				}
				if (c+k)%2 == 0 && a.Commit() == nil {
					committed.Add(1)
				}
			}
		}()
	}
	all.Wait()
	for _, d := range desks {
		require.NoError(t, d.Advance(10)) // ends those before, and the holds
	}
	for at := bookahead.Time(10); at < 200; at++ {
		for _, d := range desks {
			a, err := d.RangeQuery(bookahead.Interval{Start: at, End: at + 1})
			require.NoError(t, err)
			require.GreaterOrEqual(t, a.Free, int64(0))
		}
	}
	require.Greater(t, committed.Load(), int64(20))
	booked := int64(0)
	for r := range desks[0].Reservations(ahead(desks[0])) {
		if r.Start >= 10 {
			booked++
		}
	}
	require.LessOrEqual(t, booked, committed.Load())
}

// Advance goes on to its end even if an expiry stands for no hold.
func TestAdvanceDeletesTheExpiryItself(t *testing.T) {
	d := newDesk(t, 1)
	d.expiries.ReplaceOrInsert(event{3, 7})
	advanced := make(chan error)
	go func() { advanced <- d.Advance(4) }()
	select {
	case err := <-advanced:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		t.Fatal("Advance does not return")
	}
	require.Zero(t, d.expiries.Len())
}

// A hold goes with its reservation, however late it expires, so that a desk takes no
// more room than its live reservations ask for.
func TestAHoldEndsWithItsReservation(t *testing.T) {
	d := newDesk(t, 4)
	for range 4 {
		_, err := d.Hold(bookahead.Request{Duration: 5, Units: 1}, 1_000_000)
		require.NoError(t, err)
	}
	longer, err := d.Rebook(2, bookahead.At(0, 9, 1))
	require.NoError(t, err)
	_, err = d.Rebook(3, bookahead.At(0, 3, 1))
	require.NoError(t, err)
	require.NoError(t, d.Release(4))
	require.NoError(t, d.Verify())

	require.NoError(t, d.Advance(4))
	_, ok := d.Held(3)
	require.False(t, ok, "it is over")
	require.Equal(t, bookahead.ErrNotFound, d.Commit(3))
	expiry, ok := d.Held(1)
	require.True(t, ok)
	require.EqualValues(t, 1_000_000, expiry)

	require.NoError(t, d.Advance(longer.End-1))
	_, ok = d.Held(1)
	require.False(t, ok)
	_, ok = d.Held(2)
	require.True(t, ok, "it has been made longer")
	require.NoError(t, d.Advance(longer.End))
	require.Empty(t, d.held)
	require.Zero(t, d.expiries.Len())
	require.Empty(t, booked(reread(t, d)))
}

// A hold that somebody else has released is forgotten by whoever asks for it.
func TestAHoldThatOthersReleaseIsForgotten(t *testing.T) {
	for name, call := range map[string]func(d *Desk, id bookahead.ID) error{
		"cancel": (*Desk).Cancel, "release": (*Desk).Release,
		"rebook": func(d *Desk, id bookahead.ID) error {
			_, err := d.Rebook(id, bookahead.At(0, 4, 1))
			return err
		},
	} {
		d := newDesk(t, 1)
		res, err := d.Hold(bookahead.Request{Duration: 5, Units: 1}, 9)
		require.NoError(t, err, name)
		require.NoError(t, d.s.Release(res.ID), name)
		require.ErrorContains(t, d.Verify(), "hold 1 ends at 5, but its reservation is", name)
		require.Empty(t, reread(t, d).held, "nor is it written")
		require.Equal(t, bookahead.ErrNotFound, call(d, res.ID), name)
		require.Empty(t, d.held, name)
		require.NoError(t, d.Verify(), name)
	}
}

// An allocation that was made from its fields, and not by CoAllocate, has nobody to ask.
func TestAnAllocationOfNobodyIsRefused(t *testing.T) {
	d := newDesk(t, 2)
	a, err := CoHold(Job{Parts: []Part{{On: d, Duration: 5, Units: 1}}}, 9)
	require.NoError(t, err)
	copied := Allocation{Start: a.Start, Parts: a.Parts}
	for name, call := range map[string]func() error{"release": copied.Release, "commit": copied.Commit} {
		err := call()
		require.ErrorIs(t, err, bookahead.ErrInvalid, name)
		require.EqualError(t, err, "bookahead: Allocation.Parts 1 are not the 0 that CoAllocate or CoHold has booked", name)
	}
	require.NoError(t, a.Commit())
	require.NoError(t, a.Release())
	a.Parts = append(a.Parts, a.Parts[0])
	require.ErrorIs(t, a.Release(), bookahead.ErrInvalid)
}

// The schedule of a Desk may be closed beside it: holds stay where they are, and expire as they
// would have, and give back only what is not closed.
func TestADeskOverAClosedSchedule(t *testing.T) {
	pool := newPool(t, 3)
	d, err := NewDesk(pool, 0)
	require.NoError(t, err)
	held, err := d.Hold(bookahead.At(2, 6, 2), 4)
	require.NoError(t, err)
	kept, err := d.Hold(bookahead.At(2, 6, 1), 4)
	require.NoError(t, err)
	_, err = pool.Close(bookahead.Closure{Interval: span(0, 9), Units: 2})
	require.NoError(t, err)
	require.EqualValues(t, 1, d.Frame().Capacity)
	_, err = d.Hold(bookahead.At(2, 1, 1), 4)
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.Equal(t, []int64{1, 1, 0, 0}, steps(t, d, 0, 4))
	for _, d := range []*Desk{d, d.Clone().(*Desk), reread(t, d)} {
		require.NoError(t, d.Verify())
		require.NoError(t, d.Commit(kept.ID))
		require.NoError(t, d.Advance(4)) // the other expires
		require.Equal(t, []int64{0, 0, 0, 0, 1, 3}, steps(t, d, 4, 10))
		_, ok := d.Held(held.ID)
		require.False(t, ok)
		anew, err := d.Rebook(kept.ID, bookahead.At(2, 4, 1))
		require.NoError(t, err)
		require.Equal(t, span(2, 6), anew.Interval)
		require.NoError(t, d.Verify())
		reread(t, d)
	}
}
