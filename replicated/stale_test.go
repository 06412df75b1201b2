package replicated

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// slow is a transport that can hold back the answers to heartbeats.
type slow struct {
	*raft.InmemTransport
	mu   sync.Mutex
	gate chan struct{}
}

func (s *slow) AppendEntries(id raft.ServerID, to raft.ServerAddress, q *raft.AppendEntriesRequest, a *raft.AppendEntriesResponse) error {
	err := s.InmemTransport.AppendEntries(id, to, q, a)
	s.mu.Lock()
	gate := s.gate
	s.mu.Unlock()
	if gate != nil {
		<-gate
	}
	return err
}

func (s *slow) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = make(chan struct{})
}

func (s *slow) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.gate)
	s.gate = nil
}

// A leader that was just replaced gets an old answer. Raft takes the answer for a new one; a linearizable read does
// not.
func TestAnswerFromBefore(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		by := map[string]*slow{}
		w.wrap = func(id string, t *raft.InmemTransport) raft.Transport {
			by[id] = &slow{InmemTransport: t}
			return by[id]
		}
		w.start()
		ctx := within(t, time.Hour)
		old := w.leader()
		_, err := old.Do(ctx, line)
		require.NoError(t, err)
		time.Sleep(time.Second)

		id := old.config.ID
		by[id].hold()
		time.Sleep(250 * time.Millisecond) // each peer has answered a heartbeat by now
		w.cut(id)
		next := w.other(old)
		err = w.at[next.config.ID].TimeoutNow("", next.lease.LocalAddr(), &raft.TimeoutNowRequest{RPCHeader: raft.RPCHeader{ProtocolVersion: 3, Addr: next.lease.EncodePeer("", next.lease.LocalAddr())}}, &raft.TimeoutNowResponse{})
		require.NoError(t, err)
		time.Sleep(20 * time.Millisecond)
		_, err = next.Do(ctx, booking("new"))
		require.NoError(t, err)
		require.Equal(t, raft.Leader, old.raft.State(), "it has not heard of that")

		var both sync.WaitGroup
		both.Go(func() {
			if old.raft.VerifyLeader().Error() != nil {
				t.Error("Raft has become careful: the Lease may go")
			}
		})
		both.Go(func() {
			short, stop := context.WithTimeout(ctx, 5*time.Second)
			defer stop()
			v, err := old.Read(short, Linearizable)
			if err == nil {
				_, err = v.ByKey("new")
				assertNoError(t, err)
			}
		})
		time.Sleep(10 * time.Millisecond)
		by[id].release()
		both.Wait()
	})
}
