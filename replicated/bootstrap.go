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

// bootstrap is how the first members begin a desk. An empty folder has one of two reasons: the member is new, or its
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
// so the run of a bootstrapper is part of the question.
//
// Members that only watch are asked once, since no desk waits for them. They are asked first: the only voter of a
// desk would otherwise forget a state that its watchers still have. No other voter sees this member before that, so
// the state of a watcher is never the state of the desk that is being founded.
type bootstrap struct {
	waits         atomic.Bool
	watchersAsked atomic.Bool // all members that only watch were asked
	run           uint64      // drawn by Open: a member whose folder was emptied has had another one
	mu            sync.Mutex
	empty         map[string]bool         // IDs of the members that were seen without a state
	firstAnswers  map[bootstrapper]Status // first answers of this member, while it had no state
	more          chan struct{}           // wakes runBootstrap: empty has grown
}

func newBootstrap() bootstrap {
	return bootstrap{run: rand.Uint64(), empty: map[string]bool{}, firstAnswers: map[bootstrapper]Status{}, more: make(chan struct{}, 1)}
}

// answer returns the answer of this member to a bootstrapper: its Status now, or the one that the bootstrapper should have had.
func (f *bootstrap) answer(by bootstrapper, now Status) Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	first, repeated := f.firstAnswers[by]
	if repeated {
		return first
	}
	if now.stateless() {
		f.firstAnswers[by] = now
	}
	return now
}

// sawEmpty notes that a member has no state.
func (f *bootstrap) sawEmpty(id string) {
	f.mu.Lock()
	f.empty[id] = true
	f.mu.Unlock()
	notify(f.more)
}

// missing returns the voters of a list that were not yet seen without a state, except this member.
func (f *bootstrap) missing(self string, list []raft.Server) (missing []Peer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range list {
		if s.Suffrage == raft.Voter && string(s.ID) != self && !f.empty[string(s.ID)] {
			missing = append(missing, peerOf(s))
		}
	}
	return missing
}

// status answers another member with the Status of this one.
func (m *Member) status(_ context.Context, by bootstrapper) (Status, error) {
	if by == (bootstrapper{}) {
		return m.Status(), nil
	}
	if !m.up.Load() {
		return Status{}, &NotLeaderError{} // this member does not know yet whether it has a state
	}
	s := m.bootstrap.answer(by, m.Status())
	m.bootstrap.sawEmpty(by.id)
	if m.bootstrap.waits.Load() && !m.bootstrap.watchersAsked.Load() {
		return Status{}, &NotLeaderError{} // this member may still stop, for a watcher with a state
	}
	return s, nil
}

// runBootstrap founds a desk with its first members, once each voter was seen without a state.
func (m *Member) runBootstrap(first []raft.Server) {
	again := time.NewTicker(askEvery)
	defer again.Stop()
	for _, s := range first {
		if s.Suffrage == raft.Voter {
			continue
		}
		err := m.askPeer(peerOf(s))
		if err != nil {
			m.fail(err)
			return
		}
	}
	m.bootstrap.watchersAsked.Store(true)
	told := false
	for {
		missing := m.bootstrap.missing(m.config.ID, first)
		if len(missing) == 0 {
			break
		}
		for _, p := range missing {
			err := m.askPeer(p)
			if err != nil {
				m.fail(err)
				return
			}
		}
		missing = m.bootstrap.missing(m.config.ID, first)
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
		case <-m.bootstrap.more:
		case <-again.C:
		}
	}
	err := m.await(m.life, func() error { return m.raft.BootstrapCluster(raft.Configuration{Servers: first}).Error() })
	switch {
	case m.life.Err() != nil:
	case err != nil:
		m.fail(fmt.Errorf("the first entry could not be written: %w", err))
	default:
		m.bootstrap.waits.Store(false)
		notify(m.membersChanged)
	}
}

// askPeer asks a peer whether it has a state. The error says that the peer has one, or that another member is at its
// address. A peer that does not answer is no error.
func (m *Member) askPeer(p Peer) error {
	ctx, stop := context.WithTimeout(m.life, max(m.config.Election, leastBeat))
	defer stop()
	s, err := m.others(p).status(ctx, bootstrapper{m.config.ID, m.bootstrap.run})
	switch {
	case err != nil:
		m.config.Log.Debug("a first member is not there yet", "id", p.ID, "err", err)
	case s.ID != p.ID:
		return fmt.Errorf("Config.Peers: member %q has the address %s, but member %q answers there", p.ID, p.Address, s.ID)
	case !s.stateless():
		return fmt.Errorf("member %q has a state, and this member, %q, has none: Remove %q, open it with the Peers %s, and Add it",
			p.ID, m.config.ID, m.config.ID, strings.Join(m.otherPeers(), " and "))
	default:
		m.bootstrap.sawEmpty(p.ID)
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

// askEvery is how often a first member asks the voters that it has not seen.
const askEvery = 100 * time.Millisecond
