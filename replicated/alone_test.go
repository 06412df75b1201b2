package replicated

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/replicated/internal/disklog"
)

// A member that is alone may die at any time: its disk has all commands that were answered.
func TestKilledAlone(t *testing.T) {
	dir := t.TempDir()
	acknowledged := map[string]desk.BookingID{}
	for round := range 6 {
		begun := time.Now()
		m, err := Open(Config{Dir: dir, Log: mute, SnapshotEvery: 20 << 10, Election: time.Hour})
		require.NoError(t, err)
		require.Less(t, time.Since(begun), 10*time.Minute, "it does not wait for an election")
		ctx := within(t, 20*time.Second)
		if round == 0 {
			_, err = m.Do(ctx, line)
			require.NoError(t, err)
		}
		v, err := m.Read(ctx, Linearizable)
		require.NoError(t, err)
		for key, id := range acknowledged {
			k, err := v.Booking(id)
			require.NoError(t, err)
			require.Equal(t, key, k.Key)
		}
		require.Len(t, collected(v.Bookings(desk.Filter{}, bookahead.Effort{})), len(acknowledged), "nothing is booked twice")
		var mu sync.Mutex
		var callers sync.WaitGroup
		for c := range 8 {
			callers.Go(func() {
				for i := range 40 {
					key := fmt.Sprint(round, "/", c, "/", i)
					out, err := m.Do(ctx, booking(key))
					if !assertNoError(t, err) {
						return
					}
					mu.Lock()
					acknowledged[key] = out.Booking.ID
					mu.Unlock()
				}
			})
		}
		callers.Wait()
		m.drop()
	}
}

func assertNoError(t *testing.T, err error) bool {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	return err == nil
}

// A command under way when the member dies is unknown to its caller, or the member has not carried it out after its
// return.
func TestKilledUnderWay(t *testing.T) {
	dir := t.TempDir()
	fate := map[string]error{}
	for round := range 5 {
		m, err := Open(Config{Dir: dir, Log: mute})
		require.NoError(t, err)
		ctx := within(t, 20*time.Second)
		if round == 0 {
			_, err = m.Do(ctx, line)
			require.NoError(t, err)
		}
		v, err := m.Read(ctx, Linearizable)
		require.NoError(t, err)
		there := map[string]int{}
		for k := range v.Bookings(desk.Filter{}, bookahead.Effort{}) {
			there[k.Key]++
		}
		for key, err := range fate {
			switch {
			case err == nil:
				require.Equal(t, 1, there[key], key)
			case errors.Is(err, ErrUnknown):
				require.LessOrEqual(t, there[key], 1, key)
			default:
				require.Zero(t, there[key], "%s: %v", key, err)
			}
		}
		var mu sync.Mutex
		var callers sync.WaitGroup
		for c := range 8 {
			callers.Go(func() {
				for i := 0; ; i++ {
					key := fmt.Sprint(round, "/", c, "/", i)
					_, err := m.Do(ctx, booking(key))
					mu.Lock()
					fate[key] = err
					mu.Unlock()
					if err != nil {
						return
					}
				}
			})
		}
		time.Sleep(time.Duration(30+20*round) * time.Millisecond)
		m.drop()
		callers.Wait()
	}
	require.Greater(t, len(fate), 40)
}

// A full disk refuses commands. The member goes on as soon as the disk has room.
func TestFull(t *testing.T) {
	w := newWorld(t, 0, Config{Election: 50 * time.Millisecond, Reserve: 1000})
	m := w.open("1")
	ctx := within(t, 20*time.Second)
	_, err := m.Do(ctx, line)
	require.NoError(t, err)
	d := w.disks["1"]

	d.set(999, nil)
	require.Eventually(t, func() bool { return m.Status().Full }, 5*time.Second, 10*time.Millisecond)
	_, err = m.Do(ctx, booking("a"))
	require.ErrorIs(t, err, ErrFull)
	require.NotErrorIs(t, err, ErrUnknown)
	for _, f := range []Freshness{Linearizable, Leading, Local} {
		_, err = m.Read(ctx, f)
		require.NoError(t, err)
	}
	d.set(1000, nil)
	require.Eventually(t, func() bool { return !m.Status().Full }, 5*time.Second, 10*time.Millisecond)
	_, err = m.Do(ctx, booking("a"))
	require.NoError(t, err)

	// The disk fills up before guard has looked: the write fails, and the member steps down until there is room.
	d.set(0, syscall.ENOSPC)
	_, err = m.Do(ctx, booking("b"))
	require.ErrorIs(t, err, ErrUnknown)
	require.ErrorIs(t, err, ErrFull)
	_, err = m.Do(ctx, booking("c"))
	require.ErrorIs(t, err, ErrFull)
	require.NotErrorIs(t, err, ErrUnknown)
	for range 20 {
		v, err := m.Read(ctx, Leading)
		require.NoError(t, err)
		_, err = v.Booking(1)
		require.NoError(t, err)
		_, err = m.Read(ctx, Local)
		require.NoError(t, err)
		time.Sleep(10 * time.Millisecond)
	}
	d.set(1000, nil)
	require.Eventually(t, func() bool { return !m.Status().Full }, 5*time.Second, 10*time.Millisecond)
	_, err = m.Do(ctx, booking("d"))
	require.NoError(t, err)
	v, err := m.Read(ctx, Linearizable)
	require.NoError(t, err)
	for k := range v.Bookings(desk.Filter{}, bookahead.Effort{}) {
		require.NotEqual(t, "c", k.Key, "it was refused")
	}
}

