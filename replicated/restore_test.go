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

// openAll opens members over the folders in dir.
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

// A majority of the members is lost for good. As the README says, the folder of one member is put in the place of
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
	_, err = members[2].Read(ctx, Linearizable) // this member has all entries now, as its folder should
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

// The disk of a member is lost. As the README says, the member is replaced under the same ID and address, over an
// empty folder.
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

// alone opens a member that has one address, over a folder.
func alone(t *testing.T, dir string, p Peer) *Member {
	t.Helper()
	m, err := Open(Config{ID: p.ID, Dir: dir, Bind: p.Address, Peers: []Peer{p}, Log: quiet, Reserve: 1})
	require.NoError(t, err)
	return m
}

// Callers live through a restore of a backup. No caller gets the session of another one, so each gets the answer to
// its own command.
func TestCallersLiveThroughARestore(t *testing.T) {
	ctx := within(t, time.Minute)
	dir, at := t.TempDir(), freePeers(t, 1)[0]
	first, backup := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	m := alone(t, first, at)
	_, err := m.Do(ctx, desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 9}})
	require.NoError(t, err)
	require.NoError(t, m.Close())
	require.NoError(t, os.CopyFS(backup, os.DirFS(first)))

	client := func() *Client {
		c, err := NewClient(ClientConfig{Addresses: []string{at.Address}})
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	books := func(c *Client, title string) {
		t.Helper()
		out, err := c.Do(ctx, bookOne(title))
		require.NoError(t, err)
		require.Equal(t, title, out.Booking.Title)
	}
	m = alone(t, first, at)
	x := client()
	books(x, "x 1")
	old, err := x.NewSession(ctx)
	require.NoError(t, err)
	require.NoError(t, m.Close())

	m = alone(t, backup, at)
	defer m.Close()
	y := client()
	books(y, "y 1")
	books(x, "x 2")
	books(y, "y 2")
	for range 4 {
		s, err := y.NewSession(ctx)
		require.NoError(t, err)
		require.NotEqual(t, old, s)
	}
	_, err = x.DoOnce(ctx, Call{old, 1, bookOne("x 3")})
	require.ErrorIs(t, err, ErrSession, "the backup does not know it")
}
