package replicated

import (
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"
)

// watchdog are the writes to the log and to the vote. Raft writes in its main goroutine, and sends heartbeats from
// others. So a leader whose disk hangs would keep the lead, and carry nothing out:
//
//	main goroutine   entry 7 ├──────────── the disk hangs ─── …
//	heartbeats       ♥  ♥  ♥  ♥  ♥  ♥  ♥  ♥  ♥  ♥  ♥  ♥  ♥  … so the others elect nobody
//
// A member therefore gives way while a write is late. It sends no entries and no heartbeats, and asks for no votes,
// so the others elect another leader. It grants no votes either, since its main goroutine waits for the disk. Once
// the write returns, the member takes part again.
type watchdog struct {
	m            *Member
	late         atomic.Int64 // writes that have been under way for longer than patience
	steppedAside broadcast    // each time the member begins to give way
}

// patience is how long a write may take before it is late. The others need about two elections to find another
// leader, so a leader that gave way sooner would lose more time than it saves. Below leastBeat a busy machine looks
// like a disk that hangs.
func patience(election time.Duration) time.Duration { return 2 * max(election, leastBeat) }

// run runs a write. It counts the write as late while the write takes longer than patience.
func (w *watchdog) run(write func() error) error {
	begun := time.Now()
	watch := time.AfterFunc(patience(w.m.config.Election), w.onLate)
	err := write()
	inTime := watch.Stop()
	if inTime {
		return err
	}
	if !w.m.onlyVoter.Load() {
		w.m.ready.Store(0) // another member may have led meanwhile: a majority must confirm this one before it answers as the leader
	}
	w.late.Add(-1)
	w.m.config.Log.Info("a write to the disk has returned", "took", time.Since(begun), "err", err)
	w.m.change.tell()
	return err
}

// onLate counts a write that is late. The count stays at 0 if run has already counted the end of the write.
func (w *watchdog) onLate() {
	late := w.late.Add(1)
	if late < 1 {
		return
	}
	w.m.config.Log.Warn("a write to the disk hangs", "since", patience(w.m.config.Election), "gives way", w.m.stepsAside())
	if w.m.stepsAside() {
		w.steppedAside.tell()
	}
	w.m.change.tell()
}

// diskHangs reports whether a write to the disk is late.
func (m *Member) diskHangs() bool { return m.watchdog.late.Load() > 0 }

// stepsAside reports whether the member leaves the lead to others because its disk hangs. The only voter never does:
// nobody else could lead.
func (m *Member) stepsAside() bool { return m.diskHangs() && !m.onlyVoter.Load() }

// mayLead returns an error while the member gives way, so that it sends nothing by which it leads.
func (m *Member) mayLead() error {
	if m.stepsAside() {
		return errDiskHangs
	}
	return nil
}

// isLeader reports whether the member leads and does not give way.
func (m *Member) isLeader() bool { return m.raft.State() == raft.Leader && !m.stepsAside() }

// guessLeader returns another voter, a different one each time. While the disk hangs, Raft here may not hear of a new
// leader. So the calls try the other voters; the one that leads takes them.
func (m *Member) guessLeader() Peer {
	var others []Peer
	for _, s := range m.servers() {
		if s.Suffrage == raft.Voter && string(s.ID) != m.config.ID {
			others = append(others, peerOf(s))
		}
	}
	if len(others) == 0 {
		return Peer{}
	}
	return others[m.guesses.Add(1)%uint64(len(others))]
}