// Open changes nothing if a field of Config is wrong, or if the folder is in use.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	open := selfSigned(t)
	open.ClientAuth = tls.VerifyClientCertIfGiven
	for _, c := range []Config{
		{}, {Dir: dir, Bind: "127.0.0.1:0", Transport: newWorldTransport()}, {Dir: dir, MaxJump: -1}, {Dir: dir, Sessions: -1},
		{Dir: dir, SnapshotEvery: -1}, {Dir: dir, CheckEvery: -1}, {Dir: dir, Reserve: -1}, {Dir: dir, Election: time.Millisecond},
		{Dir: dir, Peers: []Peer{{ID: "1", Address: "a"}}}, {Dir: dir, Transport: newWorldTransport(), Peers: []Peer{{ID: "1"}}},
		{Dir: dir, Transport: newWorldTransport(), Peers: []Peer{{ID: "1", Address: "a"}, {ID: "1", Address: "b"}}},
		{Dir: dir, Transport: newWorldTransport(), Peers: []Peer{{ID: "1", Address: "a", Watches: true}}},
		{Dir: dir, Desk: desk.Config{Keep: -1}},
		{Dir: dir, Address: "here:1"}, {Dir: dir, Bind: "127.0.0.1:0", Address: "here:1", Peers: []Peer{{ID: "1", Address: "there:1"}}},
		{Dir: dir, Bind: "127.0.0.1:0", TLS: &tls.Config{}}, {Dir: dir, Bind: "127.0.0.1:0", TLS: open},
		{Dir: dir, Bind: ":0"}, {Dir: dir, Bind: "0.0.0.0:0"}, {Dir: dir, Bind: "[::]:0"}, {Dir: dir, Bind: "127.0.0.1"},
		{Dir: dir, Bind: ":0", Peers: []Peer{{ID: "2", Address: "there:1"}}},
	} {
		_, err := Open(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid, "%+v", c)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)

	m, err := Open(Config{Dir: dir, Log: mute})
	require.NoError(t, err)
	_, err = Open(Config{Dir: dir, Log: mute})
	require.ErrorIs(t, err, disklog.ErrInUse)
	require.NoError(t, m.Close())
	require.NoError(t, m.Close(), "twice is once")
}

// Entries of another version are refused before anything is written.
func TestOtherVersion(t *testing.T) {
	for _, version := range []uint32{Version + 1, 0} {
		dir := t.TempDir()
		m, err := Open(Config{Dir: dir, Log: mute})
		require.NoError(t, err)
		_, err = m.Do(context.Background(), line)
		require.NoError(t, err)
		e := entry{version: version, now: -1, jump: -1}
		future := m.raft.Apply(e.append(nil), 0)
		require.NoError(t, future.Error())
		require.ErrorIs(t, future.Response().(error), ErrVersion)
		require.Eventually(t, func() bool { return m.Status().Err != nil }, 5*time.Second, time.Millisecond)
		require.ErrorIs(t, m.Status().Err, ErrStopped)
		require.ErrorIs(t, m.Status().Err, ErrVersion)
		_, err = m.Do(context.Background(), booking("a"))
		require.ErrorIs(t, err, ErrStopped)
		_, err = m.Read(context.Background(), Local)
		require.ErrorIs(t, err, ErrStopped)
		require.NoError(t, m.Close())
		before := kept(t, dir)
		_, err = Open(Config{Dir: dir, Log: mute})
		require.ErrorIs(t, err, ErrVersion)
		require.Equal(t, before, kept(t, dir))
	}
}

// After a crash between the first term and the first entry, a member can begin anew.
func TestABootstrapThatWasCutShort(t *testing.T) {
	dir := t.TempDir()
	s, err := disklog.Open(dir, mute, hclog.NewNullLogger())
	require.NoError(t, err)
	require.NoError(t, s.Votes().SetUint64([]byte("CurrentTerm"), 1))
	require.NoError(t, s.Close())
	m, err := Open(Config{Dir: dir, Log: mute, Election: 50 * time.Millisecond})
	require.NoError(t, err)
	_, err = m.Do(t.Context(), desk.Advance{Now: 1})
	require.NoError(t, err)
	require.NoError(t, m.Close())
}

// kept returns all files of the folder of a member, and the values in its meta file: the file also has a count of its
// own changes, which grows with each Open.
func kept(t *testing.T, dir string) map[string]string {
	files := contents(t, dir)
	require.Contains(t, files, filepath.Join(dir, "meta"))
	delete(files, filepath.Join(dir, "meta"))
	s, err := disklog.Open(dir, mute, hclog.NewNullLogger())
	require.NoError(t, err)
	for _, key := range []string{keyTerm, "LastVoteTerm", "LastVoteCand", keyDesk, keyDiverged} {
		value, err := s.Votes().Get([]byte(key))
		require.NoError(t, err)
		files["meta: "+key] = fmt.Sprintf("%x", value)
	}
	require.NoError(t, s.Close())
	return files
}

// contents returns all files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var b []byte
			b, err = os.ReadFile(path)
			files[path] = fmt.Sprintf("%d bytes, %x", len(b), sha256.Sum256(b))
		}
		return err
	})
	require.NoError(t, err)
	return files
}
