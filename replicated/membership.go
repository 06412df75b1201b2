package replicated

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/raft"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Status returns the state of the member, without waiting.
func (m *Member) Status() Status {
	if !m.up.Load() {
		return Status{ID: m.config.ID, State: stateName(raft.Follower)}
	}
	s := Status{
		ID: m.config.ID, Desk: m.deskID(), State: stateName(m.raft.State()), Leader: m.notLeader().Leader, Term: m.raft.CurrentTerm(),
		Applied: m.machine.applied(), Last: m.raft.LastIndex(), Full: m.full.Load(), Hangs: m.diskHangs(), Sealed: m.snapshotter.hasSealed(m),
	}
	for _, p := range m.servers() {
		s.Peers = append(s.Peers, peerOf(p))
	}
	s.Doubt = m.machine.doubt()
	s.Err = m.cause()
	return s
}

func stateName(s raft.RaftState) string { return strings.ToLower(s.String()) }

// servers returns the members by the last configuration in the log, committed or not.
func (m *Member) servers() []raft.Server { return m.raft.GetConfiguration().Configuration().Servers }

func peerOf(s raft.Server) Peer {
	return Peer{ID: string(s.ID), Address: string(s.Address), Watches: s.Suffrage != raft.Voter}
}

// find returns the member with an ID.
func (m *Member) find(id string) (raft.Server, bool) {
	list := m.servers()
	i := slices.IndexFunc(list, func(s raft.Server) bool { return s.ID == raft.ServerID(id) })
	if i < 0 {
		return raft.Server{}, false
	}
	return list[i], true
}

// electors returns the IDs of the voters.
func (m *Member) electors() (ids []string) {
	for _, s := range m.servers() {
		if s.Suffrage == raft.Voter {
			ids = append(ids, string(s.ID))
		}
	}
	return ids
}

// voters returns the number of voters: the members that count for a majority.
func (m *Member) voters() int { return len(m.electors()) }

// notLeader returns an error that names the leader. While this member gives way, the error does not name it.
func (m *Member) notLeader() *NotLeaderError {
	address, id := m.raft.LeaderWithID()
	if string(id) == m.config.ID && m.stepsAside() {
		return &NotLeaderError{}
	}
	return &NotLeaderError{Leader: Peer{ID: string(id), Address: string(address)}}
}

// Add makes a peer a member. The peer may be started before or after Add. The leader sends it the state; once the
// peer has the state, it becomes a voter, unless it only watches. A peer that is a member already gets its new
// address, or becomes a voter. Add returns when that is done. The error wraps bookahead.ErrInvalid if the member at
// the address has another ID, or keeps another desk. If ctx ends first, the peer only watches; call Add again.
func (m *Member) Add(ctx context.Context, p Peer) error {
	return m.ask(ctx, func(l leaderAPI) error { return l.add(ctx, p) })
}

// add makes the peer a watcher first, and a voter once it has the state: a voter without the state would make
// majorities wait.
func (m *Member) add(ctx context.Context, p Peer) error {
	switch {
	case p.ID == "":
		return limits.Invalid("Peer.ID", p.ID, "is empty")
	case p.Address == "":
		return limits.Invalid("Peer.Address", p.Address, "is empty")
	}
	err := m.leading()
	if err != nil {
		return err
	}
	id, address := raft.ServerID(p.ID), raft.ServerAddress(p.Address)
	err = m.hasAddress(p)
	if err != nil {
		return err
	}
	known, ok := m.find(p.ID)
	err = m.suits(ctx, p, ok)
	if err != nil {
		return err
	}
	if ok && known.Suffrage == raft.Voter {
		return m.reconfigure(ctx, func(wait time.Duration) raft.IndexFuture { return m.raft.AddVoter(id, address, 0, wait) })
	}
	err = m.reconfigure(ctx, func(wait time.Duration) raft.IndexFuture { return m.raft.AddNonvoter(id, address, 0, wait) })
	if err != nil || p.Watches {
		return err
	}
	m.lease.Forget(id)
	m.readyAlone.Store(false)
	err = m.hasCaughtUp(ctx, id)
	if err != nil {
		return err
	}
	return m.reconfigure(ctx, func(wait time.Duration) raft.IndexFuture { return m.raft.AddVoter(id, address, 0, wait) })
}

// hasAddress returns an error if another member has the address of a peer.
func (m *Member) hasAddress(p Peer) error {
	for _, s := range m.servers() {
		if string(s.Address) == p.Address && string(s.ID) != p.ID {
			return limits.Invalid("Peer.Address", p.Address, fmt.Sprintf("is the address of member %q", s.ID))
		}
	}
	return nil
}

// suits asks a peer that is running who it is. The error says that the peer has another ID, or keeps another desk.
func (m *Member) suits(ctx context.Context, p Peer, isMember bool) error {
	if m.others == nil || p.ID == m.config.ID {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, max(m.config.Election, leastBeat))
	defer stop()
	s, err := m.others(p).status(ctx, bootstrapper{})
	switch {
	case err != nil:
		return nil // the peer may come later; it takes no message of another desk
	case s.ID != p.ID:
		return limits.Invalid("Peer.ID", p.ID, fmt.Sprintf("is not the ID of the member at %s: that is %q", p.Address, s.ID))
	case s.Desk != "" && s.Desk != m.deskID(), s.Desk == "" && s.Last > 0 && !isMember:
		return limits.Invalid("Peer.ID", p.ID, "keeps another desk: open it over an empty folder, with members of this desk as its Peers")
	}
	return nil
}

