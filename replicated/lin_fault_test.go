package replicated

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// linFaults are mistakes that members could make. Histories must find them: otherwise TestLinearizable would show
// nothing. Each mistake is made in the world around the members, so the members need no hooks for it.
var linFaults = map[string]func(*play){
	"a follower reads without asking the leader": func(p *play) {
		p.w.between = func(from, to string, l leaderAPI) leaderAPI { return unasked{forwarded{l, from, to, p.net}} }
	},
	"a leader that was replaced takes itself for confirmed": func(p *play) {
		p.w.wrap = func(id string, t *raft.InmemTransport) raft.Transport { return liar{lossy{t, id, p.net}, false} }
	},
	"an answer comes before the commit": func(p *play) {
		p.w.wrap = func(id string, t *raft.InmemTransport) raft.Transport { return liar{lossy{t, id, p.net}, true} }
	},
	"the snapshot has no sessions": func(p *play) {
		p.lenient = true
		p.w.disk = forgetting(func(m *image) { m.sessions, m.count = newSessionTable(), 0 })
	},
	"the snapshot has no last answers": func(p *play) {
		p.lenient = true
		p.w.disk = forgetting(func(m *image) {
			for s := range m.sessions.all {
				s.number, s.answer = s.number-min(1, s.number), &keptAnswer{}
			}
		})
	},
}

// unasked is a leader that always claims to have carried out nothing new.
type unasked struct{ forwarded }

func (unasked) readIndex(context.Context) (uint64, error) { return 0, nil }

// liar is a transport that answers for a peer that a message has not reached. If it answers to entries, the leader
// takes them for committed. If it answers to heartbeats, the leader takes itself for confirmed.
//
// Histories do not find one mistake: a leader that asks nobody, such as a read with Leading in the place of
// Linearizable. The lease of Raft ends before the next election can end, as long as all clocks run alike, and in
// virtual time they do. TestAnswerFromBefore builds a case in which a lease is not enough.
type liar struct {
	lossy
	toEntries bool
}

func (l liar) AppendEntries(id raft.ServerID, to raft.ServerAddress, q *raft.AppendEntriesRequest, a *raft.AppendEntriesResponse) error {
	err := l.lossy.AppendEntries(id, to, q, a)
	if !errors.Is(err, errLost) || len(q.Entries) > 0 != l.toEntries {
		return err
	}
	*a = raft.AppendEntriesResponse{Term: q.Term, Success: true, LastLog: q.PrevLogEntry + uint64(len(q.Entries))}
	return nil
}

// forgetting makes disks whose snapshots are read without a part of their state.
func forgetting(forget func(*image)) func(*disk) *disk {
	return func(d *disk) *disk {
		d.snaps = forgetful{d.snaps, forget}
		return d
	}
}

// forgetful is a store of snapshots that are read without a part of their state.
type forgetful struct {
	raft.SnapshotStore
	forget func(*image)
}

func (f forgetful) Open(id string) (*raft.SnapshotMeta, io.ReadCloser, error) {
	meta, from, err := f.SnapshotStore.Open(id)
	if err != nil {
		return nil, nil, err
	}
	m, err := readImage(from, linConfig.Desk, Version)
	if err != nil {
		return nil, nil, err
	}
	f.forget(m)
	var to bytes.Buffer
	n, err := m.write(&to, true)
	other := *meta
	other.Size = n
	return &other, io.NopCloser(&to), err
}

// TestHistoriesFindFaults plays histories until one shows the fault.
func TestHistoriesFindFaults(t *testing.T) {
	const seeds = 300
	for name, fault := range linFaults {
		t.Run(name, func(t *testing.T) {
			for seed := *firstSeed; seed < *firstSeed+seeds; seed++ {
				var p *play
				inBubble(t, 3, linConfig, func(t *testing.T, w *world) {
					p = newPlay(w, seed, true)
					fault(p)
					p.run(t, seed, disturb)
				})
				err := p.check()
				if err != nil {
					t.Logf("found by the history of seed %d", seed)
					require.ErrorContains(t, err, "Illegal")
					return
				}
			}
			require.Fail(t, "not found", "by %d histories from seed %d on", seeds, *firstSeed)
		})
	}
}
