package replicated

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/depth"
)

// deskBytes returns the bytes of a desk with some bookings, made by a member that then ended; and how many.
func deskBytes(t *testing.T, dir string, n int) []byte {
	t.Helper()
	ctx := within(t, time.Minute)
	m, err := Open(Config{Dir: dir, Log: quiet, Reserve: 1, SnapshotEvery: 2 << 10})
	require.NoError(t, err)
	_, err = m.Do(ctx, desk.AddSchedule{Name: "line", Kind: desk.Pool{Units: 4}})
	require.NoError(t, err)
	for i := range n {
		_, err = m.Do(ctx, desk.Book{Key: fmt.Sprint("key ", i), Request: desk.Request{Owner: "ann", Shapes: []desk.Shape{{{On: "line", Units: 1, Duration: 5}}}}})
		require.NoError(t, err)
		if i%9 == 8 {
			_, err = m.Do(ctx, desk.Advance{Now: bookahead.Time(i / 4)})
			require.NoError(t, err)
		}
	}
	v, err := m.Read(ctx, Linearizable)
	require.NoError(t, err)
	require.NoError(t, m.Close())
	return inBytes(t, v.Desk)
}

func inBytes(t *testing.T, d *desk.Desk) []byte {
	t.Helper()
	var b bytes.Buffer
	_, err := d.WriteTo(&b)
	require.NoError(t, err)
	return b.Bytes()
}

// A folder that was begun from a desk has that desk, to the byte, and goes on as it would have.
func TestBeginAndInspect(t *testing.T) {
	for range depth.Cases(3) {
		dir := t.TempDir()
		old := filepath.Join(dir, "old")
		data := deskBytes(t, old, 100)
		v, err := Inspect(Config{Dir: old, Log: quiet})
		require.NoError(t, err)
		require.Equal(t, data, inBytes(t, v.Desk), "the snapshot and the log behind it")

		c := Config{Dir: filepath.Join(dir, "new", "member"), Log: quiet, Reserve: 1, SnapshotEvery: 2 << 10}
		require.NoError(t, Begin(c, bytes.NewReader(data)))
		v, err = Inspect(c)
		require.NoError(t, err)
		require.Equal(t, data, inBytes(t, v.Desk))
		require.EqualValues(t, 1, v.Applied)

		ctx := within(t, time.Minute)
		book := func(i int) desk.Book {
			return desk.Book{Key: fmt.Sprint("key ", i), Request: desk.Request{Owner: "ann", Shapes: []desk.Shape{{{On: "line", Units: 1, Duration: 5}}}}}
		}
		a, err := desk.Read(bytes.NewReader(data), desk.Config{})
		require.NoError(t, err)
		for round := range 3 {
			m, err := Open(c)
			require.NoError(t, err)
			require.NotEmpty(t, m.Status().Desk)
			for i := range 50 {
				cmd := book(95 + 40*round + i) // some keys are known
				want, err := a.Do(cmd)
				require.NoError(t, err)
				got, err := m.Do(ctx, cmd)
				require.NoError(t, err)
				require.Equal(t, want.Booking.ID, got.Booking.ID)
				require.Equal(t, want.Booking.Interval, got.Booking.Interval)
				require.Equal(t, len(want.Events), len(got.Events))
				for k := range want.Events {
					require.Equal(t, want.Events[k].Number, got.Events[k].Number)
				}
			}
			require.NoError(t, m.Close())
			v, err = Inspect(c)
			require.NoError(t, err)
			require.Equal(t, inBytes(t, a), inBytes(t, v.Desk))
		}
	}
}

