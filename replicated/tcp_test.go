package replicated

import (
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// Three members on disks are connected by TCP. Calls reach the leader from each of them, and go on when the leader
// closes. Nothing is left running at the end.
func TestThreeByTCP(t *testing.T) {
	before := ours()
	peers := freePeers(t, 3)
	var list []*Member
	for _, p := range peers {
		m, err := Open(Config{ID: p.ID, Dir: t.TempDir(), Bind: p.Address, Peers: peers, Election: 300 * time.Millisecond, Log: mute})
		require.NoError(t, err)
		list = append(list, m)
	}
	ctx := within(t, 30*time.Second)
	_, err := list[0].Do(ctx, line)
	require.NoError(t, err)
	for round := range 3 {
		var callers sync.WaitGroup
		for c := range 8 {
			callers.Go(func() {
				for i := range 20 {
					_, err := list[c%len(list)].Do(ctx, booking(fmt.Sprint(round, c, i)))
					assertNoError(t, err)
				}
			})
		}
		callers.Wait()
		for _, m := range list {
			v, err := m.Read(ctx, Linearizable)
			require.NoError(t, err)
			n := 0
			for range v.Bookings(desk.Filter{}, bookahead.Effort{}) {
				n++
			}
			require.Equal(t, 160*(round+1), n)
		}
		if round == 0 {
			for i, m := range list {
				if m.Status().State == "leader" {
					require.NoError(t, m.Close())
					list = append(list[:i], list[i+1:]...)
					break
				}
			}
		}
		if round == 1 {
			require.NoError(t, list[0].Transfer(ctx, ""))
		}
	}
	for _, m := range list {
		require.NoError(t, m.Close())
	}
	require.Eventually(t, func() bool { return ours() <= before }, 10*time.Second, 10*time.Millisecond, "goroutines are left")
}

// The disk of the leader hangs. Over TCP, Raft answers the heartbeats of the next leader beside its main goroutine,
// and entries go through pipelines. Calls at the member whose disk hangs go on all the same.
func TestTheDiskHangsByTCP(t *testing.T) {
	peers := freePeers(t, 3)
	list, gates := map[string]*Member{}, gates{}
	for _, p := range peers {
		g, d := &gate{}, newMemory()
		gates[p.ID] = g
		m, err := openWith(Config{ID: p.ID, Bind: p.Address, Peers: peers, Election: 300 * time.Millisecond, Log: mute}, seam{
			disk: func(dir string, l *slog.Logger) (*disk, error) {
				opened, err := d.open(dir, l)
				return g.before(opened), err
			},
		})
		require.NoError(t, err)
		defer func() { require.NoError(t, m.Close()) }()
		list[p.ID] = m
	}
	defer gates.lift()
	ctx := within(t, 30*time.Second)
	_, err := list["1"].Do(ctx, line)
	require.NoError(t, err)
	old := list["1"].Status().Leader.ID
	gates[old].shut()
	for _, m := range list {
		_, err = m.Do(ctx, booking(m.config.ID))
		require.NoError(t, err)
	}
	require.True(t, list[old].Status().Hangs)
	gates[old].lift()
	v, err := list[old].Read(ctx, Linearizable)
	require.NoError(t, err)
	_, err = v.Booking(3)
	require.NoError(t, err)
}

// A member listens on all interfaces. Others know it by its Config.Address, even if no list of Peers has it.
func TestAddress(t *testing.T) {
	peers := freePeers(t, 2)
	ctx := within(t, 30*time.Second)
	open := func(i int, list []Peer) *Member {
		_, port, err := net.SplitHostPort(peers[i].Address)
		require.NoError(t, err)
		m, err := Open(Config{
			ID: peers[i].ID, Dir: t.TempDir(), Bind: ":" + port, Address: peers[i].Address, Peers: list, Election: 100 * time.Millisecond, Log: mute, Reserve: 1,
		})
		require.NoError(t, err)
		return m
	}
	a := open(0, nil)
	defer a.Close()
	b := open(1, peers[:1])
	defer b.Close()
	_, err := a.Do(ctx, line)
	require.NoError(t, err)
	require.NoError(t, a.Add(ctx, peers[1]))
	require.Equal(t, peers, a.Status().Peers)
	require.NoError(t, a.Transfer(ctx, peers[1].ID))
	_, err = a.Do(ctx, booking("a"))
	require.NoError(t, err)
	require.Equal(t, peers, a.Status().Peers)
}

// ours returns how many goroutines are in this package or in Raft.
func ours() int {
	b := make([]byte, 4<<20)
	n := 0
	for _, g := range strings.Split(string(b[:runtime.Stack(b, true)]), "\n\n") {
		if strings.Contains(g, "hashicorp/raft") || strings.Contains(g, "replicated.(*") {
			n++
		}
	}
	return n
}
