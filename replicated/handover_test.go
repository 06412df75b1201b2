package replicated

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The disk of the leader is full, and commands go on: a member with room leads. No caller sees an ErrFull.
func TestAFullLeaderHandsOver(t *testing.T) {
	for _, full := range []int{1, 2} {
		inBubble(t, 3, Config{Reserve: 1000}, func(t *testing.T, w *world) {
			w.start()
			ctx := within(t, time.Hour)
			_, err := w.leader().Do(ctx, line)
			require.NoError(t, err)
			l := w.load(ctx, 8, 30*time.Millisecond)
			for range 5 {
				time.Sleep(3 * time.Second)
				left := w.other(w.leader()).config.ID // a follower that keeps its room
				for _, p := range w.peers {
					isFull := p.ID == w.leader().config.ID || full == 2 && p.ID != left
					w.disks[p.ID].set(map[bool]int64{true: 999, false: 1000}[isFull], nil)
				}
				until(t, "a member with room leads", func() bool {
					m := w.leader()
					return !m.Status().Full && w.disks[m.config.ID].space == 1000
				})
				for _, p := range w.peers {
					w.disks[p.ID].set(1000, nil)
				}
			}
			require.Greater(t, l.check(ctx), 1000)
			for key, err := range l.fate {
				require.NotErrorIs(t, err, ErrFull, key)
			}
			w.requireSame()
		})
	}
}

// All disks are full: commands are refused, reads go on, and the members do not pass the lead round all the time.
// Commands go on when any of the disks has room.
func TestAllAreFull(t *testing.T) {
	inBubble(t, 3, Config{Reserve: 1000}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, 100*time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		for i := range 3 {
			for _, p := range w.peers {
				w.disks[p.ID].set(999, nil)
			}
			if i == 0 {
				time.Sleep(2 * time.Minute)
				term := w.leader().raft.CurrentTerm()
				time.Sleep(5 * time.Minute)
				require.Less(t, w.leader().raft.CurrentTerm(), term+25, "each member hands over once a minute")
			}
			time.Sleep(10 * time.Second)
			for _, p := range w.peers {
				until(t, "the leader keeps the lead for a while", func() bool { return !w.leader().handover.mayStillHandOver() })
				m := w.member(p.ID)
				_, err = m.Do(ctx, booking("no"))
				require.ErrorIs(t, err, ErrFull)
				require.NotErrorIs(t, err, ErrUnknown)
				_, err = m.Read(ctx, Linearizable)
				require.NoError(t, err)
			}
			w.disks[w.peers[i].ID].set(1000, nil)
			until(t, "a command is taken", func() bool {
				_, err := w.any(0).Do(ctx, booking(fmt.Sprint(i)))
				if err != nil {
					require.ErrorIs(t, err, ErrFull)
				}
				return err == nil
			})
			require.Equal(t, w.peers[i].ID, w.leader().config.ID)
		}
	})
}

// The disk of the leader fills up to the last byte before guard has looked: its writes fail, and the others go on.
func TestTheLogOfTheLeaderIsFull(t *testing.T) {
	inBubble(t, 3, Config{Reserve: 1000}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		l := w.load(ctx, 8, 30*time.Millisecond)
		for range 5 {
			time.Sleep(3 * time.Second)
			d := w.disks[w.leader().config.ID]
			d.set(0, syscall.ENOSPC)
			for _, p := range w.peers {
				until(t, "a command is taken", func() bool {
					_, err := w.member(p.ID).Do(ctx, booking(""))
					require.True(t, err == nil || errors.Is(err, ErrFull), err)
					return err == nil
				})
			}
			d.set(1000, nil)
		}
		require.Greater(t, l.check(ctx), 500)
		w.requireSame()
	})
}
