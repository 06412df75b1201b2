package replicated

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// inBubble runs a test in virtual time, with n members. It fails if goroutines are left in the end: the last ones of
// Raft wait for up to ten timeouts of the transport.
func inBubble(t *testing.T, n int, c Config, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, n, c)
		defer time.Sleep(10 * time.Second)
		defer w.close()
		test(t, w)
	})
}

// load is callers that book, with titles of their own, until they are stopped. A title is no key: only the sessions
// keep a retry from booking twice.
type load struct {
	w       *world
	stopped chan struct{}
	callers sync.WaitGroup
	mu      sync.Mutex
	fate    map[string]error
}

func (w *world) load(ctx context.Context, callers int, pause time.Duration) *load {
	l := &load{w: w, stopped: make(chan struct{}), fate: map[string]error{}}
	for c := range callers {
		l.callers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-l.stopped:
					return
				case <-time.After(pause):
				}
				key := fmt.Sprint(c, "/", i)
				b := booking("")
				b.Title = key
				_, err := w.someone(c).Do(ctx, b)
				l.mu.Lock()
				l.fate[key] = err
				l.mu.Unlock()
			}
		})
	}
	return l
}

// check stops the callers. It checks that each member has each acknowledged booking once, and no refused one. It
// returns how many bookings were acknowledged.
func (l *load) check(ctx context.Context) int {
	close(l.stopped)
	l.callers.Wait()
	t, acknowledged := l.w.t, 0
	for _, p := range l.w.peers {
		v, err := l.w.member(p.ID).Read(ctx, Linearizable)
		require.NoError(t, err)
		there := map[string]int{}
		for k := range v.Bookings(desk.Filter{}, bookahead.Effort{}) {
			there[k.Title]++
		}
		acknowledged = 0
		for key, err := range l.fate {
			switch {
			case err == nil:
				acknowledged++
				require.Equal(t, 1, there[key], key)
			case errors.Is(err, ErrUnknown):
				require.LessOrEqual(t, there[key], 1, key)
			default:
				require.Zero(t, there[key], "%s: %v", key, err)
			}
		}
	}
	return acknowledged
}

// The leader dies again and again, and the callers go on.
func TestLeaderDies(t *testing.T) {
	inBubble(t, 3, Config{SnapshotEvery: 4 << 10}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		l := w.load(ctx, 8, 30*time.Millisecond)
		for range 10 {
			time.Sleep(3 * time.Second)
			id := w.leader().config.ID
			w.cut(id)
			w.kill(id)
			time.Sleep(3 * time.Second)
			w.heal()
			w.open(id)
		}
		require.Greater(t, l.check(ctx), 1000)
	})
}

// The leader is cut off, and comes back.
func TestLeaderIsCutOff(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		l := w.load(ctx, 8, 30*time.Millisecond)
		for range 10 {
			time.Sleep(3 * time.Second)
			w.cut(w.leader().config.ID)
			time.Sleep(3 * time.Second)
			w.heal()
		}
		require.Greater(t, l.check(ctx), 1000)
	})
}

// A member that is alone gets two peers and a watcher, hands over to one of them, and is removed.
func TestComeAndGo(t *testing.T) {
	inBubble(t, 4, Config{SnapshotEvery: 1 << 10}, func(t *testing.T, w *world) {
		ctx := within(t, time.Hour)
		peers := w.peers
		w.peers = nil
		first := w.open("1")
		_, err := first.Do(ctx, line)
		require.NoError(t, err)
		for i := range 100 {
			_, err = first.Do(ctx, booking(fmt.Sprint(i)))
			require.NoError(t, err)
		}
		require.NoError(t, first.Snapshot(ctx))
		w.peers = peers[:1]
		for _, p := range peers[1:] {
			p.Watches = p.ID == "4"
			m := w.open(p.ID)
			short, stop := context.WithTimeout(ctx, time.Second)
			_, err = m.Do(short, booking("nobody"))
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.ErrorIs(t, err, ErrNotLeader)
			require.NotErrorIs(t, err, ErrUnknown)
			stop()
			require.NoError(t, first.Add(ctx, p))
			require.NoError(t, first.Add(ctx, p), "twice is once")
			v, err := m.Read(ctx, Linearizable)
			require.NoError(t, err)
			_, err = v.Booking(100)
			require.NoError(t, err)
		}
		require.Len(t, first.Status().Peers, 4)
		require.True(t, first.Status().Peers[3].Watches)

		require.ErrorIs(t, first.Transfer(ctx, "4"), bookahead.ErrInvalid)
		require.ErrorIs(t, first.Transfer(ctx, "5"), bookahead.ErrNotFound)
		require.NoError(t, w.member("3").Transfer(ctx, "2"))
		require.Equal(t, "2", w.leader().config.ID)
		require.NoError(t, w.member("2").Transfer(ctx, ""))
		require.NotEqual(t, "2", w.leader().config.ID)

		require.ErrorIs(t, first.Remove(ctx, "5"), bookahead.ErrNotFound)
		require.NoError(t, w.member("4").Remove(ctx, "1"))
		require.Eventually(t, func() bool {
			_, err := first.Do(ctx, booking("left"))
			return errors.Is(err, ErrClosed)
		}, 10*time.Second, 100*time.Millisecond)
		require.NoError(t, w.member("4").Remove(ctx, "3"))
		_, err = w.member("2").Do(ctx, booking("last"))
		require.NoError(t, err)
		require.ErrorIs(t, w.member("2").Remove(ctx, "2"), bookahead.ErrInvalid)
		require.Len(t, w.member("2").Status().Peers, 2)
	})
}

