package desk

import (
	"bytes"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Several goroutines give commands to one log, while others write snapshots, clone and ask. The log rebuilds
// the desk, and so does each snapshot with the log.
func TestLogSideBySide(t *testing.T) {
	p := newPlayer(t, 8)
	var log bytes.Buffer
	l := NewLog(p.d, &log)
	for range always {
		_, err := l.Do(p.next())
		require.NoError(t, err)
	}
	var list []Command // all from one player, since a player looks at the desk
	for range 300 {
		list = append(list, p.next())
	}
	var group sync.WaitGroup
	var snapshots [2]bytes.Buffer
	for g := range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := g; i < len(list); i += 4 {
				_, _ = l.Do(list[i])
			}
		}()
	}
	for g := range snapshots {
		group.Add(1)
		go func() {
			defer group.Done()
			for range 5 {
				snapshots[g].Reset()
				_, err := p.d.WriteTo(&snapshots[g])
				if err != nil {
					t.Error(err)
				}
				_, _ = p.d.Clone().Do(Advance{p.d.Now() + 3})
				for _, c := range list[:9] {
					e, err := p.d.Decide(c)
					if err == nil {
						_, _ = e.append(nil)
					}
				}
			}
		}()
	}
	group.Wait()
	want := written(t, p.d)
	require.True(t, bytes.Equal(want, written(t, replayed(t, log.Bytes()))))
	for g := range snapshots {
		d, err := Read(&snapshots[g], keepsNine)
		require.NoError(t, err)
		_, err = Replay(bytes.NewReader(log.Bytes()), d, nil)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, written(t, d)))
	}
}
