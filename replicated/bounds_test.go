package replicated

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/replicated/internal/peerlink"
)

// Calls to a member whose disk hangs take no more memory than the bound. Further calls wait for room until their
// contexts end, and are carried out once the disk goes on.
func TestTheQueueIsBounded(t *testing.T) {
	inBubble(t, 1, Config{}, func(t *testing.T, w *world) {
		gates := w.gated()
		defer gates.lift()
		w.start()
		ctx := within(t, time.Hour)
		m := w.leader()
		_, err := m.Do(ctx, line)
		require.NoError(t, err)
		const bound = 100 << 10
		synctest.Wait()
		require.True(t, m.propose.room.TryAcquire(waitingBytes-bound))
		large := booking("")
		large.Title = strings.Repeat("x", 1000)
		gates["1"].shut()
		soon, stop := context.WithTimeout(ctx, 10*time.Second)
		defer stop()
		var impatient, patient sync.WaitGroup
		var carried, doubtful atomic.Int64
		for range 1000 {
			impatient.Go(func() {
				_, err := m.Do(soon, large)
				switch {
				case err == nil:
					carried.Add(1)
				case errors.Is(err, ErrUnknown):
					doubtful.Add(1)
				}
			})
		}
		time.Sleep(5 * time.Second)
		require.False(t, m.propose.room.TryAcquire(callBytes+1000), "there is room for one more")
		impatient.Wait()
		require.Zero(t, carried.Load())
		require.Positive(t, doubtful.Load())
		require.LessOrEqual(t, doubtful.Load(), int64(bound/(callBytes+1000)), "only calls with room were on their way")
		for range 300 {
			patient.Go(func() {
				_, err := m.Do(ctx, large)
				assertNoError(t, err)
			})
		}
		time.Sleep(5 * time.Second)
		require.False(t, m.propose.room.TryAcquire(callBytes+1000), "those that nobody waits for still take the room")
		gates["1"].lift()
		patient.Wait()
		synctest.Wait()
		require.True(t, m.propose.room.TryAcquire(bound), "all was given back")
	})
}

// Calls that wait for room in the queue are refused when the member is closed.
func TestTheQueueIsClosed(t *testing.T) {
	inBubble(t, 1, Config{}, func(t *testing.T, w *world) {
		w.start()
		m := w.leader()
		require.True(t, m.propose.room.TryAcquire(waitingBytes))
		done := make(chan error)
		go func() { done <- m.propose.do(t.Context(), call{op: openSession}).err }()
		synctest.Wait()
		w.stop("1")
		m.propose.room.Release(callBytes) // as the queue does for a call that it refuses
		require.ErrorIs(t, <-done, ErrClosed)
	})
}

// A command of more than a MiB is invalid. A command of slightly less is carried out.
func TestALongCommand(t *testing.T) {
	inBubble(t, 1, Config{}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		m := w.leader()
		_, err := m.Do(ctx, line)
		require.NoError(t, err)
		b := booking("")
		b.Title = strings.Repeat("x", 1000)
		b.Request.Owner = b.Title
		batch := func(n int) desk.Batch { return desk.Batch{Commands: slices.Repeat([]desk.Command{b}, n)} }
		_, err = m.Do(ctx, batch(commandBytes/2000))
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "command")
		_, err = m.Do(ctx, batch(commandBytes/2500))
		require.NoError(t, err)
	})
}

// An entry has at most one long command.
func TestLongCommandsShareNoEntry(t *testing.T) {
	p := newProposer(nil)
	for _, n := range []int{commandBytes, commandBytes, 10, entryBytes, entryBytes / 2, entryBytes / 2, 1} {
		p.queue = append(p.queue, &proposal{call: call{body: make([]byte, n)}})
		p.bytes += n
	}
	var sizes []int
	for len(p.queue) > 0 {
		sizes = append(sizes, len(p.takeBatch().of))
	}
	require.Equal(t, []int{1, 1, 1, 1, 2, 1}, sizes)
	require.Zero(t, p.bytes)
}

// A member sends few desks at once. Further requests wait for their turn.
func TestFewDesksAtOnce(t *testing.T) {
	d, err := desk.New(desk.Config{})
	require.NoError(t, err)
	var now atomic.Int64
	var counting sync.Mutex
	most := int64(0) // guarded by counting
	asked, next := make(chan struct{}, 10), make(chan struct{})
	leader := &fakeLeader{read: func() (View, error) {
		asked <- struct{}{}
		n := now.Add(1)
		counting.Lock()
		most = max(most, n)
		counting.Unlock()
		<-next
		now.Add(-1)
		return View{Desk: d, Applied: 7}, nil
	}}
	one, two := newPair(t, leader, nil)
	far := two.peers.at(one.addr())
	local := func(x *code.Coder) {
		fresh := Local
		code.Uint(x, "freshness", &fresh, 255)
	}
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() {
			data, err := far.ask(t.Context(), askDesk, local)
			if assertNoError(t, err) && data[0] != 7 {
				t.Errorf("index %d", data[0])
			}
		})
	}
	for range downloadsAtOnce {
		<-asked
	}
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	_, err = far.ask(ctx, askDesk, local)
	require.Error(t, err, "its context ends before its turn")
	close(next)
	group.Wait()
	require.EqualValues(t, downloadsAtOnce, most)
}

