package bookahead_test

import (
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// door is a Keeper whose calls wait inside until they are let out.
type door struct{ in, out chan struct{} }

func (d door) pass() {
	d.in <- struct{}{}
	<-d.out
}

func (d door) Search(bookahead.Request) (bookahead.Offer, error) {
	d.pass()
	return bookahead.Offer{}, nil
}

func (d door) Reserve(bookahead.Request) (bookahead.Reservation, error) {
	d.pass()
	return bookahead.Reservation{}, nil
}

func (d door) Release(bookahead.ID) error {
	d.pass()
	return nil
}

func (d door) RangeQuery(bookahead.Interval) (bookahead.Availability, error) {
	d.pass()
	return bookahead.Availability{}, nil
}

func (d door) Advance(bookahead.Time) error {
	d.pass()
	return nil
}

func (d door) Frame() bookahead.Frame {
	d.pass()
	return bookahead.Frame{}
}

func (d door) Reservation(bookahead.ID) (bookahead.Reservation, error) {
	d.pass()
	return bookahead.Reservation{}, nil
}

func (d door) Reservations(bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return func(func(bookahead.Reservation) bool) { d.pass() }
}

func (d door) SearchFor(bookahead.ID, bookahead.Request) (bookahead.Offer, error) {
	d.pass()
	return bookahead.Offer{}, nil
}

func (d door) Rebook(bookahead.ID, bookahead.Request) (bookahead.Reservation, error) {
	d.pass()
	return bookahead.Reservation{}, nil
}

func (d door) Clone() bookahead.Schedule {
	d.pass()
	return d
}

func (d door) Blocks(bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(func(bookahead.Block) bool) { d.pass() }
}

// TestLockedExcludes sends in a second call while one is inside: two queries meet there, and a
// call that writes is alone.
func TestLockedExcludes(t *testing.T) {
	calls := []struct {
		name   string
		writes bool
		call   func(bookahead.Keeper)
	}{
		{"Search", false, func(l bookahead.Keeper) { _, _ = l.Search(bookahead.Request{}) }},
		{"RangeQuery", false, func(l bookahead.Keeper) { _, _ = l.RangeQuery(bookahead.Interval{}) }},
		{"Frame", false, func(l bookahead.Keeper) { l.Frame() }},
		{"Reservation", false, func(l bookahead.Keeper) { _, _ = l.Reservation(0) }},
		{"Reservations", false, func(l bookahead.Keeper) { _ = slices.Collect(l.Reservations(bookahead.Interval{})) }},
		{"SearchFor", false, func(l bookahead.Keeper) { _, _ = l.SearchFor(0, bookahead.Request{}) }},
		{"Clone", false, func(l bookahead.Keeper) { bookahead.Clone(l) }},
		{"Blocks", false, func(l bookahead.Keeper) {
			blocks, _ := bookahead.Blocks(l, bookahead.Interval{})
			_ = slices.Collect(blocks)
		}},
		{"View", false, func(l bookahead.Keeper) { bookahead.View(l, door.pass) }},
		{"Reserve", true, func(l bookahead.Keeper) { _, _ = l.Reserve(bookahead.Request{}) }},
		{"Release", true, func(l bookahead.Keeper) { _ = l.Release(0) }},
		{"Advance", true, func(l bookahead.Keeper) { _ = l.Advance(0) }},
		{"Rebook", true, func(l bookahead.Keeper) { _, _ = l.Rebook(0, bookahead.Request{}) }},
		{"Update", true, func(l bookahead.Keeper) { bookahead.Update(l, door.pass) }},
	}
	for _, first := range calls {
		for _, second := range calls {
			t.Run(first.name+"_and_"+second.name, func(t *testing.T) {
				t.Parallel()
				d := door{make(chan struct{}), make(chan struct{})}
				l := bookahead.Locked(d)
				go first.call(l)
				<-d.in
				go second.call(l)
				if first.writes || second.writes {
					select {
					case <-d.in:
						t.Fatal("both are inside")
					case <-time.After(30 * time.Millisecond):
					}
					d.out <- struct{}{}
					<-d.in
				} else {
					select {
					case <-d.in:
					case <-time.After(10 * time.Second):
						require.FailNow(t, "one query keeps the other out")
					}
					d.out <- struct{}{}
				}
				d.out <- struct{}{}
			})
		}
	}
}
