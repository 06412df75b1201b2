package bookahead_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// door is a schedule whose calls wait inside until they are let out.
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

// TestLockedExcludes has one call inside and sends in another: two queries meet
// there, and what writes is alone.
func TestLockedExcludes(t *testing.T) {
	calls := []struct {
		name   string
		writes bool
		call   func(*bookahead.LockedSchedule)
	}{
		{"Search", false, func(l *bookahead.LockedSchedule) { _, _ = l.Search(bookahead.Request{}) }},
		{"RangeQuery", false, func(l *bookahead.LockedSchedule) { _, _ = l.RangeQuery(bookahead.Interval{}) }},
		{"View", false, func(l *bookahead.LockedSchedule) { l.View(func(s bookahead.Schedule) { s.(door).pass() }) }},
		{"Reserve", true, func(l *bookahead.LockedSchedule) { _, _ = l.Reserve(bookahead.Request{}) }},
		{"Release", true, func(l *bookahead.LockedSchedule) { _ = l.Release(0) }},
		{"Advance", true, func(l *bookahead.LockedSchedule) { _ = l.Advance(0) }},
		{"Update", true, func(l *bookahead.LockedSchedule) { l.Update(func(s bookahead.Schedule) { s.(door).pass() }) }},
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
