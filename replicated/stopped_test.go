package replicated

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/depth"
)

// meagre is a Config whose commands have so few steps that a search of the long hall takes more.
func meagre() Config { return Config{Desk: desk.Config{Effort: 500}} }

var longHall = desk.AddSchedule{Name: "hall", Kind: desk.Servers{Count: 16}}

// wide returns a booking that takes more steps than meagre allows, by eve.
func wide() desk.Book {
	b := book("hall", 1, 3)
	b.Owner = "eve"
	for len(b.Shapes) < 12 {
		b.Shapes = append(b.Shapes, b.Shapes[0]) // each takes a search
	}
	return b
}

// A command that has used up its steps is refused in the same way on each member, and through each of them. The members
// name it, and go on, also behind a restart and a snapshot.
func TestStepsRunOut(t *testing.T) {
	for _, n := range []int{1, 3} {
		said, log := newPages()
		c := meagre()
		c.Log, c.CheckEvery = log, time.Minute
		inBubble(t, n, c, func(t *testing.T, w *world) {
			w.start()
			ctx := within(t, time.Hour)
			for _, c := range []desk.Command{line, longHall} {
				_, err := w.leader().Do(ctx, c)
				require.NoError(t, err)
			}
			s, err := w.any(0).NewSession(ctx)
			require.NoError(t, err)
			for round := range 3 {
				number := uint64(2*round + 1)
				var first error
				for k := range n {
					_, err = w.any(k).DoOnce(ctx, Call{s, number, wide()})
					require.ErrorIs(t, err, bookahead.ErrStopped)
					require.NotErrorIs(t, err, ErrStopped, "the member goes on")
					require.NotErrorIs(t, err, ErrPanicked)
					require.ErrorContains(t, err, "given up after ")
					if k == 0 {
						first = err
					}
					require.EqualError(t, err, first.Error())
				}
				_, err = w.any(round).DoOnce(ctx, Call{s, number + 1, booking(fmt.Sprint(round))})
				require.NoError(t, err)
				w.alike(ctx)
				if round == 1 {
					require.NoError(t, w.any(0).Snapshot(ctx))
				}
				for _, p := range w.peers {
					w.stop(p.ID)
					w.open(p.ID)
				}
				w.alike(ctx)
				for _, p := range w.peers {
					requireTitles(t, w.member(p.ID), make([]string, round+1)...)
					require.NotEmpty(t, said.with("has used up its steps", " id="+p.ID+" ", fmt.Sprintf(" session=%016x number=%d ", uint64(s), number), " owner=eve "))
				}
			}
			time.Sleep(3 * time.Minute)
			for _, p := range w.peers {
				require.NoError(t, w.member(p.ID).Status().Doubt)
			}
		})
	}
}

// A log from before has a command that hung. It opens, the members name the command and refuse it, and go on.
func TestALogThatTakesTooManyStepsOpens(t *testing.T) {
	for _, n := range []int{1, 3} {
		said, log := newPages()
		c := meagre()
		c.Log = log
		inBubble(t, n, c, func(t *testing.T, w *world) {
			number := w.hung(wide(), line, longHall)
			w.carry = nil
			w.start()
			ctx := within(t, time.Hour)
			_, err := w.leader().Do(ctx, booking("after"))
			require.NoError(t, err)
			w.alike(ctx)
			for _, p := range w.peers {
				requireTitles(t, w.member(p.ID), "", "")
				require.Len(t, said.with("has used up its steps", " id="+p.ID+" ", fmt.Sprint(" number=", number, " "), " entry=", " owner=eve "), 1)
			}
		})
	}
}

// The identity of both errors reaches a client by TCP.
func TestAClientHearsOfStepsAndPanics(t *testing.T) {
	peers := freePeers(t, 3)
	var addresses []string
	for _, p := range peers {
		s, c := inMemory(), meagre()
		s.carry = poisons
		c.ID, c.Bind, c.Peers, c.Election, c.Log = p.ID, p.Address, peers, 100*time.Millisecond, mute
		m, err := openWith(c, s)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, m.Close()) })
		addresses = append(addresses, p.Address)
	}
	ctx := within(t, 20*time.Second)
	c, err := NewClient(ClientConfig{Addresses: addresses})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	for _, command := range []desk.Command{line, longHall} {
		_, err = c.Do(ctx, command)
		require.NoError(t, err)
	}
	_, err = c.Do(ctx, wide())
	require.ErrorIs(t, err, bookahead.ErrStopped)
	require.NotErrorIs(t, err, ErrStopped)
	_, err = c.Do(ctx, poisoned(panicsLate))
	require.ErrorIs(t, err, ErrPanicked)
	require.ErrorContains(t, err, "desk.Book by \"eve\": poisoned late at ")
	_, err = c.Do(ctx, booking("a"))
	require.NoError(t, err)
}

// Machines that have carried out the whole log, and machines that were restored from a snapshot on the way, count the
// same steps. So they refuse the same commands at the same step, however small the Effort is.
func TestStepsDoNotDependOnThePast(t *testing.T) {
	n := max(150, depth.Cases(400))
	for _, effort := range []int64{100, 300, 1000} {
		d := newGoldenDraw(t, uint64(effort))
		c := goldenConfig()
		c.Desk.Effort = effort
		x, y := newFeed(t, c), newFeed(t, c)
		stopped := 0
		for i := range n {
			e := d.entry()
			d.give(t, e)
			e.settings = nil
			got, again := x.give(t, e), y.give(t, e)
			for k := range got {
				require.Equal(t, fmt.Sprint(got[k].err), fmt.Sprint(again[k].err), entryText(&e))
			}
			for k := range got {
				if isOneOf(got[k].err, bookahead.ErrStopped) {
					stopped++
				}
			}
			if i%7 == 0 {
				y = restored(t, c, snapshotOf(t, x.machine))
			}
		}
		require.Equal(t, snapshotOf(t, x.machine), snapshotOf(t, y.machine))
		require.Positive(t, stopped)
	}
}
