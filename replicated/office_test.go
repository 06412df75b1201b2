package replicated

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// A version ends: each member has the sealed state in a snapshot, and the next version goes on from there.
func TestSeal(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		for k := range 3 {
			require.NoError(t, w.any(k).Seal(ctx))
			require.True(t, w.any(k).Status().Sealed)
			require.NoError(t, w.any(k).Seal(ctx), "twice is once")
			_, err = w.any(k).Do(ctx, booking("no"))
			require.ErrorIs(t, err, ErrSealed)
			_, err = w.any(k).Read(ctx, Linearizable)
			require.NoError(t, err)
			require.NoError(t, w.any(k).Unseal(ctx))
			require.False(t, w.leader().Status().Sealed)
			_, err = w.any(k).Do(ctx, booking(fmt.Sprint(k)))
			require.NoError(t, err)
		}
		for k := range 3 { // a member that lags still shows the earlier seal
			m := w.any(k)
			require.Eventually(t, func() bool { return !m.Status().Sealed }, 10*time.Second, 10*time.Millisecond)
		}
		require.NoError(t, w.any(0).Seal(ctx))
		for k := range 3 {
			m := w.any(k)
			require.Eventually(t, func() bool { return m.Status().Sealed }, 10*time.Second, 10*time.Millisecond)
		}
		w.close()
		w.version = Version + 1
		w.start()
		for k := range 3 {
			_, err = w.any(k).Do(ctx, booking(fmt.Sprint("next ", k)))
			require.NoError(t, err)
		}
		_, err = w.member("1").Read(ctx, Linearizable) // two members suffice for a booking: the first may lack all of them
		require.NoError(t, err)
		w.close()
		w.version = Version
		_, err = w.tryOpen("1")
		require.ErrorIs(t, err, ErrVersion)
	})
}

// A member that still has an earlier seal, since nothing reaches it, does not take that for the new one.
func TestSealIsNotAnEarlierOne(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		require.NoError(t, w.leader().Seal(ctx))
		late := w.other(w.leader())
		require.NoError(t, late.Seal(ctx))
		w.cut(late.Status().ID) // calls still reach the leader
		require.NoError(t, w.leader().Unseal(ctx))
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		time.AfterFunc(time.Second, w.heal)
		require.NoError(t, late.Seal(ctx))
		require.True(t, late.Status().Sealed)
		v, err := late.Read(ctx, Local)
		require.NoError(t, err)
		require.Len(t, v.Schedules(), 1)
	})
}

// The next version cannot follow a version that was not sealed.
func TestNotSealed(t *testing.T) {
	inBubble(t, 1, Config{}, func(t *testing.T, w *world) {
		w.start()
		_, err := w.leader().Do(within(t, time.Hour), line)
		require.NoError(t, err)
		w.close()
		w.version = Version + 1
		_, err = w.tryOpen("1")
		require.ErrorIs(t, err, ErrVersion)
		require.ErrorContains(t, err, "Seal")
	})
}

// The clock of the members moves the desk, with calls and without. When it jumps, it waits for an operator.
func TestClock(t *testing.T) {
	inBubble(t, 3, Config{Clock: &bookahead.Clock{Epoch: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Hour)}, Desk: desk.Config{Keep: 100}}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, 1000*time.Hour)
		m := w.leader()
		_, err := m.Do(ctx, line)
		require.NoError(t, err)
		out, err := m.Do(ctx, booking("a"))
		require.NoError(t, err)
		require.InDelta(t, 3600, float64(out.Booking.Start), 20)
		_, err = m.Do(ctx, desk.Advance{Now: 5000})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		_, err = m.Do(ctx, desk.Batch{Commands: []desk.Command{desk.Advance{Now: 5000}}})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		time.Sleep(10 * time.Second)
		now := m.now()
		for k := range 3 {
			v, err := w.any(k).Read(ctx, Linearizable)
			require.NoError(t, err)
			require.InDelta(t, float64(now), float64(v.Now()), 2)
		}
		v, err := m.Read(ctx, Leading)
		require.NoError(t, err)
		k, err := v.ByKey("a")
		require.NoError(t, err)
		require.Equal(t, desk.Ended, k.State)

		// No member runs for two days.
		w.close()
		time.Sleep(48 * time.Hour)
		w.start()
		m = w.leader()
		time.Sleep(10 * time.Second)
		var jump *JumpError
		_, err = w.any(1).Do(ctx, booking("b"))
		require.ErrorAs(t, err, &jump)
		require.InDelta(t, 48*3600, float64(jump.Leader-jump.Desk), 100)
		grown := m.Status().Last
		time.Sleep(time.Minute)
		require.Equal(t, grown, m.Status().Last, "nothing goes into the log meanwhile")
		require.ErrorIs(t, m.ConfirmClock(ctx, jump.Leader+1000), bookahead.ErrInvalid)
		require.NoError(t, w.any(2).ConfirmClock(ctx, jump.Leader))
		_, err = w.any(1).Do(ctx, booking("b"))
		require.NoError(t, err)
	})
}