// A peer that is not running is added. That does not delay the others.
func TestAddNobody(t *testing.T) {
	inBubble(t, 1, Config{}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		m := w.leader()
		short, stop := context.WithTimeout(ctx, 5*time.Second)
		defer stop()
		err := m.Add(short, Peer{ID: "2", Address: "at-2"})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = m.Do(ctx, line)
		require.NoError(t, err)
		require.True(t, m.Status().Peers[1].Watches)
		w.peers = append(w.peers, Peer{ID: "2", Address: "at-2"})
		disks := w.peers
		w.peers = disks[:1]
		w.open("2")
		require.NoError(t, m.Add(ctx, Peer{ID: "2", Address: "at-2"}))
		require.False(t, m.Status().Peers[1].Watches)
	})
}

// Reads of each freshness, on each member, with calls to the leader and without.
func TestFreshness(t *testing.T) {
	for _, forward := range []bool{true, false} {
		inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
			w.forward = forward
			w.start()
			ctx := within(t, time.Hour)
			leader := w.leader()
			_, err := leader.Do(ctx, line)
			require.NoError(t, err)
			for _, p := range w.peers {
				m := w.member(p.ID)
				_, err = m.Read(ctx, Local)
				require.NoError(t, err)
				_, err = m.Read(ctx, 3)
				require.ErrorIs(t, err, bookahead.ErrInvalid)
				_, err = m.Read(ctx, Leading)
				_, doErr := m.Do(ctx, booking(p.ID))
				v, readErr := m.Read(ctx, Linearizable)
				if m == leader || forward {
					require.NoError(t, doErr)
					require.NoError(t, readErr)
					_, err := v.ByKey(p.ID)
					require.NoError(t, err)
				}
				if m == leader {
					require.NoError(t, err)
					continue
				}
				var at *NotLeaderError
				require.ErrorAs(t, err, &at)
				require.Equal(t, leader.config.ID, at.Leader.ID)
				if !forward {
					require.ErrorAs(t, doErr, &at)
					require.ErrorAs(t, readErr, &at)
				}
			}
			w.cut(leader.config.ID)
			short, stop := context.WithTimeout(ctx, 3*time.Second)
			defer stop()
			_, err = leader.Read(short, Linearizable)
			require.Error(t, err, "it reaches no majority")
			_, err = leader.Do(short, booking("cut off"))
			require.Error(t, err)
			_, err = leader.Read(ctx, Local)
			require.NoError(t, err)
		})
	}
}

// The calls of a session are carried out once, whichever member gets them, and however often.
func TestOnce(t *testing.T) {
	inBubble(t, 3, Config{Sessions: 4}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		s, err := w.any(0).NewSession(ctx)
		require.NoError(t, err)
		first, err := w.any(0).DoOnce(ctx, Call{s, 1, booking("")})
		require.NoError(t, err)
		for k := range 3 {
			again, err := w.any(k).DoOnce(ctx, Call{s, 1, booking("")})
			require.NoError(t, err)
			require.Equal(t, first.Booking, again.Booking)
		}
		w.stop(w.leader().config.ID)
		again, err := w.any(0).DoOnce(ctx, Call{s, 1, booking("")})
		require.NoError(t, err)
		require.Equal(t, first.Booking, again.Booking)
		second, err := w.any(0).DoOnce(ctx, Call{s, 2, booking("")})
		require.NoError(t, err)
		require.NotEqual(t, first.Booking.ID, second.Booking.ID)
		_, err = w.any(0).DoOnce(ctx, Call{s, 1, booking("")})
		require.ErrorIs(t, err, ErrSession)
		fourth, err := w.any(0).DoOnce(ctx, Call{s, 4, booking("")})
		require.NoError(t, err, "numbers may skip")
		require.NotEqual(t, second.Booking.ID, fourth.Booking.ID)
		_, err = w.any(0).DoOnce(ctx, Call{s, 3, booking("")})
		require.ErrorIs(t, err, ErrSession, "too late")
		_, err = w.any(0).DoOnce(ctx, Call{0, 4, booking("")})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		_, err = w.any(0).DoOnce(ctx, Call{s, 0, booking("")})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		for range 4 {
			_, err = w.any(0).NewSession(ctx)
			require.NoError(t, err)
		}
		_, err = w.any(0).DoOnce(ctx, Call{s, 5, booking("")})
		require.ErrorIs(t, err, ErrSession, "four others came since")

		// The sessions of Do are forgotten, too; Do then opens new ones.
		for range 10 {
			for k := range 2 {
				_, err = w.any(k).Do(ctx, booking(""))
				require.NoError(t, err)
				_, err = w.any(k).NewSession(ctx)
				require.NoError(t, err)
			}
		}
		v, err := w.any(0).Read(ctx, Linearizable)
		require.NoError(t, err)
		n := 0
		for range v.Bookings(desk.Filter{}, bookahead.Effort{}) {
			n++
		}
		require.Equal(t, 23, n)
	})
}
