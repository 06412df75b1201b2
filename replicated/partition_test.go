package replicated

import (
	"bytes"
	"context"
	"errors"
	flags "flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/internal/depth"
)

var roundsFlag = flags.Int("rounds", 0, "how many faults TestPartitions and TestKilledAgain have; 0 means 30, in proportion to BOOKAHEAD_OPS")

// rounds returns the number of faults.
func rounds() int {
	if *roundsFlag > 0 {
		return *roundsFlag
	}
	return depth.Cases(30)
}

// Members are cut off from each other in all ways, under load. No acknowledged booking is lost, none is there twice,
// and in the end all members have the same bytes.
func TestPartitions(t *testing.T) {
	for _, isLossy := range []bool{false, true} {
		inBubble(t, 3, Config{Election: 200 * time.Millisecond, SnapshotEvery: 16 << 10}, func(t *testing.T, w *world) {
			p := newPlay(w, *firstSeed, isLossy)
			w.start()
			ctx := within(t, 100*time.Hour)
			_, err := w.leader().Do(ctx, line)
			require.NoError(t, err)
			l := w.load(ctx, 8, 30*time.Millisecond)
			chance := rand.New(rand.NewPCG(*firstSeed, 3))
			for range rounds() {
				time.Sleep(time.Duration(chance.IntN(1000)) * time.Millisecond)
				id := w.peers[chance.IntN(3)].ID
				switch chance.IntN(5) {
				case 0:
					p.cutOff(id)
				case 1:
					p.cutOff(w.leader().config.ID)
				case 2: // no member has a majority
					for _, peer := range w.peers {
						p.cutOff(peer.ID)
					}
				case 3: // each link of the leader works in one direction only
					lead := w.leader().config.ID
					for _, peer := range w.peers {
						if chance.IntN(2) == 0 {
							p.net.shut(lead, peer.ID)
						} else {
							p.net.shut(peer.ID, lead)
						}
					}
				case 4:
					p.net.lose(10 + chance.IntN(60))
				}
				time.Sleep(time.Duration(100+chance.IntN(2000)) * time.Millisecond)
				p.mend()
			}
			acknowledged := l.check(ctx)
			w.requireSame()
			t.Logf("seed %d, lossy %v: %d rounds, %d bookings acknowledged, %d without an answer", *firstSeed, isLossy, rounds(), acknowledged, l.unknown())
			require.Greater(t, acknowledged, 10*rounds())
		})
	}
}

// unknown returns how many bookings may be there or not.
func (l *load) unknown() (n int) {
	for _, err := range l.fate {
		if errors.Is(err, ErrUnknown) {
			n++
		}
	}
	return n
}

// A member that is alone is killed again and again under load. Each time it starts again with the same bytes.
func TestKilledAgain(t *testing.T) {
	inBubble(t, 1, Config{Election: 200 * time.Millisecond, SnapshotEvery: 16 << 10}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, 100*time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		l := w.load(ctx, 8, 10*time.Millisecond)
		chance := rand.New(rand.NewPCG(*firstSeed, 4))
		for range rounds() {
			time.Sleep(time.Duration(chance.IntN(500)) * time.Millisecond)
			w.kill("1")
			time.Sleep(time.Duration(chance.IntN(100)) * time.Millisecond)
			w.open("1")
		}
		acknowledged := l.check(ctx)
		require.Greater(t, acknowledged, 50*rounds())
		before := w.member("1").machine
		w.kill("1")
		w.open("1")
		after := w.member("1").machine
		w.kill("1")
		one, err := imageBytes(before)
		require.NoError(t, err)
		other, err := imageBytes(after)
		require.NoError(t, err)
		require.True(t, bytes.Equal(one, other))
		t.Logf("seed %d: %d kills, %d bookings acknowledged, %d without an answer", *firstSeed, rounds(), acknowledged, l.unknown())
	})
}

// requireSame waits until all members have carried out the same entries. Then it drops the members, and checks that
// their states have the same bytes, sessions included.
func (w *world) requireSame() {
	var last uint64
	for range 1000 {
		same := true
		last = 0
		for _, p := range w.peers {
			last = max(last, w.member(p.ID).machine.applied())
		}
		for _, p := range w.peers {
			same = same && w.member(p.ID).machine.applied() == last
		}
		if same {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	var first []byte
	for i, p := range w.peers {
		m := w.member(p.ID)
		w.kill(p.ID)
		require.NoError(w.t, m.machine.err())
		require.Equal(w.t, last, m.machine.applied())
		data, err := imageBytes(m.machine) // no goroutine uses the machine any more
		require.NoError(w.t, err)
		if i == 0 {
			first = data
		}
		require.True(w.t, bytes.Equal(first, data), "members 1 and %s differ", p.ID)
	}
}

// Calls at a member without a majority wait until the network is back, or their contexts end.
func TestCallsOfAMinorityWait(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		m := w.leader()
		_, err := m.Do(ctx, line)
		require.NoError(t, err)
		w.cut(m.config.ID)
		time.Sleep(10 * time.Second)
		soon, stop := context.WithTimeout(ctx, 10*time.Second)
		defer stop()
		_, err = m.Do(soon, booking("a"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		done := make(chan error)
		go func() {
			_, err := m.Read(ctx, Linearizable)
			done <- err
		}()
		time.Sleep(time.Minute)
		w.heal()
		require.NoError(t, <-done)
	})
}
