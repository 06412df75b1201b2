package replicated

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"
)

// errGivesWay is the cause why a call is given up that was on its way to the log.
var errGivesWay = errors.New("replicated: the disk of the member hangs")

// writes are the writes to the log and to the vote. Raft writes in its main goroutine, and sends heartbeats from others. A
// leader whose disk hangs would lead on, and carry nothing out:
//
//	main goroutine   entry 7 ├──────────── the disk hangs ─── …
//	heartbeats       ♥  ♥  ♥  ♥  ♥  ♥  ♥  ♥  ♥  ♥  ♥  ♥  ♥  … so the others elect nobody
//
// So a member gives way while a write is late. It sends no entries, no heartbeats, and asks for no votes: the others elect
// another leader. Its main goroutine, which would grant votes, waits for the disk anyway. All is as before once the write
// returns.
type writes struct {
	m    *Member
	late atomic.Int64 // how many are under way for longer than patience
	told broadcast    // of each time the member begins to give way
}

// patience is how long a write may take before it is late. The others need about two elections for another leader, so a
// leader that gives way sooner loses more time than it saves. Below leastBeat a busy machine looks like a disk that hangs.
func patience(election time.Duration) time.Duration { return 2 * max(election, leastBeat) }

// run runs a write, and watches how long it takes.
func (w *writes) run(write func() error) error {
	begun := time.Now()
	watch := time.AfterFunc(patience(w.m.config.Election), w.lost)
	err := write()
	if watch.Stop() {
		return err
	}
	if !w.m.sole.Load() {
		w.m.ready.Store(0) // others may have led meanwhile, so it asks a majority before it answers as the leader
	}
	w.late.Add(-1)
	w.m.config.Log.Info("a write to the disk has returned", "took", time.Since(begun), "err", err)
	w.m.change.tell()
	return err
}

// lost counts a write that is late. The write may have returned by now, and be counted off already.
func (w *writes) lost() {
	if w.late.Add(1) < 1 {
		return
	}
	w.m.config.Log.Warn("a write to the disk hangs", "since", patience(w.m.config.Election), "gives way", w.m.givesWay())
	if w.m.givesWay() {
		w.told.tell()
	}
	w.m.change.tell()
}

// hangs reports whether a write to the disk is late.
func (m *Member) hangs() bool { return m.writes.late.Load() > 0 }

// givesWay reports whether the member leaves the lead to others since its disk hangs. A member that is alone waits.
func (m *Member) givesWay() bool { return m.hangs() && !m.sole.Load() }

// isLeader reports whether the member leads, and can.
func (m *Member) isLeader() bool { return m.raft.State() == raft.Leader && !m.givesWay() }

// guess returns some other voter, another one each time. Raft may not hear of a new leader here while its disk hangs, and the
// voter that leads takes the call.
func (m *Member) guess() Peer {
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
