package desk

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
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
	d, err := New(Config{Kinds: map[string]func([]byte, bookahead.Time) (bookahead.Keeper, error){
		"pensive": func(_ []byte, origin bookahead.Time) (bookahead.Keeper, error) {
			pool, err := carts.NewIndexed(4, carts.Config{Origin: origin})
			return pensive{pool, &waits}, err
		},
	}})
	require.NoError(t, err)
	do(t, d, AddSchedule{"own", Own{Kind: "pensive"}})
	var file bytes.Buffer
	logged := func(c Command) (Outcome, error) { return NewLog(d, &file, Binary).Do(c) }
	for name, carry := range map[string]func(Command) (Outcome, error){"desk": d.Do, "log": logged} {
		searches, asked, done := make(chan bool, 9), make(chan bool), make(chan error, 1)
		waits = func() {
			searches <- true
			<-asked
		}
		go func() {
			_, err := carry(Book{Request: asks(Part{On: "own", Units: 1, Duration: 5})})
			done <- err
		}()
		<-searches
		answered := make(chan int, 1)
		go func() {
			c := d.Clone()
			answered <- len(slices.Collect(c.Bookings(Filter{}))) + len(slices.Collect(d.Bookings(Filter{})))
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
	require.Len(t, slices.Collect(d.Bookings(Filter{})), 2)
}
