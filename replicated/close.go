package replicated

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/raft"
)

// Close ends the member. A leader hands leadership over first. Calls under way end with an error; answered commands
// are on the disk. Close waits for a disk that hangs, and for a Config.Applied that does not return, but only for 20
// Config.Election, and 10 s at least. After that the error wraps ErrHangs, with the part that Close waits for. The
// rest of the member ends once that part does.
func (m *Member) Close() error {
	m.end(true)
	<-m.ended
	return m.endErr
}

// end starts the end of the member, once. handOver says whether a leader tries to hand leadership over.
func (m *Member) end(handOver bool) {
	m.ending.Do(func() {
		m.stop()
		go func() {
			defer close(m.ended)
			m.endErr = m.shutdown(handOver)
		}()
	})
}

// shutdown waits for the end of all parts, but not for ever:
//
//	takeDown ├── hands over, waits for futures ── Raft ── network ── routines ── disk ──┤
//	                                    │                  │
//	                                    patience           patience
//	                                    futures are        Close returns
//	                                    given up
func (m *Member) shutdown(handOver bool) error {
	done := make(chan error, 1)
	go func() { done <- m.takeDown(handOver) }()
	limit := time.NewTimer(5 * patience(m.config.Election))
	defer limit.Stop()
	select {
	case err := <-done:
		return err
	case <-limit.C:
	}
	hangs := fmt.Errorf("%w: Close waits for %v", ErrHangs, m.doing.Load())
	m.config.Log.Warn("the member does not end", "id", m.config.ID, "err", hangs)
	m.abandon()
	limit.Reset(5 * patience(m.config.Election))
	select {
	case err := <-done:
		return err
	case <-limit.C:
	}
	return fmt.Errorf("%w: Close waits for %v", ErrHangs, m.doing.Load())
}

// takeDown ends all parts. A part ends before the parts that it needs. Raft does not answer futures after its
// shutdown, so all futures must be answered before: a leader that reaches no majority steps down soon, and that
// answers its futures. Futures that stay unanswered are given up.
func (m *Member) takeDown(handOver bool) error {
	m.doing.Store("the disk")
	m.markDiverged()
	m.doing.Store("another member to lead")
	if handOver && m.isLeader() && m.voters() > 1 {
		err := m.await(context.Background(), func() error { return m.raft.LeadershipTransfer().Error() })
		if err != nil {
			m.config.Log.Info("leadership is not handed over", "err", err)
		}
	}
	m.doing.Store("the answers to calls under way")
	m.propose.close()
	m.mu.Lock()
	m.refusesFutures = true
	m.mu.Unlock()
	m.answered()
	m.doing.Store("Raft, which writes to the disk or carries an entry out")
	err := m.raft.Shutdown().Error()
	m.config.Metrics.State(stateName(raft.Shutdown), m.raft.CurrentTerm())
	m.doing.Store("the network")
	err = errors.Join(err, m.disconnect())
	m.doing.Store("work in the background")
	m.routines.Wait()
	m.machine.close()
	m.doing.Store("the disk")
	return errors.Join(err, m.disk.close())
}

// markDiverged keeps an ErrDiverged of this member on the disk: it must not start again over its folder.
func (m *Member) markDiverged() {
	var d *divergedError
	if !errors.As(m.cause(), &d) {
		return
	}
	err := writeDiverged(m.disk.stable, d)
	if err != nil {
		m.config.Log.Warn("the member may start again with its state, which is not that of the others", "id", m.config.ID, "err", err)
	}
}

// answered waits until all futures are answered or given up.
func (m *Member) answered() {
	done := make(chan struct{})
	go func() {
		m.futures.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-m.abandoned:
	}
}

// await makes a call of Raft, which knows no context, and waits for its end or for the end of ctx. The error wraps
// ErrUnknown if ctx ends first, or if the call is given up.
func (m *Member) await(ctx context.Context, call func() error) error {
	if !m.begin() {
		return m.refusalOr(ErrClosed)
	}
	done := make(chan error, 1)
	go func() {
		defer m.futures.Done()
		done <- call()
	}()
	select {
	case err := <-done:
		return err
	case <-m.abandoned:
		return unknown(m.refusalOr(ErrClosed))
	case <-ctx.Done():
		return unknown(ctx.Err())
	}
}

// begin reports whether a future may start. If so, the caller must call futures.Done once the future is answered.
func (m *Member) begin() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refusesFutures {
		return false
	}
	m.futures.Add(1)
	return true
}

func (m *Member) disconnect() error {
	if m.disconnected == nil {
		return nil
	}
	return m.disconnected()
}
