package replicated

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"
)

// founding is how first members begin a desk. A member with an empty folder is one of them, or its disk was replaced, and it
// cannot tell which. In the second case it has forgotten its vote, and which entries it has said to have. If it voted again,
// a command that was answered could be lost:
//
//	member 1   leads, entry 7 is answered   dies
//	member 2   has entry 7                  its folder is emptied, it votes for 3
//	member 3   is cut off                   leads without entry 7
//
// So it asks the others of Config.Peers, and takes no message of Raft meanwhile. If one of them has a state, the member
// stops. Once each voter was seen without one, it founds the desk. Voters need not be without one at the same time: if this member
// had ever said to have an entry, the leader of then would have it, and would have it still.
//
// Whoever asks says that it has no state itself. So when the first two members have seen all others, these have seen them,
// and a member that is slow does not meet a desk that was founded without it.
//
// Those that only watch are asked once, since no desk waits for them: the only voter of a desk would else forget what they know.
// No other voter sees this one before that, so the state that they have is never that of the desk that is founded now.
type founding struct {
	waits   atomic.Bool
	asked   atomic.Bool // those that watch were asked
	mu      sync.Mutex
	without map[string]bool // IDs of members that were seen without a state
	more    chan struct{}   // is told of another one
}

func newFounding() founding {
	return founding{without: map[string]bool{}, more: make(chan struct{}, 1)}
}

// saw notes a member that has no state.
func (f *founding) saw(id string) {
	f.mu.Lock()
	f.without[id] = true
	f.mu.Unlock()
	notify(f.more)
}

// missing returns those of some members that were not seen yet without a state.
func (f *founding) missing(self string, list []raft.Server) (missing []Peer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range list {
		if s.Suffrage == raft.Voter && string(s.ID) != self && !f.without[string(s.ID)] {
			missing = append(missing, peerOf(s))
		}
	}
	return missing
}

// stateless reports whether a member has no state. Entry 1 has the first members, which have it before anything is
// answered.
func (s *Status) stateless() bool { return s.Desk == "" && s.Last <= 1 }

// status returns the Status to another member. If that waits to found a desk, founder is its ID, and it has no state.
func (m *Member) status(_ context.Context, founder string) (Status, error) {
	if founder != "" {
		if !m.up.Load() {
			return Status{}, &NotLeaderError{} // nobody knows yet whether there is a state
		}
		m.founding.saw(founder)
		if m.founding.waits.Load() && !m.founding.asked.Load() {
			return Status{}, &NotLeaderError{} // it may stop yet
		}
	}
	return m.Status(), nil
}

// found founds a desk with its first members, when all that vote are there.
func (m *Member) found(first []raft.Server) {
	again := time.NewTicker(asking)
	defer again.Stop()
	for _, s := range first {
		if s.Suffrage == raft.Voter {
			continue
		}
		err := m.meet(peerOf(s))
		if err != nil {
			m.fail(err)
			return
		}
	}
	m.founding.asked.Store(true)
	for told := false; ; told = true {
		missing := m.founding.missing(m.config.ID, first)
		if len(missing) == 0 {
			break
		}
		for _, p := range missing {
			err := m.meet(p)
			if err != nil {
				m.fail(err)
				return
			}
		}
		missing = m.founding.missing(m.config.ID, first)
		if len(missing) == 0 {
			break
		}
		if !told {
			m.config.Log.Info("the first start waits for all voters of Config.Peers", "id", m.config.ID, "missing", missing)
		}
		select {
		case <-m.closing:
			return
		case <-m.founding.more:
		case <-again.C:
		}
	}
	err := m.await(m.life, func() error { return m.raft.BootstrapCluster(raft.Configuration{Servers: first}).Error() })
	switch {
	case m.life.Err() != nil:
	case err != nil:
		m.fail(fmt.Errorf("the first entry is not written: %w", err))
	default:
		m.founding.waits.Store(false)
		notify(m.moved)
	}
}

// meet asks a peer whether it has a state. The error says that it has, or that another member is at its address.
func (m *Member) meet(p Peer) error {
	ctx, stop := context.WithTimeout(m.life, max(m.config.Election, leastBeat))
	defer stop()
	s, err := m.others(p).status(ctx, m.config.ID)
	switch {
	case err != nil:
		m.config.Log.Debug("a first member is not there yet", "id", p.ID, "err", err)
	case s.ID != p.ID:
		return fmt.Errorf("Config.Peers: the address of %q, %s, is that of member %q", p.ID, p.Address, s.ID)
	case !s.stateless():
		return fmt.Errorf("member %q has a state, and this one, %q, has none: Remove %q, open it with Peers that are %s, and Add it",
			p.ID, m.config.ID, m.config.ID, strings.Join(m.otherPeers(), " and "))
	default:
		m.founding.saw(p.ID)
	}
	return nil
}

// otherPeers returns the IDs in Config.Peers but that of this member.
func (m *Member) otherPeers() (ids []string) {
	for _, p := range m.config.Peers {
		if p.ID != m.config.ID {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// asking is how often a first member asks for those that it has not seen.
const asking = 100 * time.Millisecond