// hasCaughtUp waits until a peer has all entries that were in the log at most one election ago.
func (m *Member) hasCaughtUp(ctx context.Context, id raft.ServerID) error {
	for {
		last := m.raft.LastIndex()
		until := time.Now().Add(m.config.Election)
		for time.Now().Before(until) {
			err := m.leading()
			if err != nil {
				return err
			}
			if m.lease.Last(id) >= last {
				return nil
			}
			select {
			case <-time.After(m.config.Election / 50):
			case <-ctx.Done():
				return fmt.Errorf("replicated: %q has not caught up yet, and only watches: add it again: %w", id, ctx.Err())
			}
		}
	}
}

// Remove ends the membership of a peer, which may be running or not.
func (m *Member) Remove(ctx context.Context, id string) error {
	return m.ask(ctx, func(l leaderAPI) error { return l.remove(ctx, id) })
}

func (m *Member) remove(ctx context.Context, id string) error {
	err := m.leading()
	if err != nil {
		return err
	}
	known, ok := m.find(id)
	switch {
	case !ok:
		return fmt.Errorf("replicated: no member is %q: %w", id, bookahead.ErrNotFound)
	case known.Suffrage == raft.Voter && m.voters() == 1:
		return limits.Invalid("member", id, "is the last voter")
	}
	return m.reconfigure(ctx, func(wait time.Duration) raft.IndexFuture {
		return m.raft.RemoveServer(raft.ServerID(id), 0, wait)
	})
}

// reconfigure changes the list of members, and waits until a majority has the new list.
func (m *Member) reconfigure(ctx context.Context, change func(wait time.Duration) raft.IndexFuture) error {
	err := m.await(ctx, func() error { return change(10 * m.config.Election).Error() })
	switch {
	case err == nil, errors.Is(err, ErrUnknown), errors.Is(err, ErrClosed), errors.Is(err, ErrStopped):
		return err
	}
	return m.outcomeOf(err)
}

// Transfer makes another member the leader. With an empty id, it is any voter that is up to date.
func (m *Member) Transfer(ctx context.Context, id string) error {
	var lost error // a transfer whose answer was lost is not repeated: it would move the lead twice
	err := m.ask(ctx, func(l leaderAPI) error {
		err := l.transfer(ctx, id)
		if errors.Is(err, ErrUnknown) {
			lost, err = err, nil
		}
		return err
	})
	return cmp.Or(err, lost)
}

func (m *Member) transfer(ctx context.Context, id string) error {
	err := m.leading()
	if err != nil {
		return err
	}
	to, ok := m.find(id)
	switch {
	case id == m.config.ID:
		return nil
	case id != "" && !ok:
		return fmt.Errorf("replicated: no member is %q: %w", id, bookahead.ErrNotFound)
	case id != "" && to.Suffrage != raft.Voter:
		return limits.Invalid("member", id, "only watches")
	case id == "" && m.voters() == 1:
		return limits.Invalid("member", id, "names no member, and there is no other voter")
	}
	err = m.await(ctx, func() error {
		if id == "" {
			return m.raft.LeadershipTransfer().Error()
		}
		return m.raft.LeadershipTransferToServer(to.ID, to.Address).Error()
	})
	if errors.Is(err, raft.ErrNotLeader) {
		return m.notLeader()
	}
	if err != nil && !errors.Is(err, ErrUnknown) {
		return fmt.Errorf("replicated: leadership is not handed over: %w", err)
	}
	return err
}

// Snapshot writes a snapshot on this member now.
func (m *Member) Snapshot(ctx context.Context) error {
	err := m.refusal()
	if err != nil {
		return err
	}
	return m.snapshotter.writeNow(ctx, m)
}

// Seal prepares an upgrade to a newer version. Each member writes a snapshot of the same state, and refuses commands
// from then on, until the newer version has started on it. Unseal lets this version go on instead. Seal returns once
// this member has its snapshot; the Status of each other member has Sealed once that member has its own. After an error the state
// may be sealed nevertheless: call again. It is an error if another caller unseals the state meanwhile.
func (m *Member) Seal(ctx context.Context) error {
	a := m.send(ctx, call{op: seal})
	if a.err != nil && !errors.Is(a.err, ErrSealed) {
		return a.err
	}
	err := m.catchUp(ctx) // the state here may be that of an earlier Seal, whose Unseal has not arrived
	if err != nil {
		return err
	}
	return m.snapshotter.awaitSealed(ctx, m)
}

// Unseal ends a Seal. It confirms the clock as ConfirmClock does, since the clock stood still while the state was
// sealed.
func (m *Member) Unseal(ctx context.Context) error { return m.send(ctx, call{op: unseal}).err }
