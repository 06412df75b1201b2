package replicated

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// gate is a disk that hangs while it is shut: writes to the log and to the vote return once it is open again.
type gate struct {
	mu   sync.Mutex
	open chan struct{} // nil while the gate is open
}

// gates are the gates of the members, by ID. All are opened in the end: a member whose disk hangs cannot be closed.
type gates map[string]*gate

func (g gates) lift() {
	for _, one := range g {
		one.lift()
	}
}

// gated puts a gate before the disk of each member that is opened next, in the order of their IDs.
func (w *world) gated() gates {
	gates, next := gates{}, 0
	w.disk = func(d *disk) *disk {
		g := &gate{}
		gates[w.peers[next].ID] = g
		next++
		return g.before(d)
	}
	return gates
}

// before puts the gate before a disk.
func (g *gate) before(d *disk) *disk {
	d.log, d.stable = gatedLog{d.log, g}, gatedVotes{d.stable, g}
	return d
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = make(chan struct{})
}

func (g *gate) lift() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open != nil {
		close(g.open)
		g.open = nil
	}
}

// pass waits until the gate is open.
func (g *gate) pass() {
	g.mu.Lock()
	open := g.open
	g.mu.Unlock()
	if open != nil {
		<-open
	}
}

type gatedLog struct {
	raft.LogStore
	g *gate
}

func (l gatedLog) StoreLog(e *raft.Log) error { return l.StoreLogs([]*raft.Log{e}) }

func (l gatedLog) StoreLogs(list []*raft.Log) error {
	l.g.pass()
	return l.LogStore.StoreLogs(list)
}

type gatedVotes struct {
	raft.StableStore
	g *gate
}

func (v gatedVotes) Set(key, value []byte) error {
	v.g.pass()
	return v.StableStore.Set(key, value)
}

func (v gatedVotes) SetUint64(key []byte, value uint64) error {
	v.g.pass()
	return v.StableStore.SetUint64(key, value)
}

// until waits for a condition in virtual time.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 10000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	require.Fail(t, "never: "+what)
}

// The disk of the leader hangs again and again. Another member leads meanwhile, and calls go on at all members, also
// at the one whose disk hangs. That member catches up when its disk goes on. No booking is lost, and none is there
// twice.
func TestTheDiskOfTheLeaderHangs(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		gates := w.gated()
		defer gates.lift()
		w.start()
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		l := w.load(ctx, 8, 30*time.Millisecond)
		var last desk.BookingID
		for range 6 {
			time.Sleep(3 * time.Second)
			old := w.leader()
			gates[old.config.ID].shut()
			until(t, "it says so", func() bool { return old.Status().Hangs })
			until(t, "another leads", func() bool {
				for _, p := range w.peers {
					m := w.member(p.ID)
					if m != old && m.leading() == nil && m.ready.Load() == m.raft.CurrentTerm() {
						return true
					}
				}
				return false
			})
			require.ErrorIs(t, old.leading(), ErrNotLeader)
			require.NotEqual(t, old.config.ID, old.Status().Leader.ID)
			for _, p := range w.peers {
				soon, stop := context.WithTimeout(ctx, 5*time.Second)
				out, err := w.member(p.ID).Do(soon, booking(""))
				stop()
				require.NoError(t, err, "at %s, while %s hangs", p.ID, old.config.ID)
				last = out.Booking.ID
			}
			gates[old.config.ID].lift()
			for old.raft.State() == raft.Leader {
				v, err := old.Read(ctx, Leading)
				if err != nil {
					require.ErrorIs(t, err, ErrNotLeader)
					continue
				}
				_, err = v.Booking(last)
				require.NoError(t, err, "it has not led for longer than an election")
			}
			until(t, "it says no more so", func() bool { return !old.Status().Hangs })
		}
		require.Greater(t, l.check(ctx), 1000)
		w.requireSame()
	})
}

// The disk of the leader hangs with calls and reads under way. They reach the next leader before their contexts end.
func TestCallsUnderWayWhenTheDiskHangs(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		gates := w.gated()
		defer gates.lift()
		w.start()
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		old := w.leader()
		gates[old.config.ID].shut()
		var callers sync.WaitGroup
		for _, p := range w.peers {
			callers.Go(func() {
				soon, stop := context.WithTimeout(ctx, 30*time.Second)
				defer stop()
				_, err := w.member(p.ID).Do(soon, booking(p.ID))
				assertNoError(t, err)
			})
			if w.member(p.ID) != old {
				callers.Go(func() { // only the other members have the entries of the next leader
					soon, stop := context.WithTimeout(ctx, 30*time.Second)
					defer stop()
					time.Sleep(time.Second)
					_, err := w.member(p.ID).Read(soon, Linearizable)
					assertNoError(t, err)
				})
			}
		}
		callers.Wait()
		require.True(t, old.Status().Hangs)
		gates[old.config.ID].lift()
		v, err := old.Read(ctx, Linearizable)
		require.NoError(t, err)
		n := 0
		for range v.Bookings(desk.Filter{}, bookahead.Effort{}) {
			n++
		}
		require.Equal(t, 3, n)
		w.requireSame()
	})
}

// The disk of a follower hangs. The others do not notice, and the Status of the follower says so.
func TestTheDiskOfAFollowerHangs(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		gates := w.gated()
		defer gates.lift()
		w.start()
		ctx := within(t, time.Hour)
		leader := w.leader()
		_, err := leader.Do(ctx, line)
		require.NoError(t, err)
		term := leader.raft.CurrentTerm()
		last := w.other(leader)
		gates[last.config.ID].shut()
		for range 100 {
			_, err = leader.Do(ctx, booking(""))
			require.NoError(t, err)
			time.Sleep(100 * time.Millisecond)
		}
		require.True(t, last.Status().Hangs)
		require.Equal(t, "leader", leader.Status().State)
		require.Equal(t, term, leader.raft.CurrentTerm())
		require.NoError(t, leader.Transfer(ctx, ""))
		until(t, "another leads", func() bool { return leader.leading() != nil && w.leader() != leader })
		soon, stop := context.WithTimeout(ctx, 5*time.Second)
		defer stop()
		_, err = last.Do(soon, booking(""))
		require.NoError(t, err, "it is sent to the next leader")
		gates[last.config.ID].lift()
		v, err := last.Read(ctx, Linearizable)
		require.NoError(t, err)
		_, err = v.Booking(100)
		require.NoError(t, err)
		require.False(t, last.Status().Hangs)
	})
}

// A member that is alone cannot give way: it waits, and its Status says so.
func TestTheDiskOfAMemberAloneHangs(t *testing.T) {
	inBubble(t, 1, Config{}, func(t *testing.T, w *world) {
		gates := w.gated()
		defer gates.lift()
		w.start()
		ctx := within(t, time.Hour)
		m := w.leader()
		_, err := m.Do(ctx, line)
		require.NoError(t, err)
		gates["1"].shut()
		soon, stop := context.WithTimeout(ctx, 10*time.Second)
		defer stop()
		_, err = m.Do(soon, booking("a"))
		require.ErrorIs(t, err, ErrUnknown)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		s := m.Status()
		require.True(t, s.Hangs)
		require.Equal(t, "leader", s.State)
		require.NoError(t, m.leading())
		_, err = m.Read(ctx, Leading)
		require.NoError(t, err)
		done := make(chan error)
		go func() {
			_, err := m.Do(ctx, booking("b"))
			done <- err
		}()
		time.Sleep(time.Minute)
		gates["1"].lift()
		require.NoError(t, <-done)
		require.False(t, m.Status().Hangs)
	})
}
