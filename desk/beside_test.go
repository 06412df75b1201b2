package desk

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/internal/site"
)

// pensive is a structure whose searches wait for something.
type pensive struct {
	*carts.Indexed
	waits *func()
}

func (p pensive) Clone() bookahead.Schedule {
	return pensive{p.Indexed.Clone().(*carts.Indexed), p.waits}
}

func (p pensive) Search(r bookahead.Request) (bookahead.Offer, error) {
	(*p.waits)()
	return p.Indexed.Search(r)
}

// TestQueriesRunBesideASearch asks a desk while a command searches, which goes on when there is an answer.
func TestQueriesRunBesideASearch(t *testing.T) {
	waits := func() {}
	d := deskWith(t, "gpus", Pool{Units: 4})
	d.b.schedules[0].Site = site.Of(pensive{d.b.schedules[0].Keeper().(*carts.Indexed), &waits})
	var file bytes.Buffer
	logged := func(c Command) (Outcome, error) { return NewLog(d, &file).Do(c) }
	for name, carry := range map[string]func(Command) (Outcome, error){"desk": d.Do, "log": logged} {
		searches, asked, done := make(chan bool, 9), make(chan bool), make(chan error, 1)
		waits = func() {
			searches <- true
			<-asked
		}
		go func() {
			_, err := carry(Book{Request: asks(Part{On: "gpus", Units: 1, Duration: 5})})
			done <- err
		}()
		<-searches
		answered := make(chan int, 1)
		go func() {
			c := d.Clone()
			answered <- len(collected(c.Bookings(Filter{}, bookahead.Effort{}))) + len(collected(d.Bookings(Filter{}, bookahead.Effort{})))
		}()
		select {
		case <-answered:
		case <-time.After(10 * time.Second):
			t.Errorf("%s: a query waits for the search", name)
		}
		close(asked)
		require.NoError(t, <-done)
	}
	require.NoError(t, d.Verify())
	require.Len(t, collected(d.Bookings(Filter{}, bookahead.Effort{})), 2)
}

// closing is a pool that says when it is closed.
type closing struct {
	*carts.Indexed
	closes *func()
}

func (c closing) Clone() bookahead.Schedule {
	return closing{c.Indexed.Clone().(*carts.Indexed), c.closes}
}

func (c closing) Close(closed bookahead.Closure) (bookahead.Closure, error) {
	(*c.closes)()
	return c.Indexed.Close(closed)
}

// TestCommandsRunBesideACopy carries out a command while a copy is closed outside of the opening hours.
func TestCommandsRunBesideACopy(t *testing.T) {
	var closes func()
	d := deskWith(t, "gpus", Pool{Units: 4})
	d.b.schedules[0].Site = site.Of(closing{d.b.schedules[0].Keeper().(*carts.Indexed), &closes})
	do(t, d, SetTerms{"gpus", Terms{Open: []bookahead.Interval{ticks(2, 6), ticks(9, 12)}}})
	carried := make(chan error, 9)
	closes = func() {
		done := make(chan error, 1)
		go func() {
			_, err := d.Do(Book{Request: asks(Part{On: "gpus", Units: 1, Duration: 2})})
			done <- err
		}()
		select {
		case err := <-done:
			carried <- err
		case <-time.After(10 * time.Second):
			t.Error("a command waits for the copy")
		}
	}
	copied, err := d.Schedule("gpus", ticks(0, 13))
	require.NoError(t, err)
	require.Len(t, carried, 3, "one for each gap between opening hours")
	for range 3 {
		require.NoError(t, <-carried)
	}
	free, err := copied.RangeQuery(ticks(2, 6))
	require.NoError(t, err)
	require.Equal(t, int64(4), free.Free, "the copy was made before the commands")
	require.NoError(t, d.Verify())
}