func TestNoClock(t *testing.T) {
	inBubble(t, 1, Config{}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		require.ErrorIs(t, w.any(0).ConfirmClock(ctx, 1), bookahead.ErrInvalid)
		_, err := w.any(0).Do(ctx, desk.Advance{Now: 1000})
		require.NoError(t, err)
		v, err := w.any(0).Read(ctx, Leading)
		require.NoError(t, err)
		require.EqualValues(t, 1000, v.Now())
	})
}

// A member whose state differs stops, also as the leader, and the others go on.
func TestDiverged(t *testing.T) {
	for _, leads := range []bool{false, true} {
		counts := &counted{}
		inBubble(t, 3, Config{CheckEvery: time.Minute, Metrics: counts}, func(t *testing.T, w *world) {
			w.start()
			ctx := within(t, time.Hour)
			wrong := w.leader()
			_, err := wrong.Do(ctx, line)
			require.NoError(t, err)
			time.Sleep(3 * time.Minute)
			equal, unequal := counts.checks()
			require.GreaterOrEqual(t, equal, 6)
			require.Zero(t, unequal)
			if !leads {
				wrong = w.other(wrong)
			}
			_, err = wrong.machine.desk.Do(booking("nobody else has it"))
			require.NoError(t, err)
			time.Sleep(2 * time.Minute)
			var diverged *divergedError
			require.ErrorAs(t, wrong.Status().Err, &diverged)
			require.NotEqual(t, diverged.Ours, diverged.Theirs)
			_, err = wrong.Do(ctx, booking("a"))
			require.ErrorIs(t, err, ErrStopped)
			_, err = wrong.Read(ctx, Local)
			require.ErrorIs(t, err, ErrStopped)
			require.Equal(t, "shutdown", wrong.Status().State)
			others := 0
			for _, m := range w.members {
				if m != wrong {
					others++
					require.NoError(t, m.Status().Err)
					_, err = m.Do(ctx, booking("a"))
					require.NoError(t, err)
				}
			}
			require.Equal(t, 2, others)
			time.Sleep(2 * time.Minute)
			for _, m := range w.members {
				require.NoError(t, m.Status().Doubt)
			}
			_, unequal = counts.checks()
			require.LessOrEqual(t, unequal, 4, "one, and a doubt of each")
			require.Positive(t, unequal)
		})
	}
}

// Of two members, nobody knows which one is right. Both go on, and their Status shows the doubt.
func TestTwoMembersInDoubt(t *testing.T) {
	inBubble(t, 2, Config{CheckEvery: time.Minute}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		leader := w.leader()
		_, err := leader.Do(ctx, line)
		require.NoError(t, err)
		time.Sleep(2 * time.Minute)
		require.NoError(t, leader.Status().Doubt)
		_, err = leader.machine.desk.Do(booking("nobody else has it"))
		require.NoError(t, err)
		time.Sleep(2 * time.Minute)
		for _, m := range w.members {
			var diverged *divergedError
			require.ErrorAs(t, m.Status().Doubt, &diverged)
			require.NoError(t, m.Status().Err)
		}
		_, err = leader.Do(ctx, booking("a"))
		require.NoError(t, err)
	})
}

// counted is a Metrics that counts the calls of its methods.
type counted struct {
	mu                                                sync.Mutex
	entries, calls, answered, snapshots, equal, other int
	refused                                           map[string]int
	reads                                             map[Freshness]int
	states                                            map[string]int
}

func (c *counted) Entry(calls int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries++
	c.calls += calls
}

func (c *counted) Answered(time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered++
}

func (c *counted) Refused(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused == nil {
		c.refused = map[string]int{}
	}
	c.refused[why]++
}

func (c *counted) Read(f Freshness, _ time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reads == nil {
		c.reads = map[Freshness]int{}
	}
	c.reads[f]++
}

func (c *counted) Snapshot(int64, time.Duration, time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.snapshots++
}

func (c *counted) State(state string, _ uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.states == nil {
		c.states = map[string]int{}
	}
	c.states[state]++
}

func (c *counted) Check(equal bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if equal {
		c.equal++
	} else {
		c.other++
	}
}

