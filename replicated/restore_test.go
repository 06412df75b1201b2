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

// The README tells how to replace a member whose disk is lost: under the same ID and address, over an empty folder.
func TestAMemberIsReplaced(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	peers := freePeers(t, 3)
	dir := t.TempDir()
	members := openAll(t, dir, peers)
	defer func() { closeAll(t, members) }()
	_, err := members[0].Do(ctx, desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 4}})
	require.NoError(t, err)
	_, err = members[0].Do(ctx, bookOne("before"))
	require.NoError(t, err)
	require.NoError(t, members[2].Close())
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "3")))
	require.NoError(t, members[0].Remove(ctx, "3"))
	_, err = members[1].Do(ctx, bookOne("meanwhile"))
	require.NoError(t, err)

	members[2], err = Open(Config{
		ID: "3", Dir: filepath.Join(dir, "3"), Bind: peers[2].Address, Peers: peers[:2], Election: 100 * time.Millisecond, Log: quiet, Reserve: 1,
	})
	require.NoError(t, err)
	require.NoError(t, members[1].Add(ctx, peers[2]))
	v, err := members[2].Read(ctx, Linearizable)
	require.NoError(t, err)
	_, err = v.Booking(2)
	require.NoError(t, err)
	require.NoError(t, members[0].Close(), "the new one counts: two of three go on")
	_, err = members[2].Do(ctx, bookOne("after"))
	require.NoError(t, err)
}

func bookOne(title string) desk.Book {
	return desk.Book{Request: desk.Request{Title: title, Shapes: []desk.Shape{{{On: "pool", Units: 1, Duration: 5}}}}}
}