// Three members begin from the same bytes, and members of other bytes never join them.
func TestThreeBegin(t *testing.T) {
	ctx := within(t, time.Minute)
	dir := t.TempDir()
	data := deskBytes(t, filepath.Join(dir, "old"), 20)
	peers := freePeers(t, 3)
	at := func(p Peer, name string) Config {
		return Config{ID: p.ID, Dir: filepath.Join(dir, name, p.ID), Bind: p.Address, Peers: peers, Election: 100 * time.Millisecond, Log: quiet, Reserve: 1}
	}
	for _, p := range peers {
		require.NoError(t, Begin(at(p, "a"), bytes.NewReader(data)))
	}
	members := openAll(t, filepath.Join(dir, "a"), peers)
	for i, m := range members {
		out, err := m.Do(ctx, desk.Book{Key: fmt.Sprint("new ", i), Request: desk.Request{Shapes: []desk.Shape{{{On: "line", Units: 1, Duration: 5}}}}})
		require.NoError(t, err)
		require.EqualValues(t, 21+i, out.Booking.ID)
		v, err := m.Read(ctx, Linearizable)
		require.NoError(t, err)
		_, err = v.ByKey("key 3")
		require.NoError(t, err)
		require.Equal(t, members[0].Status().Desk, m.Status().Desk)
	}
	require.NoError(t, members[2].Close())

	other := deskBytes(t, filepath.Join(dir, "older"), 19)
	require.NoError(t, Begin(at(peers[2], "b"), bytes.NewReader(other)))
	m, err := Open(at(peers[2], "b"))
	require.NoError(t, err)
	time.Sleep(500 * time.Millisecond)
	require.NotEqual(t, members[0].Status().Desk, m.Status().Desk)
	require.NotEqual(t, "leader", m.Status().State)
	v, err := m.Read(ctx, Local)
	require.NoError(t, err)
	require.Equal(t, other, inBytes(t, v.Desk), "nothing of the others comes to it")
	require.NoError(t, m.Close())
	closeAll(t, members[:2])
}

func TestBeginIsRefused(t *testing.T) {
	dir := t.TempDir()
	data := deskBytes(t, filepath.Join(dir, "old"), 20)
	c := Config{Dir: filepath.Join(dir, "new"), Log: quiet, Reserve: 1}
	refused := func(c Config, from io.Reader) {
		t.Helper()
		require.Error(t, Begin(c, from))
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, f := range files {
			require.Equal(t, "old", f.Name(), "an error leaves no folder")
		}
	}
	for _, n := range []int{0, 1, len(data) / 2, len(data) - 1} {
		refused(c, bytes.NewReader(data[:n]))
	}
	refused(c, io.MultiReader(bytes.NewReader(data), bytes.NewReader([]byte{0})))
	changed := bytes.Clone(data)
	changed[len(changed)/2] ^= 1
	refused(c, bytes.NewReader(changed))
	kept := c
	kept.Desk.Keep = 77
	refused(kept, bytes.NewReader(data))
	stranger := c
	stranger.ID, stranger.Bind, stranger.Peers = "9", "localhost:0", []Peer{{ID: "1", Address: "localhost:1"}}
	refused(stranger, bytes.NewReader(data))
	watcher := stranger
	watcher.ID, watcher.Peers = "2", []Peer{{ID: "1", Address: "localhost:1"}, {ID: "2", Address: "localhost:2", Watches: true}}
	refused(watcher, bytes.NewReader(data))

	old := Config{Dir: filepath.Join(dir, "old"), Log: quiet}
	before, err := Inspect(old)
	require.NoError(t, err)
	require.ErrorIs(t, Begin(old, bytes.NewReader(data)), bookahead.ErrInvalid, "a folder that is not empty stays")
	after, err := Inspect(old)
	require.NoError(t, err)
	require.Equal(t, before.Applied, after.Applied)
	_, err = Inspect(Config{Dir: filepath.Join(dir, "nowhere"), Log: quiet})
	require.ErrorIs(t, err, os.ErrNotExist)
	m, err := Open(old)
	require.NoError(t, err)
	_, err = Inspect(old)
	require.Error(t, err, "it is in use")
	require.NoError(t, m.Close())
}

// The clock of a backup may be long ago: the first clock of the members may jump.
func TestBeginLongAgo(t *testing.T) {
	dir := t.TempDir()
	data := deskBytes(t, filepath.Join(dir, "old"), 20)
	clock := bookahead.Clock{Epoch: time.Now().Add(-1000 * time.Hour), Tick: time.Second}
	c := Config{Dir: filepath.Join(dir, "new"), Clock: &clock, Log: quiet, Reserve: 1}
	require.NoError(t, Begin(c, bytes.NewReader(data)))
	m, err := Open(c)
	require.NoError(t, err)
	defer m.Close()
	_, err = m.Do(within(t, 20*time.Second), bookLine)
	require.NoError(t, err)
	v, err := m.Read(t.Context(), Linearizable)
	require.NoError(t, err)
	require.Greater(t, v.Now(), bookahead.Time(3_000_000))
}

var bookLine = desk.Book{Request: desk.Request{Shapes: []desk.Shape{{{On: "line", Units: 1, Duration: 5}}}}}