func (c *counted) checks() (equal, unequal int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.equal, c.other
}

// Metrics hears of each event once.
func TestMetrics(t *testing.T) {
	counts := &counted{}
	inBubble(t, 3, Config{Metrics: counts}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		leader := w.leader()
		_, err := leader.Do(ctx, line)
		require.NoError(t, err)
		var callers sync.WaitGroup
		for range 100 {
			callers.Go(func() {
				_, err := leader.Do(ctx, booking(""))
				assertNoError(t, err)
			})
		}
		callers.Wait()
		_, err = leader.Read(ctx, Local)
		require.NoError(t, err)
		require.NoError(t, leader.Snapshot(ctx))
		done, stop := context.WithCancel(ctx)
		stop()
		_, err = leader.Do(done, booking(""))
		require.ErrorIs(t, err, context.Canceled)
		time.Sleep(time.Second)
		counts.mu.Lock()
		defer counts.mu.Unlock()
		require.GreaterOrEqual(t, counts.calls, 3*101)
		require.Zero(t, counts.calls%3, "all members count them")
		require.Equal(t, 3*counts.answered, counts.entries, "each entry has a first call")
		require.LessOrEqual(t, counts.answered, 20, "calls share entries")
		require.Equal(t, 1, counts.snapshots)
		require.Equal(t, 1, counts.reads[Local])
		require.GreaterOrEqual(t, counts.states["leader"], 1)
	})
}

// Each member hears of the ticks of the leader's clock, as of entries without a call.
func TestMetricsHearOfTicks(t *testing.T) {
	counts := &counted{}
	inBubble(t, 3, Config{Metrics: counts, Clock: &bookahead.Clock{Epoch: time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)}}, func(t *testing.T, w *world) {
		w.start()
		_, err := w.leader().Do(within(t, time.Hour), line) // its entry has the first clock, which may jump
		require.NoError(t, err)
		read := func() (entries, calls, answered int) {
			counts.mu.Lock()
			defer counts.mu.Unlock()
			return counts.entries, counts.calls, counts.answered
		}
		// The ticks come at whole seconds. Between two of them every member has heard of the last one.
		next := time.Now().Truncate(time.Second).Add(time.Minute)
		time.Sleep(time.Until(next.Add(time.Second / 2)))
		entries, calls, answered := read()
		time.Sleep(time.Minute)
		more, same, still := read()
		require.Zero(t, entries%3)
		require.Equal(t, 3*60, more-entries)
		require.Equal(t, calls, same)
		require.Equal(t, answered, still)
	})
}

// A caller whose context ends before its call is in the log knows that the call was not carried out. If the context
// ends later, the caller does not know.
func TestUnknown(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		leader := w.leader()
		_, err := leader.Do(ctx, line)
		require.NoError(t, err)
		s, err := leader.NewSession(ctx)
		require.NoError(t, err)
		w.cut(leader.config.ID)
		short, stop := context.WithTimeout(ctx, 100*time.Millisecond)
		defer stop()
		_, err = leader.DoOnce(short, Call{s, 1, booking("a")})
		require.ErrorIs(t, err, ErrUnknown)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		time.Sleep(3 * time.Second)
		short, stop = context.WithTimeout(ctx, 100*time.Millisecond)
		defer stop()
		_, err = leader.DoOnce(short, Call{s, 2, booking("b")})
		require.NotErrorIs(t, err, ErrUnknown, "nobody leads, and nothing was sent")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		w.heal()
		out, err := w.other(leader).DoOnce(ctx, Call{s, 1, booking("a")})
		require.NoError(t, err)
		require.Equal(t, "a", out.Booking.Key)
		v, err := leader.Read(ctx, Linearizable)
		require.NoError(t, err)
		n := 0
		for k := range v.Bookings(desk.Filter{}, bookahead.Effort{}) {
			require.Equal(t, "a", k.Key)
			n++
		}
		require.Equal(t, 1, n)
	})
}

// Close ends calls that wait. Each caller learns whether its call was carried out, as far as that is known.
func TestCloseUnderLoad(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		leader := w.leader()
		_, err := leader.Do(ctx, line)
		require.NoError(t, err)
		l := w.load(ctx, 8, 20*time.Millisecond)
		time.Sleep(time.Second)
		for range 6 {
			id := w.leader().config.ID
			begun := time.Now()
			w.stop(id)
			require.Less(t, time.Since(begun), time.Second)
			time.Sleep(time.Second)
			w.open(id)
			time.Sleep(3 * time.Second)
		}
		l.check(ctx)
	})
}
