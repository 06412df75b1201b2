package replicated

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"
)

// founding is how the first members begin a desk. An empty folder has one of two reasons: the member is new, or its
// disk was replaced. The member cannot tell which. In the second case the member has forgotten its vote, and the
// entries that it has acknowledged. Its next vote could lose a command that was answered:
//
//	member 1   leads, entry 7 is answered   dies
//	member 2   has entry 7                  its folder is emptied, it votes for 3
//	member 3   is cut off                   leads without entry 7
//
// So a member with an empty folder asks the others of Config.Peers, and takes no message of Raft meanwhile. If
// another member has a state, this member stops. Once this member has seen each other voter without a state, it
// founds the desk.
//
// The voters need not be without a state at the same moment. Suppose this member had once acknowledged an entry. Then
// the leader of that time had the entry before, and has it still, so one of the voters is not without a state. This is
// so unless the folder of that leader was emptied too: then only the other voters can show a state.
//
// A question says that its sender has no state. So once the first two members have seen all others, the others have
// seen those two as well, and a slow member does not meet a desk that was founded without it.
//
// The answer to a question may be lost. By the time of the next question, the others may have founded the desk:
//
//	member 1   asks 2 ──► ◄─x─ no state                            asks 2 again ──► ◄── no state, as before
//	member 2                            founds with 3, has a state
//
// Member 2 had no state when member 1 had none, so member 1 has seen member 2. A member therefore repeats the answer that
// it gave without a state, as long as the asking process is the same. After a restart the folder may have been emptied,
// so the run of a founder is part of the question.
//
// Members that only watch are asked once, since no desk waits for them. They are asked first: the only voter of a
// desk would otherwise forget a state that its watchers still have. No other voter sees this member before that, so
// the state of a watcher is never the state of the desk that is being founded.
type founding struct {
	waits   atomic.Bool
	asked   atomic.Bool // all members that only watch were asked
	run     uint64      // drawn by Open: a member whose folder was emptied has had another one
	mu      sync.Mutex
	without map[string]bool    // IDs of the members that were seen without a state
	told    map[founder]Status // first answers of this member, while it had no state
	more    chan struct{}      // wakes found: without has grown
}

func newFounding() founding {
	return founding{run: rand.Uint64(), without: map[string]bool{}, told: map[founder]Status{}, more: make(chan struct{}, 1)}
}

// answer returns the answer of this member to a founder: its Status now, or the one that the founder should have had.
func (f *founding) answer(by founder, now Status) Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	first, repeated := f.told[by]
	if repeated {
		return first
	}
	if now.stateless() {
		f.told[by] = now
	}
	return now
}

// saw notes that a member has no state.
func (f *founding) saw(id string) {
	f.mu.Lock()
	f.without[id] = true
	f.mu.Unlock()
	notify(f.more)
}

// missing returns the voters of a list that were not yet seen without a state, except this member.
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

// status answers another member with the Status of this one.
func (m *Member) status(_ context.Context, by founder) (Status, error) {
	if by == (founder{}) {
		return m.Status(), nil
	}
	if !m.up.Load() {
		return Status{}, &NotLeaderError{} // this member does not know yet whether it has a state
	}
	s := m.founding.answer(by, m.Status())
	m.founding.saw(by.id)
	if m.founding.waits.Load() && !m.founding.asked.Load() {
		return Status{}, &NotLeaderError{} // this member may still stop, for a watcher with a state
	}
	return s, nil
}

// found founds a desk with its first members, once each voter was seen without a state.
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
	told := false
	for {
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
			told = true
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
		m.fail(fmt.Errorf("the first entry could not be written: %w", err))
	default:
		m.founding.waits.Store(false)
		notify(m.moved)
	}
}

// meet asks a peer whether it has a state. The error says that the peer has one, or that another member is at its
// address. A peer that does not answer is no error.
func (m *Member) meet(p Peer) error {
	ctx, stop := context.WithTimeout(m.life, max(m.config.Election, leastBeat))
	defer stop()
	s, err := m.others(p).status(ctx, founder{m.config.ID, m.founding.run})
	switch {
	case err != nil:
		m.config.Log.Debug("a first member is not there yet", "id", p.ID, "err", err)
	case s.ID != p.ID:
		return fmt.Errorf("Config.Peers: member %q has the address %s, but member %q answers there", p.ID, p.Address, s.ID)
	case !s.stateless():
		return fmt.Errorf("member %q has a state, and this member, %q, has none: Remove %q, open it with the Peers %s, and Add it",
			p.ID, m.config.ID, m.config.ID, strings.Join(m.otherPeers(), " and "))
	default:
		m.founding.saw(p.ID)
	}
	return nil
}

// otherPeers returns the IDs of Config.Peers without this member.
func (m *Member) otherPeers() (ids []string) {
	for _, p := range m.config.Peers {
		if p.ID != m.config.ID {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// asking is how often a first member asks the voters that it has not seen.
const asking = 100 * time.Millisecond