// A desk that is sent takes its bytes once: they are neither grown nor copied into a frame.
func TestADeskIsInMemoryOnce(t *testing.T) {
	d, err := desk.New(desk.Config{})
	require.NoError(t, err)
	_, err = d.Do(line)
	require.NoError(t, err)
	b := booking("")
	b.Title = strings.Repeat("x", 1000)
	for range 1000 {
		_, err = d.Do(b)
		require.NoError(t, err)
	}
	size, err := d.WriteTo(io.Discard)
	require.NoError(t, err)
	leader := &fakeLeader{read: func() (View, error) { return View{Desk: d}, nil }}
	v := &serverConn{server: newServer(leader, nil, quiet)}
	data, err := v.download(t.Context(), Local)
	require.NoError(t, err)
	require.Len(t, data, int(size)+1)
	require.Less(t, cap(data), len(data)+100)

	to := bufio.NewWriterSize(io.Discard, 64<<10)
	sent := testing.AllocsPerRun(10, func() { err = peerlink.WriteFrame(to, peerlink.Frame{ID: 7, Kind: replied, Body: data}) })
	require.NoError(t, err)
	require.Zero(t, sent)
}

// A connection beyond the bound is closed. Once a connection has ended, the next one is served.
func TestConnectionsAreBounded(t *testing.T) {
	s := newServer(&fakeLeader{}, nil, quiet)
	require.True(t, s.open.TryAcquire(peerlink.Connections-1))
	dial := func() net.Conn {
		here, there := net.Pipe()
		go s.serve(there)
		return here
	}
	isServed := func(c net.Conn) bool {
		_, err := c.Write([]byte{callsVersion})
		if err != nil {
			return false
		}
		_, err = io.ReadFull(c, make([]byte, 1))
		return err == nil
	}
	first, second := dial(), dial()
	one, two := isServed(first), isServed(second)
	require.True(t, one != two, "%v, %v", one, two)
	require.NoError(t, first.Close())
	require.NoError(t, second.Close())
	require.Eventually(t, func() bool {
		c := dial()
		defer c.Close()
		return isServed(c)
	}, 10*time.Second, time.Millisecond)
}

// Requests of all connections together take no more memory than a member gives them.
func TestRequestsOfAllConnectionsAreBounded(t *testing.T) {
	s := newServer(&fakeLeader{index: func(context.Context) (uint64, error) { return 7, nil }}, nil, quiet)
	c, there := net.Pipe()
	go s.serve(there)
	defer c.Close()
	_, err := c.Write([]byte{callsVersion})
	require.NoError(t, err)
	in := bufio.NewReader(c)
	_, err = in.ReadByte()
	require.NoError(t, err)
	ask := func(id uint64) peerlink.Kind {
		_, err := c.Write(appendFrame(nil, peerlink.Frame{ID: id, Kind: askIndex, Body: bytesOf(t, new(request).code)}))
		require.NoError(t, err)
		f, err := peerlink.ReadFrame(in, maxRequest)
		require.NoError(t, err)
		require.Equal(t, id, f.ID)
		return f.Kind
	}
	require.Equal(t, replied, ask(1))
	require.Eventually(t, func() bool { return s.bytes.TryAcquire(servedBytes) }, 10*time.Second, time.Millisecond)
	require.Equal(t, busy, ask(2))
	s.bytes.Release(servedBytes)
	require.Equal(t, replied, ask(3))
}

// A request takes its share of the memory of all connections before its body has come, and gives the share back when
// its connection ends on the way. Without memory the body is skipped, and the connection goes on.
func TestTheBodyOfARequestIsCountedBeforeItComes(t *testing.T) {
	s := newServer(&fakeLeader{index: func(context.Context) (uint64, error) { return 7, nil }}, nil, quiet)
	const free = 200 << 10 // more than twice the buffer of a connection
	require.True(t, s.bytes.TryAcquire(servedBytes-free))
	dial := func() (net.Conn, *bufio.Reader) {
		c, there := net.Pipe()
		t.Cleanup(func() { _ = c.Close() })
		go s.serve(there)
		_, err := c.Write([]byte{callsVersion})
		require.NoError(t, err)
		in := bufio.NewReader(c)
		_, err = in.ReadByte()
		require.NoError(t, err)
		return c, in
	}
	long := appendFrame(nil, peerlink.Frame{ID: 1, Kind: askCarryOut, Body: make([]byte, free)})
	first, _ := dial()
	_, err := first.Write(long[:len(long)/2])
	require.NoError(t, err)
	require.False(t, s.bytes.TryAcquire(1), "half of a body takes the memory of all")

	second, in := dial()
	answered := func(f peerlink.Frame) peerlink.Kind {
		go func() { _, _ = second.Write(appendFrame(nil, f)) }()
		f, err := peerlink.ReadFrame(in, maxRequest)
		require.NoError(t, err)
		return f.Kind
	}
	require.Equal(t, busy, answered(peerlink.Frame{ID: 2, Kind: askCarryOut, Body: make([]byte, free)}))
	require.Equal(t, pong, answered(peerlink.Frame{Kind: ping}))
	require.NoError(t, first.Close())
	require.Eventually(t, func() bool {
		return answered(peerlink.Frame{ID: 3, Kind: askIndex, Body: bytesOf(t, new(request).code)}) == replied
	}, 10*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { return s.bytes.TryAcquire(free) }, 10*time.Second, time.Millisecond, "all is given back")
}
