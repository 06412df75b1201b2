package replicated

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/desk"
)

// In all benchmarks, each booking takes one unit of a large pool for a while, at its earliest place.
var benchLine = desk.AddSchedule{Name: "line", Kind: desk.Pool{Units: 1000}}

var benchBook = desk.Book{Request: desk.Request{Owner: "ann", Shapes: []desk.Shape{{{On: "line", Units: 1, Duration: 100}}}}}

// benchCommand returns a command of batch bookings.
func benchCommand(batch int) desk.Command {
	if batch == 1 {
		return benchBook
	}
	var c desk.Batch
	for range batch {
		c.Commands = append(c.Commands, benchBook)
	}
	return c
}

// BenchmarkBook books b.N times. Each caller waits for an answer before its next call. log=none is the desk alone,
// under the same load.
func BenchmarkBook(b *testing.B) {
	for _, batch := range []int{1, 64} {
		for _, callers := range []int{1, 64, 1024} {
			b.Run(fmt.Sprintf("log=none/members=0/callers=%d/batch=%d", callers, batch), func(b *testing.B) {
				d, err := desk.New(desk.Config{})
				require.NoError(b, err)
				_, err = d.Do(benchLine)
				require.NoError(b, err)
				command := benchCommand(batch)
				measure(b, "bookings/s", callers, batch, func() error {
					_, err := d.Do(command)
					return err
				})
			})
			for _, members := range []int{1, 3} {
				b.Run(fmt.Sprintf("log=fsync/members=%d/callers=%d/batch=%d", members, callers, batch), func(b *testing.B) {
					m := openBench(b, members)
					ctx := b.Context()
					_, err := m.Do(ctx, benchLine)
					require.NoError(b, err)
					command := benchCommand(batch)
					measure(b, "bookings/s", callers, batch, func() error {
						_, err := m.Do(ctx, command)
						return err
					})
				})
			}
		}
	}
}

// openBench opens members on disks, and returns the leader. Several members are connected by TCP.
func openBench(b *testing.B, members int) *Member {
	c := Config{Dir: b.TempDir(), Log: mute}
	if members == 1 {
		m, err := Open(c)
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, m.Close()) })
		return m
	}
	c.Peers = freePeers(b, members)
	var list []*Member
	for _, p := range c.Peers {
		c.ID, c.Bind, c.Dir = p.ID, p.Address, b.TempDir()
		m, err := Open(c)
		require.NoError(b, err)
		b.Cleanup(func() { _ = m.Close() })
		list = append(list, m)
	}
	ctx, stop := context.WithTimeout(b.Context(), time.Minute)
	defer stop()
	for ctx.Err() == nil {
		for _, m := range list {
			if m.Status().State == "leader" {
				_, err := m.Read(ctx, Linearizable)
				require.NoError(b, err)
				return m
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	require.NoError(b, ctx.Err())
	return nil
}

// measure books until b.N bookings are made, batch bookings a call. It reports the bookings a second, and the time of
// the calls.
func measure(b *testing.B, unit string, callers, batch int, call func() error) {
	b.Helper()
	calls := (b.N + batch - 1) / batch
	took := make([]time.Duration, calls)
	next := atomic.Int64{}
	var group sync.WaitGroup
	for range 2 * callers { // opens the sessions before the clock runs
		group.Go(func() { _ = call() })
	}
	group.Wait()
	b.ResetTimer()
	for range callers {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= calls {
					return
				}
				begun := time.Now()
				err := call()
				took[i] = time.Since(begun)
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(calls*batch)/b.Elapsed().Seconds(), unit)
	for _, p := range []struct {
		name string
		of   float64
	}{{"p50-ns", 0.5}, {"p99-ns", 0.99}, {"p99.9-ns", 0.999}} {
		b.ReportMetric(float64(took[min(calls-1, int(p.of*float64(calls)))]), p.name)
	}
}

// BenchmarkRead reads b.N times from a desk of 10 000 bookings.
func BenchmarkRead(b *testing.B) {
	for _, members := range []int{1, 3} {
		for _, f := range []struct {
			name string
			Freshness
		}{{"linearizable", Linearizable}, {"leading", Leading}, {"local", Local}} {
			for _, callers := range []int{1, 64} {
				if callers > 1 && f.Freshness != Linearizable {
					continue // readers that never wait would leave the leader no time for its heartbeats
				}
				b.Run(fmt.Sprintf("members=%d/fresh=%s/callers=%d", members, f.name, callers), func(b *testing.B) {
					m := openBench(b, members)
					fill(b, m, 10_000)
					measure(b, "reads/s", callers, 1, func() error {
						_, err := m.Read(b.Context(), f.Freshness)
						return err
					})
				})
			}
		}
	}
}

// fill makes n bookings.
func fill(tb testing.TB, m *Member, n int) {
	ctx := context.Background()
	_, err := m.Do(ctx, benchLine)
	require.NoError(tb, err)
	command := benchCommand(1000)
	var group sync.WaitGroup
	next := atomic.Int64{}
	for range 8 {
		group.Go(func() {
			for next.Add(1000) <= int64(n) {
				_, err := m.Do(ctx, command)
				if err != nil {
					tb.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}

// stops is a Metrics that notes how long snapshots take.
type stops struct {
	silent
	mu            sync.Mutex
	bytes         int64
	took, stopped time.Duration
}

func (s *stops) Snapshot(bytes int64, took, stopped time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes, s.took, s.stopped = bytes, took, stopped
}

// BenchmarkSnapshot writes a snapshot of a million bookings while callers go on booking. It reports for which share
// of the time of the snapshot the callers were stopped. BenchmarkRestore reads such a snapshot.
func BenchmarkSnapshot(b *testing.B) {
	const n = 1_000_000
	told := &stops{}
	m, err := Open(Config{Dir: b.TempDir(), Log: mute, Metrics: told, SnapshotEvery: 1 << 40})
	require.NoError(b, err)
	defer func() { require.NoError(b, m.Close()) }()
	fill(b, m, n)
	ctx := b.Context()
	var took, stopped time.Duration
	for b.Loop() {
		done := make(chan struct{})
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
						_, err := m.Do(ctx, benchBook)
						if err != nil {
							b.Error(err)
							return
						}
					}
				}
			})
		}
		err := m.Snapshot(ctx)
		close(done)
		group.Wait()
		require.NoError(b, err)
		took, stopped = took+told.took, stopped+told.stopped
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(told.bytes), "bytes")
	b.ReportMetric(took.Seconds()/float64(b.N), "write-s")
	b.ReportMetric(100*stopped.Seconds()/took.Seconds(), "%stopped")
}
