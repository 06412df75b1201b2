package replicated

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/desk"
)

// openAll opens members over the folders of dir.
func openAll(t *testing.T, dir string, peers []Peer) []*Member {
	t.Helper()
	var members []*Member
	for _, p := range peers {
		m, err := Open(Config{
			ID: p.ID, Dir: filepath.Join(dir, p.ID), Bind: p.Address, Peers: peers, Election: 100 * time.Millisecond, Log: quiet, Reserve: 1,
		})
		require.NoError(t, err)
		members = append(members, m)
	}
	return members
}

func closeAll(t *testing.T, members []*Member) {
	t.Helper()
	for _, m := range members {
		require.NoError(t, m.Close())
	}
}

// The README tells how to restore members of which a majority is lost: the folder of one of them is put in the place of
// all.
func TestAllMembersAreRestoredFromOneFolder(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	peers := freePeers(t, 3)
	old := t.TempDir()
	members := openAll(t, old, peers)
	_, err := members[1].Do(ctx, desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 4}})
	require.NoError(t, err)
	const n = 20
	for i := range n {
		_, err = members[i%3].Do(ctx, bookOne(fmt.Sprint(i)))
		require.NoError(t, err)
	}
	require.NoError(t, members[2].Snapshot(ctx))
	_, err = members[2].Read(ctx, Linearizable) // it has all of it now, which a copy should
	require.NoError(t, err)
	closeAll(t, members)

	dir := t.TempDir()
	for _, p := range peers {
		require.NoError(t, os.CopyFS(filepath.Join(dir, p.ID), os.DirFS(filepath.Join(old, "3"))))
	}
	members = openAll(t, dir, peers)
	defer closeAll(t, members)
	for _, m := range members {
		out, err := m.Do(ctx, bookOne("new"))
		require.NoError(t, err)
		require.Greater(t, out.Booking.ID, desk.BookingID(n))
		v, err := m.Read(ctx, Linearizable)
		require.NoError(t, err)
		require.NoError(t, v.Verify())
		_, err = v.Booking(n)
		require.NoError(t, err)
	}
}

func bookOne(title string) desk.Book {
	return desk.Book{Request: desk.Request{Title: title, Shapes: []desk.Shape{{{On: "pool", Units: 1, Duration: 5}}}}}
}
